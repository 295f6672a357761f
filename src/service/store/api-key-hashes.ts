/** What a request's key is looked up by. Only hashes are kept. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../store/engine/database.ts';

/** Keeps exactly these keys of the package, as hashes: one that was taken out of the settings is forgotten. */
export async function replaceApiKeys(
  db: Queryable,
  organization: string,
  hashes: readonly string[],
  now: DateTime,
): Promise<void> {
  await db.query(
    `with gone as (
       delete from retry_service.api_keys
       where organization = $1 and made_by = 'package' and not hash = any($2::text[])
     )
     insert into retry_service.api_keys (organization, hash, created_at)
     select $1, hash, $3::timestamptz from unnest($2::text[]) as hash
     on conflict (organization, hash) do nothing`,
    [organization, hashes, now],
  );
}

export interface KeyHolder {
  id: string;
  organization: string;
  madeBy: 'package' | 'person';
  /** Null: the service's own limit. */
  requestsPerSecond: number | null;
}

/** Those that are good at this moment. */
export async function findKeyHolders(db: Queryable, hash: string, now: DateTime): Promise<KeyHolder[]> {
  return db.query<KeyHolder>(
    `select id, organization, made_by, requests_per_second
     from retry_service.api_keys
     where hash = $1 and revoked_at is null and (expires_at is null or expires_at > $2)
     order by organization`,
    [hash, now],
  );
}

/** Nothing is written when another process has recorded it just now. */
export async function recordKeyUse(db: Queryable, id: string, now: DateTime): Promise<void> {
  await db.query(
    `update retry_service.api_keys set last_used_at = $2
     where id = $1 and (last_used_at is null or last_used_at <= $3)`,
    [id, now, now.minus({ minutes: 1 })],
  );
}
