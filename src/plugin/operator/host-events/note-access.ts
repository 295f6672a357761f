/** Notifies the host when a customer's access ends or is restored. */
import type { Clock } from '../../../core/base/clock.ts';
import { DatabaseBusyError } from '../../../core/base/errors.ts';
import type { Database } from '../../../core/database/database.ts';
import { keepAccess, takeAccessChanges } from '../../store/tables/access-changes.ts';
import { type AccessRules, judgeAccess } from '../lists/access.ts';
import { findAccessFacts } from '../lists/customer-state.ts';

interface AccessDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly config: AccessRules;
}

const AT_ONCE = 100;

/** Failures must be refreshed before. */
export async function noteAccess({ database, clock, config }: AccessDeps): Promise<void> {
  const isMore = await database
    .transaction(async (tx) => {
      const now = clock.now();
      const keys = await takeAccessChanges(tx, { now, limit: AT_ONCE });
      for (const key of keys ?? [])
        await keepAccess(tx, key, judgeAccess(config, await findAccessFacts(tx, key), now), now);
      return keys !== undefined;
    })
    .catch((error: unknown) => {
      if (error instanceof DatabaseBusyError) return false;
      throw error;
    });
  if (isMore) await noteAccess({ database, clock, config });
}
