/** One statement that checks all tables for waiting work, so that an idle minute costs one query. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import { UNDELIVERED_ROWS } from './sync/outbox.ts';

/** Each condition uses an index and may match slightly more than the query that follows. `$1`: since when. */
const ROWS = {
  events: 'payment_retry.events where processed_at is null and received_at <= $1',
  undelivered: `(${UNDELIVERED_ROWS}) as undelivered`,
  rereads: `(
    select is_reread_asked from payment_retry.subscriptions where unmapped_reason is not null
    union all select is_reread_asked from payment_retry.invoices where unmapped_reason is not null) as unmapped
    where is_reread_asked`,
  forgotten: 'payment_retry.forgotten where finished_at is null',
  backfills: 'payment_retry.backfill_runs where finished_at is null',
  instructions: 'payment_retry.instructions where handled_at is null and received_at <= $1',
  due: `payment_retry.actions where state in ('scheduled', 'running') and due_at <= $1`,
  running: `payment_retry.actions where state = 'running'`,
  takeovers: 'payment_retry.takeovers where handed_back_at is null',
  signals: `payment_retry.signals where status = 'monitoring'`,
  counters: 'payment_retry.counter_changes',
  failures: 'payment_retry.failure_changes',
  access: `(
    select from payment_retry.access_changes where not is_noted
    union all select from payment_retry.access where is_allowed and until <= $1) as access`,
} as const;

export type UnfinishedWork = Record<keyof typeof ROWS, boolean>;

const KINDS = Object.entries(ROWS).map(([kind, rows]) => `exists (select from ${rows}) as ${kind}`);

export function findUnfinishedWork(db: Queryable, before: DateTime) {
  return db.get<UnfinishedWork>(`select ${KINDS.join(', ')}`, [before]);
}
