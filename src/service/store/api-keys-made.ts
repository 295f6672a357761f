/**
 * The keys as people see them: listed, made, named, rotated, revoked.
 * And what a request's key is looked up by: only hashes are kept.
 */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../core/database/database.ts';

export interface StoredKey {
  id: string;
  organization: string;
  madeBy: 'package' | 'person';
  name: string;
  /** The end of the secret; null for a key of the package. */
  hint: string | null;
  requestsPerSecond: number | null;
  createdAt: DateTime<true>;
  lastUsedAt: DateTime<true> | null;
  expiresAt: DateTime<true> | null;
  replacedBy: string | null;
  revokedAt: DateTime<true> | null;
}

const COLUMNS = `id, organization, made_by, name, hint, requests_per_second,
  created_at, last_used_at, expires_at,
  replaced_by, revoked_at`;

export async function listApiKeys(db: Queryable, organization?: string): Promise<StoredKey[]> {
  return db.query<StoredKey>(
    `select ${COLUMNS} from retry_service.api_keys
     where $1::text is null or organization = $1
     order by organization, made_by, created_at desc, id`,
    [organization],
  );
}

export async function findApiKey(db: Queryable, id: string): Promise<StoredKey | undefined> {
  return db.find<StoredKey>(`select ${COLUMNS} from retry_service.api_keys where id = $1`, [id]);
}

/** Each organization that was served once has a key of the package. */
export async function listOrganizationNames(db: Queryable): Promise<string[]> {
  return db.listValues<string>(
    `select distinct organization from retry_service.api_keys where made_by = 'package' order by organization`,
  );
}

export interface NewKey {
  id: string;
  organization: string;
  hash: string;
  name: string;
  hint: string;
  requestsPerSecond: number | null;
  now: DateTime;
}

export async function insertApiKey(db: Queryable, key: NewKey): Promise<true> {
  await db.query(
    `insert into retry_service.api_keys
       (id, organization, hash, made_by, name, hint, requests_per_second, created_at)
     values ($1, $2, $3, 'person', $4, $5, $6, $7)`,
    [key.id, key.organization, key.hash, key.name, key.hint, key.requestsPerSecond, key.now],
  );
  return true;
}

/** A person's key that is in use and not being replaced already. */
const CURRENT = `made_by = 'person' and revoked_at is null and expires_at is null`;

/** False if it is no current key of a person. */
export async function replaceApiKey(
  db: Queryable,
  id: string,
  end: { replacedBy: string; expiresAt: DateTime },
): Promise<boolean> {
  return db.has(
    `update retry_service.api_keys set replaced_by = $2, expires_at = $3
     where id = $1 and ${CURRENT} returning id`,
    [id, end.replacedBy, end.expiresAt],
  );
}

/** False if there was nothing to revoke. A key that is being replaced can be cut immediately. */
export async function endApiKey(db: Queryable, id: string, now: DateTime): Promise<boolean> {
  return db.has(
    `update retry_service.api_keys set revoked_at = $2
     where id = $1 and made_by = 'person' and revoked_at is null and (expires_at is null or expires_at > $2)
     returning id`,
    [id, now],
  );
}

/** Leaves undefined fields unchanged. False if there is no such key. */
export async function updateApiKey(
  db: Queryable,
  id: string,
  change: { name: string | undefined; requestsPerSecond: number | undefined },
): Promise<boolean> {
  return db.has(
    `update retry_service.api_keys
     set name = coalesce($2, name), requests_per_second = coalesce($3, requests_per_second)
     where id = $1 returning id`,
    [id, change.name, change.requestsPerSecond],
  );
}

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
