/** What Stripe lets the key do, by calls that change nothing: reads of one object, and writes to objects that do not exist. */
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import type { Clock } from '../../../core/base/clock.ts';
import { messageWithCause } from '../../../core/base/errors.ts';
import { capitalize } from '../../../core/base/sentence-case.ts';
import type { Config } from '../../settings/config.ts';
import { type Finding, finding } from './finding.ts';
import { inspectPortal, PORTAL_FAULTS } from './portal-configuration.ts';
import {
  ENDPOINTS,
  type EndpointFault,
  type FoundEndpoint,
  findForm,
  listPlans,
} from './webhook-endpoint.ts';

/** No object has this id: a write to it ends with "no such …" where the key may write. */
const NOBODY = 'payment_retry_doctor';

type Attempt = (stripe: Stripe) => Promise<unknown>;

/** The permissions of the key, as an app's manifest names them, each with a call that no other permission allows. */
const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  event_read: (stripe) => stripe.events.list({ limit: 1 }),
  subscription_read: (stripe) => stripe.subscriptions.list({ limit: 1 }),
  plan_read: (stripe) => stripe.prices.list({ limit: 1 }),
  product_read: (stripe) => stripe.products.list({ limit: 1 }),
  customer_read: (stripe) => stripe.customers.list({ limit: 1 }),
  source_read: (stripe) => stripe.customers.retrieveSource(`cus_${NOBODY}`, `src_${NOBODY}`),
  payment_method_read: (stripe) => stripe.paymentMethods.retrieve(`pm_${NOBODY}`),
  charge_read: (stripe) => stripe.charges.list({ limit: 1 }),
  dispute_read: (stripe) => stripe.disputes.list({ limit: 1 }),
  payment_intent_read: (stripe) => stripe.paymentIntents.list({ limit: 1 }),
  invoice_read: (stripe) => stripe.invoices.list({ limit: 1 }),
  invoice_write: (stripe) => stripe.invoices.pay(`in_${NOBODY}`),
  customer_portal_write: (stripe) => stripe.billingPortal.sessions.create({ customer: `cus_${NOBODY}` }),
  connected_account_read: (stripe) => stripe.accounts.retrieveCurrent(),
  mandate_read: (stripe) => stripe.mandates.retrieve(`mandate_${NOBODY}`),
  subscription_write: (stripe) => stripe.subscriptions.update(`sub_${NOBODY}`, { description: '' }),
  setup_intent_read: (stripe) => stripe.setupIntents.list({ customer: `cus_${NOBODY}`, limit: 1 }),
};

/** Settings that need a permission; every other permission is always needed. */
const NEEDED_IF: Readonly<Record<string, (config: Config) => boolean>> = {
  connected_account_read: ({ businessEntity, stripeAppSecrets }) =>
    businessEntity === undefined || stripeAppSecrets !== undefined,
  // Events come by webhook, independent of the key's rights.
  mandate_read: () => false,
  setup_intent_read: ({ backupMethods }) => backupMethods,
};

export const TRIED_PERMISSIONS: readonly string[] = Object.keys(ATTEMPTS);

const NAMES: Readonly<Record<string, string>> = {
  plan: 'Prices',
  customer_portal: 'Customer portal',
  connected_account: 'Accounts',
};

/** Names a permission as the Dashboard does: `payment_intent_read` is `Payment Intents (read)`. */
export function namePermission(id: string): string {
  const [, resource = '', right = ''] = /^(.+)_(read|write)$/.exec(id) ?? [];
  const words = resource.split('_').map(capitalize);
  return `${NAMES[resource] ?? `${words.join(' ')}s`} (${right})`;
}

export async function checkStripe(stripe: Stripe, config: Config, clock: Clock): Promise<Finding[]> {
  const key = await checkKey(stripe, config, clock);
  if (key.some(({ state }) => state === 'problem')) return key;
  const permissions = await checkPermissions(stripe, config);
  return [
    ...key,
    ...permissions,
    ...(await checkEndpoints(stripe, config)),
    await checkPortal(stripe, config),
  ];
}

/** Compares the key with the manifest of the app that hands out keys. */
async function checkPermissions(stripe: Stripe, config: Config): Promise<Finding[]> {
  const lacking: Finding[] = [];
  const spared: string[] = [];
  for (const [id, attempt] of Object.entries(ATTEMPTS)) {
    const objection = await tryIt(() => attempt(stripe));
    if (objection === undefined) continue;
    const name = namePermission(id);
    if (NEEDED_IF[id]?.(config) === false) spared.push(name);
    else lacking.push(finding('stripe_permission', objection.state, `${name}${objection.why}`));
  }
  if (lacking.length > 0) return lacking;
  const rest = spared.length === 0 ? '' : `; not needed with these settings: ${spared.join(', ')}`;
  const granted = `${TRIED_PERMISSIONS.length - spared.length} of ${TRIED_PERMISSIONS.length}`;
  return [finding('stripe_permission', 'ok', `${granted} in the app's manifest${rest}`)];
}

/** Checks that Stripe accepts the key, that the key is a restricted one, and what time it is there. */
async function checkKey(stripe: Stripe, { stripe: { secretKey } }: Config, clock: Clock): Promise<Finding[]> {
  const accepted = secretKey.startsWith('sk_')
    ? finding('stripe_key', 'warning', 'a secret key, which may do everything in the account')
    : finding('stripe_key', 'ok');
  try {
    const { lastResponse } = await stripe.events.list({ limit: 1 });
    return [accepted, checkTime(lastResponse.headers.date, clock)];
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return [accepted];
    const what = error instanceof Stripe.errors.StripeAuthenticationError ? 'refused' : 'unreachable';
    return [finding('stripe_key', 'problem', `${what}: ${messageWithCause(error)}`)];
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
  const hasConnectedAccounts =
    config.connectedAccounts.listed.size > 0 || config.connectedAccounts.others !== undefined;
  try {
    const findings: Finding[] = [];
    const form = await findForm(stripe, config.publicUrl);
    for (const plan of listPlans(config.publicUrl, { hasConnectedAccounts, form })) {
      const what = plan.isForConnect ? `${plan.url} (connected accounts)` : plan.url;
      const [endpoint] = await ENDPOINTS[form].find(stripe, plan);
      const problem = endpoint ? `${endpoint.id}: ${describeFaults(endpoint)}` : `none for ${what}`;
      findings.push(
        endpoint?.faults.length === 0
          ? finding('webhook_endpoint', 'ok', what)
          : finding('webhook_endpoint', 'problem', problem, 'connect'),
      );
    }
    return findings;
  } catch (error) {
    return [finding('webhook_endpoint', 'unknown', messageWithCause(error))];
  }
}

function describeFaults({ faults, missing }: FoundEndpoint): string {
  const words: Readonly<Record<EndpointFault, string>> = {
    disabled: 'it is disabled',
    events: `it does not send ${missing.join(', ')}`,
    version: 'its API version is not ours',
    accounts: 'it does not send the events of connected accounts',
  };
  return faults.map((fault) => words[fault]).join('; ');
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
