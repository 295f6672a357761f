import type Stripe from 'stripe';
import { readCharge } from '../../../../src/plugin/clients/charge-facts.ts';
import type { Reason } from '../../../../src/plugin/reasons/reason.ts';
import { createExecutor } from '../../../../src/plugin/retry/run/execute.ts';
import { releaseActionsOf } from '../../../../src/plugin/store/tables/retry/actions.ts';
import { finishAttempt } from '../../../../src/plugin/store/tables/retry/attempts.ts';
import { closeScheduledActions } from '../../../../src/plugin/store/tables/retry/planned-actions.ts';
import { recordCharge } from '../../../../src/plugin/store/tables/sync/charge-records.ts';
import { upsertInvoice } from '../../../support/database/mirror-rows.ts';
import { buildCard, buildCharge, buildOutcome } from '../../../support/stripe/charge-objects.ts';
import { ACCOUNT, type Bench, declined, INVOICE, openBench, START } from './collection-fixture.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench.close());

const stopAll = (reason: Reason = { code: 'dispute_opened', disputeId: 'dp_1' }) =>
  closeScheduledActions(
    bench.database,
    { account: ACCOUNT, invoiceIds: [INVOICE] },
    reason,
    bench.deps.clock.now(),
  );
const outcomes = async () => (await bench.attempts()).map(({ outcome }) => outcome);
const stateOf = async (id: string) => (await bench.action(id))?.state;
const failure = { status: 500, body: { error: { type: 'api_error', message: 'Try again.' } } };

describe('one payment', () => {
  it('one payment is one attempt under one key, and done', async () => {
    const id = await bench.add();
    await bench.run(id);
    await bench.run(id);
    expect(bench.keys()).toEqual([(await bench.attempts())[0]?.idempotencyKey]);
    expect(await bench.action(id)).toMatchObject({
      state: 'done',
      reason: { code: 'attempt_ended', outcome: 'paid' },
    });
    expect(await outcomes()).toEqual(['paid']);
  });

  it('a payment that is declined ends the action', async () => {
    bench.stripe.pay = () => declined;
    const id = await bench.add();
    await bench.run(id);
    expect(await bench.action(id)).toMatchObject({
      state: 'done',
      reason: { code: 'attempt_ended', declineCode: 'insufficient_funds' },
    });
  });
});

it('a payment goes by what Stripe shows of the invoice, not by our copy, which may be behind', async () => {
  await upsertInvoice(bench.database, {
    account: ACCOUNT,
    id: INVOICE,
    customerId: 'cus_1',
    subscriptionId: undefined,
    status: 'open',
    amountRemaining: 1000,
    currency: 'eur',
    attemptCount: 1,
    isFirst: false,
    nextAttemptAt: undefined,
    message: undefined,
    version: START,
    versionSource: 'event',
  });
  bench.stripe.invoice = { ...bench.stripe.invoice, status: 'paid', amount_remaining: 0 };
  const id = await bench.add();
  await bench.run(id);
  expect(bench.keys()).toEqual([]);
  expect(await bench.action(id)).toMatchObject({ reason: { code: 'invoice_status', status: 'paid' } });
});

