/** A running service on its own database, a simulated clock and a receiver, and how to speak with it. */
import { DateTime, type DurationLike } from 'luxon';
import { createSimulatedClock, type SimulatedClock } from '../../src/core/base/clock.ts';
import { silentLogger } from '../../src/core/base/logger.ts';
import { type RecoveryActionRecord, recoveryActionsPage } from '../../src/core/contract/contract.ts';
import type { Database } from '../../src/core/database/database.ts';
import { openDatabase } from '../../src/core/database/open-database.ts';
import { createRetryService, type RetryServiceOptions } from '../../src/service/service.ts';
import { type Engine, MAIN } from '../support/database/databases.ts';
import { type CallbackReceiver, createCallbackReceiver } from './send/callback-receiver.ts';
import { START } from './service-messages.ts';

export const API_KEY = 'key_for_tests';

const TABLES = [
  ...['subscriptions', 'invoices', 'transactions', 'cases', 'recovery_actions', 'callback_receivers'].map(
    (name) => `retry_service.${name}`,
  ),
  'retry_service_jobs.job',
];

export interface Harness {
  readonly database: Database;
  readonly clock: SimulatedClock;
  readonly receiver: CallbackReceiver;
  readonly url: string;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  drain(): Promise<number>;
  /** Another process of the same service, started and stopped at once. */
  restart(): Promise<void>;
  /** Moves the clock and runs what falls due, at the moment it falls due. */
  pass(duration: DurationLike): Promise<void>;
  /** The same in so many steps, each however much falls due in it: for long times in which little is looked at. */
  leap(step: DurationLike, times: number): Promise<void>;
  listAll(query?: string): Promise<RecoveryActionRecord[]>;
  clear(): Promise<void>;
  stop(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

export async function startHarness(
  overrides: Partial<RetryServiceOptions> = {},
  engine: Engine = MAIN,
): Promise<Harness> {
  const { location, remove } = await engine.createMigrated();
  const database = await openDatabase(location);
  const clock = createSimulatedClock(START);
  const receiver = await createCallbackReceiver();
  const options: RetryServiceOptions = {
    database,
    clock,
    logger: silentLogger,
    host: '127.0.0.1',
    port: 0,
    organizations: [
      {
        name: 'default',
        apiKeys: [API_KEY],
        callback: { baseUrl: receiver.url, token: 'token_for_tests' },
      },
    ],
    defaultTimeZone: 'UTC',
    requestsPerSecond: 100_000,
    concurrentRequests: 1_000,
    ...overrides,
  };
  const service = createRetryService(options);
  await service.start();
  const call = (path: string, init: RequestInit) => ask(`${service.url}${path}`, init);
  const auth = { authorization: `Bearer ${API_KEY}` };
  const get: Harness['get'] = (path, headers = auth) => call(path, { headers });

  return {
    database,
    clock,
    receiver,
    url: service.url ?? '',
    get,
    post: (path, body, headers = auth) =>
      call(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    drain: service.drain,
    restart: async () => {
      const other = createRetryService(options);
      await other.start();
      await other.stop();
    },
    pass: async (duration) => {
      const end = clock.now().plus(duration);
      for (;;) {
        const due = await service.nextDueAt();
        if (!due || due.toMillis() > end.toMillis()) break;
        // The queue's back-off has microseconds, which are cut off: the job is due within the next millisecond.
        const soon = DateTime.fromMillis(due.toMillis() + 1);
        if (soon > clock.now()) await clock.set(soon);
        await service.drain();
      }
      await clock.set(end);
    },
    leap: async (step, times) => {
      for (let count = 0; count < times; count += 1) {
        await clock.set(clock.now().plus(step));
        await service.drain();
      }
    },
    listAll: async (query = '') => {
      const { body } = await get(`/v1/recovery_actions?orderBy=created_at&orderDirection=asc${query}`);
      return recoveryActionsPage.parse(body).recoveryActions;
    },
    clear: async () => {
      receiver.reset();
      // To truncate them takes PostgreSQL longer: they get new files.
      await database.exec(TABLES.map((table) => `delete from ${table}`).join(';'));
      await clock.set(START);
    },
    stop: async () => {
      await service.stop();
      await receiver.close();
      await database.close();
      await remove();
    },
  };
}

async function ask(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  const body: unknown = await response.json();
  return { status: response.status, headers: response.headers, body };
}
