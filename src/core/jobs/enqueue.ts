/** How work is asked for, without the queue that does it. */
import type { DateTime } from 'luxon';
import type { Transaction } from '../database/database.ts';

export interface EnqueueOptions {
  startAfter?: DateTime;
  /** For `short` and `exclusive` queues: a second waiting job with this key is not added. */
  key?: string;
  /** A job whose id exists already is not added again. A UUID. */
  id?: string;
  /** Of those that are due the highest comes first, then the oldest; 0 without it. */
  priority?: number;
}

/** The part that producers of work depend on. */
export type Enqueue<Data> = <Name extends keyof Data & string>(
  name: Name,
  jobs: readonly (EnqueueOptions & { data: Data[Name] })[],
  tx?: Transaction,
) => Promise<void>;
