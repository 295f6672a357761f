import type { DateTime } from 'luxon';
import type { Queryable } from '../../store/database.ts';

/** Keeps exactly these keys, as hashes: one that was taken out of the settings is forgotten. */
export async function replaceApiKeys(
  db: Queryable,
  organization: string,
  hashes: readonly string[],
  now: DateTime,
): Promise<void> {
  await db.query(
    `with gone as (
       delete from retry_service.api_keys where organization = $1 and not hash = any($2::text[])
     )
     insert into retry_service.api_keys (organization, hash, created_at)
     select $1, hash, $3::timestamptz from unnest($2::text[]) as hash
     on conflict (organization, hash) do nothing`,
    [organization, hashes, now.toISO()],
  );
}

export async function findOrganizationsOfKey(db: Queryable, hash: string): Promise<string[]> {
  const rows = await db.query<{ organization: string }>(
    `select organization from retry_service.api_keys where hash = $1 order by organization`,
    [hash],
  );
  return rows.map((row) => row.organization);
}
