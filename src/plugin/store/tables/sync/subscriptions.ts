import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import { OWN_ACCOUNT } from '../../../settings/account.ts';
import { describeMirror, MIRROR_TABLES, type MirrorRow } from './mirrors.ts';

/** A row without a message keeps the last one. */
export interface SubscriptionRow extends MirrorRow {
  /** Fields that changed in the last message, if there is no new one; null removes a field. */
  ending?: object | undefined;
}

export const SUBSCRIPTIONS = describeMirror<Exclude<keyof SubscriptionRow, keyof MirrorRow | 'ending'>>({
  name: MIRROR_TABLES.subscriptions,
  columns: {},
  message: 'coalesce(p.message, jsonb_strip_nulls(s.message || p.ending), s.message)',
  isKept: 'p.message is null and p.ending is null',
});

export function findSubscriptionStatus(db: Queryable, account: string, id: string) {
  return db.findValue<string>(
    `select status from payment_retry.subscriptions where account = $1 and id = $2`,
    [account, id],
  );
}

export interface StoredSubscription {
  id: string;
  /** The service's message without `updatedAt`, which is the version. */
  message: Record<string, unknown> | null;
  version: DateTime<true>;
  deliveredVersion: DateTime<true> | null;
}

export function listSubscriptions(db: Queryable, account: string) {
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
  /** The delivered version. */
  deliveredAt: DateTime<true> | null;
  /** The service's id of that request. */
  requestId: string | null;
  refusedAnswer: string | null;
  unmappedReason: string | null;
}

/** Searches all accounts. */
export function findSubscriptionDelivery(db: Queryable, id: string) {
  return db.find<SubscriptionDelivery>(
    `select s.account, s.customer_id, s.status, s.delivered_version as delivered_at, s.delivered_request as request_id,
            case when s.odd_answers = 0 then s.refused_answer end as refused_answer, s.unmapped_reason
     from (select $2::text as account union select account from payment_retry.accounts) as known
     join payment_retry.subscriptions s on s.account = known.account and s.id = $1 limit 1`,
    [id, OWN_ACCOUNT],
  );
}

export async function noteLostMethod(
  db: Queryable,
  lost: { account: string; customerId: string; paymentMethod: string },
) {
  const { account, customerId, paymentMethod } = lost;
  await db.query(
    `update payment_retry.subscriptions set lost_method = $3
     where account = $1 and customer_id = $2 and status in ('active', 'trialing', 'past_due')`,
    [account, customerId, paymentMethod],
  );
}

/** The customer has agreed to the method again. */
export async function noteFoundMethod(db: Queryable, account: string, paymentMethod: string) {
  await db.query(
    `update payment_retry.subscriptions set lost_method = null where account = $1 and lost_method = $2`,
    [account, paymentMethod],
  );
}

/** The subscription has another method now. */
export async function forgetLostMethod(db: Queryable, account: string, subscriptionId: string) {
  await db.query(
    `update payment_retry.subscriptions set lost_method = null where account = $1 and id = $2 and lost_method is not null`,
    [account, subscriptionId],
  );
}

export function findLostMethod(db: Queryable, account: string, subscriptionId: string) {
  return db.findValue<string>(
    `select lost_method from payment_retry.subscriptions where account = $1 and id = $2`,
    [account, subscriptionId],
  );
}