describe('an attempt without an answer', () => {
  it('an attempt without an answer is repeated under its key until there is one', async () => {
    const answers = [failure, failure, declined];
    bench.stripe.pay = () => answers.shift() ?? declined;
    const id = await bench.add();
    await bench.run(id);
    for (const minutes of [0.5, 2]) {
      await bench.wait({ seconds: minutes * 60 });
      await bench.runDue();
    }
    expect(new Set(bench.keys()).size).toBe(1);
    expect(bench.keys()).toHaveLength(3);
    expect(await outcomes()).toEqual(['declined']);
  });

  it('an attempt without an answer goes on under its key after the process died in the call', async () => {
    bench.stripe.pay = () => failure;
    const id = await bench.add();
    await bench.run(id);
    // As a process leaves it that died before it could write down what came of the call.
    await bench.database.query(`update payment_retry.actions set state = 'running', claimed_until = $1`, [
      START.plus({ minutes: 5 }).toISO(),
    ]);
    bench.stripe.pay = () => declined;
    await bench.wait({ minutes: 5 });
    await bench.runDue();
    expect(bench.keys()).toHaveLength(2);
    expect(new Set(bench.keys()).size).toBe(1);
    expect(await outcomes()).toEqual(['declined']);
  });

  it('an attempt without an answer is read once the calls are used up, and made anew when there was no charge', async () => {
    bench.stripe.pay = () => failure;
    const id = await bench.add();
    await bench.run(id);
    for (let look = 0; look < 5; look += 1) {
      await bench.wait({ minutes: 61 });
      await bench.runDue();
    }
    expect(bench.keys()).toHaveLength(5);
    expect(new Set(bench.keys()).size).toBe(1);
    expect(await outcomes()).toEqual(['not_executed']);
    bench.stripe.pay = () => declined;
    await bench.wait({ minutes: 1 });
    await bench.runDue();
    expect(new Set(bench.keys()).size).toBe(2);
    expect(await outcomes()).toEqual(['not_executed', 'declined']);
  });

  it('an attempt without an answer is not made again while the first call may be on its way, whatever Stripe shows', async () => {
    bench.stripe.pay = () => 'drop';
    const id = await bench.add();
    await bench.run(id);
    bench.stripe.invoice = { next_payment_attempt: START.plus({ hours: 1 }).toUnixInteger() };
    await bench.wait({ seconds: 30 });
    await bench.runDue();
    expect(await outcomes()).toEqual([null]);
    bench.stripe.charges = [buildCharge({ id: 'ch_late', created: START.toUnixInteger() + 40 })];
    await bench.wait({ minutes: 5 });
    await bench.runDue();
    expect(await bench.attempts()).toMatchObject([{ outcome: 'declined', chargeId: 'ch_late' }]);
    expect(await stateOf(id)).toBe('done');
  });

  it('an attempt without an answer is not taken for none while the repeat of a process that died may be on its way', async () => {
    bench.stripe.pay = () => failure;
    const id = await bench.add();
    await bench.run(id);
    await bench.wait({ minutes: 10 });
    bench.stripe.pay = () => 'drop';
    await bench.runDue();
    // As a process leaves it that died in that call, once the others have noticed.
    await bench.database.query(`update payment_retry.actions set state = 'running', claimed_by = 7`);
    await releaseActionsOf(bench.database, [7]);
    await stopAll();
    await bench.wait({ seconds: 5 });
    await bench.runDue();
    expect(await outcomes()).toEqual([null]);
    bench.stripe.charges = [buildCharge({ id: 'ch_late', created: START.toUnixInteger() + 610 })];
    await bench.wait({ minutes: 5 });
    await bench.runDue();
    expect(await bench.attempts()).toMatchObject([{ outcome: 'declined', chargeId: 'ch_late' }]);
  });

  it('an attempt without an answer that was read as none by a slow process is what the next one was answered', async () => {
    bench.stripe.pay = () => failure;
    const id = await bench.add();
    await bench.run(id);
    await bench.wait({ minutes: 10 });
    bench.stripe.pay = () => declined;
    bench.stripe.invoice = { next_payment_attempt: START.plus({ hours: 2 }).toUnixInteger() };
    const { deps } = bench;
    const listCharges: typeof deps.stripe.listCharges = async (...asked) => {
      const found = await deps.stripe.listCharges(...asked);
      // Its session is gone for a while: the others take it for dead, and do its work.
      await releaseActionsOf(bench.database, [1]);
      bench.stripe.invoice = { next_payment_attempt: null };
      await bench.runDue();
      return found;
    };
    await createExecutor({ ...deps, stripe: { ...deps.stripe, listCharges } }).handle({ actionId: id });
    expect(bench.keys()).toHaveLength(2);
    expect(await outcomes()).toEqual(['declined']);
    expect(await stateOf(id)).toBe('done');
  });

  it('an attempt without an answer that somebody has concluded is not called for', async () => {
    bench.stripe.pay = () => failure;
    const id = await bench.add();
    await bench.run(id);
    await bench.wait({ minutes: 1 });
    const { deps } = bench;
    const awaitPaymentTurn = async () => {
      const [attempt] = await bench.attempts();
      const result = { outcome: 'not_executed', code: 'no_charge_found' };
      await finishAttempt(bench.database, attempt?.id ?? '', result, deps.clock.now());
    };
    await createExecutor({ ...deps, stripe: { ...deps.stripe, awaitPaymentTurn } }).handle({ actionId: id });
    expect(bench.keys()).toHaveLength(1);
    expect(await bench.action(id)).toMatchObject({ state: 'scheduled', reason: { code: 'claim_lost' } });
  });

  it('an attempt without an answer lets another payment of the invoice wait, which looks twenty times at most in two hours', async () => {
    bench.stripe.pay = () => failure;
    await bench.run(await bench.add());
    bench.stripe.invoice = { next_payment_attempt: null, default_payment_method: 'pm_2' };
    const other = await bench.add({ cause: 'card_change', reference: 'pm_2', paymentMethod: 'pm_2' });
    const looks = () => bench.jobs.filter(({ data }) => 'actionId' in data && data.actionId === other).length;
    const minutes = () => bench.deps.clock.now().diff(START, 'minutes').minutes;
    for (; (await outcomes())[0] === null && minutes() < 150; await bench.wait({ minutes: 3 }))
      await bench.runDue();
    expect(await outcomes()).toEqual(['not_executed']);
    expect(looks()).toBeLessThanOrEqual(20);
    bench.stripe.pay = () => declined;
    await bench.wait({ minutes: 10 });
    await bench.runDue();
    // Its turn has come.
    expect((await bench.action(other))?.reason).not.toMatchObject({ code: 'earlier_attempt_unsettled' });
  });

  it('an attempt without an answer is read as soon as an event says that the invoice is paid', async () => {
    bench.stripe.pay = () => failure;
    const id = await bench.add();
    await bench.run(id);
    bench.stripe.invoice = { status: 'paid', amount_remaining: 0 };
    await bench.wait({ seconds: 1 });
    await stopAll({ code: 'invoice_ended', status: 'paid' });
    await bench.runDue();
    expect(bench.keys()).toHaveLength(1);
    expect(await outcomes()).toEqual(['paid']);
    expect(await stateOf(id)).toBe('done');
  });

  it('an attempt without an answer is only read in observe mode', async () => {
    bench.stripe.pay = () => failure;
    const id = await bench.add();
    await bench.run(id);
    bench.setMode('observe');
    await bench.wait({ minutes: 6 });
    await bench.runDue();
    await bench.wait({ minutes: 1 });
    await bench.runDue();
    expect(bench.keys()).toHaveLength(1);
    expect(await bench.action(id)).toMatchObject({
      state: 'done',
      reason: { code: 'payment_observed' },
    });
  });

  it('an attempt without an answer ends with an invoice that Stripe does not know any more', async () => {
    bench.stripe.pay = () => failure;
    const id = await bench.add();
    await bench.run(id);
    bench.stripe.invoice = undefined;
    await bench.wait({ minutes: 1 });
    await bench.runDue();
    expect(await outcomes()).toEqual(['not_executed']);
    expect(await stateOf(id)).toBe('closed');
  });

  it('an attempt without an answer outlives a job that gave up', async () => {
    bench.stripe.pay = () => failure;
    const id = await bench.add();
    await bench.run(id);
    await bench.giveUp(id);
    expect(await stateOf(id)).toBe('scheduled');
    bench.stripe.pay = () => declined;
    await bench.wait({ minutes: 1 });
    await bench.runDue();
    expect(await outcomes()).toEqual(['declined']);
    await bench.giveUp(id);
    expect(await stateOf(id)).toBe('done');
  });
});

