/** What becomes of attempts that made no charge: the invoice is read again, and the service is told once. */
import { buildCustomer } from '../../../support/stripe/stripe-payers.ts';
import { type Bench, declined, INVOICE, openBench } from './collection-fixture.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench.close());

const MANDATE = 'india_recurring_payment_mandate_canceled';
const refuse = (status: number, error: object) => () => ({
  status,
  body: {
    error: { type: status === 402 ? 'card_error' : 'invalid_request_error', message: 'No.', ...error },
  },
});
const wrongState = refuse(400, { code: 'payment_intent_unexpected_state' });

async function runAfter(...minutes: number[]): Promise<void> {
  for (const wait of minutes) {
    await bench.wait({ minutes: wait });
    await bench.runDue();
  }
}

/** The messages that wait to be delivered. */
async function told() {
  const rows = await bench.database.query<{ message: Record<string, unknown>; id: string }>(
    'select id, message from payment_retry.attempts where message is not null and version is not null',
  );
  return rows.map(({ id, message }) => ({ ...message, isNamed: message.id === `${INVOICE}_attempt_${id}` }));
}

describe('a refusal that may pass', () => {
  it('a refusal that may pass closes nothing: the invoice is read again and paid under another key', async () => {
    bench.stripe.pay = wrongState;
    const id = await bench.add();
    await bench.run(id);
    expect(await bench.action(id)).toMatchObject({
      state: 'scheduled',
      reason: { code: 'attempt_refused', stripeCode: 'payment_intent_unexpected_state' },
    });
    bench.stripe.pay = () => ({ status: 200, body: { object: 'invoice', status: 'paid' } });
    await runAfter(2);
    expect(await bench.action(id)).toMatchObject({
      state: 'done',
      reason: { code: 'attempt_ended', outcome: 'paid' },
    });
    expect(new Set(bench.keys()).size).toBe(2);
    expect(await told()).toEqual([]);
  });

  it('a refusal that may pass ends with what the invoice says when it is read again', async () => {
    bench.stripe.pay = refuse(400, { message: 'Invoice is already paid' });
    const id = await bench.add();
    await bench.run(id);
    bench.stripe.invoice = { status: 'paid', amount_remaining: 0 };
    await runAfter(2);
    expect(await bench.action(id)).toMatchObject({
      state: 'closed',
      reason: { code: 'invoice_status', status: 'paid' },
    });
    expect(bench.keys()).toHaveLength(1);
    expect(await told()).toEqual([]);
  });

  it('a refusal that may pass waits for a payment that is under way', async () => {
    bench.stripe.pay = wrongState;
    const id = await bench.add();
    await bench.run(id);
    bench.stripe.invoice = {
      ...bench.stripe.invoice,
      payments: JSON.parse(
        JSON.stringify({ data: [{ payment: { payment_intent: { id: 'pi_1', status: 'processing' } } }] }),
      ),
    };
    await runAfter(2);
    expect(await bench.action(id)).toMatchObject({
      state: 'scheduled',
      reason: { code: 'processing' },
    });
  });

  it('a refusal that may pass is reported once, with its code, when it has not passed after three more readings', async () => {
    bench.stripe.pay = wrongState;
    const id = await bench.add();
    await bench.run(id);
    await runAfter(2, 15, 60, 600);
    expect(bench.keys()).toHaveLength(4);
    expect(await bench.action(id)).toMatchObject({
      state: 'closed',
      reason: {
        code: 'attempt_ended',
        outcome: 'not_payable',
        stripeCode: 'payment_intent_unexpected_state',
      },
    });
    expect(await told()).toMatchObject([
      { paymentGatewayErrorCode: 'payment_intent_unexpected_state', isNamed: true },
    ]);
  });
});

describe('what lasts is told at once', () => {
  it.each([
    ['not_payable', 400, 'amount_too_small', 'closed'],
    ['declined', 402, MANDATE, 'done'],
    ['declined', 402, 'card_decline_rate_limit_exceeded', 'done'],
  ])('a refusal that lasts is told at once (%s: %d with %s)', async (outcome, status, code, state) => {
    bench.stripe.pay = refuse(status, { code });
    const id = await bench.add();
    await bench.run(id);
    await runAfter(600);
    expect(await bench.action(id)).toMatchObject({
      state,
      reason: { code: 'attempt_ended', outcome, stripeCode: code },
    });
    expect(bench.keys()).toHaveLength(1);
    expect(await told()).toMatchObject([
      {
        isNamed: true,
        state: 'TRANSACTION_STATE_FAILED',
        invoiceId: INVOICE,
        customerId: 'cus_1Ada',
        amount: 2000,
        currency: 'USD',
        paymentGatewayErrorCode: code,
        paymentMethodType: 'card',
        cardFingerprint: 'fp_1',
      },
    ]);
    expect(bench.jobs).toMatchObject([{ name: 'deliver' }]);
  });

  it('a missing payment method is reported at once, and only once however often the payment is run', async () => {
    bench.stripe.customer = buildCustomer();
    const id = await bench.add();
    await bench.run(id);
    await bench.database.query(`update payment_retry.actions set state = 'scheduled', closed_at = null`);
    await bench.run(id);
    expect(bench.keys()).toEqual([]);
    expect(await bench.action(id)).toMatchObject({
      state: 'closed',
      reason: { code: 'no_payment_method' },
    });
    expect(await told()).toMatchObject([
      { isNamed: true, paymentGatewayErrorCode: 'missing_payment_method', paymentMethodType: 'unknown' },
    ]);
  });
});

describe('nothing of ours is told', () => {
  it('no attempt of ours is reported where a charge reports it', async () => {
    bench.stripe.pay = () => declined;
    await bench.run(await bench.add());
    expect(await told()).toEqual([]);
  });

  it('no attempt of ours is reported in observe mode, where nothing is tried', async () => {
    bench.setMode('observe');
    bench.stripe.customer = buildCustomer();
    await bench.run(await bench.add());
    expect(await bench.attempts()).toEqual([]);
  });
});
