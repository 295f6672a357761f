/** What Stripe lets the key do, by calls that change nothing: reads of one object, and writes to objects that do not exist. */
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import type { Clock } from '../../../core/base/clock.ts';
import { messageWithCause } from '../../../core/base/errors.ts';
import type { Config } from '../../settings/config.ts';
import { type Finding, finding } from './finding.ts';
import { inspectPortal, PORTAL_FAULTS } from './portal-configuration.ts';
import { ENDPOINTS, listPlans } from './webhook-endpoint.ts';

/** No object has this id: a write to it ends with "no such …" where the key may write. */
const NOBODY = 'payment_retry_doctor';

type Attempt = (stripe: Stripe, config: Config) => Promise<unknown>;

/** By the permission's name in the Dashboard. */
const PERMISSIONS: Readonly<Record<string, Attempt>> = {
  'Events (read)': (stripe) => stripe.events.list({ limit: 1 }),
  'Subscriptions (read)': (stripe) => stripe.subscriptions.list({ limit: 1 }),
  'Prices (read)': (stripe) => stripe.prices.list({ limit: 1 }),
  'Products (read)': (stripe) => stripe.products.list({ limit: 1 }),
  'Customers (read)': (stripe) => stripe.customers.list({ limit: 1 }),
  'Sources (read)': (stripe) => stripe.customers.retrieveSource(`cus_${NOBODY}`, `src_${NOBODY}`),
  'Payment Methods (read)': (stripe) => stripe.paymentMethods.retrieve(`pm_${NOBODY}`),
  'Charges (read)': (stripe) => stripe.charges.list({ limit: 1 }),
  'Disputes (read)': (stripe) => stripe.disputes.list({ limit: 1 }),
  'Payment Intents (read)': (stripe) => stripe.paymentIntents.list({ limit: 1 }),
  'Invoices (read)': (stripe) => stripe.invoices.list({ limit: 1 }),
  'Invoices (write)': (stripe) => stripe.invoices.pay(`in_${NOBODY}`),
  'Customer portal (write)': (stripe) => stripe.billingPortal.sessions.create({ customer: `cus_${NOBODY}` }),
};
/** Only some settings need these. */
const CONDITIONAL: readonly { name: string; isNeeded: (config: Config) => boolean; attempt: Attempt }[] = [
  {
    name: 'Subscriptions (write)',
    isNeeded: ({ updateSubscriptionCard, afterGivingUp }) =>
      updateSubscriptionCard || afterGivingUp === 'cancel' || afterGivingUp === 'pause',
    attempt: (stripe) => stripe.subscriptions.update(`sub_${NOBODY}`, { description: '' }),
  },
  {
    name: 'Setup Intents (read)',
    isNeeded: ({ backupMethods }) => backupMethods,
    attempt: (stripe) => stripe.setupIntents.list({ customer: `cus_${NOBODY}`, limit: 1 }),
  },
];

/** All that may be needed, by their names in the Dashboard. */
export function listPermissions(): string[] {
  return [...Object.keys(PERMISSIONS), ...CONDITIONAL.map(({ name }) => name)];
}

export async function checkStripe(stripe: Stripe, config: Config, clock: Clock): Promise<Finding[]> {
  const key = await checkKey(stripe, clock);
  if (key.some(({ state }) => state === 'problem')) return key;
  const wanted = [
    ...Object.entries(PERMISSIONS),
    ...CONDITIONAL.filter(({ isNeeded }) => isNeeded(config)).map(
      ({ name, attempt }) => [name, attempt] as const,
    ),
  ];
  const lacking: Finding[] = [];
  for (const [name, attempt] of wanted) {
    const objection = await tryIt(() => attempt(stripe, config));
    if (objection !== undefined)
      lacking.push(finding('stripe_permission', objection.state, `${name}${objection.why}`));
  }
  const permissions =
    lacking.length > 0 ? lacking : [finding('stripe_permission', 'ok', `${wanted.length} permissions tried`)];
  return [
    ...key,
    ...permissions,
    ...(await checkEndpoints(stripe, config)),
    await checkPortal(stripe, config),
  ];
}

