/** How long a subscription is worked on before AFTER_GIVING_UP ends it, whatever its period: until its latest invoice has had its time. */
import { DateTime } from 'luxon';
import {
  declines,
  declinesUntil,
  type PaymentMethodBehaviour,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { inFull } from '../support/runner/full-run.ts';
import { createWorld, type World } from '../support/world.ts';

const START = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
/** Each plan renews then for the first time. */
const FIRST_FAILURE = START.plus({ days: 3 });
const MONEY_AGAIN = FIRST_FAILURE.plus({ days: 40 });

let world: World;
beforeAll(async () => {
  world = await createWorld({
    start: START.toISO() ?? '',
    sandbox: { stripeRetries: 'smart' },
    plugin: { retryMode: 'exclusive', afterGivingUp: 'cancel' },
  });
});
afterAll(() => world.stop());

function subscribe(interval: 'week' | 'month' | 'year', paymentMethod: PaymentMethodBehaviour): string {
  const { sandbox } = world;
  const customer = sandbox.createCustomer({ email: `${interval}@example.com`, paymentMethod }).id;
  const price = sandbox.createPrice({ unit_amount: 2000, recurring: { interval } }).id;
  const since = FIRST_FAILURE.minus({ [`${interval}s`]: 1 }).toUnixInteger();
  const times = { backdate_start_date: since, billing_cycle_anchor: since };
  return sandbox.importSubscription({ customer, items: [{ price }], ...times }).id;
}

const lost = (last4: string) => declines('lost_card', {}, { last4 });
/** In days of the world. */
const endOf = (id: string) => {
  const endedAt = world.sandbox.state.subscriptions.get(id)?.ended_at;
  return endedAt ? Math.floor((endedAt - START.toSeconds()) / 86_400) : undefined;
};
const invoicesOf = (id: string) =>
  [...world.sandbox.state.invoices.newestFirst({ index: 'subscription', key: id })].map(
    ({ status }) => status,
  );

async function live(days: number): Promise<void> {
  for (let day = 0; day < days; day += 4) {
    await world.advance({ days: 4 });
    // As the process does every five minutes.
    await world.plugin.parts.requestActionsSync();
    await world.settle();
  }
}

inFull('a subscription ends by its latest invoice, which has its whole period, on each plan', async () => {
  const weekly = subscribe('week', lost('1111'));
  const monthly = subscribe('month', lost('2222'));
  const yearly = subscribe('year', lost('3333'));
  const late = subscribe('month', declinesUntil(MONEY_AGAIN, 'insufficient_funds', {}, { last4: '4444' }));
  await live(64);
  // A renewal of that day is a draft for an hour.
  await world.advance({ hours: 1 });
  // March was given up before there was money; April was paid in time.
  expect(world.sandbox.state.subscriptions.get(late)?.status).toBe('active');
  expect(invoicesOf(late)).toEqual(['paid', 'paid', 'open']);
  // The last email of day 17 named three weeks, and promised that nothing ends before the third has had its thirty days, on day 47.
  // By then the seventh has until the eighth begins.
  expect(endOf(weekly)).toBe(51);
  expect(invoicesOf(weekly)).toEqual(['open', 'open', 'open', 'open', 'open', 'open', 'open']);
  // March was given up when April had begun, which has until May.
  expect(endOf(monthly)).toBe(63);
  expect(invoicesOf(monthly)).toEqual(['open', 'open']);
  // Given up on day 33, and no other invoice follows for a year: it ends once that is read.
  expect(endOf(yearly)).toBe(36);
});
