import { accepts, pendingThen } from '../../../src/workbench/sandbox/payment-behaviour.ts';
import {
  errorOf,
  runUntil,
  startTestSandbox,
  subscribe,
  type TestSandbox,
  typesSince,
} from './start-test-sandbox.ts';

let test: TestSandbox;
beforeEach(async () => {
  test = await startTestSandbox();
});
afterEach(() => test.stop());

/** An open invoice over 1000 whose card was declined, and a card that pays. */
function owe() {
  const { sandbox } = test;
  const { subscription, customer } = subscribe(sandbox);
  const invoice = sandbox.renewNow(subscription.id);
  const card = sandbox.attachCard(customer.id, accepts({ last4: '1111' })).id;
  return { invoice, subscription, customer, card, since: sandbox.state.events.size };
}

describe('several payments of one invoice (stripe-facts 3.15)', () => {
  it('a part that is paid lowers what remains, and the default payment asks for the rest', async () => {
    const { sandbox, stripe } = test;
    const { invoice, card, since, subscription } = owe();
    sandbox.payPart(invoice.id, 400, card);
    expect(invoice).toMatchObject({
      status: 'open',
      amount_paid: 400,
      amount_remaining: 600,
      amount_due: 1000,
    });
    expect(subscription.status).toBe('past_due');
    expect(typesSince(sandbox, since)).toEqual([
      'payment_intent.created',
      'charge.succeeded',
      'payment_intent.succeeded',
      'invoice_payment.paid',
      'invoice.updated',
    ]);
    await stripe.invoices.pay(invoice.id, { payment_method: card });
    expect([...sandbox.state.charges.newestFirst()].slice(0, 2).map(({ amount }) => amount)).toEqual([
      600, 400,
    ]);
    expect(invoice).toMatchObject({ status: 'paid', amount_paid: 1000, amount_remaining: 0 });
    const { data } = await stripe.invoicePayments.list({ invoice: invoice.id });
    expect(data).toMatchObject([
      { is_default: false, amount_paid: 400, status: 'paid' },
      { is_default: true, amount_paid: 600, status: 'paid' },
    ]);
  });

  it('money from outside of Stripe is a payment record, and the last part pays the invoice', async () => {
    const { sandbox, stripe } = test;
    const { invoice, card, since, subscription } = owe();
    sandbox.recordPart(invoice.id, 400);
    expect(invoice).toMatchObject({ amount_paid_off_stripe: 400, amount_remaining: 600 });
    sandbox.payPart(invoice.id, 600, card);
    expect(invoice).toMatchObject({ status: 'paid', amount_remaining: 0 });
    expect(subscription.status).toBe('active');
    expect(typesSince(sandbox, since)).toContain('payment_intent.canceled');
    const records = { type: 'payment_record' } as const;
    const { data } = await stripe.invoicePayments.list({ invoice: invoice.id, payment: records });
    expect(data).toMatchObject([{ status: 'paid', amount_paid: 400 }]);
  });

  it('a part that is declined or more than is owed leaves the invoice alone', () => {
    const { sandbox } = test;
    const { invoice } = owe();
    expect(() => sandbox.payPart(invoice.id, 400)).toThrow('insufficient funds');
    expect(() => sandbox.recordPart(invoice.id, 1001)).toThrow('still owes 1000');
    expect(invoice).toMatchObject({ status: 'open', amount_remaining: 1000, attempt_count: 1 });
  });

  it('a debit under way that pays more than is left overpays the invoice', async () => {
    const { sandbox, clock } = test;
    const { subscription } = subscribe(sandbox, pendingThen('succeed'));
    const invoice = sandbox.renewNow(subscription.id);
    sandbox.recordPart(invoice.id, 300);
    const since = sandbox.state.events.size;
    await clock.set(clock.now().plus({ days: 4 }));
    await sandbox.run();
    expect(invoice).toMatchObject({ status: 'paid', amount_overpaid: 300 });
    expect(typesSince(sandbox, since)).toContain('invoice.overpaid');
  });
});

