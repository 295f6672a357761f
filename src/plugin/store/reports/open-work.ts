/** What is under way at Stripe now, and what is planned: for whoever is about to leave. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import { isClaimed } from '../../../core/database/processes.ts';
import { listActiveJobs } from '../../../core/database/queued-jobs.ts';
import type { ActionKind } from '../../actions/action-kinds.ts';

export interface WorkUnderWay {
  /** Of an action, or the name of a queue. */
  readonly kind: string;
  /** The invoice, or the subscription before a renewal; null for a job that is about a customer. */
  readonly about: string | null;
}

/** Jobs that change something at Stripe and are no action. */
const CHANGING_QUEUES = ['take-over-invoice', 'hand-back-invoice', 'pay-open-invoices'] as const;

/**
 * Claimed actions, and the other jobs that change something at Stripe. Every such call is made in one of them, and asks for a
 * pause first: once effects are paused and nothing is listed here, no call is in flight and none follows.
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
  /** Of the invoices, each once, for payments. */
  readonly amounts: readonly { readonly currency: string; readonly amount: number }[];
}

const IS_PLANNED = `a.state in ('scheduled', 'undecided')`;

/** Payments first. */
export async function sumPlanned(db: Queryable): Promise<PlannedSum[]> {
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
  /** The invoice, or the subscription before a renewal. */
  readonly about: string;
  readonly dueAt: DateTime<true>;
  /** Null where the invoice is not known. */
  readonly amount: number | null;
  readonly currency: string | null;
}

export async function listNextPlanned(db: Queryable, limit: number): Promise<PlannedAction[]> {
  return db.query<PlannedAction>(
    `select a.kind, coalesce(a.invoice_id, a.subscription_id) as about, a.due_at, i.amount_remaining as amount, i.currency
     from payment_retry.actions a
     left join payment_retry.invoices i on i.account = a.account and i.id = a.invoice_id
     where ${IS_PLANNED} order by a.due_at, a.id limit $1`,
    [limit],
  );
}

/** Attempts of which nobody knows what Stripe made of them. */
export async function countAttemptsInDoubt(db: Queryable): Promise<number> {
  const [row] = await db.query<{ open: number }>(
    `select count(*)::integer as open from payment_retry.attempts where outcome is null`,
  );
  return row?.open ?? 0;
}
