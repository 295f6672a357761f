/** Who a story is about, and what is done with them. */
import type Stripe from 'stripe';
import { changeCard } from '../../src/workbench/rehearse/test-subscriber.ts';
import type { Stage } from './play-story.ts';

/** Stripe's test methods (stripe-facts 8.2, 8.4). */
export const GOOD_CARD = 'pm_card_visa';
export const FAILING_CARD = 'pm_card_chargeCustomerFail';
export const PRICE = 2_000;
/** Beyond the hour in which a renewal is a draft (stripe-facts 8.1). */
const RENEWAL = { days: 30, hours: 2 } as const;

interface Payer {
  readonly stage: Stage;
  readonly customer: string;
  readonly subscription: string;
  readonly item: string;
}

type Terms = Omit<Stripe.SubscriptionCreateParams, 'customer' | 'items'>;

/** At 20.00 USD every 30 days. */
export async function subscribe(
  stage: Stage,
  { card, until, ...terms }: Terms & { card: string | undefined; until: string } = {
    card: GOOD_CARD,
    until: 'invoice.paid',
  },
): Promise<Payer> {
  const { stripe, clockId } = stage;
  const { id: customer } = await stripe.customers.create({
    email: 'story@example.com',
    test_clock: clockId,
  });
  if (card !== undefined) await changeCard(stripe, customer, card);
  const price = await createPrice(stage, PRICE);
  const created = await stage.step(
    'The customer subscribes',
    () => stripe.subscriptions.create({ customer, items: [{ price }], ...terms }),
    until,
  );
  return {
    stage,
    customer,
    subscription: created?.id ?? '',
    item: created?.items.data[0]?.id ?? '',
  };
}

export async function createPrice({ stripe, productId }: Stage, amount: number): Promise<string> {
  const recurring = { interval: 'day', interval_count: 30 } as const;
  const price = { currency: 'usd', unit_amount: amount, recurring, product: productId };
  return (await stripe.prices.create(price)).id;
}

export async function giveCard({ stage, customer }: Payer, card: string): Promise<string> {
  const give = () => changeCard(stage.stripe, customer, card);
  return (await stage.step(`The customer's default becomes ${card}`, give, 'customer.updated')) ?? '';
}

/** Agreed to, verified, and made the default. */
export async function setUpAccount({ stage, customer }: Payer, account: string): Promise<void> {
  const { setupIntents, customers } = stage.stripe;
  await stage.step(
    `The customer's default becomes ${account}`,
    async () => {
      const setup = await setupIntents.create({
        customer,
        payment_method: account,
        allowed_payment_method_types: ['us_bank_account'],
        confirm: true,
        mandate_data: { customer_acceptance: { type: 'offline' } },
      });
      const { payment_method: method } =
        setup.status === 'requires_action'
          ? await setupIntents.verifyMicrodeposits(setup.id, { amounts: [32, 45] })
          : setup;
      await customers.update(customer, { invoice_settings: { default_payment_method: String(method) } });
    },
    'customer.updated',
  );
}

export const change = ({ stage, subscription }: Payer, title: string, changes: Changes) =>
  stage.step(
    title,
    () => stage.stripe.subscriptions.update(subscription, changes),
    'customer.subscription.updated',
  );
type Changes = Stripe.SubscriptionUpdateParams;

export const createdAt = async ({ stage, subscription }: Payer): Promise<number> =>
  (await stage.stripe.subscriptions.retrieve(subscription)).created;

export const renew = (payer: Payer, until: string) => renewAfter(payer, RENEWAL, until);

/** A subscription whose renewal is declined, with the renewal's invoice. */
export async function failRenewal(stage: Stage): Promise<{ payer: Payer; invoice: string }> {
  const payer = await subscribe(stage);
  await giveCard(payer, FAILING_CARD);
  return { payer, invoice: await renew(payer, 'invoice.payment_failed') };
}

/** The renewal's invoice. */
export async function renewAfter(
  payer: Payer,
  time: Parameters<Stage['pass']>[0],
  until: string,
): Promise<string> {
  await payer.stage.pass(time, until);
  const { latest_invoice: invoice } = await payer.stage.stripe.subscriptions.retrieve(payer.subscription);
  return String(invoice);
}

/** The charge of a subscription's first payment. */
export async function pay(stage: Stage, card: string, until = 'invoice.paid'): Promise<string> {
  const { customer } = await subscribe(stage, { card, until });
  const { data } = await stage.stripe.charges.list({ customer, limit: 1 });
  return data[0]?.id ?? '';
}

/** A first payment whose holder disputes it, or asks about it, and is answered. */
export async function answerDispute(stage: Stage, card: string, text: string): Promise<void> {
  const { disputes } = stage.stripe;
  const charge = await pay(stage, card, 'charge.dispute.created');
  const dispute = (await disputes.list({ charge, limit: 1 })).data[0]?.id ?? '';
  const evidence = { uncategorized_text: text };
  await stage.step(
    'It is answered',
    () => disputes.update(dispute, { evidence, submit: true }),
    'charge.dispute.closed',
  );
}
