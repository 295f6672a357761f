import { Duration } from 'luxon';
import type { Clock } from '../../../core/base/clock.ts';
import { type ApiError, unexecuted } from '../api-error.ts';

export interface ApiAnswer {
  status: number;
  /** JSON text, so that a replay is the same byte for byte. */
  body: string;
  headers: Readonly<Record<string, string>>;
}

/** Stripe's memory of answers by key (stripe-facts 3.8). */
export interface IdempotencyStore {
  /** The stored answer; undefined claims the key for this request. Throws on other parameters or a running twin. */
  begin(key: string, fingerprint: string): ApiAnswer | undefined;
  /** Keeps the answer, or frees the key when nothing was executed. */
  end(key: string, answer: ApiAnswer, isStored: boolean): void;
}

const LIFETIME = Duration.fromObject({ hours: 24 });

interface Entry {
  fingerprint: string;
  atMs: number;
  answer: ApiAnswer | undefined;
}

export function createIdempotencyStore(clock: Clock): IdempotencyStore {
  const entries = new Map<string, Entry>();
  return {
    begin(key, fingerprint) {
      const now = clock.now().toMillis();
      const entry = entries.get(key);
      if (entry === undefined || now - entry.atMs > LIFETIME.toMillis()) {
        entries.set(key, { fingerprint, atMs: now, answer: undefined });
        return undefined;
      }
      if (entry.fingerprint !== fingerprint) throw otherParameters(key);
      if (entry.answer === undefined) throw twinRunning();
      return entry.answer;
    },
    end(key, answer, isStored) {
      const entry = entries.get(key);
      if (entry === undefined) return;
      if (isStored) entry.answer = answer;
      else entries.delete(key);
    },
  };
}

export function twinRunning(): ApiError {
  return unexecuted(409, {
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message: 'There is currently another in-progress request using this Idempotency Key.',
  });
}

function otherParameters(key: string): ApiError {
  return unexecuted(400, {
    type: 'idempotency_error',
    message: `Keys for idempotent requests can only be used with the same parameters they were first used with ('${key}').`,
  });
}