describe('another action for the same invoice', () => {
  it('another action for the same invoice waits until the attempt in doubt is settled, and then judges by its outcome', async () => {
    bench.stripe.pay = () => failure;
    const first = await bench.add();
    await bench.run(first);
    await stopAll({ code: 'replaced', requestId: 'req_2' });
    const second = await bench.add({ cause: 'card_change', reference: 'pm_2', paymentMethod: 'pm_2' });
    bench.stripe.customer = { ...bench.stripe.customer, default_source: null };
    bench.stripe.invoice = { next_payment_attempt: null, default_payment_method: 'pm_2' };
    await bench.run(second);
    expect(bench.keys()).toHaveLength(1);
    bench.stripe.invoice = { ...bench.stripe.invoice, status: 'paid', amount_remaining: 0 };
    await bench.wait({ minutes: 6 });
    await bench.runDue();
    await bench.wait({ minutes: 6 });
    await bench.runDue();
    expect(bench.keys()).toHaveLength(1);
    expect([await stateOf(first), await stateOf(second)]).toEqual(['done', 'closed']);
    expect(await outcomes()).toEqual(['paid']);
  });
});

describe('what an event said of the charge before our answer came', () => {
  it('what an event said of the charge before our answer came is kept: it names the block where the error does not', async () => {
    bench.stripe.pay = async () => {
      await recordCharge(bench.database, {
        id: '00000000-0000-4000-8000-0000000000ff',
        account: ACCOUNT,
        invoiceId: INVOICE,
        customerId: 'cus_1Ada',
        subscriptionId: undefined,
        chargeId: 'ch_1',
        amount: 2000,
        currency: 'usd',
        chargedAt: START,
        paymentMethod: 'pm_1Visa',
        methodType: 'card',
        brand: 'visa',
        fingerprint: 'fp_1',
        cardExpiry: '2030-12',
        result: { outcome: 'declined', code: 'card_declined', declineCode: 'highest_risk_level' },
        message: undefined,
        version: START,
      });
      return declined;
    };
    await bench.run(await bench.add());
    expect(await bench.attempts()).toMatchObject([
      { source: 'ours', chargeId: 'ch_1', declineCode: 'highest_risk_level' },
    ]);
    await bench.wait({ days: 3 });
    const again = await bench.add();
    await bench.run(again);
    expect(await bench.action(again)).toMatchObject({
      state: 'closed',
      reason: { code: 'hard_decline' },
    });
  });
});

