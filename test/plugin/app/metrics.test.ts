/** What a process tells monitoring. */

import { METRICS, type MetricSpec } from '../../../src/core/telemetry/metric-table.ts';
import { declinesTimes } from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { METRICS_TOKEN, scrape } from '../../support/http/scrape.ts';
import { failingInvoice, statusOf } from '../../support/scenario.ts';
import { createWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: { metricsToken: METRICS_TOKEN } });
});
afterAll(() => world?.stop());

const COUNTERS = [
  'payment_retry_events_received_total',
  'payment_retry_events_processed_total',
  'payment_retry_deliveries_total',
  'payment_retry_instructions_total',
  'payment_retry_attempts_total',
  'payment_retry_attempted_amount_total',
  'payment_retry_recovered_invoices_total',
  'payment_retry_recovered_amount_total',
  'payment_retry_emails_total',
];
const readCounters = async () => {
  const told = await scrape(world.url);
  return Object.fromEntries(COUNTERS.map((name) => [name, told.of(name)]));
};

test('business facts are counted once, by outcome, reason class and money, and for good', async () => {
  const retried = await failingInvoice(world, declinesTimes(2, 'insufficient_funds'));
  await world.advance({ days: 10 });
  const lost = await failingInvoice(world, declinesTimes(9, 'stolen_card'));
  expect([retried, lost].map(({ invoiceId }) => statusOf(world, invoiceId))).toEqual(['paid', 'open']);

  const counted = await readCounters();
  expect(counted).toMatchObject({
    payment_retry_attempts_total: [
      'outcome=declined,currency=usd,reason_class=soft: 1',
      'outcome=paid,currency=usd: 1',
    ],
    payment_retry_attempted_amount_total: [
      'outcome=declined,currency=usd: 20',
      'outcome=paid,currency=usd: 20',
    ],
    payment_retry_recovered_invoices_total: ['currency=usd: 1'],
    payment_retry_recovered_amount_total: ['currency=usd: 20'],
  });
  const [events] = await world.query<{ count: number }>('select count(*) as count from payment_retry.events');
  expect(counted.payment_retry_events_processed_total).toEqual([`result=processed: ${events?.count}`]);
  const [instructions] = await world.query<{ count: number }>(
    `select count(*) as count from payment_retry.instructions where suggestion = 'ACTION_SUGGESTION_RETRY'`,
  );
  expect(counted.payment_retry_instructions_total).toContain(
    `source=callback,suggestion=retry: ${instructions?.count}`,
  );
  expect(counted.payment_retry_deliveries_total).toEqual(
    ['invoices', 'subscriptions', 'transactions'].map((kind) =>
      expect.stringMatching(new RegExp(`^kind=${kind},result=accepted: [1-9]`)),
    ),
  );
  expect(counted.payment_retry_emails_total).toContainEqual(
    expect.stringMatching(/^result=sent,template=card_update: [1-9]/),
  );

  // What is pruned has happened all the same, and a new process knows it.
  await world.query('delete from payment_retry.events where processed_at is not null');
  await world.query('delete from payment_retry.emails');
  await world.plugin.stop();
  await world.plugin.start();
  const restarted = await readCounters();
  expect({ ...restarted, payment_retry_events_received_total: [] }).toEqual({
    ...counted,
    payment_retry_events_received_total: [],
  });
});

test('each process reports how long webhooks, actions, jobs and calls took, and how its queues stand', async () => {
  await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  await world.clock.set(world.clock.now().plus({ days: 20 }));
  await world.settle();
  await world.plugin.parts.requestCatchUp();
  await world.clock.set(world.clock.now().plus({ minutes: 2 }));
  const told = await scrape(world.url);
  const counts = (name: string) => told.of(`${name}_count`);
  expect(counts('payment_retry_webhook_duration_seconds')).toEqual([
    expect.stringMatching(/^status=200: \d\d/),
  ]);
  // Begun a fortnight late or more.
  expect(told.of('payment_retry_action_lateness_seconds_bucket')).toContain('le=86400,kind=pay: 0');
  expect(counts('payment_retry_action_lateness_seconds')).toContainEqual(
    expect.stringMatching(/^kind=pay: [1-9]/),
  );
  expect(counts('payment_retry_job_duration_seconds')).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^queue=process-event,result=done: \d/),
      expect.stringMatching(/^queue=decide,result=done: \d/),
    ]),
  );
  expect(counts('payment_retry_stripe_request_duration_seconds')).toContainEqual(
    expect.stringMatching(/^method=GET,resource=invoices,status=200: \d/),
  );
  expect(counts('payment_retry_service_request_duration_seconds')).toContainEqual(
    expect.stringMatching(/^operation=subscriptions,status=200: \d/),
  );
  expect(counts('retry_service_http_request_duration_seconds')).toContainEqual(
    expect.stringMatching(/^operation=transactions,status=200: \d/),
  );
  expect(told.of('payment_retry_queue_due_jobs')).toContain('queue=each-account: 1');
  expect(told.of('payment_retry_queue_oldest_due_seconds')).toContain('queue=each-account: 120');
});

test('the metrics are those that the table of metrics names, with their labels', async () => {
  const { samples, types } = await scrape(world.url);
  expect(Object.fromEntries(types)).toEqual(
    Object.fromEntries(Object.entries(METRICS).map(([name, { type }]) => [name, type])),
  );
  const known = new Map<string, MetricSpec>(Object.entries(METRICS));
  for (const { name, labels } of samples) {
    const spec = known.get(name) ?? known.get(name.replace(/_(bucket|sum|count)$/, ''));
    expect({
      name,
      extra: Object.keys(labels).filter((label) => ![...(spec?.labels ?? []), 'le'].includes(label)),
    }).toEqual({ name, extra: [] });
  }
});
