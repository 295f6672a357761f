import type { DateTime } from 'luxon';
import { OWN_ACCOUNT } from '../../../config/account.ts';
import type { Queryable } from '../../engine/database.ts';
import {
  type Basis,
  basisVersion,
  jsonOrNull,
  type MirrorWrite,
  type VersionSource,
} from '../../engine/mirror-version.ts';
import type { Reason } from '../../reasons/reason.ts';

export interface SubscriptionRow {
  account: string;
  id: string;
  customerId: string;
  status: string;
  /** Absent where none can be made, or not yet: then the last one stays. */
  message: object | undefined;
  /** Without a message, what is known to have changed in the last one all the same; null takes a field away. */
  ending?: object | undefined;
  /** Why there is no message, where that is for a person to know. */
  unmappedReason?: Reason | undefined;
  version: DateTime;
  versionSource: VersionSource;
}

export async function findSubscriptionStatus(
  db: Queryable,
  account: string,
  id: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ status: string }>(
    `select status from payment_retry.subscriptions where account = $1 and id = $2`,
    [account, id],
  );
  return row?.status;
}

/** Of what the row came with, what no column holds. */
const WITH_IT = (what: string) => `(select ${what} from given where given.id = excluded.id)`;
/** The last message stays what there is to say. */
const IS_KEPT = `excluded.message is null and ${WITH_IT('given.ending')} is null`;

/**
 * Stores newer states of an account's subscriptions and returns the ids of those stored. Nothing changes where what is stored
 * is as new or newer, or is no longer what `basis` says: then somebody else was faster, and the order of the two does not
 * follow from their versions. In the order of their ids, so that two who write the same wait in turn.
 */
export async function upsertSubscriptions(
  db: Queryable,
  account: string,
  writes: readonly MirrorWrite<SubscriptionRow>[],
): Promise<ReadonlySet<string>> {
  if (writes.length === 0) return new Set();
  const applied = await db.query<{ id: string }>(
    `with given as materialized (
       select id, customer_id, status, message::jsonb, version, version_source, unmapped_reason::jsonb, basis, ending::jsonb
       from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::text[], $8::text[], $9::timestamptz[],
         $10::text[])
       as row (id, customer_id, status, message, version, version_source, unmapped_reason, basis, ending))
     insert into payment_retry.subscriptions (account, id, customer_id, status, message, version, version_source,
       unmapped_reason)
     select $1, id, customer_id, status, message, version, version_source, unmapped_reason from given order by id
     on conflict (account, id) do update
     set customer_id = excluded.customer_id, status = excluded.status,
         message = coalesce(excluded.message, jsonb_strip_nulls(subscriptions.message || ${WITH_IT('given.ending')}),
           subscriptions.message),
         version = excluded.version, version_source = excluded.version_source,
         unmapped_reason = excluded.unmapped_reason,
         delivered_version = case when ${IS_KEPT} and subscriptions.delivered_version = subscriptions.version
           then excluded.version else subscriptions.delivered_version end,
         refused_version = case when ${IS_KEPT} and subscriptions.refused_version = subscriptions.version
           then excluded.version else subscriptions.refused_version end
     where subscriptions.version < excluded.version
       and coalesce(${WITH_IT('given.basis')}, subscriptions.version) = subscriptions.version
     returning id`,
    [
      account,
      writes.map(({ row }) => row.id),
      writes.map(({ row }) => row.customerId),
      writes.map(({ row }) => row.status),
      writes.map(({ row }) => jsonOrNull(row.message)),
      writes.map(({ row }) => row.version),
      writes.map(({ row }) => row.versionSource),
      writes.map(({ row }) => jsonOrNull(row.unmappedReason)),
      writes.map(({ basis }) => basisVersion(basis)),
      writes.map(({ row }) => jsonOrNull(row.ending)),
    ],
  );
  return new Set(applied.map(({ id }) => id));
}

/** One of them. */
export async function upsertSubscription(
  db: Queryable,
  row: SubscriptionRow,
  basis?: Basis,
): Promise<boolean> {
  return (await upsertSubscriptions(db, row.account, [{ row, basis }])).has(row.id);
}

export interface StoredSubscription {
  id: string;
  /** What goes to the service, but for `updatedAt`, which is the version. */
  message: Record<string, unknown> | null;
  version: DateTime<true>;
  deliveredVersion: DateTime<true> | null;
}

export async function listSubscriptions(db: Queryable, account: string): Promise<StoredSubscription[]> {
  return db.query<StoredSubscription>(
    `select id, message, version, delivered_version
     from payment_retry.subscriptions where account = $1 order by id`,
    [account],
  );
}

export interface SubscriptionDelivery {
  account: string;
  customerId: string;
  status: string;
  /** The version that the service has. */
  deliveredAt: DateTime<true> | null;
  refusedAnswer: string | null;
  unmappedReason: string | null;
}

/** In whichever account it is. */
export async function findSubscriptionDelivery(
  db: Queryable,
  id: string,
): Promise<SubscriptionDelivery | undefined> {
  const [row] = await db.query<SubscriptionDelivery>(
    `select s.account, s.customer_id, s.status, s.delivered_version as delivered_at, s.refused_answer, s.unmapped_reason
     from (select $2::text as account union select account from payment_retry.accounts) as known
     join payment_retry.subscriptions s on s.account = known.account and s.id = $1 limit 1`,
    [id, OWN_ACCOUNT],
  );
  return row;
}