/** Whether Stripe takes the key, and what time it is there. */
async function checkKey(stripe: Stripe, clock: Clock): Promise<Finding[]> {
  try {
    const { lastResponse } = await stripe.events.list({ limit: 1 });
    return [finding('stripe_key', 'ok'), checkTime(lastResponse.headers.date, clock)];
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return [finding('stripe_key', 'ok')];
    const isRefused = error instanceof Stripe.errors.StripeAuthenticationError;
    return [
      finding(
        'stripe_key',
        'problem',
        `${isRefused ? 'refused' : 'unreachable'}: ${messageWithCause(error)}`,
      ),
    ];
  }
}

/** Stripe's signatures hold for five minutes (stripe-facts 1.1). */
const WARN_SECONDS = 30;
const MOST_SECONDS = 240;

function checkTime(header: string | undefined, clock: Clock): Finding {
  const theirs = DateTime.fromHTTP(header ?? '');
  if (!theirs.isValid) return finding('stripe_clock', 'unknown', 'the answer had no date');
  const seconds = Math.round(Math.abs(clock.now().diff(theirs).as('seconds')));
  const state = seconds > MOST_SECONDS ? 'problem' : seconds > WARN_SECONDS ? 'warning' : 'ok';
  return finding('stripe_clock', state, `${seconds} s apart`);
}

/** Undefined where the key may: what does not exist was not refused for want of a permission. */
async function tryIt(
  call: () => Promise<unknown>,
): Promise<{ state: 'problem' | 'unknown'; why: string } | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return { state: 'problem', why: '' };
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return undefined;
    return { state: 'unknown', why: `: ${messageWithCause(error)}` };
  }
}

async function checkEndpoints(stripe: Stripe, config: Config): Promise<Finding[]> {
  const form = config.stripeEvents;
  const hasConnectedAccounts =
    config.connectedAccounts.listed.size > 0 || config.connectedAccounts.others !== undefined;
  try {
    const findings: Finding[] = [];
    for (const plan of listPlans(config.publicUrl, { hasConnectedAccounts, form })) {
      const what = plan.isForConnect ? `${plan.url} (connected accounts)` : plan.url;
      const [endpoint] = await ENDPOINTS[form].find(stripe, plan);
      if (!endpoint) findings.push(finding('webhook_endpoint', 'problem', `none for ${what}`, 'connect'));
      else if (endpoint.faults.length === 0) findings.push(finding('webhook_endpoint', 'ok', what));
      else
        findings.push(
          finding('webhook_endpoint', 'problem', `${endpoint.id}: ${describeFaults(endpoint)}`, 'connect'),
        );
    }
    return findings;
  } catch (error) {
    return [finding('webhook_endpoint', 'unknown', messageWithCause(error))];
  }
}

function describeFaults({
  faults,
  missing,
}: {
  faults: readonly string[];
  missing: readonly string[];
}): string {
  const words: Record<string, string> = {
    disabled: 'it is disabled',
    events: `it does not send ${missing.join(', ')}`,
    version: 'its API version is not ours',
    accounts: 'it does not send the events of connected accounts',
  };
  return faults.map((fault) => words[fault] ?? fault).join('; ');
}

async function checkPortal(stripe: Stripe, config: Config): Promise<Finding> {
  try {
    const { fault, methods } = await inspectPortal(stripe, config);
    if (fault !== undefined) return finding('portal', 'problem', PORTAL_FAULTS[fault], 'portal');
    if (methods !== undefined) return finding('portal', 'ok', methods.join(', '));
    const reading = 'Payment Method Configurations (read)';
    return finding('portal', 'ok', `which payment methods it offers is not known without ${reading}`);
  } catch (error) {
    return finding('portal', 'unknown', messageWithCause(error));
  }
}
