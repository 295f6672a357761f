/** What a Stripe test account with a test clock and the sandbox can both play. Periods have 30 days, whatever the month. */
import type { Story } from './play-story.ts';
import {
  answerDispute,
  change,
  createdAt,
  createPrice,
  FAILING_CARD,
  failRenewal,
  GOOD_CARD,
  giveCard,
  PRICE,
  pay,
  renew,
  renewAfter,
  setUpAccount,
  subscribe,
} from './story-payer.ts';

const OTHER_CARD = 'pm_card_mastercard';

export const STORIES: readonly Story[] = [
  story('decline-then-card', 'a renewal is declined, and paid with another card', async (stage) => {
    const { payer, invoice } = await failRenewal(stage);
    await giveCard(payer, OTHER_CARD);
    await stage.step('The invoice is paid with it', () => stage.stripe.invoices.pay(invoice), 'invoice.paid');
  }),
  story('decline-never-paid', 'a renewal is declined, and its invoice given up', async (stage) => {
    const { invoice } = await failRenewal(stage);
    const { invoices } = stage.stripe;
    await stage.step(
      'It is marked uncollectible',
      () => invoices.markUncollectible(invoice),
      'invoice.marked_uncollectible',
    );
    await stage.step('It is void', () => invoices.voidInvoice(invoice), 'invoice.voided');
  }),
  story('first-payment-fails', 'a sign-up that is not paid within 23 hours', async (stage) => {
    await subscribe(stage, { card: FAILING_CARD, until: 'invoice.payment_failed' });
    await stage.pass({ hours: 24 }, 'customer.subscription.updated');
  }),
  story('authentication', 'the bank wants the customer to confirm a renewal', async (stage) => {
    const payer = await subscribe(stage);
    await giveCard(payer, 'pm_card_authenticationRequired');
    const invoice = await renew(payer, 'invoice.payment_action_required');
    await stage.step(
      'A retry without the customer',
      () => stage.stripe.invoices.pay(invoice),
      'invoice.payment_failed',
    );
  }),
  ...(['cancel', 'pause', 'create_invoice'] as const).map((end) =>
    story(
      `trial-without-method-${end.replace('_', '-')}`,
      `a trial ends without a payment method (${end})`,
      async (stage) => {
        await subscribe(stage, {
          card: undefined,
          until: 'customer.subscription.created',
          trial_period_days: 7,
          trial_settings: { end_behavior: { missing_payment_method: end } },
        });
        const told = end === 'cancel' ? 'deleted' : 'updated';
        await stage.pass({ days: 7, hours: 2 }, `customer.subscription.${told}`);
      },
    ),
  ),
  story(
    'proration',
    'three instead of one, billed with the next renewal, then a dearer price billed at once',
    async (stage) => {
      const payer = await subscribe(stage);
      await stage.pass({ days: 15 });
      await change(payer, 'Three instead of one', { items: [{ id: payer.item, quantity: 3 }] });
      await renewAfter(payer, { days: 15, hours: 2 }, 'invoice.paid');
      const price = await createPrice(stage, 2 * PRICE);
      const dearer = { items: [{ id: payer.item, price }], proration_behavior: 'always_invoice' as const };
      const { subscriptions } = stage.stripe;
      const raise = () => subscriptions.update(payer.subscription, dearer);
      await stage.step('A dearer price, billed at once', raise, 'invoice.paid');
    },
  ),
  story('cancel-at-period-end', 'a cancellation that is taken back, and one that is not', async (stage) => {
    const payer = await subscribe(stage);
    await change(payer, 'Canceled for the end of the period', { cancel_at_period_end: true });
    await change(payer, 'Taken back', { cancel_at_period_end: false });
    await change(payer, 'Canceled again', { cancel_at_period_end: true });
    await stage.pass({ days: 30, hours: 2 }, 'customer.subscription.deleted');
  }),
  story(
    'cancel-early',
    'an end in the middle of the period, and one at once with what is left given back',
    async (stage) => {
      const payer = await subscribe(stage);
      const cancel_at = Math.floor((await createdAt(payer)) + 10 * 86_400);
      await change(payer, 'An end after ten days', { cancel_at });
      await stage.step(
        'Canceled at once, prorated and billed',
        () => stage.stripe.subscriptions.cancel(payer.subscription, { prorate: true, invoice_now: true }),
        'customer.subscription.deleted',
      );
    },
  ),
  story(
    'pause-collection',
    'renewals while collection is paused: kept as drafts, then void',
    async (stage) => {
      const payer = await subscribe(stage);
      for (const behavior of ['keep_as_draft', 'void'] as const) {
        await change(payer, `Paused: ${behavior}`, { pause_collection: { behavior } });
        await renew(payer, behavior === 'void' ? 'invoice.voided' : 'invoice.created');
      }
      await change(payer, 'Resumed', { pause_collection: '' });
    },
  ),
  story('partial-payment', 'a declined renewal is paid in two parts', async (stage) => {
    const { payer, invoice } = await failRenewal(stage);
    const card = await giveCard(payer, OTHER_CARD);
    const { stripe } = stage;
    const intent = await stage.step(
      'A payment of 500',
      () =>
        stripe.paymentIntents.create({
          amount: 500,
          currency: 'usd',
          customer: payer.customer,
          payment_method: card,
          confirm: true,
          off_session: true,
        }),
      'payment_intent.succeeded',
    );
    await stage.step(
      'It is attached to the invoice',
      () => stripe.invoices.attachPayment(invoice, { payment_intent: intent?.id ?? '' }),
      'invoice_payment.paid',
    );
    await stage.step('The rest is paid', () => stripe.invoices.pay(invoice), 'invoice.paid');
  }),
  story(
    'credit-note',
    'a credit note lowers what is owed, another gives back what was paid',
    async (stage) => {
      const { payer, invoice } = await failRenewal(stage);
      const { creditNotes, invoices } = stage.stripe;
      const note = await stage.step(
        'A credit note of 300',
        () => creditNotes.create({ invoice, amount: 300 }),
        'credit_note.created',
      );
      await stage.step('It is void', () => creditNotes.voidCreditNote(note?.id ?? ''), 'credit_note.voided');
      await giveCard(payer, OTHER_CARD);
      await stage.step('The invoice is paid', () => invoices.pay(invoice), 'invoice.paid');
      await stage.step(
        'A credit note of 400 that is refunded',
        () => creditNotes.create({ invoice, amount: 400, refund_amount: 400 }),
        'credit_note.created',
      );
    },
  ),
  story('balance', 'credit of the customer is taken into a renewal', async (stage) => {
    const payer = await subscribe(stage);
    const { customers } = stage.stripe;
    await stage.step(
      'A credit of 1,500',
      () => customers.update(payer.customer, { balance: -1_500 }),
      'customer.updated',
    );
    await renew(payer, 'invoice.paid');
  }),
  story('refund', 'a payment is refunded in two parts', async (stage) => {
    const charge = await pay(stage, GOOD_CARD);
    const { refunds } = stage.stripe;
    await stage.step('A refund of 500', () => refunds.create({ charge, amount: 500 }), 'charge.refunded');
    await stage.step('A refund of the rest', () => refunds.create({ charge }), 'charge.refunded');
    await stage.step('One more', () => refunds.create({ charge }));
  }),
  story('refund-fails', 'a refund that had seemed to succeed fails', async (stage) => {
    const charge = await pay(stage, 'pm_card_refundFail');
    await stage.step('A refund', () => stage.stripe.refunds.create({ charge }), 'refund.created');
    await stage.pass({ days: 6 }, 'refund.failed');
  }),
  ...(['winning', 'losing'] as const).map((end) =>
    story(`dispute-${end}`, `a payment is disputed as fraud, and answered with ${end} evidence`, (stage) =>
      answerDispute(stage, 'pm_card_createDispute', `${end}_evidence`),
    ),
  ),
  story('inquiry', 'the bank of a card asks about a payment, and is answered', (stage) =>
    answerDispute(stage, 'pm_card_createDisputeInquiry', 'winning_evidence'),
  ),
  story('debit-late-failure', 'a bank debit is under way for days, and comes back', async (stage) => {
    const payer = await subscribe(stage);
    await setUpAccount(payer, 'pm_usBankAccount_insufficientFunds');
    await renew(payer, 'payment_intent.processing');
    await stage.pass({ days: 5 }, 'invoice.payment_failed');
  }),
  story('sent-invoice-overdue', 'an invoice that the customer pays by itself is late', async (stage) => {
    await subscribe(stage, {
      card: undefined,
      until: 'customer.subscription.created',
      collection_method: 'send_invoice',
      days_until_due: 7,
    });
    await stage.pass({ hours: 2 }, 'invoice.finalized');
    await stage.pass({ days: 8 }, 'invoice.overdue');
  }),
];

function story(name: string, about: string, play: Story['play']): Story {
  return { name, about, play };
}
