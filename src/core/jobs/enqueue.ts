/** Requests for work, without the queue that does it. */
import type { DateTime } from 'luxon';
import type { Transaction } from '../database/database.ts';

export interface EnqueueOptions {
  startAfter?: DateTime;
  /** Key of a `short` or `exclusive` queue: a second waiting job with it is not added. */
  key?: string;
  /** A UUID; a job with an existing id is not added again. */
  id?: string;
  /** Highest first among due jobs, then oldest; default 0. */
  priority?: number;
}

/** The interface that producers of work depend on. */
export type Enqueue<Data> = <Name extends keyof Data & string>(
  name: Name,
  jobs: readonly (EnqueueOptions & { data: Data[Name] })[],
  tx?: Transaction,
) => Promise<void>;
