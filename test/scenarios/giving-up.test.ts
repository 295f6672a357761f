/** The end of dunning: what AFTER_GIVING_UP does once the service asks for no more. */

import { reportInvoice, reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { exactMoment } from '../../src/plugin/operator/text/exact-moment.ts';
import type { RetryMode } from '../../src/plugin/settings/config.ts';
import type { AfterGivingUp } from '../../src/plugin/settings/giving-up.ts';
import { pauseEffects, resumeEffects } from '../../src/plugin/store/tables/retry/pauses.ts';
import { acceptsFirst, declines, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import { inFull } from '../support/runner/full-run.ts';
import {
  actionsOf,
  callBack,
  failingInvoice,
  instruct,
  renew,
  statusOf,
  storyOf,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import { EMBEDDED, startOtherwise } from './start-otherwise.ts';

let world: World;
afterEach(() => world.reset());

const settings: OwnOptions = {};
beforeAll(async () => {
  world = await createWorld({ isRemote: true, sandbox: { stripeRetries: 'smart' }, plugin: settings });
});
afterAll(() => world?.stop());

const begin = (afterGivingUp: AfterGivingUp, retryMode: RetryMode = 'exclusive') =>
  startOtherwise(world, settings, { retryMode, afterGivingUp });

const broke = () => declinesTimes(99, 'insufficient_funds');
const subscriptionOf = (id: string) => world.sandbox.state.subscriptions.get(id);
const listCalls = (method: string, path: string) =>
  world.sandbox.state.apiCalls.filter((call) => call.method === method && call.path === path);
const calls = (method: string, path: string) => listCalls(method, path).length;
const ends = async (invoiceId: string) =>
  (await storyOf(world, invoiceId)).filter((kind) => /^dunning\.(given_up|ended)$/.test(kind));

let stops = 0;
async function complete(invoiceId: string, type = 'complete_dunning'): Promise<void> {
  const { status } = await callBack(world, {
    id: `end_${++stops}`,
    type,
    created: 'now',
    data: { invoiceId },
  });
  expect(status).toBe(200);
  await world.settle();
}

const status = () => reportStatus(world.plugin.parts.database, {}, world.clock.now());
/** As the process does every five minutes. */
async function readCases(): Promise<void> {
  await world.plugin.parts.requestActionsSync();
  await world.settle();
}

describe('cancel', () => {
  beforeAll(() => begin('cancel'));

  test('AFTER_GIVING_UP=cancel ends the subscription once the service says that it is over, and leaves alone what Stripe collects itself', async () => {
    const [{ invoiceId, subscriptionId }, silent] = await failList(world, [
      { paymentMethod: broke() },
      { paymentMethod: broke() },
    ]);
    await complete(invoiceId);
    await complete(invoiceId);
    expect(subscriptionOf(subscriptionId)?.status).toBe('canceled');
    expect(statusOf(world, invoiceId)).toBe('open');
    expect(calls('DELETE', `/v1/subscriptions/${subscriptionId}`)).toBe(1);
    expect(await ends(invoiceId)).toEqual(['dunning.given_up', 'dunning.ended']);
    expect((await reportInvoice(world.plugin.parts.database, invoiceId, {})).text).toContain(
      `The end of dunning. Subscription ${subscriptionId} was canceled`,
    );
    expect((await status()).code).toBe(0);
    await world.advance({ days: 6 });
    await world.advance({ days: 6 });
    expect(world.sandbox.state.invoices.get(silent.invoiceId)?.auto_advance).toBe(true);
    await complete(silent.invoiceId);
    expect(subscriptionOf(silent.subscriptionId)?.status).toBe('past_due');
    expect(await ends(silent.invoiceId)).toEqual([]);
  });

  test('AFTER_GIVING_UP=cancel follows a stop that came before the invoice was taken over, during a pause, unless a person released it after that', async () => {
    const { database } = world.plugin.parts;
    const pause = { account: 'own', reason: 'a look', by: 'ada', at: world.clock.now() };
    await pauseEffects(database, pause);
    const [ended, released] = await failList(world, [{ paymentMethod: broke() }, { paymentMethod: broke() }]);
    for (const { invoiceId } of [ended, released]) await complete(invoiceId);
    await operate(world, 'stop', { invoice: released.invoiceId });
    await operate(world, 'release', { invoice: released.invoiceId });
    await database.transaction((tx) => resumeEffects(tx, { ...pause, at: world.clock.now() }));
    await world.advance({ minutes: 10 });
    expect(await storyOf(world, ended.invoiceId)).toContain('invoice.taken_over');
    expect(await ends(ended.invoiceId)).toEqual(['dunning.given_up', 'dunning.ended']);
    expect(calls('DELETE', `/v1/subscriptions/${ended.subscriptionId}`)).toBe(1);
    expect(await ends(released.invoiceId)).toEqual([]);
    expect(subscriptionOf(released.subscriptionId)?.status).toBe('past_due');
  });

  inFull('AFTER_GIVING_UP=cancel waits for more where the service only takes the invoice over', async () => {
    const { invoiceId, subscriptionId } = await failingInvoice(world, broke());
    await complete(invoiceId, 'pause_collection');
    expect(subscriptionOf(subscriptionId)?.status).toBe('past_due');
    expect(await ends(invoiceId)).toEqual([]);
  });

  inFull(
    'AFTER_GIVING_UP=cancel does nothing about an invoice that was paid meanwhile, though nobody told us',
    async () => {
      const { invoiceId, subscriptionId } = await failingInvoice(world, broke());
      world.sandbox.webhookFaults.drop = 1;
      world.sandbox.payOutOfBand(invoiceId);
      await complete(invoiceId);
      expect(subscriptionOf(subscriptionId)?.status).toBe('active');
      expect(await actionsOf(world, invoiceId)).toMatchObject([
        { state: 'closed', reason: { code: 'invoice_status', status: 'paid' } },
      ]);
    },
  );

  inFull('AFTER_GIVING_UP=cancel leaves a customer who has paid the next invoice to a person', async () => {
    const { invoiceId, subscriptionId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
    expect(statusOf(world, await renew(world, subscriptionId))).toBe('paid');
    await complete(invoiceId);
    expect(subscriptionOf(subscriptionId)?.status).toBe('active');
    expect((await status()).text).toContain(
      `${invoiceId} for ${subscriptionId}, $20.00: since ${exactMoment(world.clock.now())}, ` +
        `the service asks for no more (complete_dunning); subscription ${subscriptionId} is active`,
    );
  });

  test('AFTER_GIVING_UP=cancel waits for a newer invoice until the next renewal, unless that is given up, too', async () => {
    const { invoiceId, subscriptionId } = await failingInvoice(world, broke());
    await world.advance({ hours: 1 });
    const newer = await renew(world, subscriptionId);
    await complete(invoiceId);
    expect(subscriptionOf(subscriptionId)?.status).toBe('past_due');
    expect((await reportInvoice(world.plugin.parts.database, invoiceId, {})).text).toContain(
      `invoice ${newer} is newer and has until the next renewal to be paid`,
    );
    await complete(newer);
    expect(subscriptionOf(subscriptionId)?.status).toBe('canceled');
    expect(await ends(invoiceId)).toEqual(['dunning.given_up']);
    expect((await status()).code).toBe(0);
  });

  inFull(
    'a cancellation after giving up that is cut off between the call and its answer is made once',
    async () => {
      const { invoiceId, subscriptionId } = await failingInvoice(world, broke());
      world.sandbox.faults.next('DELETE', `/v1/subscriptions/${subscriptionId}`, 'drop_after', 9);
      await complete(invoiceId);
      await world.advance({ minutes: 30 });
      expect(subscriptionOf(subscriptionId)?.status).toBe('canceled');
      expect(await ends(invoiceId)).toEqual(['dunning.given_up', 'dunning.ended']);
    },
  );

  inFull(
    'a cancellation after giving up waits while Stripe does not take the key, which status shows',
    async () => {
      const { invoiceId, subscriptionId } = await failingInvoice(world, broke());
      world.sandbox.faults.next('DELETE', `/v1/subscriptions/${subscriptionId}`, 'permission_denied');
      await complete(invoiceId);
      expect(await status()).toMatchObject({
        code: 1,
        text: expect.stringContaining('Waiting until Stripe accepts the key'),
      });
      await world.advance({ hours: 2 });
      expect(subscriptionOf(subscriptionId)?.status).toBe('canceled');
    },
  );

  inFull(
    'AFTER_GIVING_UP=cancel is not followed while a person stops the invoice, or after a new instruction',
    async () => {
      const held = await failingInvoice(world, broke());
      await operate(world, 'stop', { invoice: held.invoiceId });
      await complete(held.invoiceId);
      const asked = await failingInvoice(world, broke());
      world.sandbox.faults.next('DELETE', `/v1/subscriptions/${asked.subscriptionId}`, 'permission_denied');
      await complete(asked.invoiceId);
      await instruct(world, asked.invoiceId, 'RETRY', world.clock.now().plus({ days: 2 }));
      await world.advance({ days: 1 });
      for (const { subscriptionId } of [held, asked])
        expect(subscriptionOf(subscriptionId)?.status).toBe('past_due');
    },
  );

  inFull(
    'AFTER_GIVING_UP=cancel is followed where the service is silent and no attempt is left',
    async () => {
      const { invoiceId, subscriptionId } = await failingInvoice(world, broke());
      for (let made = 1; made <= 8; made += 1) {
        await instruct(world, invoiceId, 'RETRY');
        await world.advance({ days: 2 });
      }
      await world.advance({ days: 8 });
      expect(subscriptionOf(subscriptionId)?.status).toBe('canceled');
      expect(await ends(invoiceId)).toEqual(['dunning.given_up', 'dunning.ended']);
    },
  );
});

describe('pause', () => {
  beforeAll(() => begin('pause'));

  const paused = async (invoiceId: string) =>
    (await reportInvoice(world.plugin.parts.database, invoiceId, {})).text;

  test('AFTER_GIVING_UP=pause pauses the subscription, once though an answer is lost, so that it makes no invoices and gives nothing back', async () => {
    const both = await failList(world, [{ paymentMethod: broke() }, { paymentMethod: broke() }]);
    const [, cutOff] = both;
    const path = `/v1/subscriptions/${cutOff.subscriptionId}/pause`;
    world.sandbox.faults.next('POST', path, 'drop_after', 9);
    for (const { invoiceId } of both) await complete(invoiceId);
    await world.advance({ minutes: 30 });
    expect(new Set(listCalls('POST', path).map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    for (const { invoiceId, subscriptionId } of both) {
      expect(subscriptionOf(subscriptionId)).toMatchObject({
        status: 'paused',
        status_details: { paused: { subscription: { type: 'pause_requested' } } },
        pause_collection: null,
      });
      expect(await ends(invoiceId)).toEqual(['dunning.given_up', 'dunning.ended']);
      expect(await paused(invoiceId)).toContain(
        `Subscription ${subscriptionId} was paused: it makes no invoices until it is resumed in Stripe`,
      );
    }
    await world.advance({ days: 40 });
    expect([...world.sandbox.state.invoiceItems.newestFirst()].filter(({ amount }) => amount < 0)).toEqual(
      [],
    );
    for (const { invoiceId, subscriptionId } of both) {
      expect(subscriptionOf(subscriptionId)?.latest_invoice).toBe(invoiceId);
      expect(statusOf(world, invoiceId)).toBe('open');
    }
  });

  test('AFTER_GIVING_UP=pause pauses the collection alone in classic billing mode, so that later invoices stay drafts, and where Stripe refuses more', async () => {
    const [classic, refused] = await failList(world, [
      { paymentMethod: broke() },
      { paymentMethod: broke() },
    ]);
    Object.assign(subscriptionOf(classic.subscriptionId)?.billing_mode ?? {}, { type: 'classic' });
    world.sandbox.faults.next('POST', `/v1/subscriptions/${refused.subscriptionId}/pause`, 'state_conflict');
    for (const { invoiceId, subscriptionId } of [classic, refused]) {
      await complete(invoiceId);
      expect(subscriptionOf(subscriptionId)).toMatchObject({
        status: 'past_due',
        pause_collection: { behavior: 'keep_as_draft' },
      });
      expect(await ends(invoiceId)).toEqual(['dunning.given_up', 'dunning.ended']);
    }
    expect(statusOf(world, await renew(world, classic.subscriptionId))).toBe('draft');
    expect(calls('POST', `/v1/subscriptions/${classic.subscriptionId}/pause`)).toBe(0);
    expect(await paused(classic.invoiceId)).toContain(
      `Collection of subscription ${classic.subscriptionId} was paused: its next invoices stay drafts`,
    );
  });

  inFull(
    'AFTER_GIVING_UP=pause waits for a newer invoice, and leaves a customer who pays it to a person',
    async () => {
      const { invoiceId, subscriptionId } = await failingInvoice(world, broke());
      await world.advance({ hours: 1 });
      const newer = await renew(world, subscriptionId);
      await complete(invoiceId);
      expect(subscriptionOf(subscriptionId)?.status).not.toBe('paused');
      world.sandbox.payOutOfBand(newer);
      const renewsAt = subscriptionOf(subscriptionId)?.items.data[0]?.current_period_end ?? 0;
      await world.advance({ seconds: renewsAt - world.clock.now().toSeconds() - 3600 });
      expect(subscriptionOf(subscriptionId)?.status).not.toBe('paused');
      expect(await actionsOf(world, invoiceId)).toMatchObject([{ reason: { code: 'subscription_status' } }]);
    },
  );
});

describe('uncollectible', () => {
  beforeAll(() => begin('uncollectible'));

  test('AFTER_GIVING_UP=uncollectible writes an older invoice off at once, and any only once: the subscription goes on, and nothing is asked of the customer any more', async () => {
    const both = await failList(world, [{ paymentMethod: broke() }, { paymentMethod: broke() }]);
    const [older, { invoiceId, subscriptionId }] = both;
    await world.advance({ hours: 1 });
    const newer = await renew(world, older.subscriptionId);
    world.sandbox.faults.next('POST', `/v1/invoices/${invoiceId}/mark_uncollectible`, 'drop_after', 9);
    for (const one of both) await complete(one.invoiceId);
    expect([older.invoiceId, newer].map((id) => statusOf(world, id))).toEqual(['uncollectible', 'open']);
    await world.advance({ minutes: 30 });
    expect(statusOf(world, invoiceId)).toBe('uncollectible');
    expect(subscriptionOf(subscriptionId)?.status).toBe('active');
    expect(await ends(invoiceId)).toEqual(['dunning.given_up', 'dunning.ended']);
  });
});

describe('leave', () => {
  beforeAll(() => begin('leave'));

  test('AFTER_GIVING_UP=leave shows what a person has to decide, until it is decided, and does not give it back to Stripe', async () => {
    const { invoiceId, subscriptionId } = await failingInvoice(world, broke());
    await complete(invoiceId);
    expect(subscriptionOf(subscriptionId)?.status).toBe('past_due');
    const { code, text } = await status();
    expect([code, text]).toEqual([1, expect.stringContaining(`${invoiceId} for ${subscriptionId}, $20.00`)]);
    expect(text).toContain('Given up and not decided');
    await operate(world, 'stop', { invoice: invoiceId });
    expect((await status()).code).toBe(0);
    await world.advance({ minutes: 1 });
    await operate(world, 'release', { invoice: invoiceId });
    expect((await status()).code).toBe(0);
    await complete(invoiceId);
    await world.advance({ days: 8 });
    await world.advance({ days: 8 });
    expect(world.sandbox.state.invoices.get(invoiceId)?.auto_advance).toBe(false);
    expect((await status()).code).toBe(1);
    world.sandbox.voidInvoice(invoiceId);
    await world.settle();
    expect((await status()).code).toBe(0);
  });
});

describe('in advisory mode', () => {
  beforeAll(() => begin('leave', 'advisory'));

  test("in advisory mode, Stripe's own setting decides what happens after giving up", async () => {
    const { invoiceId } = await failingInvoice(world, broke());
    await complete(invoiceId);
    expect(await ends(invoiceId)).toEqual([]);
    expect((await status()).code).toBe(0);
  });
});

describe('in observe mode', () => {
  beforeAll(() => begin('cancel', 'observe'));

  test('in observe mode, what would have been done after giving up is told', async () => {
    const { invoiceId, subscriptionId } = await failingInvoice(world, broke());
    await complete(invoiceId);
    expect(subscriptionOf(subscriptionId)?.status).toBe('past_due');
    expect((await status()).text).toContain('invoices ended as AFTER_GIVING_UP says: 1');
  });
});

describe('with the embedded service', () => {
  beforeAll(() =>
    startOtherwise(world, settings, { ...EMBEDDED, retryMode: 'exclusive', afterGivingUp: 'cancel' }),
  );

  test('with the embedded service, a customer who never gave another card loses the subscription after a month', async () => {
    const { invoiceId, subscriptionId } = await failingInvoice(world, declinesTimes(99, 'stolen_card'));
    for (let day = 0; day < 28; day += 4) {
      await readCases();
      await world.advance({ days: 4 });
    }
    expect(subscriptionOf(subscriptionId)?.status).toBe('past_due');
    await world.advance({ days: 3 });
    await readCases();
    await readCases();
    expect(subscriptionOf(subscriptionId)?.status).toBe('canceled');
    expect(calls('DELETE', `/v1/subscriptions/${subscriptionId}`)).toBe(1);
    expect(await ends(invoiceId)).toEqual(['dunning.given_up', 'dunning.ended']);
  });

  inFull('the embedded service leaves to a person what only the merchant can mend', async () => {
    const block = { outcomeType: 'blocked', outcomeReason: 'rule' };
    const card = acceptsFirst(1, declines('generic_decline', block));
    const { invoiceId, subscriptionId } = await failingInvoice(world, card);
    await world.advance({ hours: 1 });
    await readCases();
    expect(subscriptionOf(subscriptionId)?.status).toBe('past_due');
    expect(await status()).toMatchObject({ code: 1, text: expect.stringContaining(`${invoiceId} for`) });
  });
});
