/** What a rehearsal leaves at Stripe whose process was killed: the next one removes it. */
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { fromUnixSeconds } from '../kit/clock.ts';
import {
  findFate,
  identifyProcess,
  type ProcessIdentity,
  processIdentitySchema,
} from '../store/engine/process-identity.ts';

const NAME = 'Payment Retry rehearsal';
const KEPT = `${NAME}, kept`;
/** No rehearsal lasts as long: one whose process cannot be looked at from here is over. */
const OVER_AFTER = { hours: 1 } as const;

/** Of a test clock: says which process plays, so that the rehearsal after this one can tell whether it is over. */
export function nameOfClock(isKept: boolean): string {
  return isKept ? KEPT : `${NAME} ${JSON.stringify(identifyProcess())}`;
}

/** Removes the test clocks of rehearsals that are over, with all that hangs on them. Returns the ids of the clocks. */
export async function removeEarlier(stripe: Stripe, now: DateTime): Promise<string[]> {
  const removed: string[] = [];
  for await (const clock of stripe.testHelpers.testClocks.list({ limit: 100 })) {
    if (!isLeft(clock, now)) continue;
    for await (const { items } of stripe.subscriptions.list({ test_clock: clock.id, status: 'all' }))
      for (const { price } of items.data) await archive(stripe, price);
    await stripe.testHelpers.testClocks.del(clock.id);
    removed.push(clock.id);
  }
  return removed;
}

function isLeft({ name, created }: Stripe.TestHelpers.TestClock, now: DateTime): boolean {
  if (!name?.startsWith(NAME) || name === KEPT) return false;
  const maker = parseMaker(name.slice(NAME.length));
  const fate = maker ? findFate(maker) : 'unknown';
  return fate === 'gone' || (fate === 'unknown' && fromUnixSeconds(created).plus(OVER_AFTER) < now);
}

function parseMaker(text: string): ProcessIdentity | undefined {
  try {
    return processIdentitySchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** A product that has prices cannot be deleted. */
export async function archive(stripe: Stripe, price: Stripe.Price): Promise<void> {
  await stripe.prices.update(price.id, { active: false });
  const product = typeof price.product === 'string' ? price.product : price.product.id;
  await stripe.products.update(product, { active: false });
}
