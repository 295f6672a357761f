/** Failed invoices: searched, filtered, sorted and paged in the database. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import {
  type FailurePage,
  type OrderedRows,
  orderRows,
  type PlacedFailure,
  toWhere,
} from './failure-order.ts';
import { findWords, HAS_WORDS, MATCHING, type Words } from './failure-search.ts';
import type { InvoiceListing, Need, Standing } from './needs.ts';
import { type Cause, type Factors, type MoneyState, type NetSum, netSums } from './sum-failures.ts';

export interface FailureFilter {
  /** Words, or their beginnings, of a name, email address or id. */
  readonly search?: string | Words | undefined;
  readonly state?: MoneyState | undefined;
  readonly need?: Need | undefined;
  readonly standing?: InvoiceListing | undefined;
  readonly reason?: string | undefined;
  readonly brand?: string | undefined;
  readonly country?: string | undefined;
  readonly plan?: string | undefined;
  readonly causes?: readonly Cause[] | undefined;
  readonly isDisputed?: boolean | undefined;
  readonly currencies?: readonly string[] | undefined;
  readonly customer?: string | undefined;
  /** The customer's email address, or its beginning. */
  readonly email?: string | undefined;
  readonly invoices?: readonly string[] | undefined;
  readonly subscription?: string | undefined;
  readonly account?: string | undefined;
  /** First failure at or after `from`, and before `to`; ISO 8601. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Same for the end: payment or loss. */
  readonly endedFrom?: string | undefined;
  readonly endedTo?: string | undefined;
  /** An action is planned before that time. */
  readonly dueBefore?: string | undefined;
  readonly nextKind?: string | undefined;
  /** Minor units; requires a currency. */
  readonly atLeast?: number | undefined;
}

export interface Failure extends PlacedFailure {
  readonly account: string;
  readonly number: string | null;
  readonly customerId: string | null;
  readonly customerName: string | null;
  readonly customerEmail: string | null;
  readonly subscriptionId: string | null;
  readonly plan: string | null;
  readonly planName: string | null;
  readonly currency: string;
  /** Refunds and lost disputes after recovery. */
  readonly returned: number;
  readonly disputed: number;
  readonly state: MoneyState;
  readonly cause: Cause | null;
  readonly endedAt: DateTime<true> | null;
  readonly attempts: number;
  readonly reason: string | null;
  readonly brand: string | null;
  readonly last4: string | null;
  readonly country: string | null;
  readonly nextKind: string | null;
  readonly standing: Standing;
  readonly need: Need | null;
  /** Time of the last email request. */
  readonly askedAt: DateTime<true> | null;
  /** Stripe's own next attempt. */
  readonly stripeAt: DateTime<true> | null;
  /** Stripe's ids, separated by spaces. */
  readonly charges: string | null;
}

const EQUAL = ['need', 'reason', 'brand', 'country', 'plan'] as const;

const STATES: Readonly<Record<MoneyState, string>> = {
  open: `state = 'open' and next_kind = 'pay'`,
  waiting: `state = 'open' and next_kind is distinct from 'pay'`,
  recovered: `standing = 'recovered'`,
  lost: `standing = 'lost'`,
};

const HAS_ADDRESS = (beginning: string) =>
  `exists (select from payment_retry.customers one where one.account = listed.account and one.id = listed.customer_id
     and starts_with(lower(one.email), lower(${beginning})))`;

/** `offset 0` looks each row up: on a long page a join would read the whole table. */
const ITS = (table: string, key: string) =>
  `(select * from payment_retry.${table} its where its.account = f.account and its.id = f.${key} offset 0)`;

export async function listFailures(db: Queryable, filter: FailureFilter, page: FailurePage) {
  const bound: unknown[] = [];
  const rows = await findRows(db, filter, (value) => `$${bound.push(value)}`);
  return db.query<Failure>(
    `select f.account, f.invoice_id, invoice.number, f.customer_id, customer.name as customer_name, customer.email as customer_email,
       f.subscription_id, f.plan, plan.name as plan_name, f.currency, f.amount, f.worth, f.returned, f.disputed,
       case when f.state = 'open' and f.next_kind is distinct from 'pay' then 'waiting' else f.state end as state,
       f.cause, f.failed_at, f.ended_at, f.attempts, f.reason, f.brand, card.last4, f.country, f.next_kind, f.next_at,
       f.need, f.standing, f.asked_at, f.stripe_at, (select string_agg(a.charge_id, ' ' order by a.started_at)
         from payment_retry.attempts a where a.account = f.account and a.invoice_id = f.invoice_id) as charges
     from (select *, row_number() over () as place from (${orderRows(rows, page)}) ordered) f
     left join lateral ${ITS('customers', 'customer_id')} customer on true
     left join lateral ${ITS('cards', 'payment_method')} card on true
     left join lateral ${ITS('invoices', 'invoice_id')} invoice on true
     left join payment_retry.plans plan on plan.account = f.account and plan.id = f.plan
     order by f.place`,
    bound,
  );
}

