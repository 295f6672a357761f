/** The listing's statements: keyset paging over one order column, ties broken by position. */
import type { Suggestion } from '../../contract.ts';
import type { Queryable } from '../../store/database.ts';
import type { ActionStatus } from './case-facts.ts';

export const ORDERINGS = ['created_at', 'executed_at', 'ideal_retry_time'] as const;
export type Ordering = (typeof ORDERINGS)[number];
export type Direction = 'asc' | 'desc';

/** Unexecuted actions come last in either direction. */
const ORDER_KEYS: Record<Ordering, Record<Direction, string>> = {
  created_at: { asc: 'created_at', desc: 'created_at' },
  executed_at: {
    asc: `coalesce(executed_at, 'infinity')`,
    desc: `coalesce(executed_at, '-infinity')`,
  },
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

const FILTER = `organization = $1
  and ($2::text is null or subscription_id = $2) and ($3::text is null or invoice_id = $3)
  and ($4::text is null or customer_id = $4) and ($5::text is null or transaction_id = $5)
  and ($6::text is null or card_country = $6) and ($7::text is null or currency = $7)
  and ($8::timestamptz is null or executed_at >= $8) and ($9::timestamptz is null or executed_at < $9)`;

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
  status: ActionStatus;
  statusReason: string | null;
  createdAt: Date;
  updatedAt: Date;
  executedAt: Date | null;
}

export async function listRecoveryActions(
  db: Queryable,
  organization: string,
  request: PageRequest,
): Promise<ListedAction[]> {
  const { direction, after } = request;
  const key = ORDER_KEYS[request.orderBy][direction];
  return db.query<ListedAction>(
    `select position, (${key})::text as key, id, request_id as "requestId", invoice_id as "invoiceId",
            subscription_id as "subscriptionId", customer_id as "customerId",
            transaction_id as "transactionId", payment_method_type as "paymentMethodType",
            card_country as "cardCountry", currency, suggestion, ideal_retry_at as "idealRetryAt", reason,
            status, status_reason as "statusReason", created_at as "createdAt", updated_at as "updatedAt",
            executed_at as "executedAt"
     from retry_service.recovery_actions
     where ${FILTER}
       and ($10::timestamptz is null or (${key}, position) ${COMPARISONS[direction]} ($10, $11::bigint))
     order by ${key} ${direction}, position ${direction}
     limit $12`,
    [
      ...filterParams(organization, request.filters),
      after?.key ?? null,
      after?.position ?? null,
      request.limit,
    ],
  );
}

export async function countRecoveryActions(
  db: Queryable,
  organization: string,
  filters: ActionFilters,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from retry_service.recovery_actions where ${FILTER}`,
    filterParams(organization, filters),
  );
  return row?.count ?? 0;
}

function filterParams(organization: string, filters: ActionFilters): (string | null)[] {
  return [
    organization,
    filters.subscriptionId ?? null,
    filters.invoiceId ?? null,
    filters.customerId ?? null,
    filters.transactionId ?? null,
    filters.cardCountry ?? null,
    filters.currency ?? null,
    filters.executedAfter ?? null,
    filters.executedBefore ?? null,
  ];
}
