import fc from 'fast-check';
import type Stripe from 'stripe';
import { createStripeClient } from '../../../../src/plugin/clients/stripe-client.ts';
import {
  outcomeOfError,
  outcomeOfInvoice,
  type PaymentOutcome,
} from '../../../../src/plugin/retry/payment/outcome.ts';
import { type HttpStub, type StubAnswer, startHttpStub } from '../../../support/http/http-stub.ts';
import { buildInvoice } from '../../../support/stripe/stripe-objects.ts';

let next: StubAnswer = 'drop';
let stub: HttpStub;
let client: ReturnType<typeof createStripeClient>;
beforeAll(async () => {
  stub = await startHttpStub(() => next);
  client = createStripeClient({
    stripe: { secretKey: 'sk_test_1', apiBase: stub.url },
  });
});
afterAll(() => stub.stop());

/** What the real SDK makes of the answer, sorted. */
async function outcomeOf(answer: StubAnswer): Promise<PaymentOutcome> {
  next = answer;
  const request = { invoiceId: 'in_1', paymentMethod: undefined, idempotencyKey: 'key-1' };
  return client.payInvoice('own', request).then(outcomeOfInvoice, outcomeOfError);
}

function refusal(status: number, code?: string, fields: object = {}): StubAnswer {
  return { status, body: { error: { type: 'card_error', code, message: 'Refused.', ...fields } } };
}

describe('an answer with the invoice', () => {
  const payments = (intent: string | object) => ({
    object: 'list',
    data: [{ id: 'inpay_1', is_default: true, payment: { type: 'payment_intent', payment_intent: intent } }],
  });
  it.each([
    ['paid', 'paid'],
    ['open', 'pending'],
    ['uncollectible', 'pending'],
  ])("Stripe's answer to a payment with an invoice that is %s counts as %s", async (status, kind) => {
    const body = { ...buildInvoice(), status, payments: payments({ id: 'pi_1', latest_charge: 'ch_1' }) };
    expect(await outcomeOf({ status: 200, body })).toEqual({ kind, chargeId: 'ch_1' });
  });

  it('the outcome of a payment has no charge where the payment was not expanded or there is none', () => {
    const invoice = buildInvoice({ status: 'paid' });
    expect(outcomeOfInvoice(invoice)).toEqual({ kind: 'paid', chargeId: undefined });
    const unexpanded: Stripe.Invoice = JSON.parse(JSON.stringify({ ...invoice, payments: payments('pi_1') }));
    expect(outcomeOfInvoice(unexpanded)).toEqual({ kind: 'paid', chargeId: undefined });
  });

  it('the outcome takes the default payment of an invoice with several', () => {
    const [one] = payments({ id: 'pi_1', latest_charge: { id: 'ch_1' } }).data;
    const [two] = payments({ id: 'pi_2', latest_charge: { id: 'ch_2' } }).data;
    const invoice: Stripe.Invoice = JSON.parse(
      JSON.stringify({
        ...buildInvoice({ status: 'paid' }),
        payments: { data: [{ ...two, is_default: false }, one] },
      }),
    );
    expect(outcomeOfInvoice(invoice)).toEqual({ kind: 'paid', chargeId: 'ch_1' });
  });
});

