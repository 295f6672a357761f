/** Orders requests to Stripe in this process: payments before reads before backfills. Tokens are shared by all processes and fetched in batches. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Most urgent first. */
const URGENCIES = ['payment', 'read', 'backfill'] as const;
export type Urgency = (typeof URGENCIES)[number];

/** Share of a second's tokens left to more urgent requests. */
const RESERVE: Readonly<Record<Urgency, number>> = { payment: 0, read: 0.2, backfill: 0.4 };
/** Share of a second's tokens in a batch: rarely fetched, and little lost if the process stops asking. */
const BATCH_SHARE = 0.125;
const TOKEN_LIFE_MS = 1_000;
const WAIT_MS = 50;

export interface TokenSource {
  take(request: { key: string; rate: number; wanted: number; reserve: number }): Promise<number>;
  slowDown(key: string, rate: number): Promise<void>;
}

export type RequestBudget = ReturnType<typeof createRequestBudget>;

export function createRequestBudget(source: TokenSource, nowMs: () => number) {
  const buckets = new Map<string, ReturnType<typeof createBucket>>();
  const of = (key: string, rate: number) => {
    const known = buckets.get(key) ?? createBucket(source, { key, rate, nowMs });
    buckets.set(key, known);
    return known;
  };
  return {
    /** Resolves when a request may be sent. */
    acquire: (key: string, rate: number, urgency: Urgency) => of(key, rate).acquire(urgency),
    slowDown: (key: string, rate: number) => source.slowDown(key, rate),
  };
}

interface BucketOptions {
  readonly key: string;
  readonly rate: number;
  readonly nowMs: () => number;
}

function createBucket(source: TokenSource, { key, rate, nowMs }: BucketOptions) {
  const waiting: Record<Urgency, (() => void)[]> = { payment: [], read: [], backfill: [] };
  let tokens = 0;
  let goodUntilMs = 0;
  let isFetching = false;
  const isGood = () => tokens > 0 && nowMs() < goodUntilMs;
  const mostUrgent = () => URGENCIES.find((urgency) => waiting[urgency].length > 0);

  async function fetchAll(): Promise<void> {
    isFetching = true;
    try {
      for (let urgency = mostUrgent(); urgency; urgency = mostUrgent()) {
        const asked = URGENCIES.reduce((sum, each) => sum + waiting[each].length, 0);
        const wanted = Math.max(Math.ceil(rate * BATCH_SHARE), Math.min(asked, Math.ceil(rate / 2)));
        tokens = await source.take({ key, rate, wanted, reserve: Math.floor(rate * RESERVE[urgency]) });
        goodUntilMs = nowMs() + TOKEN_LIFE_MS;
        const isEmpty = tokens === 0;
        for (let next = mostUrgent(); next && tokens > 0; next = mostUrgent()) {
          tokens -= 1;
          waiting[next].shift()?.();
        }
        if (isEmpty) await sleep(WAIT_MS);
      }
    } finally {
      // Cleared in the same turn as the last check: a later request fetches again.
      isFetching = false;
    }
  }

  return {
    acquire: async (urgency: Urgency): Promise<void> => {
      if (isGood() && mostUrgent() === undefined) {
        tokens -= 1;
        return;
      }
      const turn = new Promise<void>((resolve) => waiting[urgency].push(resolve));
      if (!isFetching) void fetchAll();
      await turn;
    },
  };
}

const backfilling = new AsyncLocalStorage<true>();

/** Gives the work's requests to Stripe the lowest priority. */
export function asBackfill<Result>(work: () => Promise<Result>): Promise<Result> {
  return backfilling.run(true, work);
}

export function isBackfill(): boolean {
  return backfilling.getStore() === true;
}
