/** What a rehearsal leaves at Stripe whose process was killed: the next one removes it. */
import { hostname } from 'node:os';
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { fromUnixSeconds } from '../clock.ts';

const NAME = 'Payment Retry rehearsal';
const KEPT = `${NAME}, kept`;
/** No rehearsal lasts as long; earlier, one on another machine is not known to be over. */
const OVER_AFTER = { hours: 1 } as const;

/** Of a test clock: by it the rehearsal after this one knows whether this one is over. */
export function nameOfClock(isKept: boolean): string {
  return isKept ? KEPT : `${NAME}, process ${process.pid} on ${hostname()}`;
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
  if (name === null || !name.startsWith(NAME) || name === KEPT) return false;
  if (fromUnixSeconds(created).plus(OVER_AFTER) < now) return true;
  const [, pid, host] = /^, process (\d+) on (.+)$/.exec(name.slice(NAME.length)) ?? [];
  // In a container every process has the same number: this one's clock is not made yet.
  return host === hostname() && (Number(pid) === process.pid || !isAlive(Number(pid)));
}

/** Signal 0 asks without disturbing; one that may not be asked is alive. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A product that has prices cannot be deleted. */
export async function archive(stripe: Stripe, price: Stripe.Price): Promise<void> {
  await stripe.prices.update(price.id, { active: false });
  const product = typeof price.product === 'string' ? price.product : price.product.id;
  await stripe.products.update(product, { active: false });
}
