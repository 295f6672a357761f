/** The Stripe objects of a rehearsal: all of them hang on a test clock, and go with it (stripe-facts 8.1). */
import type Stripe from 'stripe';
import { PluginError } from '../../core/base/errors.ts';
import { productOf } from './earlier-rehearsals.ts';
import { type ClockOptions, openRehearsalClock } from './rehearsal-clock.ts';

export type TestSubscriber = Awaited<ReturnType<typeof createTestSubscriber>>;

/** Metadata key on subscription and customer: a rehearsal's plugin recovers only marked ones. */
export const REHEARSAL_MARK = 'payment_retry_rehearsal';

const MONTHLY_AMOUNT = 2_000;

export interface SubscriberOptions extends ClockOptions {
  /** Thrown between two steps when somebody has had enough. */
  readonly signal: AbortSignal;
}

/** Throws after everything was removed. */
export async function createTestSubscriber(stripe: Stripe, options: SubscriberOptions) {
  const clock = await openRehearsalClock(stripe, options);
  try {
    return { ...clock, ...(await createObjects(stripe, clock.clockId, options.signal)) };
  } catch (error) {
    await clock.clear();
    throw error;
  }
}

async function createObjects(stripe: Stripe, clock: string, signal: AbortSignal) {
  const metadata = { [REHEARSAL_MARK]: clock };
  const customer = await stripe.customers.create({
    name: 'Rehearsal of Payment Retry',
    test_clock: clock,
    metadata,
  });
  /** Makes one of Stripe's test cards the customer's. */
  const giveCard = async (testCard: string) => {
    await changeCard(stripe, customer.id, testCard);
  };
  await giveCard('pm_card_visa');
  signal.throwIfAborted();
  const price = await stripe.prices.create({
    currency: 'usd',
    unit_amount: MONTHLY_AMOUNT,
    recurring: { interval: 'month' },
    product_data: { id: productOf(clock), name: 'Rehearsal of Payment Retry' },
  });
  signal.throwIfAborted();
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    metadata,
  });
  if (subscription.status !== 'active')
    throw new PluginError(
      'UPSTREAM_FAILED',
      `The subscription ${subscription.id} of the rehearsal is ${subscription.status} instead of active.`,
      { help: 'Look at its first invoice in the Stripe Dashboard (test mode), and at your Radar rules.' },
    );
  const [item] = subscription.items.data;
  return {
    customerId: customer.id,
    subscriptionId: subscription.id,
    /** When the running period ends. */
    renewsAt: item?.current_period_end ?? subscription.created,
    giveCard,
  };
}

/** Attaches one of Stripe's test cards and makes it the customer's default; gives its id there. */
export async function changeCard(stripe: Stripe, customer: string, testCard: string): Promise<string> {
  const { id } = await stripe.paymentMethods.attach(testCard, { customer });
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
  return id;
}
