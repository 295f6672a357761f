/** A Stripe test clock, with all that hangs on it, from its beginning to its removal (stripe-facts 8.1). */
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { PluginError } from '../../core/base/errors.ts';
import type { StripeKey } from '../../plugin/settings/stripe-settings.ts';
import { archiveProduct, nameOfClock } from './earlier-rehearsals.ts';

export type Wait = (ms: number) => Promise<void>;

export type RehearsalClock = Awaited<ReturnType<typeof openRehearsalClock>>;

export interface ClockOptions {
  readonly now: DateTime;
  readonly wait: Wait;
  readonly isKept: boolean;
}

const POLL_MS = 2_000;
/** Stripe takes seconds for a month, rarely a minute. */
const MOST_POLLS = 300;

/** Throws where the key is not a test key: customers and charges are made with it. */
export function requireTestMode({ livemode, stripe }: StripeKey): void {
  if (livemode === false) return;
  throw new PluginError('CONFIG_INVALID', `The key ${stripe.secretKey.slice(0, 8)}… is not a test key.`, {
    help: 'A rehearsal makes customers and charges: set STRIPE_SECRET_KEY to a test key (sk_test_… or rk_test_…).',
  });
}

export async function openRehearsalClock(stripe: Stripe, { now, wait, isKept }: ClockOptions) {
  const { id } = await stripe.testHelpers.testClocks.create({
    frozen_time: Math.floor(now.toSeconds()),
    name: nameOfClock(isKept),
  });
  return {
    clockId: id,
    /** Resolves once Stripe has done what falls due until then. */
    advanceTo: (instant: DateTime) => advance(stripe, id, { to: Math.floor(instant.toSeconds()), wait }),
    /** Removes everything; what Stripe does not let go is archived. */
    clear: async () => {
      await stripe.testHelpers.testClocks.del(id);
      await archiveProduct(stripe, id);
    },
  };
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