describe('a refusal of the payment (402)', () => {
  it.each([
    'card_declined',
    'expired_card',
    'incorrect_cvc',
    'incorrect_number',
    'incorrect_zip',
    'invalid_expiry_month',
    'processing_error',
    'insufficient_funds',
    'card_decline_rate_limit_exceeded',
    'payment_method_provider_decline',
    'payment_method_customer_decline',
    'payment_intent_authentication_failure',
    'bank_account_unusable',
    'debit_not_authorized',
    'refer_to_customer',
    'bank_account_restricted',
    'india_recurring_payment_mandate_canceled',
    'from_the_future',
    undefined,
  ])('a payment that Stripe refuses (402) with the code %p is declined', async (code) => {
    expect(await outcomeOf(refusal(402, code))).toMatchObject({ kind: 'declined', code, detail: 'Refused.' });
  });

  it('says it without what PostgreSQL cannot store', async () => {
    const odd = refusal(402, 'card_declined', { message: 'Refused\0 by the bank.' });
    expect(await outcomeOf(odd)).toMatchObject({ kind: 'declined', detail: 'Refused  by the bank.' });
  });

  it.each([
    'authentication_required',
    'invoice_payment_intent_requires_action',
    'payment_intent_action_required',
  ])('a payment that Stripe refuses (402) with %s requires action', async (code) => {
    expect((await outcomeOf(refusal(402, code))).kind).toBe('requires_action');
    expect((await outcomeOf(refusal(402, 'card_declined', { decline_code: code }))).kind).toBe(
      'requires_action',
    );
  });

  it('a refusal of the payment (402) carries every code and the charge', async () => {
    const fields = {
      charge: 'ch_1',
      decline_code: 'do_not_honor',
      advice_code: 'do_not_try_again',
      network_decline_code: '05',
      network_advice_code: '03',
    };
    expect(await outcomeOf(refusal(402, 'card_declined', fields))).toEqual({
      kind: 'declined',
      chargeId: 'ch_1',
      code: 'card_declined',
      declineCode: 'do_not_honor',
      adviceCode: 'do_not_try_again',
      networkCode: '05',
      networkAdvice: '03',
      detail: 'Refused.',
    });
  });
});

describe('a refusal of the request', () => {
  it.each([
    [400, undefined],
    [400, 'invoice_no_payment_method_types'],
    [400, 'payment_intent_unexpected_state'],
    [400, 'intent_invalid_state'],
    [400, 'status_transition_invalid'],
    [400, 'payment_method_unexpected_state'],
    [400, 'amount_too_small'],
    [400, 'billing_invalid_mandate'],
    [400, 'payment_intent_mandate_invalid'],
    [400, 'testmode_charges_only'],
    [400, 'payment_method_currency_mismatch'],
    [400, 'livemode_mismatch'],
    [404, 'resource_missing'],
  ])('a request that Stripe refuses with %d %p is not payable', async (status, code) => {
    const outcome = await outcomeOf(refusal(status, code, { type: 'invalid_request_error' }));
    expect(outcome).toMatchObject({ kind: 'not_payable', code });
  });
});

describe('an answer that does not say what happened', () => {
  const unclear: [string, StubAnswer][] = [
    ['no answer', 'drop'],
    ['401', refusal(401)],
    ['403', refusal(403)],
    ['409 key in use', refusal(409, 'idempotency_key_in_use', { type: 'idempotency_error' })],
    ['429 rate limit', refusal(429, 'rate_limit')],
    ['429 lock', { ...refusalBody(429, 'lock_timeout'), headers: { 'Stripe-Should-Retry': 'true' } }],
    ['429 too many updates', refusal(429, 'payment_intent_rate_limit_exceeded')],
    ['400 too fast', refusal(400, 'rate_limit')],
    ['400 another use of the key', refusal(400, undefined, { type: 'idempotency_error' })],
    ['500', refusal(500)],
    ['502 with a page', { status: 502, body: '<html>Bad gateway</html>' }],
    ['503', { status: 503, body: '' }],
    ['504', refusal(504)],
    ['a redirect', { status: 307, headers: { location: '/elsewhere' } }],
    ['200 that is cut off', { status: 200, body: '{"id": "in_1", "sta' }],
    ['418', refusal(418)],
  ];
  it.each(unclear)('an answer that does not say what happened (%s) is unknown', async (_name, answer) => {
    expect((await outcomeOf(answer)).kind).toBe('unknown');
  });

  it('the outcome of anything that can be thrown is unknown, and nothing is thrown', () => {
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        expect(outcomeOfError(thrown).kind).toBe('unknown');
      }),
    );
  });

  it('every HTTP status gives one of the outcomes, and only 402, 400 and 404 are final', async () => {
    for (let status = 400; status < 600; status += 7) {
      const { kind } = await outcomeOf(refusal(status));
      expect(kind === 'unknown').toBe(![400, 402, 404].includes(status));
    }
  });
});

function refusalBody(status: number, code: string) {
  return { status, body: { error: { type: 'api_error', code, message: 'Refused.' } } };
}
