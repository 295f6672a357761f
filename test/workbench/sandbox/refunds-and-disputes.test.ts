import { accepts, pendingThen } from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { errorOf, startTestSandbox, subscribe, type TestSandbox, typesSince } from './start-test-sandbox.ts';

let test: TestSandbox;
beforeEach(async () => {
  test = await startTestSandbox();
});
afterEach(() => test.stop());

async function paidCharge(method = accepts()) {
  const { sandbox, clock } = test;
  const { subscription } = subscribe(sandbox, method);
  const invoice = sandbox.renewNow(subscription.id);
  await clock.set(clock.now().plus({ days: 5 }));
  await sandbox.run();
  const [charge] = [...sandbox.state.charges.newestFirst()];
  if (charge === undefined) throw new Error('No charge');
  return { invoice, charge, since: sandbox.state.events.size };
}

describe('a refund (stripe-facts 3.12)', () => {
  it('a refund in part leaves the rest of the charge and the invoice as they are', async () => {
    const { sandbox, stripe } = test;
    const { invoice, charge, since } = await paidCharge();
    const refund = await stripe.refunds.create({ charge: charge.id, amount: 300 });
    expect(refund).toMatchObject({ amount: 300, status: 'succeeded', payment_intent: charge.payment_intent });
    expect(charge).toMatchObject({ amount_refunded: 300, refunded: false });
    expect(invoice).toMatchObject({ status: 'paid', amount_paid: 1000 });
    await stripe.refunds.create({ payment_intent: charge.payment_intent ?? '' });
    expect(charge).toMatchObject({ amount_refunded: 1000, refunded: true });
    expect(typesSince(sandbox, since)).toEqual([
      'refund.created',
      'charge.refunded',
      'refund.created',
      'charge.refunded',
    ]);
    expect(await errorOf(stripe.refunds.create({ charge: charge.id }))).toMatchObject({
      code: 'charge_already_refunded',
    });
    expect((await stripe.refunds.list({ charge: charge.id })).data).toHaveLength(2);
  });

  it('a refund of a debit is pending for days', async () => {
    const { sandbox, clock } = test;
    const { charge } = await paidCharge(pendingThen('succeed'));
    const refund = sandbox.refundCharge(charge.id);
    expect(refund.status).toBe('pending');
    const since = sandbox.state.events.size;
    await clock.set(clock.now().plus({ days: 5 }));
    await sandbox.run();
    expect(refund.status).toBe('succeeded');
    expect(typesSince(sandbox, since)).toEqual(['refund.updated', 'charge.refund.updated']);
  });
});

/** A renewal paid with one of Stripe's test methods. */
async function paidWith(testCard: string) {
  const { sandbox, stripe } = test;
  const { subscription, customer } = subscribe(sandbox);
  const card = await stripe.paymentMethods.attach(testCard, { customer: customer.id });
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: card.id } });
  const since = sandbox.state.events.size;
  const invoice = sandbox.renewNow(subscription.id);
  const [charge] = [...sandbox.state.charges.newestFirst()];
  return { invoice, charge: charge?.id ?? '', since };
}

describe("Stripe's test cards (stripe-facts 8.2, 8.4)", () => {
  it('a refund that had seemed to succeed fails days later, and the charge is refunded no more', async () => {
    const { sandbox, stripe, clock } = test;
    const { charge } = await paidWith('pm_card_refundFail');
    const refund = await stripe.refunds.create({ charge });
    expect(refund.status).toBe('succeeded');
    const since = sandbox.state.events.size;
    await clock.set(clock.now().plus({ days: 5 }));
    await sandbox.run();
    expect(typesSince(sandbox, since)).toEqual(['refund.failed', 'refund.updated', 'charge.refund.updated']);
    expect(await stripe.refunds.retrieve(refund.id)).toMatchObject({ status: 'failed' });
    expect(await stripe.charges.retrieve(charge)).toMatchObject({ amount_refunded: 0, refunded: false });
  });

  it.each([
    ['winning_evidence', 'won'],
    ['losing_evidence', 'lost'],
  ])('a card whose payments are disputed, answered with %s, ends %s', async (words, end) => {
    const { sandbox, stripe } = test;
    const { charge, since } = await paidWith('pm_card_createDispute');
    expect(typesSince(sandbox, since)).toContain('charge.dispute.created');
    const [dispute] = (await stripe.disputes.list({ charge })).data;
    expect(dispute).toMatchObject({ status: 'needs_response', reason: 'fraudulent' });
    const answered = await stripe.disputes.update(dispute?.id ?? '', {
      evidence: { uncategorized_text: words },
    });
    expect(answered.status).toBe(end);
  });

  it('an inquiry ends without money, and can become a dispute, which can be given up', async () => {
    const { sandbox, stripe } = test;
    const { charge } = await paidWith('pm_card_createDisputeInquiry');
    const [inquiry] = (await stripe.disputes.list({ charge })).data;
    const id = inquiry?.id ?? '';
    expect(inquiry?.status).toBe('warning_needs_response');
    expect(() => sandbox.closeDispute(id, 'won')).toThrow('cannot be won');
    const since = sandbox.state.events.size;
    await stripe.disputes.update(id, { evidence: { uncategorized_text: 'escalate_inquiry_evidence' } });
    expect((await stripe.disputes.close(id)).status).toBe('lost');
    expect(typesSince(sandbox, since)).toEqual([
      'charge.dispute.updated',
      'charge.dispute.updated',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.closed',
    ]);
  });
});

