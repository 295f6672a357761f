/** EXPERIMENT=stripe:50: customers are drawn once, at their first failure, and left to Stripe's own retries or not. */
import type { DateTime } from 'luxon';
import { z } from 'zod';
import { operateBy } from '../../src/plugin/app/commands/operate-command.ts';
import type { CommandContext } from '../../src/plugin/app/commands/store-command.ts';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import type { OperationDeps } from '../../src/plugin/operator/operations/operation.ts';
import { previewOperation } from '../../src/plugin/operator/text/preview-operation.ts';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { askToRetry, instruct, payCalls, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import type { FailedSubscriber } from './fail-together.ts';
import { startOtherwise } from './start-otherwise.ts';

const CUSTOMERS = 8;
const TOKEN = 'an-operator-token-for-tests';
const joined: string[] = [];

interface Lot {
  customerId: string;
  arm: 'ours' | 'control';
  percent: number;
  drawnAt: DateTime<true>;
}

const written: string[] = [];
const output = { write: (text: string) => written.push(text) };

let world: World;
const lots = () =>
  world.plugin.parts.database.query<Lot>(
    `select customer_id, arm, percent, drawn_at from payment_retry.lots order by drawn_at`,
  );

/** One customer of each arm, and the number of those drawn. */
async function drawBoth(): Promise<{ ours: FailedSubscriber; stripe: FailedSubscriber }> {
  // Each with a card of its own, which no other's attempt counts against.
  const all = await failList(
    world,
    Array.from({ length: CUSTOMERS }, (_none, number) => ({
      paymentMethod: declinesTimes(9, 'insufficient_funds', {}, { last4: String(1000 + number) }),
    })),
    'older',
  );
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

/** The host, the API and a person about to act learn who is in the control group. */
async function expectControlGroupShown({
  ours,
  stripe,
}: {
  ours: FailedSubscriber;
  stripe: FailedSubscriber;
}) {
  const groupOf = async ({ customerId }: FailedSubscriber) =>
    (await world.plugin.customers.state(customerId))?.controlGroup ?? null;
  expect(await groupOf(ours)).toBeNull();
  expect(await groupOf(stripe)).toEqual({ against: 'stripe', since: expect.any(String) });
  const members = (await lots()).filter(({ arm }) => arm === 'control').map(({ customerId }) => customerId);
  await world.advance({ minutes: 3 });
  expect(joined.toSorted()).toEqual(members.toSorted());
  const check = async (name: string, parameters: object) => {
    const response = await fetch(`${world.url}/api/v1/operations/${name}/check`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ parameters }),
    });
    return z.object({ controlGroup: z.string().nullable() }).parse(await response.json()).controlGroup;
  };
  expect(await check('stop', { invoice: ours.invoiceId })).toBeNull();
  expect(await check('stop', { invoice: stripe.invoiceId })).toBe('stripe');
  expect(await check('forget', { customer: stripe.customerId })).toBe('stripe');
  const { operations } = world.plugin.parts;
  const warned = await previewOperation(operations, 'stop', { invoice: stripe.invoiceId, account: 'own' });
  expect(warned.will?.[0]).toMatch(/^This customer is in the control group/);
  const context = {
    user: 'ada',
    output,
    withStore: (work: (deps: OperationDeps) => unknown) => work(operations),
  };
  const [command] = operateBy('cardUpdateUrl');
  for (const { customerId } of [ours, stripe])
    await command?.run(context as unknown as CommandContext, [customerId], {});
  expect(written.filter((text) => text.includes('control group'))).toHaveLength(1);
}

const usual: OwnOptions = {
  experiment: 'stripe:50',
  operatorToken: TOKEN,
  on: { joinedControlGroup: ({ data }) => void joined.push(data.customer) },
};
const settings: OwnOptions = { ...usual, retryMode: 'exclusive', afterGivingUp: 'leave' };
beforeAll(async () => {
  world = await createWorld({ isRemote: true, sandbox: { stripeRetries: 'smart' }, plugin: settings });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

describe.each(['exclusive', 'advisory'] as const)('in %s mode', (retryMode) => {
  beforeAll(async () => {
    if (retryMode === 'advisory') await startOtherwise(world, settings, { ...usual, retryMode });
  });
  const isStripes = ({ invoiceId }: FailedSubscriber) =>
    world.sandbox.state.invoices.get(invoiceId)?.auto_advance;

  test(`in ${retryMode} mode, a customer left to Stripe keeps its retries and gets none of ours`, async () => {
    const { ours, stripe } = await drawBoth();
    // Who reads it knows nothing of the mode.
    if (retryMode === 'exclusive') await expectControlGroupShown({ ours, stripe });
    expect([isStripes(ours), isStripes(stripe)]).toEqual([retryMode === 'advisory', true]);
    const later = world.clock.now().plus({ hours: 25 });
    await instruct(world, ours.invoiceId, 'RETRY', later);
    expect(await askToRetry(world, stripe.invoiceId, later)).toMatchObject({
      message: expect.stringMatching(/^Only observed \(EXPERIMENT\): Retry/),
    });
    await world.advance({ hours: 26 });
    expect(payCalls(world, stripe.invoiceId)).toEqual([]);
    expect(await storyOf(world, stripe.invoiceId)).toContain('observed.pay');
    expect(payCalls(world, ours.invoiceId).length + Number(retryMode === 'advisory')).toBeGreaterThan(0);
    expect(await storyOf(world, ours.invoiceId)).not.toContain('observed.pay');
  });
});
