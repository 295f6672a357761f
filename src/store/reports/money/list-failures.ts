/** Failed invoices: searched, filtered, sorted and paged by the database. */
import type { Queryable } from '../../engine/database.ts';
import { HAS_WORDS, isCommon, MATCHING, toTextQuery } from './failure-search.ts';
import { type InvoiceListing, type Need, STANDING, type Standing, VIEWS } from './needs.ts';
import type { Cause, MoneyState } from './sum-failures.ts';

export interface FailureFilter {
  /** Words, or beginnings of them, of a name, an e-mail address or an id. */
  readonly search?: string | undefined;
  readonly state?: MoneyState | undefined;
  readonly need?: Need | undefined;
  readonly standing?: InvoiceListing | undefined;
  readonly reason?: string | undefined;
  readonly brand?: string | undefined;
  readonly country?: string | undefined;
  readonly plan?: string | undefined;
  readonly currency?: string | undefined;
  readonly customer?: string | undefined;
  /** The customer's address, or its beginning. */
  readonly email?: string | undefined;
  readonly invoice?: string | undefined;
  readonly subscription?: string | undefined;
  readonly account?: string | undefined;
  /** ISO 8601: failed first at or after, and before. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** In minor units; with a currency. */
  readonly atLeast?: number | undefined;
}

/** `failed`: the latest first. `amount`: the largest first, of one currency. `next`: what is due first. */
export const FAILURE_SORTS = ['failed', 'amount', 'next'] as const;
export type FailureSort = (typeof FAILURE_SORTS)[number];

export interface FailurePage {
  readonly sort: FailureSort;
  readonly limit: number;
  /** The other way round. */
  readonly isReversed?: boolean | undefined;
  /** Of the last row of the page before. */
  readonly after?: FailurePlace | undefined;
}

export interface FailurePlace {
  /** What the list is sorted by, as text. */
  readonly key: string;
  readonly invoiceId: string;
}

export interface Failure {
  readonly account: string;
  readonly invoiceId: string;
  readonly customerId: string | null;
  readonly customerName: string | null;
  readonly customerEmail: string | null;
  readonly subscriptionId: string | null;
  readonly plan: string | null;
  readonly planName: string | null;
  readonly currency: string;
  readonly amount: number;
  /** Refunds and lost disputes since it was recovered. */
  readonly returned: number;
  readonly state: MoneyState;
  readonly cause: Cause | null;
  readonly failedAt: Date;
  readonly endedAt: Date | null;
  readonly attempts: number;
  readonly reason: string | null;
  readonly brand: string | null;
  readonly last4: string | null;
  readonly country: string | null;
  readonly nextKind: string | null;
  readonly nextAt: Date | null;
  /** Why a person is needed. */
  readonly need: Need | null;
  readonly standing: Standing;
  /** When a mail last asked for it. */
  readonly askedAt: Date | null;
  /** When Stripe tries by itself. */
  readonly stripeAt: Date | null;
}

const SORTS: Readonly<
  Record<FailureSort, { column: string; type: string; isDescending: boolean; where?: string }>
> = {
  failed: { column: 'failed_at', type: 'timestamptz', isDescending: true },
  amount: { column: 'amount', type: 'bigint', isDescending: true },
  next: { column: 'next_at', type: 'timestamptz', isDescending: false, where: 'next_at is not null' },
};

const EQUAL = ['need', 'reason', 'brand', 'country', 'plan', 'currency'] as const;

const STATES: Readonly<Record<MoneyState, string>> = {
  open: `state = 'open' and next_kind = 'pay'`,
  waiting: `state = 'open' and next_kind is distinct from 'pay'`,
  recovered: `state = 'recovered'`,
  lost: `state = 'lost'`,
};

const HAS_ADDRESS = (beginning: string) =>
  `exists (select from payment_retry.customers one where one.account = listed.account and one.id = listed.customer_id
     and starts_with(lower(one.email), lower(${beginning})))`;

/** One row each (`offset 0`): for a long page a join would read the whole table. */
const ITS = (table: string, key: string) =>
  `(select * from payment_retry.${table} its where its.account = f.account and its.id = f.${key} offset 0)`;

