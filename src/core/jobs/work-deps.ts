import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Database } from '../database/database.ts';
import type { Enqueue } from './enqueue.ts';

/** Dependencies of nearly all work. */
export interface BaseDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Dependencies of work that asks for more work. */
export interface WorkDeps<Payloads> extends BaseDeps {
  readonly enqueue: Enqueue<Payloads>;
}
