/**
 * Decides whether a callback address may be called. After some failures in a row it rests for a pause that doubles, then one
 * instruction tries for all. A fault of one instruction is not the address's failure: the instruction has its own back-off.
 * Pure.
 */
import type { DateTime } from 'luxon';
import { stableUuid } from '../../core/base/stable-uuid.ts';
import type { ReceiverState } from '../store/callback-receivers.ts';

/** `probe`: it may call, as the only one. */
export type Admission = { kind: 'pass' } | { kind: 'probe' } | ({ kind: 'wait' } & Pause);

export interface Pause {
  until: DateTime;
  /** Those that wait come back one after the other in this time: the longer the pause, the more there may be. */
  spreadSeconds: number;
}

export interface Failure {
  actionId: string;
  answer: string;
  /** The receiver's own wish. */
  retryAt: DateTime | undefined;
  now: DateTime;
}

const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_SECONDS = 60;
const MAX_PAUSE_SECONDS = 30 * 60;
const MIN_SPREAD_SECONDS = 15;

export function admit(state: ReceiverState | undefined, now: DateTime): Admission {
  if (!state?.openUntil) return { kind: 'pass' };
  if (state.openUntil > now && state.failingSince <= now)
    return { kind: 'wait', ...pauseOf(state, state.openUntil) };
  if (state.probeUntil && state.probeUntil > now)
    return { kind: 'wait', until: state.probeUntil, spreadSeconds: MIN_SPREAD_SECONDS };
  return { kind: 'probe' };
}

export function pauseOf({ pauseSeconds }: ReceiverState, until: DateTime): Pause {
  return { until, spreadSeconds: Math.max(pauseSeconds / 4, MIN_SPREAD_SECONDS) };
}

export function afterFailure(state: ReceiverState | undefined, failure: Failure): ReceiverState {
  const { actionId, answer, now } = failure;
  if (!state) {
    const fresh = { pauseSeconds: 0, openUntil: null, probeUntil: null };
    return { ...fresh, failures: 1, lastFailed: actionId, lastAnswer: answer, failingSince: now };
  }
  const noted = { ...state, lastFailed: actionId, lastAnswer: answer };
  // It was on its way when the address was given up: the pause has begun already.
  if (state.openUntil && state.openUntil > now) return noted;
  const failures = state.failures + (state.openUntil || state.lastFailed !== actionId ? 1 : 0);
  if (failures < FAILURES_TO_OPEN) return { ...noted, failures };
  const pauseSeconds = Math.min(Math.max(state.pauseSeconds * 2, FIRST_PAUSE_SECONDS), MAX_PAUSE_SECONDS);
  const openUntil = latest(now.plus({ seconds: pauseSeconds }), failure.retryAt);
  return { ...noted, failures, pauseSeconds, openUntil, probeUntil: null };
}

/**
 * When an instruction that has to wait asks again. Each in another order after each pause, so that one which always fails
 * does not try for all each time.
 */
export function comeBackAt({ until, spreadSeconds }: Pause, actionId: string): DateTime {
  const chance = Number.parseInt(stableUuid(`${actionId} ${until.toMillis()}`).slice(0, 8), 16) / 2 ** 32;
  return until.plus({ milliseconds: Math.floor(chance * spreadSeconds * 1000) });
}

function latest(one: DateTime, other: DateTime | undefined): DateTime {
  return other && other > one ? other : one;
}
