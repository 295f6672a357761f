/** A listing service, a store and the poll between them, as tests need them. */
import { DateTime, type DurationLike } from 'luxon';
import { createSimulatedClock, type SimulatedClock } from '../../../../src/core/base/clock.ts';
import { createServiceClients } from '../../../../src/plugin/clients/service-client.ts';
import { type SyncActionsReport, syncActions } from '../../../../src/plugin/retry/instructions/poll.ts';
import type { ListingDeps } from '../../../../src/plugin/retry/instructions/read-listing.ts';
import { acceptInstruction } from '../../../../src/plugin/retry/instructions/source.ts';
import { OWN_ACCOUNT } from '../../../../src/plugin/settings/account.ts';
import {
  type Engine,
  MAIN,
  openTestDatabase,
  type TestDatabase,
} from '../../../support/database/databases.ts';
import {
  type ListingService,
  type ServiceRecord,
  startListingService,
} from '../../../support/http/listing-service.ts';
import { captureLog } from '../../../support/log-lines.ts';

export const START = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });

export interface ListingBench {
  readonly clock: SimulatedClock;
  readonly service: ListingService;
  readonly store: TestDatabase;
  readonly logLines: string[];
  /** The request ids that got a job, each as often as it got one. */
  readonly jobs: string[];
  /** Called for each job before it is taken. */
  onJob: () => void;
  deps: ListingDeps;
  run(): Promise<SyncActionsReport>;
  pass(duration: DurationLike): Promise<void>;
  /** A callback with this request id arrives. */
  callBack(requestId: string, invoiceId: string): Promise<boolean>;
  /** The stored history, by id. */
  history(): Promise<{ id: string; body: string; fate: string; problem: string | null }[]>;
  instructions(): Promise<{ id: string; source: string; invoiceId: string }[]>;
  reset(): Promise<void>;
  stop(): Promise<void>;
}

export async function createListingBench(engine: Engine = MAIN): Promise<ListingBench> {
  const clock = createSimulatedClock(START);
  const service = await startListingService(clock);
  const store = await openTestDatabase(engine);
  const { database } = store;
  // A power cut is not among what is tested, and waiting for the disk is most of the time.
  await database.exec('set synchronous_commit = off');
  const { logger, lines } = captureLog();
  const enqueue: ListingDeps['enqueue'] = async (_name, added) => {
    bench.onJob();
    for (const { data } of added) if ('requestId' in data) bench.jobs.push(data.requestId);
  };
  const createDeps = (): ListingDeps => ({
    database,
    clock,
    logger,
    enqueue,
    service: createServiceClients(() => ({ baseUrl: service.url, apiKey: 'key' }))(OWN_ACCOUNT),
  });
  const bench: ListingBench = {
    clock,
    service,
    store,
    logLines: lines,
    jobs: [],
    onJob: () => {},
    deps: createDeps(),
    run: () => syncActions(bench.deps, OWN_ACCOUNT),
    pass: (duration) => clock.set(clock.now().plus(duration)),
    callBack: (requestId, invoiceId) =>
      database.transaction((tx) =>
        acceptInstruction(tx, enqueue, {
          account: OWN_ACCOUNT,
          requestId,
          source: 'callback',
          receivedAt: clock.now(),
          type: 'suggestion',
          invoiceId,
          subscriptionId: undefined,
          suggestion: 'ACTION_SUGGESTION_RETRY',
          idealRetryAt: clock.now(),
          body: '{}',
        }),
      ),
    history: () =>
      database.query('select id, body, fate, problem from payment_retry.recovery_actions order by id'),
    instructions: () =>
      database.query(
        `select request_id as id, source, invoice_id as "invoiceId" from payment_retry.instructions
         order by issued_at, position`,
      ),
    reset: async () => {
      await store.clear();
      service.reset();
      lines.length = 0;
      bench.jobs.length = 0;
      bench.onJob = () => {};
      bench.deps = createDeps();
      await clock.set(START);
    },
    stop: async () => {
      await service.stop();
      await store.close();
    },
  };
  return bench;
}

/** The other record family: an instruction and nothing else. */
export function instructionRecord(
  requestId: string,
  createdAt: DateTime,
  changes: Record<string, unknown> = {},
): ServiceRecord {
  return {
    requestId,
    invoiceId: `in_${requestId}`,
    subscriptionId: 'sub_1',
    actionSuggestion: 'ACTION_SUGGESTION_RETRY',
    idealRetryTime: iso(createdAt.plus({ days: 1 })),
    createdAt: iso(createdAt),
    ...changes,
  };
}

/** The first record family, executed. */
export function executedRecord(
  id: string,
  executedAt: DateTime,
  changes: Record<string, unknown> = {},
): ServiceRecord {
  return {
    id,
    invoiceId: `in_${id}`,
    customerId: 'cus_1',
    currency: 'USD',
    type: 'RECOVERY_ACTION_TYPE_RETRY',
    status: 'RECOVERY_ACTION_STATUS_SUCCEEDED',
    createdAt: iso(executedAt.minus({ days: 1 })),
    executedAt: iso(executedAt),
    updatedAt: iso(executedAt),
    ...changes,
  };
}

export function iso(instant: DateTime): string {
  return instant.toUTC().toISO() ?? '';
}
