/** A backfill over lists in memory and a real database: any size of page, and a failure wherever a test wants one. */
import type { DateTime } from 'luxon';
import Stripe from 'stripe';
import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import type { ListRequest } from '../../../../src/plugin/clients/reads/stripe-lists.ts';
import { createStripeClient } from '../../../../src/plugin/clients/stripe-client.ts';
import type { BackfillRequest } from '../../../../src/plugin/jobs/queues.ts';
import { findLastReport } from '../../../../src/plugin/store/reports/backfill-report.ts';
import { type BackfillDeps, createBackfill } from '../../../../src/plugin/sync/backfill/backfill.ts';
import type { TestDatabase } from '../../../support/database/databases.ts';
import { captureLog } from '../../../support/log-lines.ts';
import { buildSubscription } from '../../../support/stripe/stripe-objects.ts';
import { usualConfig } from '../../../support/usual-config.ts';

export const ACCOUNT = 'own';

export interface BackfillBench {
  /** What Stripe has, in any order. */
  readonly subscriptions: Map<string, Stripe.Subscription>;
  readonly clock: ReturnType<typeof createSimulatedClock>;
  readonly requests: ListRequest[];
  /** Ids read one by one. */
  readonly readAlone: string[];
  /** What was asked of other queues. */
  readonly jobs: { name: string; startAfter: DateTime | undefined }[];
  readonly lines: string[];
  readonly hooks: { pageSize: () => number; onList: () => void; onListed: () => Promise<void> | void };
  /** Runs slices until none is asked for, or one fails. */
  run(kind?: BackfillRequest['kind']): Promise<void>;
  /** What the job that a sweep made does, or one that was asked for earlier. */
  handle(request: Partial<BackfillRequest>): Promise<void>;
  /** As the schedule asks for it. */
  runScheduled(): Promise<void>;
  report(): ReturnType<typeof findLastReport>;
}

export function createBackfillBench(store: TestDatabase, start: DateTime): BackfillBench {
  const clock = createSimulatedClock(start);
  const { logger, lines } = captureLog();
  const subscriptions: BackfillBench['subscriptions'] = new Map();
  const requests: ListRequest[] = [];
  const readAlone: string[] = [];
  const jobs: BackfillBench['jobs'] = [];
  const hooks: BackfillBench['hooks'] = { pageSize: () => 100, onList: () => {}, onListed: () => {} };
  const client = createStripeClient({
    stripe: { secretKey: 'sk_test_bench', apiBase: new URL('http://127.0.0.1:9') },
  });
  const deps: BackfillDeps = {
    config: usualConfig({ forward: { invoices: false, transactions: false, offered: [], to: 'embedded' } }),
    database: store.database,
    clock,
    logger,
    random: () => 0.5,
    accounts: { find: () => undefined },
    admit: async () => {},
    businessEntity: async () => 'Bench Inc.',
    enqueue: async (name, added) => {
      jobs.push(...added.map(({ startAfter }) => ({ name, startAfter })));
    },
    stripe: {
      ...client,
      atPace: (_endpoint, _perSecond, ask) => ask(),
      findSubscription: async (_account, id) => {
        readAlone.push(id);
        return toResponse(subscriptions.get(id));
      },
      listSubscriptions: async (request) => {
        requests.push(request);
        hooks.onList();
        const page = listPage([...subscriptions.values()], request, hooks.pageSize());
        await hooks.onListed();
        return page;
      },
    },
  };
  const { handle } = createBackfill(deps);
  return {
    subscriptions,
    clock,
    requests,
    readAlone,
    jobs,
    lines,
    hooks,
    run: async (kind = 'backfill') => {
      for (;;) {
        jobs.length = 0;
        await handle({ account: ACCOUNT, kind, months: 12, perSecond: 20 });
        if (!jobs.some(({ name }) => name === 'backfill')) return;
        if (jobs.some(({ startAfter }) => startAfter && startAfter > clock.now())) return;
      }
    },
    handle: (request) =>
      handle({ account: ACCOUNT, kind: 'backfill', months: 12, perSecond: 20, ...request }),
    runScheduled: () =>
      handle({ account: ACCOUNT, kind: 'reconciliation', months: 2, perSecond: 5, isScheduled: true }),
    report: () => findLastReport(store.database, ACCOUNT),
  };
}

/** Newest first; of one second in the order of ids, from the last one down. */
function listPage(all: readonly Stripe.Subscription[], { from, to, after }: ListRequest, size: number) {
  const key = ({ created, id }: Stripe.Subscription) => `${String(created).padStart(12, '0')} ${id}`;
  const cursor = all.find(({ id }) => id === after);
  const listed = all
    .filter(({ created }) => created >= from && created <= to)
    .filter((one) => cursor === undefined || key(one) < key(cursor))
    .sort((a, b) => (key(a) < key(b) ? 1 : -1));
  return { data: listed.slice(0, size), hasMore: listed.length > size };
}

function toResponse<T>(object: T): (T & { lastResponse: never }) | undefined {
  return object === undefined ? undefined : Object.assign({}, object, { lastResponse: undefined as never });
}

export function makeSubscription(id: string, created: number, changes: Partial<Stripe.Subscription> = {}) {
  return buildSubscription({ id, created, start_date: created, ...changes });
}

export function throttled(): Error {
  return new Stripe.errors.StripeRateLimitError({
    message: 'Too fast.',
    statusCode: 429,
    type: 'rate_limit_error',
  });
}
