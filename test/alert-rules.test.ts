/** When each alert rule fires and when it ends, to the minute, by Prometheus' own test of rules. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { findPrometheus, RULES_FILE, withoutPrometheus } from './support/process/prometheus.ts';

const ruleFile = z.object({
  groups: z.tuple([
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          labels: z.record(z.string(), z.string()),
          annotations: z.object({ summary: z.string(), runbook_url: z.string() }),
        }),
      ),
    }),
  ]),
});
const [{ rules }] = ruleFile.parse(parse(readFileSync(RULES_FILE, 'utf8'))).groups;

/** Minutes of quiet, of trouble, and of quiet again. */
const QUIET = 60;
const TROUBLE = 120;
const END = QUIET + TROUBLE;

/** As promtool writes series: a value and what it grows by each minute. `NONE`: no process tells it. */
const NONE = 'stale';
function series(before: string, within: string, after = before): string {
  const told = (value: string, minutes: number) =>
    value === NONE ? `stale _x${minutes - 1}` : `${value}x${minutes - 1}`;
  return [told(before, QUIET), told(within, TROUBLE), told(after, QUIET)].join(' ');
}

interface Row {
  readonly series: Readonly<Record<string, string>>;
  /** Minutes from the beginning of the trouble to the alert. */
  readonly after: number;
  /** Minutes from the end of the trouble to the alert's. */
  readonly over: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** A minute before the end of the trouble. */
  readonly says: string;
}

const calls = (name: string, good: string, bad: string) => ({
  [`${name}_count{status="200",instance="a"}`]: good,
  [`${name}_count{status="503",instance="a"}`]: bad,
});
/** A counter that goes on from where it stood. */
const failing = `0x${QUIET - 1} 6+6x${TROUBLE - 1} ${6 * TROUBLE}x${QUIET - 1}`;
const STEADY = `0+60x${END + QUIET}`;

const ROWS: Readonly<Record<string, Row>> = {
  PaymentRetryAttention: {
    series: {
      'payment_retry_attention{concern="deadEvents",instance="a"}': series(NONE, '1+0'),
      'payment_retry_attention{concern="deadEvents",instance="b"}': series(NONE, '1+0'),
    },
    after: 2,
    over: 0,
    labels: { concern: 'deadEvents' },
    says: 'Something needs attention: deadEvents',
  },
  PaymentRetryDown: {
    series: { 'payment_retry_oldest_undelivered_seconds{instance="a"}': series('0+0', NONE) },
    after: 5,
    over: 0,
    says: 'No process of the plugin can be read',
  },
  PaymentRetryProcessDown: {
    series: {
      'up{job="payment-retry",instance="a"}': series('1+0', '0+0'),
      'up{job="payment-retry",instance="b"}': series('1+0', '1+0'),
    },
    after: 2,
    over: 0,
    labels: { job: 'payment-retry', instance: 'a' },
    says: 'The process at a cannot be read',
  },
  PaymentRetryWebhooksMissing: {
    series: {
      'payment_retry_missed_webhooks_seconds{account="own",instance="a"}': series(NONE, '0+60'),
      'payment_retry_missed_webhooks_seconds{account="own",instance="b"}': series(NONE, '0+60'),
    },
    after: 32,
    over: 0,
    labels: { account: 'own' },
    says: 'Stripe has had events of own for 1h 59m 0s, and no webhook brought one',
  },
  PaymentRetryServiceDown: {
    series: { 'up{job="payment-retry-service",instance="s"}': series('1+0', '0+0') },
    after: 5,
    over: 0,
    labels: { job: 'payment-retry-service', instance: 's' },
    says: 'The stand-alone retry service cannot be read',
  },
  PaymentRetryWebhooksFail: {
    series: calls('payment_retry_webhook_duration_seconds', STEADY, failing),
    // Six of 66 a minute fail: half of the window has to have them.
    after: 15,
    over: 5,
    says: 'Webhooks of Stripe are answered with errors: 9.091%',
  },
  PaymentRetryWebhooksSlow: {
    series: {
      'payment_retry_webhook_duration_seconds_bucket{le="5",instance="a"}': `0+60x${QUIET - 1} 3540+0x${TROUBLE - 1} 3600+60x${QUIET}`,
      'payment_retry_webhook_duration_seconds_bucket{le="10",instance="a"}': STEADY,
      'payment_retry_webhook_duration_seconds_bucket{le="+Inf",instance="a"}': STEADY,
    },
    after: 15,
    over: 10,
    says: 'One webhook in a hundred is answered after 9.95s or more',
  },
  PaymentRetryDeliveryLate: {
    series: { 'payment_retry_oldest_undelivered_seconds{instance="a"}': series('0+0', '0+60') },
    after: 21,
    over: 0,
    says: 'A change has waited for the retry service for 1h 59m 0s',
  },
  PaymentRetryQueueLate: {
    series: {
      'payment_retry_queue_oldest_due_seconds{queue="deliver",instance="a"}': series('0+0', '0+60'),
      'payment_retry_queue_oldest_due_seconds{queue="attempt",instance="a"}': series('0+0', '0+0'),
    },
    after: 16,
    over: 0,
    labels: { queue: 'deliver' },
    says: 'Jobs of deliver have been due for 1h 59m 0s',
  },
  PaymentRetryDatabaseLogLong: {
    series: { 'payment_retry_database_log_bytes{instance="a"}': series('134217728+0', '1073741824+0') },
    after: 15,
    over: 0,
    says: 'The log of the embedded database has 1GiB',
  },
  PaymentRetryStripeErrors: {
    series: calls('payment_retry_stripe_request_duration_seconds', STEADY, failing.replace('6+6', '60+60')),
    after: 11,
    over: 10,
    says: '50% of the calls to Stripe fail',
  },
};