/** Currencies of failures, sorted. */
export function listCurrencies(db: Queryable) {
  return db.listValues<string>(
    `with recursive known as (
       (select currency from payment_retry.failures order by currency limit 1)
       union all select (select f.currency from payment_retry.failures f where f.currency > known.currency order by f.currency limit 1)
       from known where known.currency is not null)
     select currency from known where currency is not null`,
  );
}

export type ListedSum = NetSum;

/** How many there are, and their sum, a row a currency: the most invoices first. Undefined where the words are common. */
export async function sumListed(db: Queryable, filter: FailureFilter, factors: Factors = {}) {
  const { search } = filter;
  const words = typeof search === 'string' ? await findWords(db, search) : search;
  if (words?.isCommon) return undefined;
  const bound: unknown[] = [];
  const bind = (value: unknown) => `$${bound.push(value)}`;
  const { source, conditions } = await findRows(db, { ...filter, search: words }, bind);
  return db.query<ListedSum>(
    `select currency, ${netSums(bind(JSON.stringify(factors)))} from ${source} listed ${toWhere(conditions)} group by currency order by invoices desc, currency`,
    bound,
  );
}

/** Rare words are looked up first; common ones are one more condition. */
async function findRows(db: Queryable, filter: FailureFilter, bind: OrderedRows['bind']) {
  const words = await findWords(db, filter.search);
  const conditions = listConditions(filter, bind);
  const source = words && !words.isCommon ? `(${MATCHING(bind(words.query))})` : 'payment_retry.failures';
  return {
    source,
    bind,
    conditions: words?.isCommon ? [...conditions, HAS_WORDS(bind(words.query))] : conditions,
  };
}

/** A single currency has an index ordered by amount. */
function inCurrencies(currencies: readonly string[], bind: OrderedRows['bind']): string {
  const [first] = currencies;
  return currencies.length === 1
    ? `currency = ${bind(first)}`
    : `currency = any(${bind(currencies)}::text[])`;
}

function listConditions(filter: FailureFilter, bind: (value: unknown) => string): string[] {
  const { state, standing, customer, email, invoices, subscription, account, from, to, atLeast } = filter;
  const { endedFrom, endedTo, currencies, causes, isDisputed = false, dueBefore, nextKind } = filter;
  const equal = EQUAL.flatMap((name) => {
    const value = filter[name];
    if (value === undefined) return [];
    return value === '' ? [`${name} is null`] : [`${name} = ${bind(value)}`];
  });
  return [
    ...(state === undefined ? [] : [STATES[state]]),
    ...(standing === undefined
      ? []
      : [standing === 'unpaid' ? `state = 'open'` : `standing = ${bind(standing)}`]),
    ...equal,
    ...(causes === undefined ? [] : [`cause = any(${bind(causes)}::text[])`]),
    ...(isDisputed ? [`disputed > 0 and state = 'recovered'`] : []),
    ...(dueBefore === undefined ? [] : [`state = 'open' and next_at < ${bind(dueBefore)}::timestamptz`]),
    ...(nextKind === undefined ? [] : [`next_kind = ${bind(nextKind)}`]),
    ...(currencies === undefined ? [] : [inCurrencies(currencies, bind)]),
    ...(customer === undefined ? [] : [`customer_id = ${bind(customer)}`]),
    ...(email === undefined ? [] : [HAS_ADDRESS(bind(email))]),
    ...(subscription === undefined ? [] : [`subscription_id = ${bind(subscription)}`]),
    ...(account === undefined ? [] : [`account = ${bind(account)}`]),
    ...(invoices === undefined ? [] : [`invoice_id = any(${bind(invoices)}::text[])`]),
    ...(from === undefined ? [] : [`failed_at >= ${bind(from)}::timestamptz`]),
    ...(to === undefined ? [] : [`failed_at < ${bind(to)}::timestamptz`]),
    ...(endedFrom === undefined ? [] : [`ended_at >= ${bind(endedFrom)}::timestamptz`]),
    ...(endedTo === undefined ? [] : [`ended_at < ${bind(endedTo)}::timestamptz`]),
    ...(atLeast === undefined ? [] : [`amount >= ${bind(atLeast)}`]),
  ];
}