describe('an attempt of Stripe’s own that no event has told of yet', () => {
  /** With the card that we would charge; the invoice names it as the latest charge of its payment. */
  function tryAtStripe(changes: Partial<Stripe.Charge>): Stripe.Charge {
    const card = buildCard({ fingerprint: bench.stripe.method.card?.fingerprint ?? null });
    const charge = buildCharge({ id: 'ch_9', payment_method_details: { type: 'card', card }, ...changes });
    const intent: Stripe.PaymentIntent = JSON.parse(
      JSON.stringify({ id: 'pi_1', object: 'payment_intent', latest_charge: charge.id }),
    );
    const payment: Stripe.InvoicePayment = JSON.parse(
      JSON.stringify({ id: 'inpay_1', payment: { type: 'payment_intent', payment_intent: intent } }),
    );
    bench.stripe.charges = [charge];
    bench.stripe.invoice = {
      ...bench.stripe.invoice,
      payments: { object: 'list', data: [payment], has_more: false, url: '/v1/invoice_payments' },
    };
    return charge;
  }
  const secondsAgo = (seconds: number) => START.minus({ seconds }).toUnixInteger();

  it('an attempt of Stripe’s own that no event has reported yet counts: ours waits the minimum gap after it', async () => {
    tryAtStripe({ created: secondsAgo(20) });
    const id = await bench.add();
    await bench.run(id);
    expect(bench.keys()).toEqual([]);
    expect(await bench.action(id)).toMatchObject({
      state: 'scheduled',
      reason: { code: 'hours_between_attempts', hours: 1 },
    });
    await bench.wait({ hours: 25 });
    await bench.runDue();
    expect(await outcomes()).toEqual(['paid']);
  });

  it('an attempt of Stripe’s own that no event has reported counts as a decline: a card that it calls lost is not tried', async () => {
    const outcome = buildOutcome({ reason: 'lost_card', network_decline_code: '41', advice_code: null });
    tryAtStripe({ created: secondsAgo(3 * 86_400), outcome });
    const id = await bench.add();
    await bench.run(id);
    expect(bench.keys()).toEqual([]);
    expect(await bench.action(id)).toMatchObject({
      state: 'closed',
      reason: { code: 'hard_decline' },
    });
  });

  it('an attempt of Stripe’s own while ours is in doubt keeps ours from being made after it', async () => {
    const { pay } = bench.stripe;
    bench.stripe.pay = () => failure;
    const id = await bench.add();
    await bench.run(id);
    expect(bench.keys()).toHaveLength(1);
    // The call never arrived, and Stripe tried by itself since.
    bench.stripe.pay = pay;
    await bench.wait({ hours: 2 });
    tryAtStripe({ created: START.plus({ minutes: 90 }).toUnixInteger() });
    bench.stripe.latestKey = 'of Stripe itself';
    await bench.runDue();
    expect(await outcomes()).toEqual(['not_executed']);
    await bench.wait({ minutes: 1 });
    await bench.runDue();
    expect(bench.keys()).toHaveLength(1);
    expect(await bench.action(id)).toMatchObject({
      state: 'scheduled',
      reason: { code: 'hours_between_attempts', hours: 1 },
    });
    await bench.wait({ hours: 25 });
    await bench.runDue();
    expect(await outcomes()).toEqual(['not_executed', 'paid']);
  });

  it('an attempt of Stripe’s own from before ours, whose event is late, does not keep ours from being called for again', async () => {
    tryAtStripe({ created: secondsAgo(3 * 86_400) });
    bench.stripe.pay = () => failure;
    const id = await bench.add();
    await bench.run(id);
    bench.stripe.latestKey = 'of Stripe itself';
    bench.stripe.pay = () => declined;
    await bench.wait({ seconds: 30 });
    await bench.runDue();
    expect(bench.keys()).toHaveLength(2);
    expect(new Set(bench.keys()).size).toBe(1);
    expect(await outcomes()).toEqual(['declined']);
  });

  it.each([
    ['is of the same minute', 20, true],
    ['is not listed yet', 3 * 86_400, false],
  ])('an attempt of Stripe’s own that %s lets reading decide', async (_, seconds, isListed) => {
    bench.stripe.pay = () => failure;
    const id = await bench.add();
    await bench.run(id);
    tryAtStripe({ created: secondsAgo(seconds) });
    bench.stripe.latestKey = 'of Stripe itself';
    if (!isListed) bench.stripe.charges = [];
    await bench.wait({ seconds: 30 });
    await bench.runDue();
    expect(bench.keys()).toHaveLength(1);
    expect(await bench.action(id)).toMatchObject({ reason: { code: 'charge_not_known_yet' } });
  });

  it('an attempt of Stripe’s own is not read again once it is recorded', async () => {
    const charge = tryAtStripe({ created: secondsAgo(3 * 86_400) });
    bench.stripe.charges = [];
    const { chargeId, ...facts } = readCharge(charge);
    const owner = { account: ACCOUNT, invoiceId: INVOICE, customerId: 'cus_1Ada', subscriptionId: undefined };
    const id = '00000000-0000-4000-8000-0000000000fe';
    await recordCharge(bench.database, {
      ...owner,
      ...facts,
      chargeId,
      id,
      message: undefined,
      version: START,
    });
    await bench.run(await bench.add());
    expect(await outcomes()).toEqual(['declined', 'paid']);
  });
});
