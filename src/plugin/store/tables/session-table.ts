/** Sessions of the operator's pages. */

import type { Database } from '../../../core/database/database.ts';
import type { SessionRow, SessionTable } from '../../../core/web/sign-in/sessions.ts';

/** More than one sign-in adds, so that old sessions never pile up. */
const REMOVED_AT_ONCE = 100;

export function createSessionTable(database: Database): SessionTable {
  return {
    insert: async ({ idHash, name, access, createdAt, seenAt }, { createdAfter, seenAfter }) => {
      await database.query(
        `delete from payment_retry.sessions where id_hash in (
           select id_hash from payment_retry.sessions where seen_at <= $1 or created_at <= $2
           limit ${REMOVED_AT_ONCE} for update skip locked
         )`,
        [seenAfter, createdAfter],
      );
      await database.query(
        `insert into payment_retry.sessions (id_hash, name, access, created_at, seen_at) values ($1, $2, $3, $4, $5)`,
        [idHash, name, access, createdAt, seenAt],
      );
    },
    find: async (idHash, { createdAfter, seenAfter }) => {
      return database.find<SessionRow>(
        `select id_hash, name, access, created_at, seen_at from payment_retry.sessions
         where id_hash = $1 and seen_at > $2 and created_at > $3`,
        [idHash, seenAfter, createdAfter],
      );
    },
    touch: async (idHash, now) => {
      await database.query(`update payment_retry.sessions set seen_at = $2 where id_hash = $1`, [
        idHash,
        now,
      ]);
    },
    remove: async (idHash) => {
      await database.query(`delete from payment_retry.sessions where id_hash = $1`, [idHash]);
    },
  };
}
