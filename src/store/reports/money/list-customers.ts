/** Customers with failed invoices: whose failed last comes first. Found by indexes alone, whatever the number of failures. */
import type { Database, Queryable } from '../../engine/database.ts';
import { findWords, HAS_WORDS, MATCHING, type Words } from './failure-search.ts';
import { type MoneySum, STATE } from './sum-failures.ts';

export interface CustomerFilter {
  /** Words, or beginnings of them, of a name, an e-mail address or an id. */
  readonly search?: string | Words | undefined;
  /** Only who has an unpaid invoice. */
  readonly isOpen?: boolean | undefined;
}

export interface CustomerPage {
  readonly limit: number;
  /** The latest failure of the last customer of the page before: its time in ISO 8601, and the invoice. */
  readonly after?: { readonly at: string; readonly id: string } | undefined;
  /** Whose latest failure is longest ago first. */
  readonly isReversed?: boolean | undefined;
}

export interface ListedCustomer {
  readonly account: string;
  readonly customerId: string;
  readonly customerName: string | null;
  readonly customerEmail: string | null;
  /** The latest failure that fits. */
  readonly failedAt: Date;
  readonly invoiceId: string;
  /** Of all failures of the customer. */
  readonly sums: readonly MoneySum[];
  readonly mails: number;
}

const SUMS = `select currency, ${STATE} as state, count(*) as invoices, sum(amount)::bigint as amount, sum(returned)::bigint as returned
  from payment_retry.failures where account = page.account and customer_id = page.customer_id group by 1, 2 order by 1, 2`;

const ITS_OWN = (table: string) =>
  `select id from payment_retry.${table} where account = page.account and customer_id = page.customer_id`;

type Latest = Pick<ListedCustomer, 'account' | 'customerId' | 'failedAt' | 'invoiceId'>;

/** Planned by itself: with what is forbidden for the page, each of its rows would read a table whole. */
function describeEach(db: Queryable, page: readonly Latest[]): Promise<ListedCustomer[]> {
  return db.query<ListedCustomer>(
    `select page.account, page.customer_id, page.failed_at, page.invoice_id, customer.name as customer_name, customer.email as customer_email,
       (select coalesce(json_agg(s), '[]') from (${SUMS}) s) as sums,
       (select count(*) from payment_retry.emails where account = page.account
          and invoice_id in (${ITS_OWN('invoices')} union all ${ITS_OWN('subscriptions')})) as mails
     from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[]) with ordinality page (account, customer_id, failed_at, invoice_id, place)
     left join payment_retry.customers customer on customer.account = page.account and customer.id = page.customer_id
     order by page.place`,
    [
      page.map(({ account }) => account),
      page.map(({ customerId }) => customerId),
      page.map(({ failedAt }) => failedAt.toISOString()),
      page.map(({ invoiceId }) => invoiceId),
    ],
  );
}

export async function listCustomers(
  db: Database,
  { search, isOpen = false }: CustomerFilter,
  { limit, after, isReversed = false }: CustomerPage,
): Promise<ListedCustomer[]> {
  const bound: unknown[] = [];
  const bind = (value: unknown) => `$${bound.push(value)}`;
  const found = typeof search === 'string' ? await findWords(db, search) : search;
  const isRare = found !== undefined && !found.isCommon;
  const words = found && bind(found.query);
  const open = isOpen ? ` and state = 'open'` : '';
  const at = after && `${bind(after.at)}::timestamptz`;
  const place = after && bind(after.id);
  const [less, more] = isReversed ? ['>', '<'] : ['<', '>'];
  const inOrder = (of = '') =>
    isReversed ? `${of}failed_at, ${of}invoice_id desc` : `${of}failed_at desc, ${of}invoice_id`;
  const from = after
    ? ` and failed_at ${less}= ${at} and (failed_at ${less} ${at} or invoice_id ${more} ${place})`
    : '';
  const fits = `${words === undefined ? '' : ` and ${HAS_WORDS(words)}`}${open}`;
  const source = isRare
    ? `(select distinct on (account, customer_id) * from (${MATCHING(`${words}`)}) found
        where customer_id is not null${open} order by account, customer_id, failed_at desc, invoice_id) f
       where true${from}`
    : // The latest failure of each customer. Asked for one by one and in order (`offset 0`).
      `(select account, customer_id, failed_at, invoice_id from payment_retry.failures where true${fits}${from}
        order by ${inOrder()} offset 0) f
       cross join lateral (
         select invoice_id from payment_retry.failures
         where account = f.account and customer_id = f.customer_id${fits}
         order by failed_at desc, invoice_id limit 1) latest
       where latest.invoice_id = f.invoice_id`;
  const statement = `select f.account, f.customer_id, f.failed_at, f.invoice_id from ${source}
     order by ${inOrder('f.')} limit ${bind(limit)}`;
  const page = await db.transaction(async (tx) => {
    // The planner does not know that the first rows of the inner query will do, and would rather sort them all.
    if (!isRare)
      await tx.query(
        `select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)`,
      );
    return tx.query<Latest>(statement, bound);
  });
  return describeEach(db, page);
}

/** So many are counted; more are said to be more. */
export const MOST_COUNTED = 10_000;

export interface CustomerSums {
  /** `MOST_COUNTED` where there are more. */
  readonly customers: number;
  /** What they have not paid, by currency. */
  readonly unpaid: readonly { readonly currency: string; readonly amount: number }[];
}

/** Of all that fit, not only a page. Undefined where thousands have the words. */
export async function sumCustomers(
  db: Queryable,
  { search, isOpen = false }: CustomerFilter,
): Promise<CustomerSums | undefined> {
  const words = typeof search === 'string' ? await findWords(db, search) : search;
  if (words?.isCommon) return undefined;
  const bound = words ? [words.query] : [];
  const source = words ? `(${MATCHING('$1')})` : 'payment_retry.failures';
  const open = isOpen ? ` and state = 'open'` : '';
  const customers = `select distinct account, customer_id from ${source} f where customer_id is not null${open} limit ${MOST_COUNTED}`;
  const [counted] = await db.query<{ customers: number }>(
    `select count(*)::int as customers from (${customers}) c`,
    bound,
  );
  const theirs = words ? ` and (account, customer_id) in (${customers})` : '';
  const unpaid = await db.query<{ currency: string; amount: number }>(
    `select currency, sum(amount)::bigint as amount from payment_retry.failures
     where state = 'open' and customer_id is not null${theirs} group by currency order by count(*) desc, currency`,
    bound,
  );
  return { customers: counted?.customers ?? 0, unpaid };
}
