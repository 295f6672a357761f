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

describe('with RETRY_SIGNAL=on', () => {
  test('a failed invoice is watched by its payment, paid at retry_now, and then watched no more', async () => {
    const { invoiceId } = await failing();
    expect(evaluations(invoiceId)).toMatchObject([{ status: 'monitoring' }]);
    await world.advance({ days: 2 });
    world.sandbox.recommendRetry(invoiceId, 'retry_now', 'Approvals are likely now.');
    await world.advance({ hours: 2 });
    await world.advance({ minutes: 80 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(payCalls(world, invoiceId)).toHaveLength(1);
    expect(await world.query('select source, state from payment_retry.instructions')).toEqual([
      { source: 'signal', state: 'scheduled' },
    ]);
    expect(await watched(invoiceId)).toMatchObject({
      status: 'passed',
      action: 'retry_now',
      reason: { code: 'invoice_status', status: 'paid' },
    });
    const told = await historyOf(invoiceId);
    expect(told).toContain("Stripe's retry signal watches the payment");
    expect(told).toContain("Stripe's retry signal says to retry now: Approvals are likely now.");
    expect(told).toMatch(/^Retry 1 paid\. Planned .* by Stripe’s signal /m);
  });

  test('the event of a recommendation is followed at once', async () => {
    for (const one of world.sandbox.state.destinations.newestFirst())
      one.webhook_endpoint.url = `${world.url}/webhooks/stripe`;
    const { invoiceId } = await failing();
    await world.advance({ days: 2 });
    world.sandbox.recommendRetry(invoiceId, 'retry_now');
    await world.settle();
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(
      await world.query(
        `select results->0->>'code' as code from payment_retry.events where type like 'v2.%'`,
      ),
    ).toEqual([{ code: 'signal_noted' }]);
  });

  test('wait and give_up are shown, and the service is followed all the same', async () => {
    const { invoiceId } = await failing();
    world.sandbox.recommendRetry(invoiceId, 'wait', 'A later day is better.');
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 30 }));
    await world.advance({ hours: 3 });
    expect(await watched(invoiceId)).toMatchObject({ status: 'monitoring', action: 'wait' });
    expect(await historyOf(invoiceId)).toContain(
      "Stripe's retry signal says to wait: A later day is better.",
    );
    expect(await summaryOf(invoiceId)).toContain(
      "Stripe itself: Stripe's retry signal says to wait: A later day is better.",
    );
    await world.advance({ hours: 30 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(await summaryOf(invoiceId)).toEqual([expect.stringMatching(/^paid by: retry \d, /)]);
    expect(await historyOf(invoiceId)).toMatch(/^Retry \d paid\. Planned .* by the service /m);
  });

  test('retry_now goes through the same guards: it waits for the hours between attempts', async () => {
    const { invoiceId } = await failing(2);
    world.sandbox.recommendRetry(invoiceId, 'retry_now');
    await world.advance({ minutes: 50 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    expect(await actionsOf(world, invoiceId)).toMatchObject([
      { kind: 'pay', state: 'scheduled', reason: { code: 'hours_between_attempts' } },
    ]);
    await world.advance({ hours: 25 });
    expect(payCalls(world, invoiceId)).toHaveLength(1);
    expect(await watched(invoiceId)).toMatchObject({ status: 'monitoring' });
  });

  test('it ends when a person stops the invoice, and begins anew when one releases it', async () => {
    const { invoiceId } = await failing(9);
    await operate(world, 'stop', { invoice: invoiceId }, 'a plea');
    await world.advance({ minutes: 80 });
    expect(evaluations(invoiceId)).toMatchObject([
      { status: 'canceled', cancellation_reason: 'stopped_by_person' },
    ]);
    expect(await watched(invoiceId)).toMatchObject({ status: 'passed' });
    await operate(world, 'release', { invoice: invoiceId }, 'settled');
    await world.advance({ hours: 25 });
    expect(evaluations(invoiceId)).toMatchObject([{ status: 'monitoring' }, { status: 'canceled' }]);
    expect((await storyOf(world, invoiceId)).filter((kind) => kind.startsWith('signal.'))).toEqual([
      'signal.begun',
      'signal.ended',
      'signal.begun',
    ]);
  });

  test('it ends when the invoice is handed back, void or paid by somebody else, or its subscription ended', async () => {
    const payer = { paymentMethod: declinesTimes(9, 'insufficient_funds') };
    const all = await failList(world, [payer, payer, payer, payer]);
    const [handedBack, voided, ended, paid] = all;
    await operate(world, 'handBack', { invoices: [handedBack.invoiceId] });
    world.sandbox.voidInvoice(voided.invoiceId);
    world.sandbox.cancelSubscription(ended.subscriptionId);
    world.sandbox.payAsCustomer(paid.invoiceId, accepts());
    await world.advance({ minutes: 80 });
    const reasons = ['stripe_collects', 'invoice_status', 'subscription_status'];
    expect([handedBack, voided, ended].map(({ invoiceId }) => evaluations(invoiceId))).toMatchObject(
      reasons.map((reason) => [{ status: 'canceled', cancellation_reason: reason }]),
    );
    expect(await watched(paid.invoiceId)).toMatchObject({ status: 'passed', reason: { status: 'paid' } });
  });

  test('while effects are paused nothing is asked of Stripe or ended there, and afterwards all is made good', async () => {
    const first = await failing(9);
    await operate(world, 'pause', {}, 'an audit');
    world.sandbox.voidInvoice(first.invoiceId);
    const second = await failing(9);
    await world.advance({ hours: 2 });
    expect(evaluations(first.invoiceId)).toMatchObject([{ status: 'monitoring' }]);
    expect(evaluations(second.invoiceId)).toEqual([]);
    await operate(world, 'resume', {});
    await world.advance({ minutes: 80 });
    expect(evaluations(first.invoiceId)).toMatchObject([{ status: 'canceled' }]);
    expect(evaluations(second.invoiceId)).toMatchObject([{ status: 'monitoring' }]);
  });

  test('after an attempt, the evaluation takes the payment that the invoice has since', async () => {
    const { invoiceId } = await failing(9);
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 25 }));
    await world.advance({ hours: 24 });
    expect(() => world.sandbox.payPart(invoiceId, 500)).toThrow();
    const payments = paymentsOf(invoiceId);
    for (const [index, one] of payments.entries()) one.is_default = index === 0;
    await world.advance({ hours: 2 });
    const [evaluation] = evaluations(invoiceId);
    expect(evaluation?.payment_intent).toBe(payments[0]?.payment.payment_intent);
    expect(calls(`${EVALUATIONS}/${evaluation?.id}`)).toHaveLength(1);
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

  test('a payment that Stripe does not watch is retried by the service, and the history says why', async () => {
    const { invoiceId } = await failingInvoice(world, declines('stolen_card'));
    expect(await watched(invoiceId)).toMatchObject({
      status: 'refused',
      reason: { code: 'signal_refused', refusal: 'cannot_proceed', why: 'hard_decline' },
    });
    expect(await historyOf(invoiceId)).toContain(
      "Stripe's retry signal does not watch the payment. Stripe does not watch this payment (hard_decline)",
    );
    const before = calls().length;
    await instruct(world, invoiceId, 'CARD_CHANGE');
    await world.advance({ days: 2 });
    expect(calls()).toHaveLength(before);
  });

  test('a bank debit is passed over, and not read again for that', async () => {
    const { invoiceId } = await failingInvoice(world, acceptsFirst(1, debitFailsTimes(9)));
    await world.advance({ days: 8 });
    expect(await watched(invoiceId)).toMatchObject({ status: 'passed', reason: { status: 'no_card' } });
    const reads = () =>
      world.sandbox.state.apiCalls.filter(({ path }) => path === `/v1/invoices/${invoiceId}`).length;
    const before = reads();
    for (let hour = 0; hour < 6; hour += 1) await world.advance({ hours: 1 });
    expect(reads()).toBe(before);
    expect(evaluations(invoiceId)).toEqual([]);
  });

  test('an evaluation that others made is not ours, until its event comes', async () => {
    const { subscriptionId } = await subscribe(world, declinesTimes(1, 'insufficient_funds'));
    const { id: invoiceId } = world.sandbox.renewNow(subscriptionId);
    const [payment] = paymentsOf(invoiceId);
    await post(EVALUATIONS, { payment_intent: payment?.payment.payment_intent });
    await world.settle();
    expect(await watched(invoiceId)).toMatchObject({
      status: 'refused',
      reason: { refusal: 'already_exists' },
    });
    expect(evaluations(invoiceId)).toHaveLength(1);
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ days: 3 }));
    await world.advance({ days: 2 });
    world.sandbox.recommendRetry(invoiceId, 'retry_now');
    await world.settle();
    expect(statusOf(world, invoiceId)).toBe('paid');
  });
});

