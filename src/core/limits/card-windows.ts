/**
 * Waits that attempts made with a card impose on one more: the networks' counts in their windows (stripe-facts 5.5 to 5.7), and the
 * distance from an attempt of the same amount for another invoice (stripe-facts 5.11). Guards and policy ask here. Pure.
 */
import type { AttemptLimits } from './attempt-limits.ts';
import { listCounted } from './paid-since.ts';
import { equalAmountHours, isOfOther } from './usual-limits.ts';

const DAY_HOURS = 24;
export const CAP_DAYS = 30;
const MS_PER_HOUR = 3_600_000;

/** An attempt with the card, of any invoice. */
export interface CardTry {
  readonly atMs: number;
  /** Minor units; unknown may be as much. */
  readonly amount?: number | undefined;
  /** The card network that was used, where it is known. */
  readonly network?: string | undefined;
  readonly isPaid?: boolean | undefined;
}

/** The most declines in a number of hours; `rule`: the network's own figure. */
export interface WindowLimit {
  readonly network?: string;
  readonly max: number;
  readonly hours: number;
  readonly rule?: number;
  readonly isOneAmount?: true;
}

/** One more attempt, whenever it is made. */
export interface NextTry {
  readonly amount: number;
  /** Those that the card may go by: several on a card with two brands. Which one is used is Stripe's choice. */
  readonly networks: readonly string[];
  /** The country in which the card was issued. */
  readonly country: string | undefined;
  readonly limits: AttemptLimits;
}

/** Stricter than the networks' own figures. */
function windowsOf(network: string | undefined, limits: AttemptLimits): readonly WindowLimit[] {
  const month = CAP_DAYS * DAY_HOURS;
  if (network === 'visa') return [{ network, max: limits.visaPer30Days, hours: month, rule: 20 }];
  if (network !== 'mastercard') return [{ max: limits.otherCardPer30Days, hours: month }];
  return [
    { network, max: limits.mastercardPer24Hours, hours: DAY_HOURS, rule: 10 },
    { network, max: limits.mastercardPer30Days, hours: month, rule: 35, isOneAmount: true },
  ];
}

/** Returns the longest wait at a moment, with its limit; undefined where one more attempt then keeps every window. */
export function createWindowCheck(
  tries: readonly CardTry[],
  { amount, networks, country, limits }: NextTry,
): (nowMs: number) => { readonly untilMs: number; readonly limit: WindowLimit } | undefined {
  const counted = [...listCounted(tries, country)].sort((one, other) => one.atMs - other.atMs);
  const asked = networks.length > 0 ? networks : [undefined];
  const windows = asked.flatMap((network) => {
    // An attempt counts for the network that was used; for every one if that is not known, or not of this card.
    const own = counted.filter(({ network: used }) => !used || used === network || !networks.includes(used));
    return windowsOf(network, limits).flatMap((limit) => {
      const alike = own.filter((one) => !limit.isOneAmount || (one.amount ?? amount) === amount);
      const oldestThatMustLeave = alike.at(-limit.max);
      if (!oldestThatMustLeave) return [];
      return { limit, untilMs: oldestThatMustLeave.atMs + limit.hours * MS_PER_HOUR };
    });
  });
  return (nowMs) => findLongest(windows.filter(({ untilMs }) => untilMs > nowMs));
}

interface EqualTry extends CardTry {
  readonly subscriptionId?: string | null | undefined;
}

/** Returns the latest attempt of the same amount for another invoice that asks for the longest distance, and until when. */
export function findEqualRest<Try extends EqualTry>(
  tries: readonly Try[],
  { amount, subscriptionId }: { readonly amount: number; readonly subscriptionId: string | undefined },
): { readonly attempt: Try; readonly untilMs: number } | undefined {
  const rests = tries
    .filter((one) => one.amount === amount)
    .map((attempt) => {
      const { isPaid = false, subscriptionId: other, atMs } = attempt;
      const hours = equalAmountHours({ isPaid, isOfOther: isOfOther(subscriptionId, other) });
      return { attempt, untilMs: atMs + hours * MS_PER_HOUR };
    });
  return findLongest(rests.reverse());
}

/** The longest wait; of equals the first. */
function findLongest<Wait extends { readonly untilMs: number }>(waits: readonly Wait[]): Wait | undefined {
  return waits.reduce<Wait | undefined>(
    (longest, wait) => (longest && longest.untilMs >= wait.untilMs ? longest : wait),
    undefined,
  );
}
