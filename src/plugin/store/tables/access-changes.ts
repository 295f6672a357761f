/** Customers whose access may have changed, for readers that keep answers in memory and for the host's events. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import type { CustomerKey } from './forgotten.ts';
import { recordHostEvent } from './host-events.ts';

/** A customer in one word. */
export const toAccessKey = ({ account, customerId }: CustomerKey) => `${account} ${customerId}`;

export interface AccessLook {
  /** The oldest transaction that this look could not see. */
  readonly position: string;
  /** Customers by `toAccessKey`; null for none. */
  readonly keys: readonly string[] | null;
}

/** Customers changed since the position of an earlier look, some of them again. */
export function lookForAccessChanges(db: Queryable, since: string | undefined) {
  return db.find<AccessLook>(
    `select pg_snapshot_xmin(pg_current_snapshot())::text as position,
       (select array_agg(distinct c.account || ' ' || customer) from payment_retry.access_changes c, unnest(c.customers) customer
        where c.xid >= $1::bigint) as keys`,
    [since],
  );
}

/** Older cancellations are no news, such as those of a backfill. */
const NEWS_DAYS = 35;

/**
 * Takes changes and passed ends, and returns the customers to judge: those with an end known before or now. Those in good standing are
 * left out, which are nearly all. Undefined once nothing waits. One process at a time.
 */
export async function takeAccessChanges(tx: Queryable, { now, limit }: { now: DateTime; limit: number }) {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('payment_retry access', 0))::text as locked`);
  const [found] = await tx.query<{ taken: number; keys: CustomerKey[] | null }>(
    `with taken as (
       update payment_retry.access_changes set is_noted = true
       where id in (select id from payment_retry.access_changes where not is_noted order by id limit $2)
       returning account, customers
     ), passed as (
       delete from payment_retry.access_changes where is_noted and at < clock_timestamp() - interval '10 minutes'
     ), due as (
       select account, customer_id from payment_retry.access where is_allowed and until <= $1 order by until limit $2
     ), changed as (
       select distinct account, customer as customer_id from taken, unnest(customers) customer
     )
     select (select count(*) from taken) + (select count(*) from due) as taken, (
       select json_agg(json_build_object('account', account, 'customerId', customer_id)) from (
         select * from due
         union select * from changed c where exists (select from payment_retry.access a
             where a.account = c.account and a.customer_id = c.customer_id)
           or exists (select from payment_retry.failures f
             where f.account = c.account and f.customer_id = c.customer_id and f.state = 'open')
           or exists (select from payment_retry.subscriptions s where s.account = c.account and s.customer_id = c.customer_id
             and (s.status in ('past_due', 'unpaid', 'paused')
               or (s.message->>'endsAt')::timestamptz > $1::timestamptz - interval '${NEWS_DAYS} days'))) keys) as keys`,
    [now, limit],
  );
  return found && found.taken > 0 ? (found.keys ?? []) : undefined;
}

export interface KnownAccess {
  readonly allowed: boolean;
  readonly until: DateTime | null;
  readonly reason: string;
}

/** Reasons of those who never had access. */
const NEVER_HAD: ReadonlySet<string> = new Set(['sign_up_unpaid', 'no_subscription', 'unknown_customer']);

/** Keeps the new state, and notifies the host where access ended or is restored. */
export async function keepAccess(
  tx: Queryable,
  { account, customerId }: CustomerKey,
  { allowed, until, reason }: KnownAccess,
  now: DateTime,
) {
  const before = await tx.findValue<boolean>(
    `select is_allowed from payment_retry.access where account = $1 and customer_id = $2`,
    [account, customerId],
  );
  if (allowed && until === null) {
    await tx.query(`delete from payment_retry.access where account = $1 and customer_id = $2`, [
      account,
      customerId,
    ]);
  } else if (before !== undefined || allowed || !NEVER_HAD.has(reason)) {
    await tx.query(
      `insert into payment_retry.access (account, customer_id, is_allowed, until) values ($1, $2, $3, $4)
       on conflict (account, customer_id) do update set is_allowed = excluded.is_allowed, until = excluded.until`,
      [account, customerId, allowed, until],
    );
  } else return;
  if ((before ?? true) === allowed) return;
  const type = allowed ? 'accessRestored' : 'accessEnds';
  const data = { customer: customerId, reason };
  await recordHostEvent(tx, { type, account, at: allowed ? now : (until ?? now), data });
}
