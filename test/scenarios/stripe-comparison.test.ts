/** EXPERIMENT=stripe:50: customers are drawn once, at their first failure, and left to Stripe's own retries or not. */
import type { DateTime } from 'luxon';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { failingInvoice, instruct, payCalls, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

const CUSTOMERS = 8;

interface Lot {
  customerId: string;
  arm: 'ours' | 'control';
  percent: number;
  drawnAt: DateTime<true>;
}

let world: World;
const lots = () =>
  world.plugin.parts.database.query<Lot>(
    `select customer_id, arm, percent, drawn_at from payment_retry.lots order by drawn_at`,
  );
/** Each with a card of its own, which no other's attempt counts against. */
const failing = (number: number) =>
  failingInvoice(world, declinesTimes(9, 'insufficient_funds', {}, { last4: String(1000 + number) }));
type Failing = Awaited<ReturnType<typeof failing>>;

/** One customer of each arm, and the number of those drawn. */
async function drawBoth(): Promise<{ ours: Failing; stripe: Failing }> {
  const all: Failing[] = [];
  for (let count = 0; count < CUSTOMERS; count += 1) all.push(await failing(count));
  const drawn = await lots();
  expect(drawn).toHaveLength(CUSTOMERS);
  expect(new Set(drawn.map(({ percent }) => percent))).toEqual(new Set([50]));
  const first = (arm: Lot['arm']) => {
    const customers = drawn.filter((lot) => lot.arm === arm).map(({ customerId }) => customerId);
    const found = all.find(({ invoiceId }) =>
      customers.includes(String(world.sandbox.state.invoices.get(invoiceId)?.customer)),
    );
    if (!found) throw new Error(`nobody was drawn for ${arm}`);
    return found;
  };
  return { ours: first('ours'), stripe: first('control') };
}

describe.each(['exclusive', 'advisory'] as const)('in %s mode', (retryMode) => {
  beforeAll(async () => {
    world = await createWorld({
      isRemote: true,
      sandbox: { stripeRetries: 'smart' },
      plugin: {
        retryMode,
        experiment: 'stripe:50',
        ...(retryMode === 'exclusive' ? { afterGivingUp: 'leave' } : {}),
      },
    });
  });
  afterAll(() => world?.stop());
  const isStripes = ({ invoiceId }: Failing) => world.sandbox.state.invoices.get(invoiceId)?.auto_advance;

  test(`in ${retryMode} mode, a customer left to Stripe keeps its retries and gets none of ours`, async () => {
    const { ours, stripe } = await drawBoth();
    expect([isStripes(ours), isStripes(stripe)]).toEqual([retryMode === 'advisory', true]);
    const later = world.clock.now().plus({ hours: 25 });
    for (const { invoiceId } of [ours, stripe]) await instruct(world, invoiceId, 'RETRY', later);
    await world.advance({ hours: 26 });
    expect(payCalls(world, stripe.invoiceId)).toEqual([]);
    expect(await storyOf(world, stripe.invoiceId)).toContain('observed.pay');
    expect(payCalls(world, ours.invoiceId).length + Number(retryMode === 'advisory')).toBeGreaterThan(0);
    expect(await storyOf(world, ours.invoiceId)).not.toContain('observed.pay');
  });
});
