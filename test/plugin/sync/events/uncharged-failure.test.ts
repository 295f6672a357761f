import type Stripe from 'stripe';
import { readUnchargedFailure } from '../../../../src/plugin/sync/events/uncharged-failure.ts';
import { buildCharge } from '../../../support/stripe/charge-objects.ts';
import { buildInvoice, buildSubscription } from '../../../support/stripe/stripe-objects.ts';
import { buildCustomer, buildPaymentMethod } from '../../../support/stripe/stripe-payers.ts';

const MANDATE = 'india_recurring_payment_mandate_canceled';

function paymentsOf(intent: object): Stripe.ApiList<Stripe.InvoicePayment> {
  const payment_intent = {
    id: 'pi_1',
    object: 'payment_intent',
    status: 'requires_payment_method',
    last_payment_error: null,
    ...intent,
  };
  return JSON.parse(JSON.stringify({ data: [{ id: 'inpay_1', payment: { payment_intent } }] }));
}

function subscribed(status: Stripe.Subscription.Status): Stripe.Invoice['parent'] {
  return {
    quote_details: null,
    subscription_details: {
      metadata: {},
      subscription: buildSubscription({ status, default_payment_method: null }),
    },
    type: 'subscription_details',
  };
}

/** Failed once, for a customer without any payment method. */
function failed(changes: Partial<Stripe.Invoice> = {}, intent: object = {}): Stripe.Invoice {
  return buildInvoice({
    customer: buildCustomer(),
    parent: subscribed('past_due'),
    payments: paymentsOf(intent),
    ...changes,
  });
}

describe('an attempt that made no charge', () => {
  it.each([
    ['missing_payment_method', 'without a payment method', buildCustomer()],
    [undefined, 'with one that came since, or that Stripe does not tell of', buildCustomer('pm_1Visa')],
  ])(
    'an attempt that made no charge has the code %s, by the payment method of the customer: %s',
    (code, _name, customer) => {
      const id = `in_1Basic_attempt_1_${code ?? 'unknown'}`;
      expect(readUnchargedFailure(failed({ customer }), [])).toMatchObject({ id, code });
    },
  );

  it("an attempt that made no charge has the error's codes and its method", () => {
    const method = buildPaymentMethod();
    const error = { code: MANDATE, advice_code: 'do_not_try_again', payment_method: method };
    expect(readUnchargedFailure(failed({ attempt_count: 3 }, { last_payment_error: error }), [])).toEqual({
      id: `in_1Basic_attempt_3_${MANDATE}`,
      paymentIntent: 'pi_1',
      code: MANDATE,
      declineCode: undefined,
      adviceCode: 'do_not_try_again',
      method,
    });
  });

  it('an attempt that made no charge follows a charge of another attempt', () => {
    const invoice = failed({}, { last_payment_error: { code: MANDATE } });
    const before = buildCharge({ status: 'failed', failure_code: 'card_declined' });
    expect(readUnchargedFailure(invoice, [before])).toMatchObject({ code: MANDATE });
  });

  it.each([
    ['missing_payment_method', {}],
    [MANDATE, { last_payment_error: { code: MANDATE } }],
  ])('an attempt that made no charge is told with %s although a part was paid before', (code, intent) => {
    const [rest] = paymentsOf(intent).data;
    const [part] = paymentsOf({ id: 'pi_part', status: 'succeeded' }).data;
    const payments = { ...paymentsOf({}), data: [part, rest].flatMap((payment) => payment ?? []) };
    const paid = buildCharge({ status: 'succeeded' });
    expect(readUnchargedFailure(failed({ payments }), [paid])).toMatchObject({ code });
  });
});

describe('nothing is told where', () => {
  const debit = buildCharge({ status: 'failed', failure_code: 'insufficient_funds' });
  const error = (code: string, charge?: string) => ({ last_payment_error: { code, charge } });
  it.each<[string, Stripe.Invoice, Stripe.Charge[]]>([
    ['the error names its charge', failed({}, error('card_declined', 'ch_1')), []],
    ['a returned debit tells the same', failed({}, error('insufficient_funds')), [debit]],
    ['a charge was made and no error is told', failed(), [debit]],
    ['the payment waits for the customer', failed({}, { status: 'requires_action' }), []],
    ['the payment is under way', failed({}, { status: 'processing' }), []],
    ['the invoice is a draft', failed({ status: 'draft' }), []],
    ['the invoice is paid', failed({ status: 'paid' }), []],
    ['nothing remains, as a balance covered it', failed({ amount_remaining: 0 }), []],
    ['nothing was attempted yet', failed({ attempted: false, attempt_count: 0 }), []],
    ['the customer sends the money', failed({ collection_method: 'send_invoice' }), []],
    ['the subscription is not begun yet', failed({ parent: subscribed('incomplete') }), []],
    ['it never began', failed({ parent: subscribed('incomplete_expired') }), []],
  ])('no attempt without a charge is told where %s', (_name, invoice, charges) => {
    expect(readUnchargedFailure(invoice, charges)).toBeUndefined();
  });

  it('an attempt without a charge on an invoice of no subscription is told all the same', () => {
    expect(readUnchargedFailure(failed({ parent: null }), [])).toBeDefined();
  });
});
