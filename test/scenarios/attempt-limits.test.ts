/** What the service asks is held by the card's own history, the networks' limits and the merchant's stricter ones. */
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
  pendingThen,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { inFull } from '../support/runner/full-run.ts';
import {
  actionsOf,
  attemptsOf,
  failingInvoice,
  instruct,
  payCalls,
  statusOf,
  storyOf,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failTogether } from './fail-together.ts';
import { EMBEDDED, startOtherwise } from './start-otherwise.ts';

let world: World;
const settings: OwnOptions = {};
beforeAll(async () => {
  world = await createWorld({ isRemote: true, plugin: settings });
});
afterEach(() => world.reset());
afterAll(() => world?.stop());

/** What became of the latest payment that was planned. */
async function lastPayment(invoiceId: string) {
  const paying = (await actionsOf(world, invoiceId)).filter(({ kind }) => kind === 'pay');
  return paying.sort((left, right) => left.dueAt.toMillis() - right.dueAt.toMillis()).at(-1);
}

/** Why the customer is asked instead, for each instruction that a card could not fulfill. */
async function plannedInstead(invoiceId: string): Promise<string[]> {
  const rows = await world.query<{ instead: string }>(
    `select reason->>'instead' as instead from payment_retry.instructions
     where invoice_id = $1 and reason ? 'instead' order by position`,
    [invoiceId],
  );
  return rows.map(({ instead }) => instead);
}

