/** How a queue is described, what its jobs carry, and who handles them. */
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Database } from '../database/database.ts';
import type { Measures } from '../telemetry/measures.ts';

/** How one queue behaves. Times in seconds, as pg-boss takes them. */
export interface QueueSpec<Data = object> {
  /** `short` keeps at most one waiting job for a key, `exclusive` one that waits or runs; the default takes all. */
  readonly policy?: 'standard' | 'short' | 'exclusive';
  /** Of one account a single job runs at a time, in whichever process. */
  readonly isSerial?: boolean;
  /** Jobs of one account that run side by side. */
  readonly concurrency: number;
  readonly batchSize: number;
  readonly retry: {
    readonly retryLimit?: number;
    readonly retryDelay?: number;
    readonly retryDelayMax?: number;
  };
  /** A job that takes longer is given to another worker. */
  readonly expireSeconds: number;
  /** Sends one job a minute, an hour … for work that must happen though nothing asked for it. */
  readonly cron?: Cron<Data> | readonly Cron<Data>[];
}

/** Of several for one queue each has a key of its own. */
export interface Cron<Data> {
  readonly at: string;
  readonly data: Data;
  readonly key?: string;
}

export interface JobHandler<Data> {
  handle(data: Data): Promise<void>;
  /** The last retry failed too. The job is kept in the dead-letter queue besides. */
  onDead?(data: Data, error: unknown): Promise<void>;
}

/** One row of a table of queues. */
export function queue<Data extends object>(spec: QueueSpec<Data>): QueueSpec<Data> {
  return spec;
}

export type PayloadsOf<Table> = {
  [Name in keyof Table]: Table[Name] extends QueueSpec<infer Data> ? Data : never;
};

/** Any interface that maps queue names to what their jobs carry. */
export type Payloads<Data> = { readonly [Name in keyof Data]: object };

export type QueueTable<Data> = { readonly [Name in keyof Data]: QueueSpec<Data[Name]> };
export type HandlerTable<Data> = { readonly [Name in keyof Data]: JobHandler<Data[Name]> };

export interface JobsOptions<Data> {
  database: Database;
  clock: Clock;
  logger: Logger;
  schema: string;
  queues: QueueTable<Data>;
  measures?: Measures;
  /** Processes on one PostgreSQL tell each other of jobs that they add and do not work on. */
  areTold?: boolean;
}

export function keysOf<Data>(table: QueueTable<Data>): (keyof Data & string)[] {
  const names: (keyof Data & string)[] = [];
  for (const name in table) names.push(name);
  return names;
}
