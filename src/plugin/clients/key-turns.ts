/** Limits of requests to a service: the contract allows a key five at a time and a hundred a second (stripe-facts 12.4). */
import { createHash } from 'node:crypto';
import { createKeyedQueues } from '../../core/base/keyed-queues.ts';

export const CONCURRENCY = 5;
const REQUESTS_PER_SECOND = 90;

/** Resolves when a request under the key may be sent, across processes; its result ends the turn. */
export type TakeTurn = (key: string) => Promise<() => Promise<void>>;

interface Keyed {
  readonly baseUrl: URL;
  readonly apiKey: string;
  /** Set if the service runs in this process. */
  readonly fetch?: unknown;
}

/** Accounts with keys of their own never wait for each other. A service in this process has no other callers. */
export function createKeyTurns(takeTurn: TakeTurn | undefined) {
  const queues = createKeyedQueues({
    concurrency: CONCURRENCY,
    interval: 1000,
    intervalCap: REQUESTS_PER_SECOND,
  });
  return <Result>(address: Keyed, ask: () => Promise<Result>): Promise<Result> => {
    const name = `${address.baseUrl.href} ${address.apiKey}`;
    return queues.of(name).add(async () => {
      const endTurn = address.fetch ? undefined : await takeTurn?.(hidden(name));
      try {
        return await ask();
      } finally {
        await endTurn?.();
      }
    });
  };
}

/** Hashed, because the key is a secret. */
const hidden = (name: string) => `service ${createHash('sha256').update(name).digest('base64url')}`;
