/** Above a ceiling a person is asked, or everything stops. */

import { reportInvoice, reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate, say } from '../support/operate.ts';
import { actionsOf, instruct, payCalls, renew, statusOf, storyOf, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failTogether } from './fail-together.ts';
import { startOtherwise } from './start-otherwise.ts';

let world: World;
const settings: OwnOptions = { cardChangeMaxTotal: 'USD=3000' };
beforeAll(async () => {
  world = await createWorld({ isRemote: true, plugin: settings });
});
afterEach(() => world.reset());
afterAll(() => world?.stop());

const status = () => reportStatus(world.plugin.parts.database, {}, world.clock.now());
const broke = () => acceptsFirst(1, declines('insufficient_funds'));
const paymentOf = async (invoiceId: string) =>
  (await actionsOf(world, invoiceId)).filter(({ kind }) => kind === 'pay').at(-1);

describe('what a new card pays at once', () => {
  test('an invoice above the age waits for a person, who lets it be paid', async () => {
    const { sandbox } = world;
    const { id: customerId } = sandbox.createCustomer({ email: 'ada@example.com', paymentMethod: broke() });
    // No other invoice comes within ninety days.
    const { id: price } = sandbox.createPrice({ unit_amount: 2000, recurring: { interval: 'year' } });
    const { id: subscriptionId } = sandbox.createSubscription({ customer: customerId, items: [{ price }] });
    await world.settle();
    const invoiceId = await renew(world, subscriptionId);
    await world.advance({ days: 91 });
    world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
    await world.advance({ days: 3 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    expect(await paymentOf(invoiceId)).toMatchObject({
      state: 'undecided',
      reason: { code: 'invoice_too_old', days: 90 },
    });
    const { code, text } = await status();
    expect(code).toBe(1);
    expect(text).toContain(`need a decision`);
    expect(text).toContain(`${invoiceId}, customer ${customerId}`);
    const { database } = world.plugin.parts;
    expect((await reportInvoice(database, invoiceId, {})).text).toContain('needs a decision');
    expect(await storyOf(world, invoiceId)).toContain('guard.asked');
    expect((await say(world, 'release', { invoice: invoiceId })).text).toContain('the payment that waited');
    await world.advance({ minutes: 3 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(payCalls(world, invoiceId)).toHaveLength(1);
  });

  test('what goes beyond the total of a day waits; another day does not make it happen', async () => {
    const card = acceptsFirst(2, declines('insufficient_funds'));
    const { subscriptionId, customerId } = await subscribe(world, card);
    const price = world.sandbox.createPrice({ unit_amount: 1500 });
    const other = world.sandbox.createSubscription({
      customer: customerId,
      items: [{ price: price.id, quantity: 1 }],
    });
    await world.settle();
    const invoiceId = await renew(world, subscriptionId);
    await world.advance({ minutes: 5 });
    const second = await renew(world, other.id);
    await world.advance({ days: 2 });
    world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
    await world.advance({ days: 3 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(payCalls(world, second)).toEqual([]);
    expect(await paymentOf(second)).toMatchObject({
      state: 'undecided',
      reason: { code: 'card_change_total', total: 3500, max: 3000, currency: 'usd' },
    });
    await operate(world, 'stop', { invoice: second });
    expect(await paymentOf(second)).toMatchObject({ state: 'closed' });
    expect((await status()).text).not.toContain('need a decision');
  });
});

describe('charges in a minute', () => {
  beforeAll(() => startOtherwise(world, settings, { maxChargesPerMinute: 2 }));

  test('one too many pauses everything, and says so', async () => {
    const minute = world.clock.now().plus({ hours: 26 }).startOf('minute');
    const invoices: string[] = [];
    // The two that may be made are over when the next one comes: the pause would stop them on their way as well.
    const charges = Object.entries({ first: 0, second: 0, third: 20, fourth: 40 });
    const cardOf = (name: string) =>
      declinesTimes(1, 'insufficient_funds', {}, { fingerprint: `fp_${name}` });
    const failed = await failTogether<string>(
      world,
      Object.fromEntries(charges.map(([name]) => [name, cardOf(name)])),
    );
    for (const [name, seconds] of charges) {
      const { invoiceId } = failed(name);
      await instruct(world, invoiceId, 'RETRY', minute.plus({ seconds }));
      invoices.push(invoiceId);
    }
    const paid = () => invoices.filter((id) => statusOf(world, id) === 'paid').length;
    await world.advance({ hours: 30 });
    expect(paid()).toBe(2);
    expect((await status()).text).toMatch(
      /^PAUSED [\s\S]*\(MAX_CHARGES_PER_MINUTE: more than 2 charges within a minute\); 2 due/,
    );
    await operate(world, 'resume');
    await world.advance({ minutes: 2 });
    expect(paid()).toBe(4);
  });
});
