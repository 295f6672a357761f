/** The way back after an end for non-payment (AFTER_END=resume), as docs/how-to/emails.md describes it. */
import type { HostEvent } from '../../src/index.ts';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { openChannels } from '../../src/plugin/store/tables/host-events.ts';
import {
  acceptsFirst,
  declines,
  declinesTimes,
  type PaymentMethodBehaviour,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { actionsOf, callBack, chargesOf, statusOf, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { emailsTo, failTogether } from './fail-together.ts';
import { startOtherwise } from './start-otherwise.ts';

let world: World;
const told: HostEvent[] = [];
const on = { resumed: (event: HostEvent) => void told.push(event) };
const usual: OwnOptions = { retryMode: 'exclusive', afterEnd: 'resume', on };
const settings: OwnOptions = { ...usual, afterGivingUp: 'cancel' };
beforeAll(async () => {
  world = await createWorld({ isRemote: true, plugin: settings });
});
afterEach(async () => {
  told.length = 0;
  await world.reset();
  await openChannels(world.plugin.parts.database, ['host'], world.clock.now());
});
afterAll(() => world?.stop());

/** Payers by name, whose invoices fail together and whose collection the service ends. */
async function loseAll<const Name extends string>(cards: Readonly<Record<Name, PaymentMethodBehaviour>>) {
  const failed = await failTogether(world, cards, { isOlder: true });
  for (const name of Object.keys(cards) as Name[]) {
    const data = { invoiceId: failed(name).invoiceId };
    await callBack(world, { id: `end_${name}`, type: 'complete_dunning', created: 'now', data });
  }
  await world.advance({ days: 1 });
  return failed;
}
const short = (fingerprint: string) => declinesTimes(1, 'insufficient_funds', {}, { fingerprint });

/** Newest first. */
const subscriptionsOf = (customer: string) =>
  [...world.sandbox.state.subscriptions.newestFirst()].filter((one) => one.customer === customer);
const link = (name: string) => {
  const { html = '' } = emailsTo(world, name).at(-1) ?? {};
  return /href="([^"]*\/card-update\/[^"]*)"/.exec(String(html))?.[1] ?? '';
};
const toldOf = (invoiceId: string) => told.filter(({ invoice }) => invoice === invoiceId);
const press = (url: string) => fetch(url, { method: 'POST', redirect: 'manual' });
const hostedUrl = (invoice: string) => String(world.sandbox.state.invoices.get(invoice)?.hosted_invoice_url);
/** On Stripe's page of the invoice. */
async function pay(invoice: string): Promise<void> {
  await press(hostedUrl(invoice));
  await world.advance({ minutes: 5 });
}

test('after a cancellation the page says what is owed and that the plan starts again; it does once, however often one presses, and also where an answer of Stripe is lost; nothing starts without the page, or for a next period that is declined', async () => {
  const failed = await loseAll({
    pressed: short('pressed'),
    lost: short('lost'),
    elsewhere: short('elsewhere'),
    later: short('later'),
    declined: acceptsFirst(1, declines('insufficient_funds', {}, { fingerprint: 'declined' })),
  });
  const { invoiceId, subscriptionId, customerId } = failed('pressed');
  expect(world.sandbox.state.subscriptions.get(subscriptionId)?.status).toBe('canceled');
  const page = await (await fetch(link('pressed'))).text();
  expect(page).toContain('$20.00');
  expect(page).toContain('your subscription starts again on the same plan');
  const answers = await Promise.all([press(link('pressed')), press(link('pressed'))]);
  expect(answers.map(({ headers }) => headers.get('location'))).toEqual(Array(2).fill(hostedUrl(invoiceId)));
  for (const name of ['lost', 'later', 'declined']) await press(link(name));
  await pay(invoiceId);
  const elsewhere = failed('elsewhere');
  await pay(elsewhere.invoiceId);
  expect(subscriptionsOf(elsewhere.customerId)).toHaveLength(1);
  expect((await actionsOf(world, elsewhere.invoiceId)).at(-1)).toMatchObject({
    kind: 'resume_subscription',
    reason: { code: 'not_resumed', because: 'not_asked_for' },
  });
  await world.advance({ hours: 2 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  const [again, ...before] = subscriptionsOf(customerId);
  expect(before).toHaveLength(1);
  const old = before[0];
  expect(again).toMatchObject({
    status: 'active',
    customer: customerId,
    metadata: { resumed_from: subscriptionId },
    // The paid period counts.
    billing_cycle_anchor: old?.items.data[0]?.current_period_end,
    items: { data: [{ price: { id: old?.items.data[0]?.price.id }, quantity: 1 }] },
  });
  const data = { customer: customerId, subscription: again?.id, previous: subscriptionId };
  expect(toldOf(invoiceId)).toMatchObject([{ type: 'resumed', invoice: invoiceId, data }]);

  world.sandbox.faults.next('POST', '/subscriptions', 'drop_after', 3);
  await pay(failed('lost').invoiceId);
  await world.advance({ hours: 30 });
  const resumed = subscriptionsOf(failed('lost').customerId);
  expect([resumed.length, toldOf(failed('lost').invoiceId).length]).toEqual([2, 1]);

  // Their months say nothing here.
  for (const { id } of [again, resumed[0]].filter((one) => one !== undefined))
    world.sandbox.cancelSubscription(id);
  await world.advance({ days: 68 });
  const [later, declined] = [failed('later'), failed('declined')];
  world.sandbox.payOutOfBand(declined.invoiceId);
  await pay(later.invoiceId);
  // Once the paid period is over, the next one is charged with the payment.
  const [next, ...ended] = subscriptionsOf(later.customerId);
  expect(ended).toHaveLength(1);
  expect(chargesOf(world, String(next?.latest_invoice))).toEqual(['succeeded']);
  expect([subscriptionsOf(declined.customerId).length, toldOf(declined.invoiceId)]).toEqual([1, []]);
  expect(await storyOf(world, declined.invoiceId)).toContain('subscription.not_resumed');
});

test('after a pause the payment resumes the subscription itself', async () => {
  await startOtherwise(world, settings, { ...usual, afterGivingUp: 'pause' });
  await openChannels(world.plugin.parts.database, ['host'], world.clock.now());
  const failed = await loseAll({ paused: short('paused') });
  const { invoiceId, subscriptionId, customerId } = failed('paused');
  const paused = world.sandbox.state.subscriptions.get(subscriptionId);
  expect([paused?.status, paused?.pause_collection?.behavior]).toContain('paused');
  await pay(invoiceId);
  expect(subscriptionsOf(customerId)).toHaveLength(1);
  expect(world.sandbox.state.subscriptions.get(subscriptionId)).toMatchObject({
    status: 'active',
    pause_collection: null,
  });
  expect(told).toMatchObject([{ data: { subscription: subscriptionId, previous: subscriptionId } }]);
});
