/** The Stripe objects of a rehearsal: all of them hang on a test clock, and go with it (stripe-facts 8.1). */
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { PluginError } from '../kit/errors.ts';
import { archiveProduct, nameOfClock, productOf } from './earlier-rehearsals.ts';

export type Wait = (ms: number) => Promise<void>;

export interface TestSubscriber {
  readonly clockId: string;
  readonly customerId: string;
  readonly subscriptionId: string;
  /** When the running period ends. */
  readonly renewsAt: number;
  /** Makes one of Stripe's test cards the customer's. */
  giveCard(testCard: string): Promise<void>;
  /** Resolves once Stripe has done what falls due until then. */
  advanceTo(instant: DateTime): Promise<void>;
  /** Removes everything; what Stripe does not let go is archived. */
  clear(): Promise<void>;
}

/** On subscription and customer: the plugin of a rehearsal recovers what has it, and nothing else. */
export const REHEARSAL_MARK = 'payment_retry_rehearsal';

const POLL_MS = 2_000;
/** Stripe takes seconds for a month, rarely a minute. */
const MOST_POLLS = 300;
const MONTHLY_AMOUNT = 2_000;

export interface SubscriberOptions {
  readonly now: DateTime;
  readonly wait: Wait;
  readonly isKept: boolean;
  /** Thrown between two steps when somebody has had enough. */
  readonly signal: AbortSignal;
}

/** Throws after everything was removed. */
export async function createTestSubscriber(
  stripe: Stripe,
  { now, wait, isKept, signal }: SubscriberOptions,
): Promise<TestSubscriber> {
  const clock = await stripe.testHelpers.testClocks.create({
    frozen_time: Math.floor(now.toSeconds()),
    name: nameOfClock(isKept),
  });
  const cleanUps = [() => stripe.testHelpers.testClocks.del(clock.id)];
  const clear = async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  };
  try {
    return { ...(await createObjects(stripe, clock, { wait, cleanUps, signal })), clear };
  } catch (error) {
    await clear();
    throw error;
  }
}

async function createObjects(
  stripe: Stripe,
  clock: Stripe.TestHelpers.TestClock,
  {
    wait,
    cleanUps,
    signal,
  }: Pick<SubscriberOptions, 'wait' | 'signal'> & { cleanUps: (() => Promise<unknown>)[] },
): Promise<Omit<TestSubscriber, 'clear'>> {
  const metadata = { [REHEARSAL_MARK]: clock.id };
  const customer = await stripe.customers.create({
    name: 'Rehearsal of Payment Retry',
    test_clock: clock.id,
    metadata,
  });
  const giveCard = (testCard: string) => changeCard(stripe, customer.id, testCard);
  await giveCard('pm_card_visa');
  signal.throwIfAborted();
  cleanUps.unshift(() => archiveProduct(stripe, clock.id));
  const price = await stripe.prices.create({
    currency: 'usd',
    unit_amount: MONTHLY_AMOUNT,
    recurring: { interval: 'month' },
    product_data: { id: productOf(clock.id), name: 'Rehearsal of Payment Retry' },
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
    clockId: clock.id,
    customerId: customer.id,
    subscriptionId: subscription.id,
    renewsAt: item?.current_period_end ?? clock.frozen_time,
    giveCard,
    advanceTo: (instant) => advance(stripe, clock.id, { to: Math.floor(instant.toSeconds()), wait }),
  };
}

async function changeCard(stripe: Stripe, customer: string, testCard: string): Promise<void> {
  const method = await stripe.paymentMethods.attach(testCard, { customer });
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: method.id } });
}

async function advance(
  stripe: Stripe,
  clockId: string,
  { to, wait }: { to: number; wait: Wait },
): Promise<void> {
  const { testClocks } = stripe.testHelpers;
  await testClocks.advance(clockId, { frozen_time: to });
  for (let poll = 0; poll < MOST_POLLS; poll += 1) {
    const { status } = await testClocks.retrieve(clockId);
    if (status === 'ready') return;
    if (status === 'internal_failure') break;
    await wait(POLL_MS);
  }
  throw new PluginError('UPSTREAM_FAILED', `Stripe's test clock ${clockId} did not arrive at ${to}.`, {
    help: 'Try again later; status.stripe.com says whether test mode has a problem.',
  });
}
