/** Stripe's own retries beside ours: kept apart in advisory mode, switched off in exclusive mode. */
import { DateTime } from 'luxon';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { exactMoment } from '../../src/plugin/operator/text/exact-moment.ts';
import {
  acceptsFirst,
  declines,
  declinesTimes,
  indianCard,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate, say } from '../support/operate.ts';
import { inFull } from '../support/runner/full-run.ts';
import {
  actionsOf,
  attemptsOf,
  callBack,
  chargesOf,
  failingInvoice,
  instruct,
  payCalls,
  statusOf,
  storyOf,
  subscribe,
} from '../support/scenario.ts';
import { CALLBACK_TOKEN, createWorld, type World } from '../support/world.ts';
import { startOtherwise } from './start-otherwise.ts';

const settings: OwnOptions = {};
let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true, sandbox: { stripeRetries: 'smart' }, plugin: settings });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const isStripes = (invoiceId: string) => world.sandbox.state.invoices.get(invoiceId)?.auto_advance;

function nextStripeAttempt(invoiceId: string): DateTime | undefined {
  const at = world.sandbox.state.invoices.get(invoiceId)?.next_payment_attempt;
  return typeof at === 'number' ? DateTime.fromSeconds(at, { zone: 'utc' }) : undefined;
}

describe('in advisory mode', () => {
  test('our attempt moves behind an attempt of Stripe that is near, and ends when that one succeeds', async () => {
    const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
    const theirs = nextStripeAttempt(invoiceId) ?? world.clock.now();
    await instruct(world, invoiceId, 'RETRY', theirs.minus({ minutes: 40 }));
    await world.advance(theirs.minus({ minutes: 30 }).diff(world.clock.now()));
    const [action] = await actionsOf(world, invoiceId);
    expect(action).toMatchObject({
      state: 'scheduled',
      reason: { code: 'stripe_tries' },
    });
    expect(action?.dueAt).toEqual(theirs.plus({ hours: 1 }));
    await world.advance({ days: 3 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(payCalls(world, invoiceId)).toEqual([]);
    expect(await actionsOf(world, invoiceId)).toMatchObject([
      { state: 'closed', reason: { code: 'invoice_ended', status: 'paid' } },
    ]);
  });

  test('our attempt comes an hour after an attempt of Stripe that failed', async () => {
    const { invoiceId } = await failingInvoice(world, declinesTimes(2, 'insufficient_funds'));
    const theirs = nextStripeAttempt(invoiceId) ?? world.clock.now();
    await instruct(world, invoiceId, 'RETRY', theirs.minus({ minutes: 40 }));
    await world.advance(theirs.plus({ minutes: 50 }).diff(world.clock.now()));
    expect(payCalls(world, invoiceId)).toEqual([]);
    await world.advance({ minutes: 20 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect((await attemptsOf(world, invoiceId)).map(({ source, outcome }) => [source, outcome])).toEqual([
      ['stripe', 'declined'],
      ['stripe', 'declined'],
      ['ours', 'paid'],
    ]);
  });

  test("the service's time is kept two hours before an attempt of Stripe", async () => {
    const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
    const theirs = nextStripeAttempt(invoiceId) ?? world.clock.now();
    await instruct(world, invoiceId, 'RETRY', theirs.minus({ hours: 2 }));
    await world.advance(theirs.minus({ hours: 2 }).diff(world.clock.now()));
    expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
  });

  test('a person who stops an invoice in advisory mode is told that Stripe goes on, and when', async () => {
    const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
    const theirs = nextStripeAttempt(invoiceId) ?? world.clock.now();
    const { code, text } = await say(world, 'stop', { invoice: invoiceId }, 'a plea');
    expect(code).toBe(0);
    expect(text).toContain(`Stripe itself still means to try at ${exactMoment(theirs)}:`);
    await world.advance({ days: 5 });
    const afterwards = await say(world, 'stop', { invoice: invoiceId });
    expect([statusOf(world, invoiceId), afterwards.text]).toEqual([
      'paid',
      expect.not.stringContaining('Stripe itself'),
    ]);
  });

  test("our attempt goes first where Stripe's next attempt is far", async () => {
    const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 25 }));
    await world.advance({ hours: 25 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    await world.advance({ days: 5 });
    expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
  });

  test("Stripe's own retries end, the service's instruction stays, and complete_dunning hands it back", async () => {
    const { invoiceId } = await failingInvoice(world, declinesTimes(9, 'insufficient_funds'));
    const other = await failingInvoice(world, declinesTimes(9, 'insufficient_funds'));
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ days: 3 }));
    const response = await fetch(`${world.url}/pause_collection`, {
      method: 'POST',
      headers: { authorization: `Bearer ${CALLBACK_TOKEN}` },
      body: JSON.stringify({ requestId: 'pause_1', invoiceId }),
    });
    expect([response.status, await response.json()]).toEqual([
      200,
      { success: true, message: "This invoice is taken over from Stripe's own retries" },
    ]);
    await world.settle();
    expect([isStripes(invoiceId), isStripes(other.invoiceId)]).toEqual([false, true]);
    await world.advance({ days: 4 });
    expect(payCalls(world, invoiceId)).toHaveLength(1);
    expect(chargesOf(world, invoiceId)).toHaveLength(2);
    await callBack(world, { id: 'done_1', type: 'complete_dunning', data: { invoiceId } });
    await world.settle();
    expect(isStripes(invoiceId)).toBe(true);
  });
});