describe('with RETRY_SIGNAL=binding', () => {
  beforeAll(() => startOtherwise(world, settings, { ...EXCLUSIVE, retrySignal: 'binding' }));

  test('what the service asks waits while Stripe says so, and retry_now is good for one attempt', async () => {
    const { invoiceId } = await failing(2);
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 30 }));
    await world.advance({ hours: 31 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    expect(await actionsOf(world, invoiceId)).toMatchObject([
      { state: 'scheduled', reason: { code: 'signal_says', action: 'wait' } },
    ]);
    world.sandbox.recommendRetry(invoiceId, 'retry_now');
    await world.advance({ hours: 2 });
    expect(payCalls(world, invoiceId)).toHaveLength(1);
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 30 }));
    await world.advance({ hours: 31 });
    expect(payCalls(world, invoiceId)).toHaveLength(1);
    world.sandbox.endRetryEvaluation(invoiceId, 'expired');
    await world.advance({ hours: 26 });
    expect(await watched(invoiceId)).toMatchObject({ status: 'expired' });
    expect(statusOf(world, invoiceId)).toBe('paid');
  });

  test('give_up ends what the service asked, and a person may retry all the same', async () => {
    const { invoiceId } = await failing();
    world.sandbox.recommendRetry(invoiceId, 'give_up', 'The account was closed.');
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 30 }));
    await world.advance({ hours: 31 });
    expect(payCalls(world, invoiceId)).toEqual([]);
    expect(await actionsOf(world, invoiceId)).toMatchObject([
      {
        state: 'closed',
        reason: { code: 'signal_says', action: 'give_up', because: 'The account was closed.' },
      },
    ]);
    await operate(world, 'retry', { invoice: invoiceId });
    await world.advance({ hours: 1 });
    expect(statusOf(world, invoiceId)).toBe('paid');
  });
});

describe('an account without access', () => {
  beforeAll(async () => {
    await world?.stop();
    const plugin = { ...EXCLUSIVE, retrySignal: 'on' } as const;
    world = await createWorld({ sandbox: { stripeRetries: 'smart' }, plugin });
  });

  test('one sentence in status and doctor says so, and the embedded timing goes on', async () => {
    const first = await failing();
    await failing();
    await world.advance({ hours: 2 });
    expect(calls()).toHaveLength(1);
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
    await world.advance({ days: 20 });
    expect(statusOf(world, first.invoiceId)).toBe('paid');
    expect(calls().length).toBeGreaterThan(0);
    expect(calls().length).toBeLessThanOrEqual(21);
  });
});
