/** The one list of what an installation needs: for `doctor`, the console and the Stripe App. */
import type Stripe from 'stripe';
import type { Clock } from '../../../core/base/clock.ts';
import type { Database } from '../../../core/database/database.ts';
import { openSdk } from '../../clients/stripe-client.ts';
import type { Config } from '../../settings/config.ts';
import { checkAddress } from './address-checks.ts';
import { type Finding, finding } from './finding.ts';
import { checkEmail, checkService, type ResolveTxt } from './other-checks.ts';
import { checkStored } from './stored-checks.ts';
import { checkStripe } from './stripe-checks.ts';

export interface CheckDeps {
  readonly config: Config;
  readonly stripe: Stripe;
  readonly clock: Clock;
  /** Checks of the process that has the database open. */
  readonly checkStored: () => Promise<Finding[]>;
  readonly resolve?: ResolveTxt | undefined;
}

/** Runs the checks in the order of setting up. Asks Stripe, the service, the mail server and ourselves; changes nothing. */
export async function runChecks(deps: CheckDeps): Promise<Finding[]> {
  const { config, stripe, clock, checkStored, resolve } = deps;
  const [atStripe, stored, service, email, address] = await Promise.all([
    checkStripe(stripe, config, clock),
    checkStored(),
    checkService(config),
    checkEmail(config, resolve),
    checkAddress(config, clock),
  ]);
  return [
    describeSettings(config),
    ...atStripe,
    ...stored,
    ...address,
    service,
    ...email,
    // Stripe's API shows neither its retry schedule nor its emails (stripe-facts 4.1, 6.6).
    finding('stripe_settings', 'look', config.mode),
  ];
}

export function describeSettings({ mode, livemode }: Pick<Config, 'mode' | 'livemode'>): Finding {
  const money = livemode === undefined ? '' : livemode ? ', live mode' : ', test mode';
  return finding('settings', 'ok', `mode ${mode}${money}`);
}

/** Creates the checks of a running process for its pages. */
export function createChecks({
  config,
  database,
  clock,
}: Pick<CheckDeps, 'config' | 'clock'> & { readonly database: Database }): () => Promise<Finding[]> {
  const stripe = openSdk(config.stripe);
  const stored = () => checkStored({ config, database });
  return shareChecks(clock, () => runChecks({ config, clock, stripe, checkStored: stored }));
}

/** Seconds for which an answer is reused: a person who asks again has had time to fix something. */
const HOLDS_SECONDS = 5;

/** Those who ask at one time share one examination. */
export function shareChecks(clock: Clock, examine: () => Promise<Finding[]>): () => Promise<Finding[]> {
  let latest: { at: number; findings: Promise<Finding[]> } | undefined;
  return () => {
    const now = clock.now().toMillis();
    if (!latest || Math.abs(now - latest.at) > HOLDS_SECONDS * 1_000) {
      const begun = { at: now, findings: examine() };
      latest = begun;
      begun.findings.catch(() => {
        if (latest === begun) latest = undefined;
      });
    }
    return latest.findings;
  };
}