describe('credit notes (stripe-facts 3.16)', () => {
  it('a credit note of an open invoice can be voided, and the invoice owes it again', async () => {
    const { sandbox, stripe } = test;
    const { invoice, card } = owe();
    const { id } = await stripe.creditNotes.create({ invoice: invoice.id, amount: 300 });
    const since = sandbox.state.events.size;
    expect(await stripe.creditNotes.voidCreditNote(id)).toMatchObject({ status: 'void' });
    expect(invoice).toMatchObject({ amount_due: 1000, amount_remaining: 1000 });
    expect(typesSince(sandbox, since)).toEqual(['credit_note.voided', 'invoice.updated']);
    expect((await errorOf(stripe.creditNotes.voidCreditNote(id))).statusCode).toBe(400);
    await stripe.invoices.pay(invoice.id, { payment_method: card });
    expect([...sandbox.state.charges.newestFirst()][0]?.amount).toBe(1000);
  });

  it('a credit note on an open invoice lowers what it asks for', async () => {
    const { sandbox, stripe } = test;
    const { invoice, card, since } = owe();
    const note = await stripe.creditNotes.create({ invoice: invoice.id, amount: 300 });
    expect(note).toMatchObject({ type: 'pre_payment', pre_payment_amount: 300, post_payment_amount: 0 });
    expect(typesSince(sandbox, since)).toEqual(['credit_note.created', 'invoice.updated']);
    expect(invoice).toMatchObject({
      status: 'open',
      amount_due: 700,
      amount_remaining: 700,
      pre_payment_credit_notes_amount: 300,
    });
    await stripe.invoices.pay(invoice.id, { payment_method: card });
    expect(invoice).toMatchObject({ status: 'paid', amount_paid: 700 });
  });

  it('a debit that comes back after a credit note is charged again over the rest alone', async () => {
    const { sandbox, stripe } = test;
    const { invoice, card, customer } = owe();
    const account = sandbox.attachCard(customer.id, pendingThen('fail')).id;
    await stripe.invoices.pay(invoice.id, { payment_method: account });
    sandbox.createCreditNote(invoice.id, { amount: 300 });
    await runUntil(test, test.clock.now().plus({ days: 5 }));
    await stripe.invoices.pay(invoice.id, { payment_method: card });
    expect([...sandbox.state.charges.newestFirst()][0]?.amount).toBe(700);
    expect(invoice).toMatchObject({ status: 'paid', amount_paid: 700 });
  });

  it('a credit note over all that is owed pays the invoice without a payment', () => {
    const { sandbox } = test;
    const { invoice, since, subscription } = owe();
    sandbox.createCreditNote(invoice.id, { amount: 1000 });
    expect(invoice).toMatchObject({ status: 'paid', amount_due: 0, amount_paid: 0 });
    expect(subscription.status).toBe('active');
    const types = typesSince(sandbox, since);
    expect(types).toContain('invoice.paid');
    expect(types).not.toContain('invoice.payment_succeeded');
  });

  it('a credit note on a paid invoice is refunded, credited, or given outside of Stripe', async () => {
    const { sandbox, stripe } = test;
    const { invoice, card, customer } = owe();
    await stripe.invoices.pay(invoice.id, { payment_method: card });
    const refusal = await errorOf(stripe.creditNotes.create({ invoice: invoice.id, amount: 600 }));
    expect(refusal.statusCode).toBe(400);
    const since = sandbox.state.events.size;
    const note = await stripe.creditNotes.create({
      invoice: invoice.id,
      amount: 600,
      refund_amount: 300,
      credit_amount: 200,
      out_of_band_amount: 100,
    });
    expect(note).toMatchObject({ type: 'post_payment', post_payment_amount: 600 });
    expect(note.refunds).toMatchObject([{ amount_refunded: 300 }]);
    expect(customer.balance).toBe(-200);
    expect(invoice).toMatchObject({ status: 'paid', post_payment_credit_notes_amount: 600 });
    expect(typesSince(sandbox, since)).toEqual([
      'refund.created',
      'charge.refunded',
      'credit_note.created',
      'customer.updated',
      'invoice.updated',
    ]);
  });

  it('a credit note on an invoice that is paid in part is mixed', () => {
    const { sandbox } = test;
    const { invoice, card } = owe();
    sandbox.payPart(invoice.id, 400, card);
    const note = sandbox.createCreditNote(invoice.id, { amount: 700, refund_amount: 100 });
    expect(note).toMatchObject({ type: 'mixed', pre_payment_amount: 600, post_payment_amount: 100 });
    expect(invoice).toMatchObject({ status: 'paid', amount_due: 400, amount_paid: 400 });
  });
});

describe('payment intents that are attached (stripe-facts 3.15)', () => {
  async function intentOf(customer: string, payment_method: string, amount = 400) {
    const { stripe } = test;
    return stripe.paymentIntents.create({ amount, currency: 'usd', customer, payment_method, confirm: true });
  }

  it('one that has succeeded is credited at once', async () => {
    const { stripe } = test;
    const { invoice, card, customer } = owe();
    const intent = await intentOf(customer.id, card);
    expect(intent).toMatchObject({ status: 'succeeded', amount_received: 400 });
    const credited = await stripe.invoices.attachPayment(invoice.id, { payment_intent: intent.id });
    expect(credited).toMatchObject({ status: 'open', amount_paid: 400, amount_remaining: 600 });
    const again = stripe.invoices.attachPayment(invoice.id, { payment_intent: intent.id });
    expect((await errorOf(again)).message).toMatch(/cannot be attached/);
  });

  it('one that is not confirmed yet is credited when it succeeds', async () => {
    const { stripe } = test;
    const { invoice, card, customer } = owe();
    const intent = await stripe.paymentIntents.create({
      amount: 1000,
      currency: 'usd',
      customer: customer.id,
    });
    const attached = await stripe.invoices.attachPayment(invoice.id, { payment_intent: intent.id });
    expect(attached).toMatchObject({ status: 'open', amount_remaining: 1000 });
    await stripe.paymentIntents.confirm(intent.id, { payment_method: card });
    expect(invoice).toMatchObject({ status: 'paid', amount_paid: 1000 });
  });

  it('a debit is credited when the bank has paid it', async () => {
    const { sandbox, stripe, clock } = test;
    const { invoice, customer } = owe();
    const account = sandbox.attachCard(customer.id, pendingThen('succeed')).id;
    const intent = await intentOf(customer.id, account);
    expect(intent.status).toBe('processing');
    await stripe.invoices.attachPayment(invoice.id, { payment_intent: intent.id });
    expect(invoice.amount_remaining).toBe(1000);
    await clock.set(clock.now().plus({ days: 4 }));
    await sandbox.run();
    expect(invoice).toMatchObject({ amount_paid: 400, amount_remaining: 600 });
  });
});
