/** Records that fit no message, so that the service does not receive them. */
import type { Queryable } from '../../../../core/database/database.ts';
import type { Reason } from '../../../reasons/reason.ts';
import { MIRROR_TABLES, type MirroredKey, type MirroredKind } from './mirrors.ts';

export const MIRRORED_KINDS: readonly MirroredKind[] = ['subscriptions', 'invoices'];

export interface UnmappedRecord extends MirroredKey {
  reason: Reason;
}

/** Leaves out ended objects, unless the service received one before and believes it is active. */
export function listUnmapped(db: Queryable) {
  const branches = MIRRORED_KINDS.map(
    (kind) => `select account, '${kind}' as kind, id, unmapped_reason as reason from ${MIRROR_TABLES[kind]}
      where unmapped_reason is not null and (delivered_version is not null
        or status not in ('canceled', 'incomplete_expired', 'paid', 'void', 'deleted'))`,
  );
  return db.query<UnmappedRecord>(`${branches.join(' union all ')} order by kind desc, account, id`);
}

/** Requests another read in the next sweep; all without `ids`. Returns their ids. */
export function replayUnmapped(db: Queryable, kind: MirroredKind, ids?: readonly string[]) {
  return db.listValues<string>(
    `update ${MIRROR_TABLES[kind]} set is_reread_asked = true
     where unmapped_reason is not null and ($1::text[] is null or id = any($1::text[])) returning id`,
    [ids],
  );
}

/** Records that a person wants read again. */
export function listRereadAsked(db: Queryable, limit: number) {
  const branches = MIRRORED_KINDS.map(
    (kind) => `select account, '${kind}' as kind, id from ${MIRROR_TABLES[kind]}
      where unmapped_reason is not null and is_reread_asked`,
  );
  return db.query<MirroredKey>(`${branches.join(' union all ')} limit $1`, [limit]);
}

/** Ends a reread. `isGone`: Stripe no longer has the object, so there is nothing to send. */
export async function settleReread(
  db: Queryable,
  { account, kind, id }: MirroredKey,
  { isGone }: { isGone: boolean },
) {
  await db.query(
    `update ${MIRROR_TABLES[kind]} set is_reread_asked = false,
       unmapped_reason = case when $3::boolean then null else unmapped_reason end
     where account = $1 and id = $2`,
    [account, id, isGone],
  );
}
