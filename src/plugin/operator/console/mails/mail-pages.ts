/** The emails to customers, and each as it was sent: in a frame, as a document of its own that can do nothing. */
import type { RequestHandler } from 'express';
import { orUnavailable } from '../../../../core/base/errors.ts';
import { sendInFrame } from '../../../../core/web/page-protection.ts';
import { isRequest } from '../../../actions/action-kinds.ts';
import { findMail, listMails, type MailFilter, placeOfMail, sumMails } from '../../../store/reports/mails.ts';
import { refreshForReader } from '../../../store/reports/money/refresh-failures.ts';
import { listUndeliverableMails } from '../../../store/reports/unsent-mails.ts';
import { mailOutcomesQuery, readMailOutcomes } from '../../lists/mail-outcomes.ts';
import { previewOperation } from '../../text/preview-operation.ts';
import { startOf } from '../invoices/invoice-query.ts';
import { cutPage, readKey } from '../list-place.ts';
import { ID, notFound, type Page, type PageDeps, ROWS } from '../page-answer.ts';
import { MailListView, type MailQuery, mailAddress } from './mail-list-view.tsx';
import { MailOutcomesView } from './mail-outcomes-view.tsx';
import { MailView } from './mail-view.tsx';

export const mailsPage: Page = async ({ database }, { request, reader }) => {
  const query = mailAddress.parse(request.query);
  const filter = toFilter(query, reader.zone);
  const page = { limit: ROWS + 1, after: readKey('failed', query.after) };
  const found = await orUnavailable(listMails(database, filter, page));
  await orUnavailable(refreshForReader(database));
  const sums = await orUnavailable(sumMails(database, filter));
  const { rows: mails, next } = cutPage(found, (last) => Object.values(placeOfMail(last)).join('~'));
  const undeliverable = query.state === 'unsent' ? await orUnavailable(listUndeliverableMails(database)) : [];
  const main = MailListView({ query, mails, next, sums, undeliverable, reader });
  return { title: 'Emails', here: 'mails', isLive: true, main };
};

/** Searches an id of Stripe's as the email's subject, anything else as its address. */
function toFilter({ q, state, from, to }: MailQuery, zone: string): MailFilter {
  const span = { from: startOf(from, zone), to: startOf(to, zone) };
  const filter = {
    isSent: state && state === 'sent',
    failed: span.from && span.to ? { from: span.from, to: span.to } : undefined,
  };
  if (q === undefined) return filter;
  return /^(in|sub)_/.test(q) ? { ...filter, invoice: q } : { ...filter, recipient: q };
}

export const mailOutcomesPage: Page = async ({ database }, { request, reader }) => {
  const { days } = mailOutcomesQuery.catch({ days: 30 }).parse(request.query);
  const { outcomes } = await orUnavailable(readMailOutcomes(database, reader.now, days));
  const main = MailOutcomesView({ days, outcomes, reader });
  return { title: 'Results of emails', here: 'mails', isLive: true, main };
};

export const mailPage: Page = async (deps, { request, reader, token }) => {
  const id = String(request.params.id);
  const mail = ID.test(id) ? await orUnavailable(findMail(deps.database, id)) : undefined;
  if (!mail)
    return notFound(
      'Unknown email',
      `No email ${id} is known.`,
      'It may have been deleted with its invoice.',
    );
  const { account, invoiceId: invoice, template } = mail;
  const previewed =
    invoice !== null && isRequest(template)
      ? await previewOperation(deps.operations, 'sendMailAgain', { invoice, account, template })
      : undefined;
  return {
    title: 'Email',
    here: 'mails',
    hasFrame: true,
    main: MailView({ mail, previewed, reader, token }),
  };
};

/** Removes scripts, forms, links that lead anywhere, and everything from elsewhere but the merchant's own logo. */
export function sendMailBody({ database, config }: PageDeps): RequestHandler {
  const { logoUrl } = config.emailLook;
  return async (request, response, next) => {
    const id = String(request.params.id);
    const mail = ID.test(id) ? await orUnavailable(findMail(database, id)) : undefined;
    if (!mail?.bodyHtml) return next();
    sendInFrame(response, mail.bodyHtml, { picture: logoUrl });
  };
}