describe('in exclusive mode', () => {
  beforeAll(() => startOtherwise(world, settings, { retryMode: 'exclusive', afterGivingUp: 'leave' }));

  test("in exclusive mode, the first failure ends Stripe's own retries, once", async () => {
    world.sandbox.webhookFaults.duplicate = 1;
    const { invoiceId } = await failingInvoice(world, declinesTimes(2, 'insufficient_funds'));
    expect(world.sandbox.state.invoices.get(invoiceId)).toMatchObject({
      auto_advance: false,
      next_payment_attempt: null,
    });
    expect((await storyOf(world, invoiceId)).filter((kind) => kind === 'invoice.taken_over')).toHaveLength(1);
    await world.advance({ days: 6 });
    expect(chargesOf(world, invoiceId)).toEqual(['failed']);
  });

  test('in exclusive mode, an invoice is known as taken over before Stripe is asked to leave it', async () => {
    const { subscriptionId } = await subscribe(world, declinesTimes(2, 'insufficient_funds'));
    const { id: invoiceId } = world.sandbox.renewNow(subscriptionId);
    const hold = world.sandbox.faults.hold('POST', new RegExp(`/invoices/${invoiceId}$`));
    const working = world.settle();
    await hold.arrived;
    const known = await world.query('select 1 from payment_retry.takeovers where invoice_id = $1', [
      invoiceId,
    ]);
    hold.release();
    await working;
    expect(known).toHaveLength(1);
  });

  test('in exclusive mode, what we would not collect is left to Stripe', async () => {
    const paused = await subscribe(world, declinesTimes(1, 'insufficient_funds'));
    const { id: held } = world.sandbox.renewNow(paused.subscriptionId);
    world.sandbox.pauseCollection(paused.subscriptionId, { behavior: 'keep_as_draft' });
    const { subscriptionId } = await subscribe(world, declinesTimes(1, 'insufficient_funds'));
    const ended = world.sandbox.state.subscriptions.get(subscriptionId);
    const items = [{ id: ended?.items.data[0]?.id, quantity: 4 }];
    world.sandbox.updateSubscription(subscriptionId, { items });
    world.sandbox.cancelSubscription(subscriptionId, { invoiceNow: true });
    await world.settle();
    const last = ended?.latest_invoice ?? '';
    expect([held, last].map(isStripes)).toEqual([true, true]);
    await world.advance({ days: 10 });
    expect([held, last].map((id) => statusOf(world, id))).toEqual(['paid', 'paid']);
    expect([held, last].flatMap((id) => payCalls(world, id))).toEqual([]);

    const indian = indianCard(declines('insufficient_funds'));
    const { invoiceId } = await failingInvoice(world, acceptsFirst(1, indian));
    await world.advance({ days: 2 });
    expect(isStripes(invoiceId)).toBe(true);
  });

  inFull('in exclusive mode, an invoice that the service forgot goes back to Stripe, for good', async () => {
    const { invoiceId } = await failingInvoice(world, declinesTimes(3, 'insufficient_funds'));
    await world.advance({ days: 4 });
    await instruct(world, invoiceId, 'RETRY');
    await world.advance({ days: 6 });
    expect(isStripes(invoiceId)).toBe(false);
    await world.advance({ days: 2 });
    expect(isStripes(invoiceId)).toBe(true);
    await world.advance({ days: 20 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect((await attemptsOf(world, invoiceId)).map(({ source }) => source)).toEqual([
      'stripe',
      'ours',
      'stripe',
      'stripe',
    ]);
    expect((await storyOf(world, invoiceId)).filter((kind) => kind.startsWith('invoice.'))).toEqual([
      'invoice.taken_over',
      'invoice.handed_back',
    ]);
  });

  test('an invoice whose attempts are used does not go back to Stripe, which would make its own beside them', async () => {
    const { invoiceId } = await failingInvoice(world, declinesTimes(99, 'insufficient_funds'));
    const used = 9;
    for (let made = 1; made < used; made += 1) {
      await instruct(world, invoiceId, 'RETRY');
      await world.advance({ days: 2 });
    }
    await world.advance({ days: 8 });
    await world.advance({ days: 20 });
    expect(chargesOf(world, invoiceId)).toHaveLength(used);
    expect((await storyOf(world, invoiceId)).filter((kind) => kind === 'invoice.kept')).toHaveLength(1);
    const reason = 'it was given up (AFTER_GIVING_UP)';
    const { text } = await say(world, 'handBack', { invoices: [invoiceId] });
    expect(text.split('\n')[0]).toBe(`${invoiceId}: kept, ${reason}`);
    expect(isStripes(invoiceId)).toBe(false);
  });

  inFull('an invoice whose attempts were used with the card before goes back to Stripe', async () => {
    const { invoiceId, customerId } = await failingInvoice(world, declinesTimes(99, 'insufficient_funds'));
    for (let made = 1; made < 8; made += 1) {
      await instruct(world, invoiceId, 'RETRY');
      await world.advance({ days: 2 });
    }
    world.sandbox.changeDefaultCard(customerId, declines('insufficient_funds', {}, { last4: '9995' }));
    await world.advance({ days: 9 });
    expect(isStripes(invoiceId)).toBe(true);
  });

  test('an invoice that waits for its time, or that the service stopped, does not go back to Stripe', async () => {
    const waiting = await failingInvoice(world, declinesTimes(9, 'insufficient_funds'));
    const stopped = await failingInvoice(world, declinesTimes(9, 'insufficient_funds'));
    await instruct(world, waiting.invoiceId, 'RETRY', world.clock.now().plus({ days: 12 }));
    const data = { invoiceId: stopped.invoiceId };
    await callBack(world, { id: 'stop_1', type: 'complete_dunning', created: 'now', data });
    await world.advance({ days: 10 });
    expect([waiting, stopped].map(({ invoiceId }) => isStripes(invoiceId))).toEqual([false, false]);
  });

  test('handback gives back to Stripe what may be collected, keeps what must not, and says which', async () => {
    const open = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
    const held = await failingInvoice(world, declinesTimes(9, 'insufficient_funds'));
    const ended = await failingInvoice(world, declinesTimes(9, 'insufficient_funds'));
    const stopped = await failingInvoice(world, declinesTimes(9, 'insufficient_funds'));
    const stopping = { id: 'stop_2', type: 'complete_dunning', created: 'now', data: stopped };
    await callBack(world, stopping);
    await world.settle();
    await operate(world, 'stop', { invoice: held.invoiceId }, 'a plea');
    world.sandbox.cancelSubscription(ended.subscriptionId);

    const { code, text } = await say(world, 'handBack');
    expect(code).toBe(1);
    expect(text.split('\n')).toEqual([
      `${open.invoiceId}: handed back to Stripe`,
      `${held.invoiceId}: kept, a person stopped it: a plea`,
      `${ended.invoiceId}: kept, subscription ${ended.subscriptionId} is canceled`,
      `${stopped.invoiceId}: kept, the service stopped collecting this invoice`,
      '1 handed back, 0 settled, 3 kept',
    ]);
    expect([open, held, ended].map(({ invoiceId }) => isStripes(invoiceId))).toEqual([true, false, false]);
    expect(await say(world, 'handBack', { invoices: [open.invoiceId, 'in_unknown'] })).toEqual({
      code: 3,
      text: `nothing changed: no invoice is taken over\n${open.invoiceId}: not taken over\nin_unknown: not taken over`,
    });
    await world.advance({ days: 20 });
    expect(statusOf(world, open.invoiceId)).toBe('paid');
  });

  test('while collection is paused, an invoice does not go back to Stripe, which would charge it', async () => {
    const paused = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
    world.sandbox.pauseCollection(paused.subscriptionId, { behavior: 'keep_as_draft' });
    const { text } = await say(world, 'handBack', { invoices: [paused.invoiceId] });
    expect(text).toContain(`kept, collection of subscription ${paused.subscriptionId} is paused`);
    await world.advance({ days: 10 });
    expect(chargesOf(world, paused.invoiceId)).toEqual(['failed']);
    world.sandbox.pauseCollection(paused.subscriptionId, null);
    await say(world, 'handBack', { invoices: [paused.invoiceId] });
    await world.advance({ days: 10 });
    expect(statusOf(world, paused.invoiceId)).toBe('paid');
  });

  test('in exclusive mode, the instructed attempts are the only ones', async () => {
    const { invoiceId } = await failingInvoice(world, declinesTimes(2, 'insufficient_funds'));
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ days: 3 }));
    await world.advance({ days: 4 });
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ days: 3 }));
    await world.advance({ days: 4 });
    expect((await attemptsOf(world, invoiceId)).map(({ source, outcome }) => [source, outcome])).toEqual([
      ['stripe', 'declined'],
      ['ours', 'declined'],
      ['ours', 'paid'],
    ]);
  });
});
