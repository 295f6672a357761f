/** What a process tells monitoring. */
import { declinesTimes } from '../../src/sandbox/stripe/payment-behaviour.ts';
import { failingInvoice, statusOf } from '../support/scenario.ts';
import { METRICS_TOKEN, scrape } from '../support/scrape.ts';
import { createWorld, type World } from '../support/world.ts';

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
  'payment_retry_mails_total',
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
  expect(counted.payment_retry_mails_total).toContainEqual(
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
