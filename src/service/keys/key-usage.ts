/** When each key was used last, to the minute: a write a request would cost more than most requests do. */
import type { DateTime } from 'luxon';
import type { Logger } from '../../kit/logger.ts';
import type { Database } from '../../store/engine/database.ts';
import { recordKeyUse } from '../store/api-key-hashes.ts';

export type NoteUse = (keyId: string, now: DateTime) => Promise<void>;

const EVERY_MS = 60_000;

/** A request is answered although its use could not be written down. */
export function createUsageNotes(database: Database, logger: Logger): NoteUse {
  const notedAtMs = new Map<string, number>();
  return async (keyId, now) => {
    const before = notedAtMs.get(keyId);
    if (before !== undefined && Math.abs(now.toMillis() - before) < EVERY_MS) return;
    notedAtMs.set(keyId, now.toMillis());
    await recordKeyUse(database, keyId, now).catch((error: unknown) => {
      notedAtMs.delete(keyId);
      logger.warn({ err: error, keyId }, 'the last use of a key could not be recorded');
    });
  };
}
