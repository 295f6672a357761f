/** RETRY_SIGNAL: Stripe's Smart Retries Signal as a source of instructions, in `exclusive` mode (stripe-facts 4.6). */
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { checkStored } from '../../src/plugin/operator/checks/stored-checks.ts';
import { describeSummary } from '../../src/plugin/operator/text/describe-summary.ts';
import { lineOf, listTimeline } from '../../src/plugin/operator/text/list-timeline.ts';
import { describeStatus } from '../../src/plugin/operator/text/status/describe-status.ts';
import { findInvoiceHistory } from '../../src/plugin/store/reports/invoice-history.ts';
import { readWorkStatus } from '../../src/plugin/store/reports/work-status.ts';
import { NATIVE_HANDLERS } from '../../src/plugin/sync/events/handlers.ts';
import {
  accepts,
  acceptsFirst,
  debitFailsTimes,
  declines,
  declinesTimes,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import { inFull } from '../support/runner/full-run.ts';
import {
  actionsOf,
  failingInvoice,
  instruct,
  payCalls,
  statusOf,
  storyOf,
  subscribe,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import { withoutEffects } from './fail-together.ts';
import { startOtherwise } from './start-otherwise.ts';

const EXCLUSIVE = { retryMode: 'exclusive', afterGivingUp: 'leave' } as const;
const EVALUATIONS = '/v2/signals/payment_retry_evaluations';
const VERSION = '2026-08-26.preview';

let world: World;
afterEach(() => world.reset());
afterAll(() => world?.stop());

const settings: OwnOptions = { ...EXCLUSIVE, retrySignal: 'on' };
beforeAll(async () => {
  world = await createWorld({
    isRemote: true,
    sandbox: { stripeRetries: 'smart', retrySignal: true },
    arrange: async (sandbox) => {
      const headers = {
        authorization: `Bearer ${sandbox.secretKey}`,
        'content-type': 'application/json',
      };
      const destination = {
        name: 'Signal',
        type: 'webhook_endpoint',
        event_payload: 'thin',
        enabled_events: Object.keys(NATIVE_HANDLERS),
        webhook_endpoint: { url: sandbox.url },
        include: ['webhook_endpoint.signing_secret'],
      };
      const url = new URL('/v2/core/event_destinations', sandbox.url);
      const made = await fetch(url, { method: 'POST', headers, body: JSON.stringify(destination) });
      const { webhook_endpoint: at } = await made.json();
      return { stripeWebhookSecret: `${sandbox.webhookSecret},${at.signing_secret}` };
    },
    plugin: settings,
  });
});

const failing = (times = 1) => failingInvoice(world, declinesTimes(times, 'insufficient_funds'));
const paymentsOf = (invoiceId: string) => [
  ...world.sandbox.state.invoicePayments.newestFirst({ index: 'invoice', key: invoiceId }),
];
/** Of an invoice, the latest first. */
function evaluations(invoiceId: string) {
  const intents = paymentsOf(invoiceId).map(({ payment }) => payment.payment_intent);
  return [...world.sandbox.state.retryEvaluations.newestFirst()].filter(({ payment_intent: intent }) =>
    intents.includes(intent),
  );
}
const calls = (path = EVALUATIONS) =>
  world.sandbox.state.apiCalls.filter((call) => call.path === path && call.method === 'POST');

async function watched(invoiceId: string) {
  const [row] = await world.query<{ status: string; action: string | null; reason: object | null }>(
    'select status, action, reason from payment_retry.signals where invoice_id = $1',
    [invoiceId],
  );
  return row;
}

async function historyOf(invoiceId: string): Promise<string> {
  const history = await findInvoiceHistory(world.plugin.parts.database, invoiceId);
  return history
    ? listTimeline([{ id: invoiceId, history }])
        .map(lineOf)
        .join('\n')
    : '';
}

async function summaryOf(invoiceId: string): Promise<string[]> {
  const history = await findInvoiceHistory(world.plugin.parts.database, invoiceId);
  return history ? describeSummary(invoiceId, history) : [];
}

async function post(path: string, body: object) {
  const headers = {
    authorization: `Bearer ${world.sandbox.secretKey}`,
    'content-type': 'application/json',
    'stripe-version': VERSION,
  };
  const response = await fetch(new URL(path, world.sandbox.url), {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return response.json();
}

const short = (name: string, times = 1) => ({
  mailbox: name,
  paymentMethod: declinesTimes(times, 'insufficient_funds', {}, { fingerprint: name }),
});
const later = (hours: number) => world.clock.now().plus({ hours });

describe('with RETRY_SIGNAL=on', () => {
  test('a failed invoice is watched by its payment and paid at retry_now; wait is shown and the service followed; what Stripe does not watch is named', async () => {
    const [paid, put, moved, hard, debit] = await failList(
      world,
      [
        short('paid'),
        short('put_off'),
        short('moved', 9),
        { mailbox: 'hard', paymentMethod: acceptsFirst(1, declines('stolen_card')) },
        { mailbox: 'debit', paymentMethod: acceptsFirst(1, debitFailsTimes(9)) },
      ],
      'older',
    );
    expect(evaluations(paid.invoiceId)).toMatchObject([{ status: 'monitoring' }]);
    expect(await watched(hard.invoiceId)).toMatchObject({
      status: 'refused',
      reason: { code: 'signal_refused', refusal: 'cannot_proceed', why: 'hard_decline' },
    });
    expect(await historyOf(hard.invoiceId)).toContain(
      "Stripe's retry signal does not watch the payment. Stripe does not watch this payment (hard_decline)",
    );
    const asked = calls().length;
    await instruct(world, hard.invoiceId, 'CARD_CHANGE');
    const waits = "Stripe's retry signal says to wait: A later day is better.";
    world.sandbox.recommendRetry(put.invoiceId, 'wait', 'A later day is better.');
    await instruct(world, put.invoiceId, 'RETRY', later(30));
    await instruct(world, moved.invoiceId, 'RETRY', later(25));

    await world.advance({ hours: 3 });
    expect(await watched(put.invoiceId)).toMatchObject({ status: 'monitoring', action: 'wait' });
    expect(await historyOf(put.invoiceId)).toContain(waits);
    expect(await summaryOf(put.invoiceId)).toContain(`Stripe itself: ${waits}`);

    await world.advance({ hours: 21 });
    // After an attempt, the evaluation takes the payment that the invoice has since.
    expect(() => world.sandbox.payPart(moved.invoiceId, 500)).toThrow();
    const payments = paymentsOf(moved.invoiceId);
    for (const [index, one] of payments.entries()) one.is_default = index === 0;
    await world.advance({ hours: 2 });
    const [evaluation] = evaluations(moved.invoiceId);
    expect(evaluation?.payment_intent).toBe(payments[0]?.payment.payment_intent);
    expect(calls(`${EVALUATIONS}/${evaluation?.id}`)).toHaveLength(1);
    world.sandbox.voidInvoice(moved.invoiceId);

    await world.advance({ hours: 6 });
    expect(statusOf(world, put.invoiceId)).toBe('paid');
    expect(await summaryOf(put.invoiceId)).toEqual([expect.stringMatching(/^paid by: retry \d, /)]);
    expect(await historyOf(put.invoiceId)).toMatch(/^Retry \d paid\. Planned .* by the service /m);
    expect(calls()).toHaveLength(asked);

    world.sandbox.recommendRetry(paid.invoiceId, 'retry_now', 'Approvals are likely now.');
    await world.advance({ hours: 2 });
    await world.advance({ minutes: 80 });
    expect(statusOf(world, paid.invoiceId)).toBe('paid');
    expect(payCalls(world, paid.invoiceId)).toHaveLength(1);
    const sql = 'select source, state from payment_retry.instructions where invoice_id = $1';
    expect(await world.query(sql, [paid.invoiceId])).toEqual([{ source: 'signal', state: 'scheduled' }]);
    expect(await watched(paid.invoiceId)).toMatchObject({
      status: 'passed',
      action: 'retry_now',
      reason: { code: 'invoice_status', status: 'paid' },
    });
    const told = await historyOf(paid.invoiceId);
    expect(told).toContain("Stripe's retry signal watches the payment");
    expect(told).toContain("Stripe's retry signal says to retry now: Approvals are likely now.");
    expect(told).toMatch(/^Retry 1 paid\. Planned .* by Stripe’s signal /m);

    await world.advance({ days: 6, hours: 16 });
    expect(await watched(debit.invoiceId)).toMatchObject({ status: 'passed', reason: { status: 'no_card' } });
    const reads = () =>
      world.sandbox.state.apiCalls.filter(({ path }) => path === `/v1/invoices/${debit.invoiceId}`).length;
    const before = reads();
    for (let hour = 0; hour < 6; hour += 1) await world.advance({ hours: 1 });
    expect(reads()).toBe(before);
    expect(evaluations(debit.invoiceId)).toEqual([]);
  });

  test('it ends when the invoice is stopped, handed back, void or paid by somebody else, or its subscription ended, and begins anew with a release; while effects are paused nothing is asked of Stripe or ended there', async () => {
    const often = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => short(name, 9));
    const [handedBack, voided, ended, stopped, paid, first] = await failList(world, often, 'older');
    if (!handedBack || !voided || !ended || !stopped || !paid || !first) throw new Error('Nobody failed.');
    await operate(world, 'pause', {}, 'an audit');
    world.sandbox.voidInvoice(first.invoiceId);
    const second = await failing(9);
    await world.advance({ hours: 2 });
    expect(evaluations(first.invoiceId)).toMatchObject([{ status: 'monitoring' }]);
    expect(evaluations(second.invoiceId)).toEqual([]);
    await operate(world, 'resume', {});
    await operate(world, 'handBack', { invoices: [handedBack.invoiceId] });
    world.sandbox.voidInvoice(voided.invoiceId);
    world.sandbox.cancelSubscription(ended.subscriptionId);
    await operate(world, 'stop', { invoice: stopped.invoiceId }, 'a plea');
    world.sandbox.payAsCustomer(paid.invoiceId, accepts());

    await world.advance({ minutes: 80 });
    expect(evaluations(first.invoiceId)).toMatchObject([{ status: 'canceled' }]);
    expect(evaluations(second.invoiceId)).toMatchObject([{ status: 'monitoring' }]);
    world.sandbox.voidInvoice(second.invoiceId);
    const reasons = ['stripe_collects', 'invoice_status', 'subscription_status', 'stopped_by_person'];
    expect([handedBack, voided, ended, stopped].map(({ invoiceId }) => evaluations(invoiceId))).toMatchObject(
      reasons.map((reason) => [{ status: 'canceled', cancellation_reason: reason }]),
    );
    expect(await watched(paid.invoiceId)).toMatchObject({ status: 'passed', reason: { status: 'paid' } });
    expect(await watched(stopped.invoiceId)).toMatchObject({ status: 'passed' });

    await operate(world, 'release', { invoice: stopped.invoiceId }, 'settled');
    await world.advance({ hours: 25 });
    expect(evaluations(stopped.invoiceId)).toMatchObject([{ status: 'monitoring' }, { status: 'canceled' }]);
    const story = await storyOf(world, stopped.invoiceId);
    expect(story.filter((kind) => kind.startsWith('signal.'))).toEqual([
      'signal.begun',
      'signal.ended',
      'signal.begun',
    ]);
  });

  inFull(
    'an answer that gets lost makes no second evaluation, and brief trouble none the less one',
    async () => {
      world.sandbox.faults.next('POST', EVALUATIONS, 'drop_after');
      world.sandbox.faults.next('POST', EVALUATIONS, 'server_error_before', 4);
      const { invoiceId } = await failing();
      await world.advance({ minutes: 30 });
      expect(evaluations(invoiceId)).toHaveLength(1);
      expect(await watched(invoiceId)).toMatchObject({ status: 'monitoring' });
    },
  );

  test('the event of a recommendation is followed at once, through the same guards; an evaluation that others made is not ours, until its event comes', async () => {
    for (const one of world.sandbox.state.destinations.newestFirst())
      one.webhook_endpoint.url = `${world.url}/webhooks/stripe`;
    const quiet = withoutEffects(world);
    const own = await subscribe(quiet, short('own').paymentMethod);
    const others = await subscribe(quiet, short('others').paymentMethod);
    const early = await subscribe(quiet, short('early', 2).paymentMethod);
    await world.settle();
    const { id: guarded } = world.sandbox.renewNow(early.subscriptionId);
    const { id: invoiceId } = world.sandbox.renewNow(own.subscriptionId);
    const { id: foreign } = world.sandbox.renewNow(others.subscriptionId);
    const [payment] = paymentsOf(foreign);
    await post(EVALUATIONS, { payment_intent: payment?.payment.payment_intent });
    await world.settle();
    expect(await watched(foreign)).toMatchObject({
      status: 'refused',
      reason: { refusal: 'already_exists' },
    });
    expect(evaluations(foreign)).toHaveLength(1);
    await instruct(world, foreign, 'RETRY', world.clock.now().plus({ days: 3 }));
    world.sandbox.recommendRetry(guarded, 'retry_now');
    await world.advance({ minutes: 50 });
    expect(payCalls(world, guarded)).toEqual([]);
    expect(await actionsOf(world, guarded)).toMatchObject([
      { kind: 'pay', state: 'scheduled', reason: { code: 'hours_between_attempts' } },
    ]);
    await world.advance({ hours: 26 });
    expect(payCalls(world, guarded)).toHaveLength(1);
    expect(await watched(guarded)).toMatchObject({ status: 'monitoring' });
    world.sandbox.recommendRetry(invoiceId, 'retry_now');
    await world.settle();
    expect([invoiceId, foreign].map((id) => statusOf(world, id))).toEqual(['paid', 'open']);
    const noted = `select results->0->>'code' as code from payment_retry.events where type like 'v2.%'`;
    expect(await world.query(noted)).toEqual([{ code: 'signal_noted' }, { code: 'signal_noted' }]);
    world.sandbox.recommendRetry(foreign, 'retry_now');
    await world.settle();
    expect(statusOf(world, foreign)).toBe('paid');
  });
});

test('with RETRY_SIGNAL=binding, what the service asks waits while Stripe says so, retry_now is good for one attempt, and give_up ends what the service asked, not what a person does', async () => {
  await startOtherwise(world, settings, { ...EXCLUSIVE, retrySignal: 'binding' });
  const [held, given] = await failList(world, [short('held', 2), short('given')], 'older');
  world.sandbox.recommendRetry(given.invoiceId, 'give_up', 'The account was closed.');
  for (const { invoiceId } of [held, given]) await instruct(world, invoiceId, 'RETRY', later(30));
  await world.advance({ hours: 31 });
  expect([held, given].flatMap(({ invoiceId }) => payCalls(world, invoiceId))).toEqual([]);
  const because = 'The account was closed.';
  expect(await actionsOf(world, held.invoiceId)).toMatchObject([
    { state: 'scheduled', reason: { code: 'signal_says', action: 'wait' } },
  ]);
  expect(await actionsOf(world, given.invoiceId)).toMatchObject([
    { state: 'closed', reason: { code: 'signal_says', action: 'give_up', because } },
  ]);
  await operate(world, 'retry', { invoice: given.invoiceId });
  await world.advance({ hours: 1 });
  expect(statusOf(world, given.invoiceId)).toBe('paid');

  world.sandbox.recommendRetry(held.invoiceId, 'retry_now');
  await world.advance({ hours: 2 });
  expect(payCalls(world, held.invoiceId)).toHaveLength(1);
  await instruct(world, held.invoiceId, 'RETRY', later(30));
  await world.advance({ hours: 31 });
  expect(payCalls(world, held.invoiceId)).toHaveLength(1);
  world.sandbox.endRetryEvaluation(held.invoiceId, 'expired');
  await world.advance({ hours: 26 });
  expect(await watched(held.invoiceId)).toMatchObject({ status: 'expired' });
  expect(statusOf(world, held.invoiceId)).toBe('paid');
});

describe('an account without access', () => {
  beforeAll(async () => {
    await world?.stop();
    const plugin = { ...EXCLUSIVE, retrySignal: 'on' } as const;
    world = await createWorld({ sandbox: { stripeRetries: 'smart' }, plugin });
  });

  test('one sentence in status and doctor says so, and the embedded timing goes on', async () => {
    const first = await failing();
    const second = await failing();
    await world.advance({ hours: 2 });
    expect(calls()).toHaveLength(1);
    world.sandbox.voidInvoice(second.invoiceId);
    const { database } = world.plugin.parts;
    const status = await readWorkStatus(database, world.clock.now());
    expect(status.withoutSignal).toMatchObject([{ account: 'own', reason: { code: 'signal_unavailable' } }]);
    expect(describeStatus(status, world.clock.now())).toContain(
      "Stripe's retry signal is not open to this account, and the retry service's own times go on: Your account does not have access to Smart Retries Signal.",
    );
    expect(status.concerns).toEqual([]);
    const { config } = world.plugin;
    expect(await checkStored({ config, database })).toContainEqual(
      expect.objectContaining({ code: 'retry_signal', state: 'warning' }),
    );
    await world.advance({ days: 10 });
    expect(statusOf(world, first.invoiceId)).toBe('paid');
    expect(calls().length).toBeGreaterThan(0);
    expect(calls().length).toBeLessThanOrEqual(11);
  });
});
