/** What monitoring gets from the database. Every process gives the same figures. */
import type { DateTime } from 'luxon';
import type { Clock } from '../../core/base/clock.ts';
import { type Database, measureLog } from '../../core/database/database.ts';
import { collectQueues } from '../../core/database/queued-jobs.ts';
import { classify } from '../../core/declines/classify.ts';
import type { Measures, Sample } from '../../core/telemetry/measures.ts';
import type { DatabaseMetric } from '../../core/telemetry/metric-table.ts';
import { minorDigits } from '../mails/format-money.ts';
import { type Counted, countWork, readCounters } from '../store/reports/counters.ts';
import { listAlerts } from '../store/tables/alerts.ts';
import { listPauses } from '../store/tables/retry/pauses.ts';
import { listCursorPositions } from '../store/tables/sync/listing-state.ts';
import { listMissedWebhooks } from '../store/tables/sync/missed-webhooks.ts';
import { countUndelivered } from '../store/tables/sync/outbox.ts';

type Queues =
  | 'payment_retry_stalled_queue'
  | 'payment_retry_queue_due_jobs'
  | 'payment_retry_queue_oldest_due_seconds';
type Samples = Readonly<Record<Exclude<DatabaseMetric, Queues>, readonly Sample[]>>;

export async function collectMetrics(
  { database, clock }: { database: Database; clock: Clock },
  measures: Measures,
): Promise<void> {
  const samples: Samples = {
    ...toCounters(await readCounters(database)),
    ...(await readGauges(database, clock)),
  };
  await collectQueues(database, measures);
  // All in one step: another request never finds half of it.
  let name: keyof Samples;
  for (name in samples) measures.keep(name, samples[name]);
}

async function readGauges(database: Database, clock: Clock) {
  const secondsSince = (at: DateTime) => Math.max(0, (clock.now().toMillis() - at.toMillis()) / 1000);
  const { oldestAt } = await countUndelivered(database);
  return {
    payment_retry_rows: (await countWork(database)).map(({ table, state, count }) =>
      sample({ table, state }, count),
    ),
    payment_retry_cursor_lag_seconds: (await listCursorPositions(database)).map(({ account, name, at }) =>
      sample({ account, cursor: name }, secondsSince(at)),
    ),
    payment_retry_missed_webhooks_seconds: (await listMissedWebhooks(database)).map(
      ({ account, since, lastAt }) => sample({ account }, lastAt.diff(since).as('seconds')),
    ),
    payment_retry_paused: (await listPauses(database)).map(({ account }) => sample({ account }, 1)),
    payment_retry_attention: (await listAlerts(database)).map(({ concern }) => sample({ concern }, 1)),
    payment_retry_database_log_bytes: (await measureLog(database)).map((bytes) => sample({}, bytes)),
    payment_retry_oldest_undelivered_seconds: [sample({}, oldestAt === null ? 0 : secondsSince(oldestAt))],
  };
}

function toCounters(counted: readonly Counted[]) {
  const of = (name: Counted['name']) => counted.filter((one) => one.name === name);
  const totals = (name: Counted['name']) => of(name).map(({ labels, total }) => sample(labels, total));
  return {
    payment_retry_events_received_total: totals('events_received'),
    payment_retry_events_processed_total: totals('events_processed'),
    payment_retry_deliveries_total: totals('deliveries'),
    payment_retry_instructions_total: totals('instructions'),
    payment_retry_attempts_total: of('attempts').map(({ labels, total }) =>
      sample({ ...outcomeOf(labels), ...classOf(labels) }, total),
    ),
    payment_retry_attempted_amount_total: of('attempts').map((one) =>
      sample(outcomeOf(one.labels), inUnits(one)),
    ),
    payment_retry_recovered_invoices_total: totals('recovered'),
    payment_retry_recovered_amount_total: of('recovered').map((one) => sample(one.labels, inUnits(one))),
    payment_retry_returned_amount_total: of('returned').map((one) => sample(one.labels, inUnits(one))),
    payment_retry_emails_total: totals('emails'),
  };
}

type Labels = Counted['labels'];

function outcomeOf({ outcome = '', currency = '' }: Labels): Labels {
  return { outcome, currency };
}

/** The codes are stored, not the class, so that a corrected class applies to earlier counts. */
function classOf(labels: Labels): Labels {
  if (labels.outcome !== 'declined' && labels.outcome !== 'requires_action') return {};
  const { methodType, brand, code, declineCode, adviceCode, networkCode, networkAdvice } = labels;
  const codes = { methodType, brand, code, declineCode, adviceCode, networkCode, networkAdvice };
  return { reason_class: classify(codes).class };
}

function inUnits({ labels: { currency = '' }, amount }: Counted): number {
  return amount / 10 ** minorDigits(currency);
}

function sample(labels: Labels, value: number): Sample {
  return { labels, value };
}
