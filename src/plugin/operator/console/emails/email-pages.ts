/** The emails to customers, and each as it was sent: in a frame, as a document of its own that can do nothing. */
import type { RequestHandler } from 'express';
import { orUnavailable } from '../../../../core/base/errors.ts';
import { sendInFrame } from '../../../../core/web/page-protection.ts';
import { isRequest } from '../../../actions/action-kinds.ts';
import {
  type EmailFilter,
  findEmail,
  listEmails,
  placeOfEmail,
  sumEmails,
} from '../../../store/reports/listed-emails.ts';
import { refreshForReader } from '../../../store/reports/money/refresh-failures.ts';
import { listUndeliverableEmails } from '../../../store/reports/unsent-emails.ts';
import { emailOutcomesQuery, readEmailOutcomes } from '../../lists/email-outcomes.ts';
import { previewOperation } from '../../text/preview-operation.ts';
import { startOf } from '../invoices/invoice-query.ts';
import { cutPage, readKey } from '../list-place.ts';
import { ID, notFound, type Page, type PageDeps, ROWS } from '../page-answer.ts';
import { EmailListView, type EmailQuery, emailAddress } from './email-list-view.tsx';
import { EmailOutcomesView } from './email-outcomes-view.tsx';
import { EmailView } from './email-view.tsx';

export const emailsPage: Page = async ({ database }, { request, reader, token }) => {
  const query = emailAddress.parse(request.query);
  const filter = toFilter(query, reader.zone);
  const page = { limit: ROWS + 1, after: readKey('failed', query.after) };
  const found = await orUnavailable(listEmails(database, filter, page));
  await orUnavailable(refreshForReader(database));
  const sums = await orUnavailable(sumEmails(database, filter));
  const { rows: emails, next } = cutPage(found, (last) => Object.values(placeOfEmail(last)).join('~'));
  const undeliverable =
    query.state === 'unsent' ? await orUnavailable(listUndeliverableEmails(database)) : [];
  const main = EmailListView({ query, emails, next, sums, undeliverable, reader, token });
  return { title: 'Emails', here: 'emails', isLive: true, main };
};

/** Searches an id of Stripe's as the email's subject, anything else as its address. */
function toFilter({ q, state, from, to }: EmailQuery, zone: string): EmailFilter {
  const span = { from: startOf(from, zone), to: startOf(to, zone) };
  const filter = {
    isSent: state && state === 'sent',
    failed: span.from && span.to ? { from: span.from, to: span.to } : undefined,
  };
  if (q === undefined) return filter;
  return /^(in|sub)_/.test(q) ? { ...filter, invoice: q } : { ...filter, recipient: q };
}

export const emailOutcomesPage: Page = async ({ database }, { request, reader }) => {
  const { days } = emailOutcomesQuery.catch({ days: 30 }).parse(request.query);
  const { outcomes } = await orUnavailable(readEmailOutcomes(database, reader.now, days));
  const main = EmailOutcomesView({ days, outcomes, reader });
  return { title: 'Results of emails', here: 'emails', isLive: true, main };
};

export const emailPage: Page = async (deps, { request, reader, token }) => {
  const id = String(request.params.id);
  const email = ID.test(id) ? await orUnavailable(findEmail(deps.database, id)) : undefined;
  if (!email)
    return notFound(
      'Unknown email',
      `No email ${id} is known.`,
      'It may have been deleted with its invoice.',
    );
  const { account, invoiceId: invoice, template } = email;
  const previewed =
    invoice !== null && isRequest(template)
      ? await previewOperation(deps.operations, 'sendEmailAgain', { invoice, account, template })
      : undefined;
  return {
    title: 'Email',
    here: 'emails',
    hasFrame: true,
    main: EmailView({ email, previewed, reader, token }),
  };
};

/** Removes scripts, forms, links that lead anywhere, and everything from elsewhere but the merchant's own logo. */
export function sendEmailBody({ database, config }: PageDeps): RequestHandler {
  const { logoUrl } = config.emailLook;
  return async (request, response, next) => {
    const id = String(request.params.id);
    const email = ID.test(id) ? await orUnavailable(findEmail(database, id)) : undefined;
    if (!email?.bodyHtml) return next();
    sendInFrame(response, email.bodyHtml, { picture: logoUrl });
  };
}
