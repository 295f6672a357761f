/** The mails to customers, and each as it was sent: in a frame, as a document of its own that can do nothing. */
import type { RequestHandler } from 'express';
import { orUnavailable } from '../../../../core/base/errors.ts';
import { sendInFrame } from '../../../../core/web/page-protection.ts';
import { isRequest } from '../../../actions/action-kinds.ts';
import {
  findMail,
  type ListedMail,
  listMails,
  MAIL_SORTS,
  type MailFilter,
  placeOfMail,
  sumMails,
} from '../../../store/reports/mails.ts';
import { refreshFailures } from '../../../store/reports/money/refresh-failures.ts';
import { listUndeliverableMails } from '../../../store/reports/unsent-mails.ts';
import { mailOutcomesQuery, readMailOutcomes } from '../../lists/mail-outcomes.ts';
import { describeMail, describeMailState } from '../../text/describe-state.ts';
import { foretell } from '../../text/foretell.ts';
import { cutPage, readKey } from '../list-place.ts';
import { ID, notFound, type Page, type PageDeps, ROWS, type SendFile } from '../page-answer.ts';
import { type CsvColumn, sendCsv } from '../send-csv.ts';
import { MailListView, type MailQuery, mailAddress } from './mail-list-view.tsx';
import { MailOutcomesView } from './mail-outcomes-view.tsx';
import { MailView } from './mail-view.tsx';

export const mailsPage: Page = async ({ database }, { request, reader }) => {
  const query = mailAddress.parse(request.query);
  const { sort } = query;
  const after = readKey(MAIL_SORTS[sort], query.after);
  const page = { sort, limit: ROWS + 1, after, isReversed: query.order === 'reversed' };
  const found = await orUnavailable(listMails(database, toFilter(query), page));
  await orUnavailable(refreshFailures(database));
  const sums = await orUnavailable(sumMails(database, toFilter(query)));
  const { rows: mails, next } = cutPage(found, (last) => Object.values(placeOfMail(last, sort)).join('~'));
  const undeliverable = query.state === 'unsent' ? await orUnavailable(listUndeliverableMails(database)) : [];
  const main = MailListView({ query, mails, next, sums, undeliverable, reader });
  return { title: 'Mails', here: 'mails', isLive: true, main };
};

const CSV_COLUMNS: readonly CsvColumn<ListedMail>[] = [
  ['mail', ({ id }) => id],
  ['account', ({ account }) => account],
  ['kind', ({ template }) => template],
  ['kind_words', ({ template }) => describeMail(template)],
  ['state', ({ state }) => state],
  ['state_words', ({ state }) => describeMailState(state)],
  ['subject', ({ subject }) => subject],
  ['recipient', ({ recipient }) => recipient],
  ['customer', ({ customerId }) => customerId],
  ['customer_name', ({ customerName }) => customerName],
  ['about', ({ named }) => named.join(' ')],
  ['written_at', ({ createdAt }) => createdAt],
  ['sent_at', ({ sentAt }) => sentAt],
  ['mail_server', ({ detail }) => detail],
];

export const sendMailCsv: SendFile = async ({ database }, { request, reader }, response) => {
  const query = mailAddress.parse(request.query);
  const filter = toFilter(query);
  await sendCsv(response, {
    name: 'mails',
    columns: CSV_COLUMNS,
    zone: reader.zone,
    list: (last, limit) =>
      listMails(database, filter, {
        sort: query.sort,
        limit,
        isReversed: query.order === 'reversed',
        after: last && placeOfMail(last, query.sort),
      }),
  });
};

/** An id of Stripe's is what the mail is about; all else an address. */
function toFilter({ q, state }: MailQuery): MailFilter {
  const isUnsent = state === 'unsent';
  if (q === undefined) return { isUnsent };
  return /^(in|sub)_/.test(q) ? { isUnsent, invoice: q } : { isUnsent, recipient: q };
}

export const mailOutcomesPage: Page = async ({ database }, { request, reader }) => {
  const { days } = mailOutcomesQuery.catch({ days: 30 }).parse(request.query);
  const { outcomes } = await orUnavailable(readMailOutcomes(database, reader.now, days));
  const main = MailOutcomesView({ days, outcomes, reader });
  return { title: 'What the mails bring', here: 'mails', isLive: true, main };
};

export const mailPage: Page = async (deps, { request, reader, token }) => {
  const id = String(request.params.id);
  const mail = ID.test(id) ? await orUnavailable(findMail(deps.database, id)) : undefined;
  if (!mail)
    return notFound('Unknown mail', `No mail ${id} is known.`, 'It may have been deleted with its invoice.');
  const { account, invoiceId: invoice, template } = mail;
  const foretold =
    invoice !== null && isRequest(template)
      ? await foretell(deps.operations, 'sendMailAgain', { invoice, account, template })
      : undefined;
  return { title: 'Mail', here: 'mails', hasFrame: true, main: MailView({ mail, foretold, reader, token }) };
};

/** Without scripts, forms, links that lead anywhere, and anything from elsewhere but the merchant's own logo. */
export function sendMailBody({ database, config }: PageDeps): RequestHandler {
  const { logoUrl } = config.emailLook;
  return async (request, response, next) => {
    const id = String(request.params.id);
    const mail = ID.test(id) ? await orUnavailable(findMail(database, id)) : undefined;
    if (!mail?.bodyHtml) return next();
    sendInFrame(response, mail.bodyHtml, { picture: logoUrl });
  };
}
