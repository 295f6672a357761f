const FIRST_MS = 1_000;
const LIMIT_MS = 5 * 60_000;

/** The service's requested pause, but at least our own. */
export function pauseMs(askedMs: number | undefined, ownMs: number): number {
  return Math.max(askedMs ?? 0, ownMs);
}

/** Milliseconds to wait after consecutive failures: doubling from one second to five minutes, half of it jitter. `random` is from 0 to 1. */
export function backoffMs(failures: number, random: number): number {
  const full = Math.min(LIMIT_MS, FIRST_MS * 2 ** Math.min(failures, 20));
  return Math.round(full / 2 + (full / 2) * random);
}

const FIRST_ODD_MS = 60_000;
/** Well within the limit of a claim (`isClaimed`). */
const LONGEST_ODD_MS = 15 * 60_000;

/** Milliseconds to wait after an odd answer, by the number of such answers before. */
export function oddWaitMs(before: number): number {
  return Math.min(LONGEST_ODD_MS, FIRST_ODD_MS * 2 ** before);
}
