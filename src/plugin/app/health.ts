/** Whether the plugin works: for a host's own health answer, and behind `/readyz`. */
import { type ErrorCode, PluginError, StoreUnavailableError } from '../../core/base/errors.ts';
import type { Database } from '../../core/database/database.ts';
import { listStalledQueues } from '../../core/database/queued-jobs.ts';
import { listPauses } from '../store/tables/retry/pauses.ts';
import { checkWrites } from '../store/tables/sync/prompt-writes.ts';

/** It takes what comes in, and does its work, but for what is named. */
export interface Ready {
  readonly status: 'ready';
  /** A person, or the limit on charges, has paused payments and mails. */
  readonly effects?: 'paused';
  /** Queues whose jobs wait for too long. */
  readonly stalled?: readonly string[];
}

/** What `plugin.health()` answers. */
export type Health =
  | Ready
  /** Senders are answered with 503 and try again. */
  | { readonly status: 'unavailable'; readonly code: ErrorCode; readonly message: string };

interface HealthDeps {
  readonly database: Database;
  /** The number of this process. */
  readonly processId: () => number | undefined;
}

/** Paused or stalled, it is ready all the same: what comes in must be received. Throws StoreUnavailableError. */
export async function readReadiness({ database, processId }: HealthDeps): Promise<Ready> {
  try {
    await checkWrites(database, processId());
    const [pauses, queues] = [await listPauses(database), await listStalledQueues(database)];
    return {
      status: 'ready',
      ...(pauses.length > 0 ? { effects: 'paused' } : {}),
      ...(queues.length > 0 ? { stalled: queues.map(({ name }) => name) } : {}),
    };
  } catch (error) {
    throw new StoreUnavailableError(error);
  }
}

/** Never rejects. */
export async function askHealth(read: () => Promise<Ready>): Promise<Health> {
  try {
    return await read();
  } catch (error) {
    const { code, message } =
      error instanceof PluginError ? error : new PluginError('INTERNAL', 'The log has the cause.');
    return { status: 'unavailable', code, message };
  }
}
