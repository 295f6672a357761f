/** Queue options, payloads and handlers. */
import type { Measures } from '../telemetry/measures.ts';
import type { BaseDeps } from './work-deps.ts';

/** Behaviour of a queue. Times in seconds, as in pg-boss. */
export interface QueueSpec<Data = object> {
  /** `short` keeps one waiting job a key, `exclusive` one waiting or running; the default keeps all. */
  readonly policy?: 'standard' | 'short' | 'exclusive';
  /** An account runs one job at a time, in any process. */
  readonly isSerial?: boolean;
  /** Parallel jobs of an account. */
  readonly concurrency: number;
  /** Most jobs taken together. */
  readonly batchSize: number;
  readonly retry: {
    readonly retryLimit?: number;
    readonly retryDelay?: number;
    readonly retryDelayMax?: number;
  };
  /** A longer job is given to another worker. */
  readonly expireSeconds: number;
  /** Adds jobs on a schedule. */
  readonly cron?: Cron<Data> | readonly Cron<Data>[];
}

/** Several schedules of a queue need different keys. */
export interface Cron<Data> {
  readonly at: string;
  readonly data: Data;
  readonly key?: string;
}

export interface JobHandler<Data> {
  handle(data: Data): Promise<void>;
  /** Called after the last retry. The job is also kept in the dead-letter queue. */
  onDead?(data: Data, error: unknown): Promise<void>;
}

/** A row of a table of queues. */
export function queue<Data extends object>(spec: QueueSpec<Data>): QueueSpec<Data> {
  return spec;
}

export type PayloadsOf<Table> = {
  [Name in keyof Table]: Table[Name] extends QueueSpec<infer Data> ? Data : never;
};

/** Maps queue names to payloads. */
export type Payloads<Data> = { readonly [Name in keyof Data]: object };

export type QueueTable<Data> = { readonly [Name in keyof Data]: QueueSpec<Data[Name]> };
export type HandlerTable<Data> = { readonly [Name in keyof Data]: JobHandler<Data[Name]> };

export interface JobsOptions<Data> extends BaseDeps {
  schema: string;
  queues: QueueTable<Data>;
  measures?: Measures;
}

export function keysOf<Data>(table: QueueTable<Data>): (keyof Data & string)[] {
  const names: (keyof Data & string)[] = [];
  for (const name in table) names.push(name);
  return names;
}
