/** Every metric: its name, its labels, what it says, and who counts it. docs/how-to/monitoring.md is compared with it. */

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

const database = <const Labels extends readonly string[]>(
  type: 'counter' | 'gauge',
  labels: Labels,
  help: string,
) => ({ type, from: 'database', labels, help }) as const;
const counter = <const Labels extends readonly string[]>(labels: Labels, help: string) =>
  ({ type: 'counter', from: 'process', labels, help }) as const;
const seconds = <const Labels extends readonly string[]>(
  labels: Labels,
  help: string,
  buckets: readonly number[] = CALL_SECONDS,
) => ({ type: 'histogram', from: 'process', labels, help, buckets }) as const;

export const METRICS = {
  payment_retry_events_received_total: database(
    'counter',
    ['type', 'source'],
    'Events of Stripe that were recorded, by the way they came first: webhook, or list, which is read for what no webhook brought.',
  ),
  payment_retry_events_processed_total: database(
    'counter',
    ['result'],
    'Events that were processed: processed, dead (processing failed for good), account_not_configured, access_revoked.',
  ),
  payment_retry_deliveries_total: database(
    'counter',
    ['kind', 'result'],
    'Records that the retry service accepted or refused.',
  ),
  payment_retry_instructions_total: database(
    'counter',
    ['source', 'suggestion'],
    'Instructions recorded, by where they came from (`callback`, `listing`, `signal`) and what they ask.',
  ),
  payment_retry_attempts_total: database(
    'counter',
    ['outcome', 'reason_class', 'currency'],
    'Payment attempts of ours that ended. A bank debit counts as pending first, then as what it came to.',
  ),
  payment_retry_attempted_amount_total: database(
    'counter',
    ['outcome', 'currency'],
    'What these attempts were about, in whole units of the currency: 9.99 for EUR 9.99.',
  ),
  payment_retry_recovered_invoices_total: database(
    'counter',
    ['currency'],
    'Invoices that were paid after a payment had failed, by whatever means.',
  ),
  payment_retry_recovered_amount_total: database(
    'counter',
    ['currency'],
    'What was open of these invoices, in whole units of the currency.',
  ),
  payment_retry_returned_amount_total: database(
    'counter',
    ['currency'],
    'Of the recovered amount, what refunds and lost disputes took back; the difference is net.',
  ),
  payment_retry_mails_total: database(
    'counter',
    ['template', 'result'],
    'Mails to customers: sent, refused by the mail server, or given up.',
  ),
  payment_retry_rows: database('gauge', ['table', 'state'], 'Rows by table and state.'),
  payment_retry_cursor_lag_seconds: database(
    'gauge',
    ['account', 'cursor'],
    'How far behind now the reading of what comes from elsewhere is.',
  ),
  payment_retry_missed_webhooks_seconds: database(
    'gauge',
    ['account'],
    "For how long Stripe's event list alone has brought an account's events: from the first reading that found one which no webhook had brought, to the latest. None while webhooks arrive.",
  ),
  payment_retry_paused: database(
    'gauge',
    ['account'],
    '1 for an account (* for all of them) whose payments, mails and changes at Stripe are paused.',
  ),
  payment_retry_stalled_queue: database(
    'gauge',
    ['queue'],
    '1 for a queue that has due work and has started none of it for two minutes.',
  ),
  payment_retry_attention: database(
    'gauge',
    ['concern'],
    '1 for each matter that needs attention, by the code of `status`; checked each minute.',
  ),
  payment_retry_queue_due_jobs: database('gauge', ['queue'], 'Jobs that are due and that nobody has taken.'),
  payment_retry_queue_oldest_due_seconds: database(
    'gauge',
    ['queue'],
    'How long the oldest of these jobs has been due.',
  ),
  payment_retry_oldest_undelivered_seconds: database(
    'gauge',
    [],
    'Age of the oldest change that the service has not got; 0 if it has all.',
  ),
  payment_retry_database_log_bytes: database(
    'gauge',
    [],
    "Size of the embedded database's log. A checkpoint shortens it every five minutes, or after 64 MB; none on PostgreSQL.",
  ),
  payment_retry_webhook_duration_seconds: seconds(
    ['status'],
    'From a webhook of Stripe to our answer, by the status of the answer.',
  ),
  payment_retry_action_lateness_seconds: seconds(
    ['kind'],
    'How long after its due time an action was begun.',
    LATE_SECONDS,
  ),
  payment_retry_job_duration_seconds: seconds(['queue', 'result'], 'How long a job of a queue took.'),
  payment_retry_stripe_request_duration_seconds: seconds(
    ['method', 'resource', 'status'],
    'From a request to Stripe to its answer; status none: there was no answer.',
  ),
  payment_retry_service_request_duration_seconds: seconds(
    ['operation', 'status'],
    'From a request to the retry service to its answer; status none: there was no answer.',
  ),
  retry_service_http_request_duration_seconds: seconds(
    ['operation', 'status'],
    'From a request to the embedded retry service to its answer.',
  ),
  retry_service_records_total: counter(['kind'], 'Records that the embedded retry service has stored.'),
  retry_service_instructions_total: counter(
    ['suggestion'],
    'Instructions that the embedded retry service has decided on.',
  ),
  retry_service_callbacks_total: counter(
    ['result'],
    'Callbacks of the embedded retry service: acknowledged, refused (for good), unavailable (tried again).',
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
