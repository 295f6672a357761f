/** What a rehearsal leaves at Stripe whose process was killed: the next one removes it. */
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { fromUnixSeconds } from '../../core/base/clock.ts';
import { tryJson } from '../../core/base/try-json.ts';
import { findFate, identifyProcess, processIdentitySchema } from '../../core/database/process-identity.ts';
import { orUndefined } from '../../plugin/clients/stripe-refusals.ts';

const NAME = 'Payment Retry rehearsal';
const KEPT = `${NAME}, kept`;
/** No rehearsal lasts as long: one whose process cannot be looked at from here is over. */
const OVER_AFTER = { hours: 1 } as const;

/** Names a test clock after the process that plays, so that the next rehearsal can tell whether it is over. */
export function nameOfClock(isKept: boolean): string {
  return isKept ? KEPT : `${NAME} ${JSON.stringify(identifyProcess())}`;
}

/** Removes the test clocks of rehearsals that are over, with all that hangs on them. Returns the ids of the clocks. */
export async function removeEarlier(stripe: Stripe, now: DateTime): Promise<string[]> {
  const removed: string[] = [];
  for await (const clock of stripe.testHelpers.testClocks.list({ limit: 100 })) {
    if (!isLeft(clock, now)) continue;
    await archiveProduct(stripe, clock.id);
    await stripe.testHelpers.testClocks.del(clock.id);
    removed.push(clock.id);
  }
  return removed;
}

function isLeft({ name, created }: Stripe.TestHelpers.TestClock, now: DateTime): boolean {
  if (!name?.startsWith(NAME) || name === KEPT) return false;
  const maker = processIdentitySchema.safeParse(tryJson(name.slice(NAME.length))).data;
  const fate = maker ? findFate(maker) : 'unknown';
  return fate === 'gone' || (fate === 'unknown' && fromUnixSeconds(created).plus(OVER_AFTER) < now);
}

/** It does not hang on the clock, so that its id says whose it is. */
export const productOf = (clockId: string) => `payment_retry_rehearsal_${clockId}`;

/** A product that has prices cannot be deleted. Nothing if the rehearsal did not come to make one. */
export async function archiveProduct(stripe: Stripe, clockId: string): Promise<void> {
  const product = productOf(clockId);
  for await (const price of stripe.prices.list({ product, active: true }))
    await stripe.prices.update(price.id, { active: false });
  await orUndefined(() => stripe.products.update(product, { active: false }));
}
