/** The way back after an end for non-payment (AFTER_END=resume), as docs/how-to/emails.md describes it. */
import type { HostEvent } from '../../src/index.ts';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { openChannels } from '../../src/plugin/store/tables/host-events.ts';
import { acceptsFirst, declines, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { actionsOf, callBack, chargesOf, failingInvoice, statusOf, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
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

async function lose(card = declinesTimes(1, 'insufficient_funds')) {
  const subscriber = await failingInvoice(world, card);
  const data = { invoiceId: subscriber.invoiceId };
  await callBack(world, { id: 'end_1', type: 'complete_dunning', created: 'now', data });
  await world.advance({ days: 1 });
  return subscriber;
}

/** Newest first. */
const subscriptionsOf = (customer: string) =>
  [...world.sandbox.state.subscriptions.newestFirst()].filter((one) => one.customer === customer);
const link = () => {
  const { html = '' } = world.email.emails.at(-1) ?? {};
  return /href="([^"]*\/card-update\/[^"]*)"/.exec(html)?.[1] ?? '';
};
const press = (url: string) => fetch(url, { method: 'POST', redirect: 'manual' });
const hostedUrl = (invoice: string) => String(world.sandbox.state.invoices.get(invoice)?.hosted_invoice_url);
/** On Stripe's page of the invoice. */
async function pay(invoice: string): Promise<void> {
  await press(hostedUrl(invoice));
  await world.advance({ minutes: 5 });
}

describe('after a cancellation', () => {
  test('the page says what is owed and that the plan starts again; it does once, however often one presses', async () => {
    const { invoiceId, subscriptionId, customerId } = await lose();
    expect(world.sandbox.state.subscriptions.get(subscriptionId)?.status).toBe('canceled');
    const page = await (await fetch(link())).text();
    expect(page).toContain('$20.00');
    expect(page).toContain('your subscription starts again on the same plan');
    const answers = await Promise.all([press(link()), press(link())]);
    expect(answers.map(({ headers }) => headers.get('location'))).toEqual(
      Array(2).fill(hostedUrl(invoiceId)),
    );
    await pay(invoiceId);
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
    expect(told).toMatchObject([
      {
        type: 'resumed',
        invoice: invoiceId,
        data: { customer: customerId, subscription: again?.id, previous: subscriptionId },
      },
    ]);
  });

  test('an answer of Stripe that is lost starts it once', async () => {
    const { invoiceId, customerId } = await lose();
    await press(link());
    world.sandbox.faults.next('POST', '/subscriptions', 'drop_after', 3);
    await pay(invoiceId);
    await world.advance({ hours: 30 });
    expect(subscriptionsOf(customerId)).toHaveLength(2);
    expect(told).toHaveLength(1);
  });

  test('a customer who pays elsewhere, without the page that says so, starts nothing', async () => {
    const { invoiceId, customerId } = await lose();
    await pay(invoiceId);
    expect(subscriptionsOf(customerId)).toHaveLength(1);
    expect((await actionsOf(world, invoiceId)).at(-1)).toMatchObject({
      kind: 'resume_subscription',
      reason: { code: 'not_resumed', because: 'not_asked_for' },
    });
  });

  test('once the paid period is over, the next one is charged with the payment', async () => {
    const { invoiceId, customerId } = await lose();
    await press(link());
    await world.advance({ days: 70 });
    await pay(invoiceId);
    const [again, ...before] = subscriptionsOf(customerId);
    expect(before).toHaveLength(1);
    expect(chargesOf(world, String(again?.latest_invoice))).toEqual(['succeeded']);
  });

  test('a declined next period starts nothing, and needs attention', async () => {
    const { invoiceId, customerId } = await lose(acceptsFirst(1, declines('insufficient_funds')));
    await press(link());
    await world.advance({ days: 70 });
    world.sandbox.payOutOfBand(invoiceId);
    await world.advance({ minutes: 5 });
    expect(subscriptionsOf(customerId)).toHaveLength(1);
    expect(told).toEqual([]);
    expect(await storyOf(world, invoiceId)).toContain('subscription.not_resumed');
  });
});

describe('after a pause', () => {
  beforeAll(async () => {
    await startOtherwise(world, settings, { ...usual, afterGivingUp: 'pause' });
    await openChannels(world.plugin.parts.database, ['host'], world.clock.now());
  });

  test('the payment resumes the subscription itself', async () => {
    const { invoiceId, subscriptionId, customerId } = await lose();
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
});