describe('a dispute (stripe-facts 5.14)', () => {
  it('one that was lost can be appealed, and is closed a second time', async () => {
    const { sandbox } = test;
    const { charge, since } = await paidCharge();
    const { id } = sandbox.disputeCharge(charge.id, 'product_not_received');
    sandbox.closeDispute(id, 'lost');
    expect(sandbox.appealDispute(id).status).toBe('appeal_needs_response');
    expect(sandbox.answerDispute(id).status).toBe('appeal_under_review');
    expect(sandbox.closeDispute(id, 'won').status).toBe('won');
    expect(typesSince(sandbox, since).slice(-5)).toEqual([
      'charge.dispute.closed',
      'charge.dispute.updated',
      'charge.dispute.updated',
      'charge.dispute.funds_reinstated',
      'charge.dispute.closed',
    ]);
  });

  it.each([
    ['won', ['charge.dispute.funds_reinstated', 'charge.dispute.closed']],
    ['lost', ['charge.dispute.closed']],
  ] as const)('a dispute of a card is answered, reviewed and %s', async (end, last) => {
    const { sandbox } = test;
    const { charge, since } = await paidCharge();
    const dispute = sandbox.disputeCharge(charge.id, 'product_unacceptable');
    expect(dispute).toMatchObject({
      status: 'needs_response',
      payment_method_details: { card: { case_type: 'chargeback' } },
    });
    sandbox.answerDispute(dispute.id);
    expect(dispute).toMatchObject({ status: 'under_review', evidence_details: { has_evidence: true } });
    sandbox.closeDispute(dispute.id, end);
    expect(typesSince(sandbox, since)).toEqual([
      'charge.dispute.created',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.updated',
      ...last,
    ]);
  });

  it('an inquiry takes no money until the bank makes a dispute of it', async () => {
    const { sandbox } = test;
    const { charge, since } = await paidCharge();
    const inquiry = sandbox.disputeCharge(charge.id, 'unrecognized', { asInquiry: true });
    expect(inquiry).toMatchObject({ status: 'warning_needs_response', is_charge_refundable: true });
    expect(typesSince(sandbox, since)).toEqual(['charge.dispute.created']);
    sandbox.answerDispute(inquiry.id);
    expect(inquiry.status).toBe('warning_under_review');
    sandbox.escalateDispute(inquiry.id);
    expect(inquiry.status).toBe('needs_response');
    expect(typesSince(sandbox, since).slice(-2)).toEqual([
      'charge.dispute.updated',
      'charge.dispute.funds_withdrawn',
    ]);
  });

  it.each([
    ['insufficient_funds', 'active'],
    ['debit_not_authorized', 'inactive'],
  ] as const)('a debit disputed as %s is lost at once and leaves the mandate %s', async (reason, mandate) => {
    const { sandbox } = test;
    const { charge, since } = await paidCharge(pendingThen('succeed', { type: 'sepa_debit' }));
    expect(sandbox.disputeCharge(charge.id, reason).status).toBe('lost');
    expect(typesSince(sandbox, since).slice(0, 3)).toEqual([
      'charge.dispute.created',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.closed',
    ]);
    expect([...sandbox.state.mandates.newestFirst()][0]).toMatchObject({ status: mandate });
  });
});
