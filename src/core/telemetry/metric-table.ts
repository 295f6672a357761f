/** Every metric: name, labels, meaning, and source. A test compares docs/how-to/monitoring.md with it. */

export interface MetricSpec {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /**
   * `database`: read from the database when asked for, so that every process gives the same figure, also after a restart. `process`:
   * what this process has seen since it began.
   */
  readonly from: 'database' | 'process';
  readonly labels: readonly string[];
  readonly help: string;
  /** Upper bounds in seconds. */
  readonly buckets?: readonly number[];
}

/** Buckets from a quick answer on loopback to the time-outs. */
const CALL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
/** Buckets from zero to a day. */
const LATE_SECONDS = [1, 5, 15, 60, 300, 900, 3600, 6 * 3600, 24 * 3600] as const;

const total = <const Labels extends readonly string[]>(labels: Labels, help: string) =>
  ({ type: 'counter', from: 'database', labels, help }) as const;
const gauge = <const Labels extends readonly string[]>(labels: Labels, help: string) =>
  ({ type: 'gauge', from: 'database', labels, help }) as const;
const counter = <const Labels extends readonly string[]>(labels: Labels, help: string) =>
  ({ type: 'counter', from: 'process', labels, help }) as const;
const seconds = <const Labels extends readonly string[]>(
  labels: Labels,
  help: string,
  buckets: readonly number[] = CALL_SECONDS,
) => ({ type: 'histogram', from: 'process', labels, help, buckets }) as const;

export const METRICS = {
  payment_retry_events_received_total: total(
    ['type', 'source'],
    'Recorded Stripe events, by their first source: webhook, or list.',
  ),
  payment_retry_events_processed_total: total(
    ['result'],
    'Processed events: processed, dead, account_not_configured, access_revoked.',
  ),
  payment_retry_deliveries_total: total(
    ['kind', 'result'],
    'Records accepted or refused by the retry service.',
  ),
  payment_retry_instructions_total: total(
    ['source', 'suggestion'],
    'Recorded instructions, by source (`callback`, `listing`, `signal`) and suggestion.',
  ),
  payment_retry_attempts_total: total(
    ['outcome', 'reason_class', 'currency'],
    'Ended payment attempts of the plugin. A bank debit counts as pending first, then with its outcome.',
  ),
  payment_retry_attempted_amount_total: total(
    ['outcome', 'currency'],
    'Amount of these attempts, in whole units: 9.99 for EUR 9.99.',
  ),
  payment_retry_recovered_invoices_total: total(
    ['currency'],
    'Invoices paid after a failed payment, by any means. A credit note over all that is owed is no payment.',
  ),
  payment_retry_recovered_amount_total: total(
    ['currency'],
    'Outstanding amount of these invoices, in whole units.',
  ),
  payment_retry_returned_amount_total: total(
    ['currency'],
    'Refunds and lost disputes of the recovered amount; the difference is net.',
  ),
  payment_retry_emails_total: total(
    ['template', 'result'],
    'Emails to customers: sent, refused by the mail server, or given up.',
  ),
  payment_retry_rows: gauge(['table', 'state'], 'Rows by table and state.'),
  payment_retry_cursor_lag_seconds: gauge(
    ['account', 'cursor'],
    'Lag of reading lists of Stripe and the service.',
  ),
  payment_retry_missed_webhooks_seconds: gauge(
    ['account'],
    "Time for which only Stripe's event list, and no webhook, has brought an account's events. None while webhooks arrive.",
  ),
  payment_retry_paused: gauge(
    ['account'],
    '1 for an account (* for all) whose payments and emails are paused.',
  ),
  payment_retry_stalled_queue: gauge(
    ['queue'],
    '1 for a queue that has started none of its due work for two minutes.',
  ),
  payment_retry_attention: gauge(
    ['concern'],
    '1 for each alert, by the code of `status`; checked each minute.',
  ),
  payment_retry_queue_due_jobs: gauge(['queue'], 'Due jobs that no process has taken.'),
  payment_retry_queue_oldest_due_seconds: gauge(['queue'], 'Time since the oldest of these jobs was due.'),
  payment_retry_oldest_undelivered_seconds: gauge([], 'Age of the oldest undelivered change; 0 without any.'),
  payment_retry_database_log_bytes: gauge([], "Size of the embedded database's log; none on PostgreSQL."),
  payment_retry_webhook_duration_seconds: seconds(['status'], 'Time to answer a webhook, by status.'),
  payment_retry_action_lateness_seconds: seconds(
    ['kind'],
    'Time from the due time of an action to its start.',
    LATE_SECONDS,
  ),
  payment_retry_job_duration_seconds: seconds(['queue', 'result'], 'Duration of a job.'),
  payment_retry_stripe_request_duration_seconds: seconds(
    ['method', 'resource', 'status'],
    'Duration of a request to Stripe; status none without an answer.',
  ),
  payment_retry_service_request_duration_seconds: seconds(
    ['operation', 'status'],
    'Duration of a request to the retry service; status none without an answer.',
  ),
  retry_service_http_request_duration_seconds: seconds(
    ['operation', 'status'],
    'Duration of a request to the embedded retry service.',
  ),
  retry_service_records_total: counter(['kind'], 'Records stored by the embedded retry service.'),
  retry_service_instructions_total: counter(['suggestion'], 'Instructions of the embedded retry service.'),
  retry_service_callbacks_total: counter(
    ['result'],
    'Callbacks of the embedded retry service: acknowledged, refused (final), unavailable (tried again).',
  ),
} as const satisfies Readonly<Record<string, MetricSpec>>;

export type MetricName = keyof typeof METRICS;
type Of<Spec> = { [Name in MetricName]: (typeof METRICS)[Name] extends Spec ? Name : never }[MetricName];

/** Metrics of the embedded service as a process of its own. */
export const SERVICE_METRICS: readonly MetricName[] = [
  'payment_retry_stalled_queue',
  'payment_retry_queue_due_jobs',
  'payment_retry_queue_oldest_due_seconds',
  'payment_retry_job_duration_seconds',
  'retry_service_http_request_duration_seconds',
  'retry_service_records_total',
  'retry_service_instructions_total',
  'retry_service_callbacks_total',
];

export type DatabaseMetric = Of<{ from: 'database' }>;
export type ProcessCounter = Of<{ from: 'process'; type: 'counter' }>;
export type ProcessHistogram = Of<{ from: 'process'; type: 'histogram' }>;
export type LabelsOf<Name extends MetricName> = Readonly<
  Record<(typeof METRICS)[Name]['labels'][number], string>
>;
