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
import { failList } from './fail-list.ts';
import { type FailedSubscriber, withoutEffects } from './fail-together.ts';
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

/** Whose cards differ: what one answers says nothing of another. */
const short = (name: string, times: number) => ({
  mailbox: name,
  paymentMethod: declinesTimes(times, 'insufficient_funds', {}, { fingerprint: name }),
});
const madeOn = async ({ invoiceId }: FailedSubscriber) =>
  (await attemptsOf(world, invoiceId)).map(({ source, outcome }) => `${source} ${outcome}`);
const until = (moment: DateTime) => world.advance(moment.diff(world.clock.now()));

describe('in advisory mode', () => {
  test('our attempt moves behind one of Stripe that is near, comes an hour after one that failed, and goes first two hours before or where it is far; who stops an invoice is told that Stripe goes on', async () => {
    const [near, failing, before, far, stopped] = await failList(
      world,
      [short('near', 1), short('failing', 2), short('before', 1), short('far', 1), short('stopped', 1)],
      'older',
    );
    const begin = world.clock.now();
    const theirs = nextStripeAttempt(near.invoiceId) ?? begin;
    for (const { invoiceId } of [failing, before, far, stopped])
      expect(nextStripeAttempt(invoiceId)).toEqual(theirs);
    for (const { invoiceId } of [near, failing])
      await instruct(world, invoiceId, 'RETRY', theirs.minus({ minutes: 40 }));
    await instruct(world, before.invoiceId, 'RETRY', theirs.minus({ hours: 2 }));
    await instruct(world, far.invoiceId, 'RETRY', begin.plus({ hours: 25 }));
    const { code, text } = await say(world, 'stop', { invoice: stopped.invoiceId }, 'a plea');
    expect(code).toBe(0);
    expect(text).toContain(`Stripe itself still means to try at ${exactMoment(theirs)}:`);

    await until(begin.plus({ hours: 25 }));
    expect(statusOf(world, far.invoiceId)).toBe('paid');
    await until(theirs.minus({ hours: 2 }));
    expect(chargesOf(world, before.invoiceId)).toEqual(['failed', 'succeeded']);
    await until(theirs.minus({ minutes: 30 }));
    const [action] = await actionsOf(world, near.invoiceId);
    expect(action).toMatchObject({ state: 'scheduled', reason: { code: 'stripe_tries' } });
    expect(action?.dueAt).toEqual(theirs.plus({ hours: 1 }));
    await until(theirs.plus({ minutes: 50 }));
    expect(payCalls(world, failing.invoiceId)).toEqual([]);
    await world.advance({ minutes: 20 });
    expect(statusOf(world, failing.invoiceId)).toBe('paid');
    expect(await madeOn(failing)).toEqual(['stripe declined', 'stripe declined', 'ours paid']);

    await world.advance({ days: 3 });
    for (const { invoiceId } of [near, stopped])
      expect([statusOf(world, invoiceId), payCalls(world, invoiceId)]).toEqual(['paid', []]);
    expect(await actionsOf(world, near.invoiceId)).toMatchObject([
      { state: 'closed', reason: { code: 'invoice_ended', status: 'paid' } },
    ]);
    const afterwards = await say(world, 'stop', { invoice: stopped.invoiceId });
    expect(afterwards.text).not.toContain('Stripe itself');
    expect(chargesOf(world, far.invoiceId)).toEqual(['failed', 'succeeded']);
  });

  test("Stripe's own retries end, the service's instruction stays, and complete_dunning hands it back", async () => {
    const [{ invoiceId }, other] = await failList(world, [short('taken', 9), short('other', 9)], 'older');
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
    const quiet = withoutEffects(world);
    const paused = await subscribe(quiet, declinesTimes(1, 'insufficient_funds'));
    const { subscriptionId } = await subscribe(quiet, declinesTimes(1, 'insufficient_funds'));
    const abroad = await subscribe(quiet, acceptsFirst(1, indianCard(declines('insufficient_funds'))));
    await world.settle();
    const { id: held } = world.sandbox.renewNow(paused.subscriptionId);
    world.sandbox.pauseCollection(paused.subscriptionId, { behavior: 'keep_as_draft' });
    const { id: indian } = world.sandbox.renewNow(abroad.subscriptionId);
    const ended = world.sandbox.state.subscriptions.get(subscriptionId);
    const items = [{ id: ended?.items.data[0]?.id, quantity: 4 }];
    world.sandbox.updateSubscription(subscriptionId, { items });
    world.sandbox.cancelSubscription(subscriptionId, { invoiceNow: true });
    await world.settle();
    const last = ended?.latest_invoice ?? '';
    expect([held, last].map(isStripes)).toEqual([true, true]);
    await world.advance({ days: 2 });
    expect(isStripes(indian)).toBe(true);
    await world.advance({ days: 8 });
    expect([held, last].map((id) => statusOf(world, id))).toEqual(['paid', 'paid']);
    expect([held, last].flatMap((id) => payCalls(world, id))).toEqual([]);
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
    // On Stripe's page, with the same card, which counts as well.
    for (let made = 1; made < used - 1; made += 1)
      expect(() => world.sandbox.payAsCustomer(invoiceId)).toThrow();
    await world.settle();
    await instruct(world, invoiceId, 'RETRY');
    await world.advance({ days: 2 });
    await world.advance({ days: 12 });
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

  test('handback gives back to Stripe what may be collected, keeps what must not, and says which', async () => {
    const [open, held, ended, stopped] = await failList(
      world,
      [short('open', 1), short('held', 9), short('ended', 9), short('stopped', 9)],
      'older',
    );
    const stopping = { id: 'stop_2', type: 'complete_dunning', created: 'now', data: stopped };
    await callBack(world, stopping);
    await world.settle();
    await operate(world, 'stop', { invoice: held.invoiceId }, 'a plea');
    world.sandbox.cancelSubscription(ended.subscriptionId);

    const { code, text } = await say(world, 'handBack');
    expect(code).toBe(1);
    const lines = text.split('\n');
    expect(lines.pop()).toBe('1 handed back, 0 settled, 3 kept');
    expect(lines.sort()).toEqual(
      [
        `${open.invoiceId}: handed back to Stripe`,
        `${held.invoiceId}: kept, a person stopped it: a plea`,
        `${ended.invoiceId}: kept, subscription ${ended.subscriptionId} is canceled`,
        `${stopped.invoiceId}: kept, the service stopped collecting this invoice`,
      ].sort(),
    );
    expect([open, held, ended].map(({ invoiceId }) => isStripes(invoiceId))).toEqual([true, false, false]);
    expect(await say(world, 'handBack', { invoices: [open.invoiceId, 'in_unknown'] })).toEqual({
      code: 3,
      text: `nothing changed: no invoice is taken over\n${open.invoiceId}: not taken over\nin_unknown: not taken over`,
    });
    await world.advance({ days: 4 });
    expect(statusOf(world, open.invoiceId)).toBe('paid');
  });

  test('in exclusive mode, the first failure ends Stripe’s own retries, once, and the instructed attempts are the only ones; what waits, was stopped, or whose collection is paused does not go back', async () => {
    world.sandbox.webhookFaults.duplicate = 1;
    const [asked, idle, waiting, stopped, paused] = await failList(
      world,
      [short('asked', 2), short('idle', 2), short('waiting', 9), short('stopped', 9), short('paused', 1)],
      'older',
    );
    world.sandbox.webhookFaults.duplicate = 0;
    const taken = { auto_advance: false, next_payment_attempt: null };
    expect(world.sandbox.state.invoices.get(idle.invoiceId)).toMatchObject(taken);
    const story = await storyOf(world, idle.invoiceId);
    expect(story.filter((kind) => kind === 'invoice.taken_over')).toHaveLength(1);
    const instructAsked = () =>
      instruct(world, asked.invoiceId, 'RETRY', world.clock.now().plus({ days: 3 }));
    await instructAsked();
    await instruct(world, waiting.invoiceId, 'RETRY', world.clock.now().plus({ days: 12 }));
    const data = { invoiceId: stopped.invoiceId };
    await callBack(world, { id: 'stop_1', type: 'complete_dunning', created: 'now', data });
    world.sandbox.pauseCollection(paused.subscriptionId, { behavior: 'keep_as_draft' });
    const handBack = () => say(world, 'handBack', { invoices: [paused.invoiceId] });
    expect((await handBack()).text).toContain(
      `kept, collection of subscription ${paused.subscriptionId} is paused`,
    );
    await world.advance({ days: 4 });
    await instructAsked();
    await world.advance({ days: 2 });
    expect(chargesOf(world, idle.invoiceId)).toEqual(['failed']);
    await world.advance({ days: 4 });
    expect(await madeOn(asked)).toEqual(['stripe declined', 'ours declined', 'ours paid']);
    expect([waiting, stopped].map(({ invoiceId }) => isStripes(invoiceId))).toEqual([false, false]);
    expect(chargesOf(world, paused.invoiceId)).toEqual(['failed']);
    world.sandbox.pauseCollection(paused.subscriptionId, null);
    await handBack();
    await world.advance({ days: 4 });
    expect(statusOf(world, paused.invoiceId)).toBe('paid');
  });
});
