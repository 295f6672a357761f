/** Customers with failed invoices in three orders, found by indexes alone. */
import type { Queryable } from '../../../../core/database/database.ts';
import { type CurrencyWorth, type FailurePage, orderRows, type PlacedFailure } from './failure-order.ts';
import { findWords, HAS_WORDS, MATCHING, type Words } from './failure-search.ts';
import { type MoneySum, STATE, SUMS } from './sum-failures.ts';

export interface CustomerFilter {
  /** Words, or their beginnings, of a name, email address or id. */
  readonly search?: string | Words | undefined;
  /** Only customers with an unpaid invoice. */
  readonly isOpen?: boolean | undefined;
}

/** The order of failures behind each order of customers; `column` replaces `amount`. With several currencies, that of the latest failure counts. */
const SORTS = {
  failed: { sort: 'failed' },
  unpaid: { sort: 'amount', column: 'unpaid' },
  recovered: { sort: 'amount', column: 'recovered' },
} as const satisfies Readonly<Record<string, SortColumn>>;

interface SortColumn {
  readonly sort: FailurePage['sort'];
  readonly column?: string;
}

export type CustomerSort = keyof typeof SORTS;
export const CUSTOMER_SORTS = ['failed', 'unpaid', 'recovered'] as const;

export const sortOfCustomers = (sort: CustomerSort): SortColumn => SORTS[sort];

export interface CustomerPage extends Omit<FailurePage, 'sort' | 'worth'> {
  readonly sort?: CustomerSort;
  /** Needed for a sort by money. */
  readonly worth?: readonly CurrencyWorth[] | undefined;
}

/** `invoiceId` holds the customer's id, so that positions work as for failures. */
export interface ListedCustomer extends Pick<PlacedFailure, 'invoiceId' | 'amount' | 'worth' | 'failedAt'> {
  readonly account: string;
  readonly customerId: string;
  readonly customerName: string | null;
  readonly customerEmail: string | null;
  readonly sums: readonly MoneySum[];
  readonly emails: number;
}

const BY_STATE = `select currency, ${STATE} as state, ${SUMS}
  from payment_retry.failures where account = page.account and customer_id = page.customer_id group by 1, 2 order by 1, 2`;

export async function listCustomers(
  db: Queryable,
  { search, isOpen = false }: CustomerFilter,
  { sort = 'failed', ...page }: CustomerPage,
) {
  const bound: unknown[] = [];
  const bind = (value: unknown) => `$${bound.push(value)}`;
  const words = await findWords(db, search);
  const by = sortOfCustomers(sort);
  // `offset 0` looks rows up one by one: a join would read the whole table.
  const from =
    words && !words.isCommon
      ? `(select p.* from (select distinct account, customer_id from (${MATCHING(bind(words.query))}) m) k cross join lateral (
           select * from payment_retry.payers where account = k.account and customer_id = k.customer_id offset 0) p) found`
      : 'payment_retry.payers';
  const conditions = [
    ...(isOpen ? ['unpaid_invoices > 0'] : []),
    ...(words?.isCommon
      ? [
          `exists (select from payment_retry.failures f where f.account = listed.account and f.customer_id = listed.customer_id
             and ${HAS_WORDS(bind(words.query))} offset 0)`,
        ]
      : []),
  ];
  const source = `(select *, customer_id as invoice_id, ${by.column ?? 'unpaid'} as amount from ${from})`;
  const ordered = orderRows({ source, conditions, bind }, { ...page, sort: by.sort, worth: page.worth });
  return db.query<ListedCustomer>(
    `select page.account, page.customer_id, page.invoice_id, page.failed_at, page.amount, page.worth, sent.emails,
       customer.name as customer_name, customer.email as customer_email, (select coalesce(json_agg(s), '[]') from (${BY_STATE}) s) as sums
     from (select *, row_number() over () as place from (${ordered}) ordered) page
     left join payment_retry.customers customer on customer.account = page.account and customer.id = page.customer_id
     cross join lateral (select count(*) as emails from payment_retry.failures f
       join payment_retry.emails e on e.account = f.account and e.invoice_id = f.invoice_id and e.state = 'sent'
       where f.account = page.account and f.customer_id = page.customer_id) sent
     order by page.place`,
    bound,
  );
}

/** Counting stops here. */
export const MOST_COUNTED = 10_000;

/** Counts all matching customers, not only a page, up to `MOST_COUNTED`, with unpaid amounts by currency. Undefined for common words. */
export async function sumCustomers(db: Queryable, { search, isOpen = false }: CustomerFilter) {
  const words = await findWords(db, search);
  if (words?.isCommon) return undefined;
  const bound = words ? [words.query] : [];
  const found = words
    ? `(account, customer_id) in (select account, customer_id from (${MATCHING('$1')}) m)`
    : 'true';
  // An index order, so that the index is read only as far as needed.
  const some = isOpen
    ? 'unpaid_invoices > 0 order by failed_at desc, customer_id'
    : 'true order by account, customer_id';
  const [counted] = await db.query<{ customers: number }>(
    `select count(*)::int as customers from (select from payment_retry.payers where ${found} and ${some} limit ${MOST_COUNTED}) c`,
    bound,
  );
  const unpaid = await db.query<{ currency: string; amount: number }>(
    `select currency, sum(amount)::bigint as amount from payment_retry.failures
     where state = 'open' and customer_id is not null and ${found} group by currency order by count(*) desc, currency`,
    bound,
  );
  return { customers: counted?.customers ?? 0, unpaid };
}
