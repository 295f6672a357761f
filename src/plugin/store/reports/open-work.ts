/** Calls to Stripe under way, and planned actions, for a merchant about to leave. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import { isClaimed } from '../../../core/database/processes.ts';
import { listActiveJobs } from '../../../core/database/queued-jobs.ts';
import type { ActionKind } from '../../actions/action-kinds.ts';

export interface WorkUnderWay {
  /** Kind of action, or name of a queue. */
  readonly kind: string;
  /** The invoice, or before a renewal the subscription; null for a job about a customer. */
  readonly about: string | null;
}

/** Queues, besides actions, that change something at Stripe. */
const CHANGING_QUEUES = ['take-over-invoice', 'hand-back-invoice', 'pay-open-invoices'] as const;

/**
 * Lists claimed actions and other jobs that change something at Stripe. Each of their calls checks for a pause first, so once
 * effects are paused and this list is empty, no call is in flight and none follows.
 */
export async function listUnderWay(db: Queryable, now: DateTime): Promise<WorkUnderWay[]> {
  const actions = await db.query<WorkUnderWay>(
    `select kind, coalesce(invoice_id, subscription_id) as about from payment_retry.actions
     where state = 'running' and ${isClaimed('$1')} order by due_at`,
    [now],
  );
  const jobs = await listActiveJobs(db, CHANGING_QUEUES);
  return [...actions, ...jobs.map(({ name, invoiceId }) => ({ kind: name, about: invoiceId }))];
}

export interface PlannedSum {
  readonly kind: ActionKind;
  readonly actions: number;
  readonly invoices: number;
  /** Outstanding amounts of the invoices, each once; payments only. */
  readonly amounts: readonly { readonly currency: string; readonly amount: number }[];
}

const IS_PLANNED = `a.state in ('scheduled', 'undecided')`;

/** Payments first. */
export function sumPlanned(db: Queryable) {
  return db.query<PlannedSum>(
    `with planned as (select kind, account, coalesce(invoice_id, subscription_id) as about, count(*) as actions
       from payment_retry.actions a where ${IS_PLANNED} group by 1, 2, 3)
     select kind, sum(actions)::bigint as actions, count(*) as invoices, coalesce((
       select json_agg(sums) from (
         select i.currency, sum(i.amount_remaining)::bigint as amount
         from planned p join payment_retry.invoices i on i.account = p.account and i.id = p.about
         where p.kind = planned.kind and p.kind = 'pay' group by 1 order by 1) sums), '[]') as amounts
     from planned group by kind order by kind <> 'pay', kind`,
  );
}

export interface PlannedAction {
  readonly kind: ActionKind;
  /** The invoice, or before a renewal the subscription. */
  readonly about: string;
  readonly dueAt: DateTime<true>;
  /** Null for an unknown invoice. */
  readonly amount: number | null;
  readonly currency: string | null;
}

export function listNextPlanned(db: Queryable, limit: number) {
  return db.query<PlannedAction>(
    `select a.kind, coalesce(a.invoice_id, a.subscription_id) as about, a.due_at, i.amount_remaining as amount, i.currency
     from payment_retry.actions a
     left join payment_retry.invoices i on i.account = a.account and i.id = a.invoice_id
     where ${IS_PLANNED} order by a.due_at, a.id limit $1`,
    [limit],
  );
}

/** Counts attempts without a known outcome. */
export function countAttemptsInDoubt(db: Queryable) {
  return db.getValue<number>(
    `select count(*)::integer as open from payment_retry.attempts where outcome is null`,
  );
}