export async function listFailures(
  db: Queryable,
  filter: FailureFilter,
  { sort, limit, isReversed = false, after }: FailurePage,
): Promise<Failure[]> {
  const bound: unknown[] = [];
  const bind = (value: unknown) => `$${bound.push(value)}`;
  const { column, type, where, ...usual } = SORTS[sort];
  const isDescending = usual.isDescending !== isReversed;
  const conditions = [...listConditions(filter, bind), ...(where === undefined ? [] : [where])];
  if (after) {
    const key = `${bind(after.key)}::text::${type}`;
    const id = bind(after.invoiceId);
    // Both directions at once are no comparison of rows; the first condition is for the index.
    const [less, more] = isReversed ? ['>', '<'] : ['<', '>'];
    if (usual.isDescending)
      conditions.push(`${column} ${less}= ${key} and (${column} ${less} ${key} or invoice_id ${more} ${id})`);
    else conditions.push(`(${column}, invoice_id) ${more} (${key}, ${id})`);
  }
  const source = await findSource(db, filter, { bind, conditions });
  // Of the same column the ids go the other way, too: then the same index serves, read backwards.
  const order = (of: string) =>
    `order by ${of}${column} ${isDescending ? 'desc' : 'asc'}, ${of}invoice_id ${isReversed ? 'desc' : 'asc'}`;
  return db.query<Failure>(
    `select f.account, f.invoice_id, f.customer_id, customer.name as customer_name, customer.email as customer_email,
       f.subscription_id, f.plan, plan.name as plan_name, f.currency, f.amount, f.returned,
       case when f.state = 'open' and f.next_kind is distinct from 'pay' then 'waiting' else f.state end as state,
       f.cause, f.failed_at, f.ended_at, f.attempts, f.reason, f.brand, card.last4, f.country, f.next_kind, f.next_at,
       f.need, f.standing, f.asked_at, f.stripe_at
     from (select *, ${STANDING} as standing from ${source} listed ${toWhere(conditions)} ${order('')} limit ${bind(limit)}) f
     left join lateral ${ITS('customers', 'customer_id')} customer on true
     left join lateral ${ITS('cards', 'payment_method')} card on true
     left join payment_retry.plans plan on plan.account = f.account and plan.id = f.plan
     ${order('f.')}`,
    bound,
  );
}

export interface ListedSum {
  readonly currency: string;
  readonly invoices: number;
  readonly amount: number;
}

/** How many there are, and what they come to, a row a currency: the most invoices first. */
export async function sumListed(db: Queryable, filter: FailureFilter): Promise<ListedSum[]> {
  const bound: unknown[] = [];
  const bind = (value: unknown) => `$${bound.push(value)}`;
  const conditions = listConditions(filter, bind);
  const source = await findSource(db, filter, { bind, conditions });
  return db.query<ListedSum>(
    `select currency, count(*)::int as invoices, sum(amount)::bigint as amount from ${source} listed
     ${toWhere(conditions)} group by currency order by invoices desc, currency`,
    bound,
  );
}

interface Statement {
  readonly bind: (value: unknown) => string;
  readonly conditions: string[];
}

/** Rare words are looked up first; common ones are a condition more. */
async function findSource(
  db: Queryable,
  { search }: FailureFilter,
  { bind, conditions }: Statement,
): Promise<string> {
  const query = toTextQuery(search);
  if (query === undefined) return 'payment_retry.failures';
  if (!(await isCommon(db, query))) return `(${MATCHING(bind(query))})`;
  conditions.push(HAS_WORDS(bind(query)));
  return 'payment_retry.failures';
}

function toWhere(conditions: readonly string[]): string {
  return conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';
}

/** What the next page begins after. */
export function placeOf(failure: Failure, sort: FailureSort): FailurePlace {
  const keys: Readonly<Record<FailureSort, () => string>> = {
    failed: () => failure.failedAt.toISOString(),
    amount: () => String(failure.amount),
    next: () => failure.nextAt?.toISOString() ?? '',
  };
  return { key: keys[sort](), invoiceId: failure.invoiceId };
}

function listConditions(filter: FailureFilter, bind: (value: unknown) => string): string[] {
  const { state, standing, customer, email, invoice, subscription, account, from, to, atLeast } = filter;
  const equal = EQUAL.flatMap((name) => {
    const value = filter[name];
    if (value === undefined) return [];
    return value === '' ? [`${name} is null`] : [`${name} = ${bind(value)}`];
  });
  return [
    ...(state === undefined ? [] : [STATES[state]]),
    ...(standing === undefined ? [] : [VIEWS[standing]]),
    ...equal,
    ...(customer === undefined ? [] : [`customer_id = ${bind(customer)}`]),
    ...(email === undefined ? [] : [HAS_ADDRESS(bind(email))]),
    ...(subscription === undefined ? [] : [`subscription_id = ${bind(subscription)}`]),
    ...(account === undefined ? [] : [`account = ${bind(account)}`]),
    ...(invoice === undefined ? [] : [`invoice_id = ${bind(invoice)}`]),
    ...(from === undefined ? [] : [`failed_at >= ${bind(from)}::timestamptz`]),
    ...(to === undefined ? [] : [`failed_at < ${bind(to)}::timestamptz`]),
    ...(atLeast === undefined ? [] : [`amount >= ${bind(atLeast)}`]),
  ];
}
