/** The payment retry service that ships inside this package. The plugin speaks with it over HTTP alone. */
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { Express } from 'express';
import type { Clock } from '../clock.ts';
import { StoreUnavailableError } from '../errors.ts';
import { createJobs, type HandlerTable, type Jobs } from '../jobs/jobs.ts';
import type { Logger } from '../logger.ts';
import type { Database } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';
import { hashApiKey } from './api-keys.ts';
import { checkOptions } from './check-options.ts';
import { decideCase } from './decide-case.ts';
import { createHttpApp } from './http-app.ts';
import { addressOf, closeServer, listen } from './listen.ts';
import { giveUpSending, sendInstruction } from './send-instruction.ts';
import { type ServicePayloads, serviceQueues } from './service-queues.ts';
import { listApiKeyHashes, replaceApiKeys } from './store/api-key-hashes.ts';
import { listOverdueCases } from './store/payment-cases.ts';
import { keepSetting } from './store/service-settings.ts';

export interface RetryServiceOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  host: string;
  /** 0 takes any free port. */
  port: number;
  organization?: string;
  apiKeys: readonly string[];
  /** Instructions go to `${baseUrl}/recovery_action`. */
  callback: { baseUrl: string; token: string };
  defaultTimeZone: string;
  /** For each key. The contract's limit is 100. */
  requestsPerSecond?: number;
  /** Believe `X-Forwarded-Proto`: only behind a proxy that sets it. */
  trustProxy?: boolean;
}

export interface RetryService {
  /** Where it listens; of use once started. */
  readonly url: string;
  /** The HTTP side, to mount in an Express application instead of listening. */
  readonly router: Express;
  start(): Promise<void>;
  /** Stops listening and working. The database stays open: it is the caller's. */
  stop(): Promise<void>;
  /** Runs every job that is due by the clock; returns how many. */
  drain(): Promise<number>;
  nextDueAt(): Promise<Date | undefined>;
}

const DEFAULT_REQUESTS_PER_SECOND = 100;
const SCHEMA = 'retry_service';

/** Checks the options (ConfigError); nothing is opened before `start`. */
export async function createRetryService(options: RetryServiceOptions): Promise<RetryService> {
  checkOptions(options);
  const { database, clock, logger } = options;
  const organization = options.organization ?? 'default';
  const jobs = createJobs<ServicePayloads>({
    database,
    clock,
    logger,
    schema: 'retry_service_jobs',
    queues: serviceQueues,
  });
  const access = createAccess(database, organization);
  const router = createHttpApp({
    database,
    clock,
    logger,
    organization,
    enqueue: jobs.enqueue,
    requestsPerSecond: options.requestsPerSecond ?? DEFAULT_REQUESTS_PER_SECOND,
    trustProxy: options.trustProxy ?? false,
    ...access,
  });
  let server: Server | undefined;

  return {
    get url() {
      return addressOf(server, options);
    },
    router,
    start: async () => {
      await migrate(database, SCHEMA, new URL('./migrations/', import.meta.url));
      await replaceApiKeys(database, organization, options.apiKeys.map(hashApiKey), clock.now());
      await jobs.start(createHandlers(options, organization, jobs));
      await resumeOverdue(options, organization, jobs);
      server = await listen(router, options).catch(async (error: unknown) => {
        await jobs.stop();
        throw error;
      });
      logger.info({ url: addressOf(server, options) }, 'the retry service is listening');
    },
    stop: async () => {
      if (server) await closeServer(server);
      await jobs.stop();
    },
    drain: jobs.drain,
    nextDueAt: jobs.nextDueAt,
  };
}

function createHandlers(
  options: RetryServiceOptions,
  organization: string,
  { enqueue }: Jobs<ServicePayloads>,
): HandlerTable<ServicePayloads> {
  const deps = { ...options, organization, enqueue };
  return {
    decide: { handle: ({ invoiceId }) => decideCase(deps, invoiceId) },
    send: {
      handle: ({ actionId }) => sendInstruction(deps, actionId),
      onDead: ({ actionId }) => giveUpSending(deps, actionId),
    },
  };
}

/** A case whose review job was lost, or outlived by a long stop, is looked at now. */
async function resumeOverdue(
  { database, clock }: RetryServiceOptions,
  organization: string,
  { enqueue }: Jobs<ServicePayloads>,
): Promise<void> {
  const overdue = await listOverdueCases(database, organization, clock.now());
  await enqueue(
    'decide',
    overdue.map((invoiceId) => ({ data: { invoiceId } })),
  );
}

/** Keys and the token's signing key as the database has them, read once and kept. */
function createAccess(database: Database, organization: string) {
  let hashes: readonly string[] | undefined;
  let tokenKey: Buffer | undefined;
  return {
    knownKeyHashes: async () => {
      hashes ??= await listApiKeyHashes(database, organization).catch(refuseWithoutStore);
      return hashes;
    },
    tokenKey: async () => {
      const fresh = randomBytes(32).toString('base64');
      tokenKey ??= Buffer.from(
        await keepSetting(database, organization, 'page_token_key', fresh).catch(refuseWithoutStore),
        'base64',
      );
      return tokenKey;
    },
  };
}

function refuseWithoutStore(cause: unknown): never {
  throw new StoreUnavailableError(cause);
}
