/** Emails to customers, latest first: page by page, and each as sent. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import { type FailurePage, type FailurePlace, orderRows, placeOf, toWhere } from './money/failure-order.ts';
import { DISPUTED, MOST_COUNTED, type MoneySum } from './money/sum-failures.ts';

export interface ListedEmail {
  readonly id: string;
  readonly account: string;
  readonly invoiceId: string | null;
  /** The subscription whose next renewal it is about; null for an email about an invoice. */
  readonly subscriptionId: string | null;
  readonly named: readonly string[];
  readonly template: string;
  /** Empty once the address is erased. */
  readonly recipient: string;
  readonly state: string;
  /** The mail server's answer. */
  readonly detail: string | null;
  readonly createdAt: DateTime<true>;
  readonly sentAt: DateTime<true> | null;
  /** Null if the text is no longer kept. */
  readonly subject: string | null;
  readonly customerId: string | null;
  readonly customerName: string | null;
}

export interface StoredEmail extends ListedEmail {
  readonly bodyText: string | null;
  readonly bodyHtml: string | null;
}

export interface EmailFilter {
  readonly isSent?: boolean | undefined;
  /** ISO 8601: an invoice that it names failed first at or after, and before. */
  readonly failed?: { readonly from: string; readonly to: string } | undefined;
  readonly recipient?: string | undefined;
  readonly invoice?: string | undefined;
  readonly customer?: { readonly account: string; readonly id: string } | undefined;
}

export type EmailPage = Omit<FailurePage, 'sort' | 'worth'>;

/** Columns under the names that `orderRows` uses. */
const PLACED = `(select account, template, named, subscription_id, invoice_id as about, step as invoice_id, created_at as failed_at,
  state as standing, lower(recipient) as payer from payment_retry.emails)`;

const LISTED = `e.step as id, e.account, e.invoice_id, e.subscription_id, e.named, e.template, e.recipient, e.state, e.detail, e.created_at, e.sent_at, e.subject,
  owner.customer_id, customer.name as customer_name`;

const OWNER = `left join lateral (
    select customer_id from payment_retry.invoices where account = e.account and id = e.invoice_id
    union all select customer_id from payment_retry.subscriptions where account = e.account and id = e.subscription_id
    limit 1) owner on true
  left join payment_retry.customers customer on customer.account = e.account and customer.id = owner.customer_id`;

const namesFailed = (from: string, to: string) =>
  `exists (select from payment_retry.failures f where f.account = listed.account and f.invoice_id = any(listed.named)
     and f.failed_at >= ${from}::timestamptz and f.failed_at < ${to}::timestamptz)`;

function listConditions(
  { isSent, failed, recipient, invoice, customer }: EmailFilter,
  bind: (value: unknown) => string,
): string[] {
  const ofCustomer = (account: string, id: string) => {
    const [inAccount, owner] = [bind(account), bind(id)];
    // Arrays let each half use its index; the two rarely name many.
    const of = (table: string) =>
      `any(array(select id from payment_retry.${table} where account = ${inAccount} and customer_id = ${owner}))`;
    return `account = ${inAccount} and (about = ${of('invoices')}
      or about is null and subscription_id = ${of('subscriptions')})`;
  };
  return [
    ...(isSent === undefined ? [] : [`standing ${isSent ? '=' : '<>'} 'sent'`]),
    ...(failed === undefined ? [] : [namesFailed(bind(failed.from), bind(failed.to))]),
    ...(recipient === undefined ? [] : [`payer = lower(${bind(recipient)})`]),
    ...(invoice === undefined ? [] : [`named @> array[${bind(invoice)}]`]),
    ...(customer === undefined ? [] : [ofCustomer(customer.account, customer.id)]),
  ];
}

export interface EmailSums {
  /** `MOST_COUNTED` if there are more; then nothing is summed. */
  readonly emails: number;
  /** The failed invoices that they name, each once. */
  readonly about: readonly Pick<MoneySum, 'currency' | 'amount' | 'disputes' | 'disputed'>[];
}

/** Sums all matching emails, not only a page. */
export async function sumEmails(db: Queryable, filter: EmailFilter): Promise<EmailSums> {
  const bound: unknown[] = [];
  const conditions = listConditions(filter, (value) => `$${bound.push(value)}`);
  const found = `select account, about as invoice_id from ${PLACED} listed ${toWhere(conditions)} limit ${MOST_COUNTED}`;
  const [counted] = await db.query<{ emails: number }>(
    `select count(*)::int as emails from (${found}) e`,
    bound,
  );
  const emails = counted?.emails ?? 0;
  if (emails === MOST_COUNTED) return { emails, about: [] };
  const about = await db.query<EmailSums['about'][number]>(
    `select f.currency, sum(f.amount)::bigint as amount, ${DISPUTED} from (select distinct account, invoice_id from (${found}) e) m
     join payment_retry.failures f on f.account = m.account and f.invoice_id = m.invoice_id group by 1 order by count(*) desc, 1`,
    bound,
  );
  return { emails, about };
}

export function listEmails(db: Queryable, filter: EmailFilter, page: EmailPage) {
  const bound: unknown[] = [];
  const bind = (value: unknown) => `$${bound.push(value)}`;
  const conditions = listConditions(filter, bind);
  const ordered = orderRows({ source: PLACED, conditions, bind }, { ...page, sort: 'failed' });
  return db.query<ListedEmail>(
    `select ${LISTED}
     from (select *, row_number() over () as place from (${ordered}) ordered) p
     join payment_retry.emails e on e.step = p.invoice_id and e.account = p.account and e.template = p.template
     ${OWNER} order by p.place`,
    bound,
  );
}

/** The position after which the next page begins. */
export function placeOfEmail({ id, createdAt }: ListedEmail): FailurePlace {
  return placeOf({ invoiceId: id, failedAt: createdAt, amount: 0 }, 'failed');
}

export function findEmail(db: Queryable, id: string) {
  return db.find<StoredEmail>(
    `select ${LISTED}, e.body_text, e.body_html from payment_retry.emails e ${OWNER} where e.step = $1 limit 1`,
    [id],
  );
}
