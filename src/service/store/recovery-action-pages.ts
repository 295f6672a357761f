/** The listing's statements: keyset paging over one order column, ties broken by position. */
import type { DateTime } from 'luxon';
import type { Suggestion } from '../../core/contract/contract.ts';
import type { Queryable } from '../../core/database/database.ts';
import { type DecisionReason, readDecisionReasons } from '../reasons/decision-reason.ts';
import { readStatusReason, type StatusReason } from '../reasons/status-reason.ts';
import type { ActionStatus } from './case-facts.ts';

export const ORDERINGS = ['created_at', 'executed_at', 'ideal_retry_time'] as const;
export type Ordering = (typeof ORDERINGS)[number];
export type Direction = 'asc' | 'desc';

/** Unexecuted actions come last in either direction. Each expression has an index that begins with organization. */
const EXECUTED: Record<Direction, string> = {
  asc: `coalesce(executed_at, 'infinity')`,
  desc: `coalesce(executed_at, '-infinity')`,
};
const ORDER_KEYS: Record<Ordering, Record<Direction, string>> = {
  created_at: { asc: 'created_at', desc: 'created_at' },
  executed_at: EXECUTED,
  ideal_retry_time: { asc: 'ideal_retry_at', desc: 'ideal_retry_at' },
};

const COMPARISONS: Record<Direction, string> = { asc: '>', desc: '<' };

const COLUMNS = [
  ['subscriptionId', 'subscription_id'],
  ['invoiceId', 'invoice_id'],
  ['customerId', 'customer_id'],
  ['transactionId', 'transaction_id'],
  ['cardCountry', 'card_country'],
  ['currency', 'currency'],
] as const;

/** Country and currency have no index: the actions are read in their order until the page is full. */
export type ActionFilters = {
  readonly [Name in (typeof COLUMNS)[number][0] | 'executedAfter' | 'executedBefore']?: string | undefined;
};

export interface PagePosition {
  /** The order column's value in PostgreSQL's own text, which keeps every digit. */
  key: string;
  position: number;
}

export interface PageRequest {
  orderBy: Ordering;
  direction: Direction;
  filters: ActionFilters;
  after: PagePosition | undefined;
  limit: number;
}

export interface ListedAction extends PagePosition {
  id: string;
  requestId: string;
  invoiceId: string;
  subscriptionId: string | null;
  customerId: string;
  transactionId: string | null;
  paymentMethodType: string | null;
  cardCountry: string | null;
  currency: string;
  suggestion: Suggestion;
  idealRetryAt: DateTime<true>;
  reason: string;
  reasons: readonly DecisionReason[];
  status: ActionStatus;
  statusReason: StatusReason | null;
  createdAt: DateTime<true>;
  updatedAt: DateTime<true>;
  executedAt: DateTime<true> | null;
  listedAt: DateTime<true> | null;
}

export async function listRecoveryActions(
  db: Queryable,
  organization: string,
  { orderBy, direction, filters, after, limit }: PageRequest,
): Promise<ListedAction[]> {
  const key = ORDER_KEYS[orderBy][direction];
  const { parts, params, bind } = toCondition(organization, filters, direction);
  if (after)
    parts.push(
      `(${key}, position) ${COMPARISONS[direction]} (${bind(after.key)}::timestamptz, ${bind(after.position)}::bigint)`,
    );
  const rows = await db.query<ListedAction>(
    `select position, (${key})::text as key, id, request_id, invoice_id, subscription_id, customer_id, transaction_id,
            payment_method_type, card_country, currency, suggestion, ideal_retry_at, reason, reasons, status,
            status_reason, created_at, updated_at, executed_at, listed_at
     from retry_service.recovery_actions
     where ${parts.join(' and ')}
     order by ${key} ${direction}, position ${direction}
     limit ${bind(limit)}`,
    params,
  );
  return rows.map((row) => ({
    ...row,
    reasons: readDecisionReasons(row.reasons),
    statusReason: readStatusReason(row.statusReason),
  }));
}

/** How many there are on all pages. */
export function countRecoveryActions(
  db: Queryable,
  organization: string,
  filters: ActionFilters,
): Promise<number> {
  const { parts, params } = toCondition(organization, filters, 'asc');
  return db.getValue<number>(
    `select count(*) from retry_service.recovery_actions where ${parts.join(' and ')}`,
    params,
  );
}

/** Contains only the requested conditions, so that the planner sees what it leaves. */
function toCondition(organization: string, filters: ActionFilters, direction: Direction) {
  const params: (string | number)[] = [];
  const bind = (value: string | number) => `$${params.push(value)}`;
  const executed = EXECUTED[direction];
  const parts = [`organization = ${bind(organization)}`];
  const add = (value: string | undefined, toPart: (parameter: string) => string) => {
    if (value !== undefined) parts.push(toPart(bind(value)));
  };
  for (const [name, column] of COLUMNS) add(filters[name], (it) => `${column} = ${it}`);
  add(filters.executedAfter, (it) => `${executed} >= ${it}::timestamptz and ${executed} < 'infinity'`);
  add(filters.executedBefore, (it) => `${executed} < ${it}::timestamptz and ${executed} > '-infinity'`);
  return { parts, params, bind };
}
