/** The listing's statements: keyset paging over one order column, ties broken by position. */
import type { Suggestion } from '../../contract.ts';
import type { Queryable } from '../../store/database.ts';
import { countAll, countExecuted } from './action-counts.ts';
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

export interface ActionFilters {
  subscriptionId?: string | undefined;
  invoiceId?: string | undefined;
  customerId?: string | undefined;
  transactionId?: string | undefined;
  cardCountry?: string | undefined;
  currency?: string | undefined;
  executedAfter?: string | undefined;
  executedBefore?: string | undefined;
}

const COLUMNS = [
  ['subscriptionId', 'subscription_id'],
  ['invoiceId', 'invoice_id'],
  ['customerId', 'customer_id'],
  ['transactionId', 'transaction_id'],
  ['cardCountry', 'card_country'],
  ['currency', 'currency'],
] as const;

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
  idealRetryAt: Date;
  reason: string;
  /** Sentences, one a line. */
  reasons: string;
  status: ActionStatus;
  statusReason: string | null;
  createdAt: Date;
  updatedAt: Date;
  executedAt: Date | null;
  listedAt: Date | null;
}

export async function listRecoveryActions(
  db: Queryable,
  organization: string,
  request: PageRequest,
): Promise<ListedAction[]> {
  const { direction, after } = request;
  const key = ORDER_KEYS[request.orderBy][direction];
  const { text, params, bind } = toCondition(organization, request.filters, direction);
  const isBeyond = after
    ? `and (${key}, position) ${COMPARISONS[direction]} (${bind(after.key)}::timestamptz, ${bind(after.position)}::bigint)`
    : '';
  return db.query<ListedAction>(
    `select position, (${key})::text as key, id, request_id as "requestId", invoice_id as "invoiceId",
            subscription_id as "subscriptionId", customer_id as "customerId",
            transaction_id as "transactionId", payment_method_type as "paymentMethodType",
            card_country as "cardCountry", currency, suggestion, ideal_retry_at as "idealRetryAt", reason, reasons,
            status, status_reason as "statusReason", created_at as "createdAt", updated_at as "updatedAt",
            executed_at as "executedAt", listed_at as "listedAt"
     from retry_service.recovery_actions
     where ${text} ${isBeyond}
     order by ${key} ${direction}, position ${direction}
     limit ${bind(request.limit)}`,
    params,
  );
}

/** How many there are on all pages. Without other filters than those of execution it counts few rows, if any. */
export async function countRecoveryActions(
  db: Queryable,
  organization: string,
  filters: ActionFilters,
): Promise<number> {
  const { executedAfter, executedBefore, ...others } = filters;
  const isNarrow = Object.values(others).some((value) => value !== undefined);
  if (isNarrow) return countMatching(db, organization, filters);
  if (executedAfter === undefined && executedBefore === undefined) return countAll(db, organization);
  return countExecuted(db, organization, { executedAfter, executedBefore });
}

async function countMatching(db: Queryable, organization: string, filters: ActionFilters): Promise<number> {
  const { text, params } = toCondition(organization, filters, 'asc');
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from retry_service.recovery_actions where ${text}`,
    params,
  );
  return row?.count ?? 0;
}

/** Only what was asked for is in the statement, so that the planner sees what it leaves. */
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
  return { text: parts.join(' and '), params, bind };
}