/** As the merchant's own page or the portal does, with a card that is on file already. */
async function chooseCardOnFile(customerId: string, paymentMethod: string): Promise<void> {
  const { url, secretKey } = world.sandbox;
  const answer = await fetch(new URL(`/v1/customers/${customerId}`, url), {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}` },
    body: new URLSearchParams({ 'invoice_settings[default_payment_method]': paymentMethod }),
  });
  expect(answer.status).toBe(200);
  await world.settle();
}

describe("the networks' limits", () => {
  const cardA = { last4: '1111', fingerprint: 'card_a' };
  const lost = () => declines('lost_card', {}, cardA);

  test('a card that was reported lost stays so after another one was used; renewed, it pays', async () => {
    const { customerId, invoiceId } = await failingInvoice(world, acceptsFirst(1, lost()));
    const first = String(
      world.sandbox.state.customers.get(customerId)?.invoice_settings.default_payment_method,
    );
    world.sandbox.changeDefaultCard(customerId, declines('insufficient_funds', {}, { last4: '2222' }));
    await world.advance({ minutes: 1 });
    expect(payCalls(world, invoiceId)).toHaveLength(1);

    await chooseCardOnFile(customerId, first);
    await world.advance({ minutes: 1 });
    expect(payCalls(world, invoiceId)).toHaveLength(1);
    const [stopped] = await world.query<{ detail: object }>(
      `select detail from payment_retry.audit where invoice_id = $1 and kind = 'guard.stopped' order by id desc limit 1`,
      [invoiceId],
    );
    expect(stopped?.detail).toMatchObject({
      guard: 'hard_decline',
      reason: { code: 'chosen_card_declined', paymentMethod: first, because: 'do_not_try_again' },
    });
    const reason = { code: 'hard_decline', because: 'do_not_try_again' };
    world.sandbox.changeDefaultCard(customerId, lost());
    await world.advance({ days: 40 });
    await instruct(world, invoiceId, 'RETRY');
    await world.settle();
    expect(await lastPayment(invoiceId)).toMatchObject({ state: 'closed', reason });
    expect(payCalls(world, invoiceId)).toHaveLength(1);

    await chooseCardOnFile(customerId, first);
    world.sandbox.replaceCardAutomatically(first, accepts({ ...cardA, expYear: 2040 }));
    await world.advance({ minutes: 1 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(payCalls(world, invoiceId)).toHaveLength(2);
  });

  inFull('a renewed card is judged by what it did since its renewal, whoever asks', async () => {
    const { customerId, invoiceId } = await failingInvoice(world, acceptsFirst(1, lost()));
    const card = String(
      world.sandbox.state.customers.get(customerId)?.invoice_settings.default_payment_method,
    );
    const renewed = declines('insufficient_funds', {}, { ...cardA, expYear: 2040 });
    world.sandbox.replaceCardAutomatically(card, renewed);
    await world.advance({ minutes: 1 });
    await instruct(world, invoiceId, 'RETRY');
    await world.advance({ days: 2 });
    expect(payCalls(world, invoiceId)).toHaveLength(2);
    expect(await lastPayment(invoiceId)).toMatchObject({
      reason: { code: 'attempt_ended', declineCode: 'insufficient_funds' },
    });
  });

  test('a debit is presented three times, its late failures counted, and once more for an unclear reason, whatever the service asks', async () => {
    const failed = await failTogether(world, {
      sepa: acceptsFirst(1, pendingThen('fail', { type: 'sepa_debit', days: 3 })),
      bacs: acceptsFirst(
        1,
        pendingThen('fail', { type: 'bacs_debit', days: 3, code: 'generic_could_not_process' }),
      ),
    });
    const [sepa, bacs] = [failed('sepa').invoiceId, failed('bacs').invoiceId];
    await instruct(world, sepa, 'RETRY');
    await world.advance({ days: 2 });
    expect(payCalls(world, sepa)).toEqual([]);
    await world.advance({ days: 3 });
    expect(payCalls(world, sepa)).toHaveLength(1);
    for (let asked = 0; asked < 3; asked += 1) {
      for (const invoiceId of [sepa, bacs]) await instruct(world, invoiceId, 'RETRY');
      await world.advance({ days: 5 });
    }
    expect([sepa, bacs].map((id) => payCalls(world, id).length)).toEqual([2, 1]);
    expect((await attemptsOf(world, sepa)).map(({ outcome }) => outcome)).toEqual([
      ...['declined', 'declined', 'declined'],
    ]);
    expect(await plannedInstead(sepa)).toContain('debit_presentments');
    expect(await plannedInstead(bacs)).toEqual(['few_attempts', 'few_attempts']);
  });

  test('an instruction while collection is paused or the invoice uncollectible does nothing and is explained; one after that is followed', async () => {
    const failed = await failTogether(world, {
      paused: declinesTimes(1, 'insufficient_funds', {}, { last4: '1001' }),
      ended: declinesTimes(1, 'insufficient_funds', {}, { last4: '1002' }),
    });
    const { subscriptionId, invoiceId } = failed('paused');
    const { invoiceId: ended } = failed('ended');
    await instruct(world, ended, 'RETRY', world.clock.now().plus({ days: 2, hours: 1 }));
    await world.advance({ days: 2 });
    world.sandbox.markUncollectible(ended, 'max_payment_attempts');
    world.sandbox.pauseCollection(subscriptionId, { behavior: 'keep_as_draft' });
    for (const suggestion of ['RETRY', 'CARD_CHANGE']) await instruct(world, invoiceId, suggestion);
    await world.advance({ days: 1 });
    expect([payCalls(world, invoiceId), payCalls(world, ended), world.email.emails]).toEqual([[], [], []]);
    const paused = { state: 'closed', reason: { code: 'collection_paused', subscriptionId } };
    expect(await actionsOf(world, invoiceId)).toMatchObject([paused, paused]);
    world.sandbox.pauseCollection(subscriptionId, null);
    for (const id of [invoiceId, ended]) await instruct(world, id, 'RETRY');
    await world.settle();
    expect([invoiceId, ended].map((id) => statusOf(world, id))).toEqual(['paid', 'paid']);
  });
});

describe('stricter limits of the merchant', () => {
  beforeAll(() =>
    startOtherwise(world, settings, {
      maxRetriesPerInvoice: 1,
      minHoursBetweenAttempts: 72,
    }),
  );

  test('stricter limits of the merchant hold whatever the service asks', async () => {
    const { invoiceId } = await failingInvoice(world, acceptsFirst(1, declines('insufficient_funds')));
    await instruct(world, invoiceId, 'RETRY');
    await world.advance({ hours: 71 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    expect((await lastPayment(invoiceId))?.reason).toEqual({ code: 'hours_between_attempts', hours: 72 });
    await world.advance({ hours: 2 });
    expect(payCalls(world, invoiceId)).toHaveLength(1);
    await instruct(world, invoiceId, 'RETRY');
    await world.advance({ days: 10 });
    expect(payCalls(world, invoiceId)).toHaveLength(1);
    expect(await plannedInstead(invoiceId)).toEqual(['attempts_on_invoice']);
  });
});

describe('stricter limits of the merchant with the embedded service', () => {
  beforeAll(() =>
    startOtherwise(world, settings, { ...EMBEDDED, maxRetriesPerInvoice: 2, minHoursBetweenAttempts: 72 }),
  );

  test("the embedded service plans with the merchant's stricter limits: it suggests nothing that would be declined", async () => {
    const { invoiceId } = await failingInvoice(world, acceptsFirst(1, declines('insufficient_funds')));
    await world.advance({ days: 40 });
    expect(payCalls(world, invoiceId)).toHaveLength(2);
    const gaps = await world.query<{ hours: number }>(
      `select extract(epoch from started_at - lag(started_at) over (order by started_at))::float / 3600 as hours
       from payment_retry.attempts where invoice_id = $1 order by started_at`,
      [invoiceId],
    );
    expect(gaps.slice(1).map(({ hours }) => hours >= 72)).toEqual([true, true]);
    expect((await storyOf(world, invoiceId)).filter((kind) => kind.startsWith('guard.'))).toEqual([]);
    const suggested = await world.query<{ suggestion: string; reasons: object[] }>(
      `select suggestion, reasons from retry_service.recovery_actions where invoice_id = $1 order by created_at`,
      [invoiceId],
    );
    const [retry, ask] = ['ACTION_SUGGESTION_RETRY', 'ACTION_SUGGESTION_CARD_CHANGE'];
    expect(suggested.map(({ suggestion }) => suggestion)).toEqual([retry, retry, ask, ask]);
    expect(suggested[2]?.reasons[0]).toEqual({ code: 'retries_used_up', max: 2 });
  });
});