function toTest(alert: string) {
  const row = ROWS[alert];
  const rule = rules.find((one) => one.alert === alert);
  if (!row || !rule) throw new Error(`There is no ${row ? 'rule' : 'row'} for ${alert}.`);
  const { labels = {}, says, after, over } = row;
  const runbook = rule.annotations.runbook_url.replace('{{ $labels.concern | toLower }}', 'deadevents');
  const told = {
    exp_labels: { ...rule.labels, ...labels },
    exp_annotations: { summary: says, runbook_url: runbook },
  };
  const isHeld = { exp_alerts: [told] };
  const at = (minutes: number, expected: object) => ({
    eval_time: `${minutes}m`,
    alertname: alert,
    ...expected,
  });
  return {
    name: alert,
    interval: '1m',
    input_series: Object.entries(row.series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [
      ...[0, QUIET - 1, QUIET + after - 1].map((minutes) => at(minutes, { exp_alerts: [] })),
      at(END - 1, isHeld),
      at(END + over, { exp_alerts: [] }),
    ],
    // Whatever it says by then.
    promql_expr_test: [
      {
        eval_time: `${QUIET + after}m`,
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
        exp_samples: [{ labels: '{}', value: 1 }],
      },
    ],
  };
}

test('each rule has a row', () => {
  expect(Object.keys(ROWS).sort()).toEqual(rules.map(({ alert }) => alert).sort());
});

const promtool = findPrometheus('promtool');
if (promtool) describe('by promtool', () => tellRules(promtool));
else test.skip(withoutPrometheus('the times of alert rules', 'promtool'), () => {});

function tellRules(program: string): void {
  const run = (...args: readonly string[]) => {
    const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    return stdout + stderr;
  };

  test('each alert fires after its time and not before, says what is so, and ends', () => {
    const folder = mkdtempSync(join(tmpdir(), 'payment-retry-rules-'));
    try {
      const file = join(folder, 'tests.yaml');
      const tests = Object.keys(ROWS).map(toTest);
      writeFileSync(file, JSON.stringify({ rule_files: [RULES_FILE], evaluation_interval: '1m', tests }));
      expect(run('test', 'rules', file)).toMatch(/^Unit Testing: .*\n\s*SUCCESS\s*$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('promtool takes the rules', () => {
    expect(run('check', 'rules', RULES_FILE)).toContain('SUCCESS');
  });
}
