const FIRST_MS = 1_000;
const LIMIT_MS = 5 * 60_000;

/** What the service asked for, never sooner than our own back-off; else our own. */
export function pauseMs(askedMs: number | undefined, ownMs: number): number {
  return Math.max(askedMs ?? 0, ownMs);
}

/**
 * How long to wait after `failures` failures in a row, in milliseconds: doubling from one second to five minutes, of
 * which a random half is jitter so that many waiters do not return at once. `random` is from 0 to 1.
 */
export function backoffMs(failures: number, random: number): number {
  const full = Math.min(LIMIT_MS, FIRST_MS * 2 ** Math.min(failures, 20));
  return Math.round(full / 2 + (full / 2) * random);
}

const FIRST_ODD_MS = 60_000;
/** Well within what a claim may last (`isClaimed`). */
const LONGEST_ODD_MS = 15 * 60_000;

/** Wait after a success that confirms nothing, by how many such answers came before it. */
export function oddWaitMs(before: number): number {
  return Math.min(LONGEST_ODD_MS, FIRST_ODD_MS * 2 ** before);
}
