import { ApiError, invalidParameter, resourceMissing, unexecuted } from '../api-error.ts';
import { twinRunning } from './idempotency-store.ts';
import { rateLimited } from './rate-limits.ts';

/**
 * Faults of a call besides its own errors. `state_conflict`: a 400 caused by the payment's current step. `amount_too_small`: a
 * permanent 400. `missing`: a 404, as if deleted. `permission_denied`: the key lacks the right. `server_error`: a 500 stored
 * under the key; nothing is done. `server_error_before`: a 503 that is not stored. `drop_before`: the connection breaks,
 * nothing is done. `drop_after`: the work is done and stored, then the connection breaks.
 */
export type ApiFault =
  | 'rate_limit'
  | 'lock_timeout'
  | 'server_error'
  | 'server_error_before'
  | 'conflict'
  | 'state_conflict'
  | 'amount_too_small'
  | 'missing'
  | 'permission_denied'
  | 'drop_before'
  | 'drop_after';

export interface FaultPlan {
  /** The next `times` calls that fit get the fault. A text pattern must equal the path; `/v1` may be left out. */
  next(
    method: 'GET' | 'POST' | 'DELETE',
    pathPattern: RegExp | string,
    fault: ApiFault,
    times?: number,
  ): void;
  /**
   * The next call that fits stops after taking its idempotency key and its object's lock, until released:
   * meanwhile a twin gets 409 and another call to the same object gets `lock_timeout`.
   */
  hold(method: 'GET' | 'POST' | 'DELETE', pathPattern: RegExp | string): Hold;
  clear(): void;
}

export interface Hold {
  /** Settles when the call has arrived and stopped. */
  readonly arrived: Promise<void>;
  release(): void;
}

/** The server's questions to the fault plan. */
export interface FaultSource {
  takeFault(method: string, path: string): ApiFault | undefined;
  takeHold(method: string, path: string): (() => Promise<void>) | undefined;
}

interface Planned<T> {
  matches: (method: string, path: string) => boolean;
  left: number;
  what: T;
}

export function createFaultPlan(): FaultPlan & FaultSource {
  let faults: Planned<ApiFault>[] = [];
  let holds: Planned<{ stop: () => Promise<void>; release: () => void }>[] = [];
  return {
    next(method, pathPattern, fault, times = 1) {
      faults.push({ matches: matcher(method, pathPattern), left: times, what: fault });
    },
    hold(method, pathPattern) {
      const arrival = gate();
      const release = gate();
      const stop = () => {
        arrival.open();
        return release.opened;
      };
      holds.push({ matches: matcher(method, pathPattern), left: 1, what: { stop, release: release.open } });
      return { arrived: arrival.opened, release: release.open };
    },
    clear() {
      for (const { what } of holds) what.release();
      faults = [];
      holds = [];
    },
    takeFault: (method, path) => take(faults, method, path),
    takeHold: (method, path) => take(holds, method, path)?.stop,
  };
}

function take<T>(planned: Planned<T>[], method: string, path: string): T | undefined {
  const found = planned.find(({ left, matches }) => left > 0 && matches(method, path));
  if (found === undefined) return undefined;
  found.left -= 1;
  return found.what;
}

function matcher(method: string, pattern: RegExp | string): (method: string, path: string) => boolean {
  return (actualMethod, path) =>
    actualMethod === method &&
    (typeof pattern === 'string' ? path === pattern || path === `/v1${pattern}` : pattern.test(path));
}

function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Faults that answer before the endpoint runs; the others are the server's own business. */
export const FAULT_ERRORS: Readonly<Record<ApiFault, (() => ApiError) | undefined>> = {
  rate_limit: rateLimited,
  lock_timeout: lockTimeout,
  conflict: twinRunning,
  state_conflict: () =>
    invalidParameter("This PaymentIntent's state does not allow that now.", {
      code: 'payment_intent_unexpected_state',
    }),
  amount_too_small: () =>
    invalidParameter('Amount must be at least $0.50 usd.', { code: 'amount_too_small' }),
  missing: () => resourceMissing('object', 'of that id'),
  permission_denied: () =>
    unexecuted(403, {
      type: 'invalid_request_error',
      message: 'The provided key does not have the required permissions for this endpoint.',
    }),
  server_error_before: () =>
    unexecuted(503, { type: 'api_error', message: 'The service is temporarily unavailable.' }),
  server_error: undefined,
  drop_before: undefined,
  drop_after: undefined,
};

export function lockTimeout(): ApiError {
  return unexecuted(
    429,
    {
      type: 'invalid_request_error',
      code: 'lock_timeout',
      message: 'This object cannot be accessed right now because another API request is accessing it.',
    },
    { 'Stripe-Should-Retry': 'true' },
  );
}

export function storedServerError(): ApiError {
  return new ApiError(500, { type: 'api_error', message: 'An unknown error occurred.' }, { isStored: true });
}
