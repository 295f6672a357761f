/** Refreshes rows of `failures` whose invoices, attempts or actions have changed. */
import { DatabaseBusyError } from '../../../../core/base/errors.ts';
import type { Database, Queryable } from '../../../../core/database/database.ts';
import { setTo } from '../../../../core/database/rows.ts';
import { IS_STOPPED, NEED, NEED_FACTS } from './needs.ts';

const LOCK = `select pg_advisory_xact_lock(hashtextextended('payment_retry failures', 0))::text as locked`;

/** Up to this many changes are applied by each reader; more, at most once a second. */
const FEW = 50;
/** Name in `cursors` for the time of the last refresh. */
const REFRESHED = 'failures_refreshed';

/**
 * Refreshes failures for a reader. The sweep leaves few changes, so usually none is found and no lock is taken. A few are
 * applied immediately, so that a person sees the result of an action; many are applied once a second for all readers.
 */
export async function refreshForReader(database: Database) {
  const [found] = await database.query<{ waiting: number; isFresh: boolean }>(
    `select (select count(*) from (select from payment_retry.failure_changes limit ${FEW + 1}) as found)::int as waiting,
       exists (select from payment_retry.cursors where account = '*' and name = '${REFRESHED}'
         and updated_at between clock_timestamp() - interval '1 second' and clock_timestamp() + interval '1 second') as is_fresh`,
  );
  if (found && found.waiting > 0 && !(found.isFresh && found.waiting > FEW)) await refreshFailures(database);
}

/**
 * Applies at most `limit` changes; returns whether there may be more. One process at a time: others wait up to `WAITS`, then use
 * the rows as they are. The lock precedes the statement, which therefore sees its predecessor's writes.
 */
export async function refreshFailures(database: Database, limit = 2_000): Promise<boolean> {
  try {
    return await database.transaction(async (tx) => {
      await tx.query(`${LOCK}, set_config('join_collapse_limit', '1', true)`);
      const waiting = await tx.count('select from payment_retry.failure_changes limit $1', [limit]);
      const taken = await drawFailures(tx, waiting);
      await tx.query(
        `insert into payment_retry.cursors (account, name, value, updated_at) values ('*', '${REFRESHED}', '', clock_timestamp())
         on conflict (account, name) do update set updated_at = excluded.updated_at`,
      );
      return taken === limit;
    });
  } catch (error) {
    if (error instanceof DatabaseBusyError) return false;
    throw error;
  }
}

/** Cause of a recovery: the source of the last paying attempt, and its card. */
const CAUSE = `case
    when paid.cause = 'card_change' then 'new_card'
    when paid.cause = 'backup' then 'other_card'
    when paid.source = 'ours' then 'retry'
    when exists (select from payment_retry.emails e where e.account = c.account and e.invoice_id = c.invoice_id
      and e.template = 'confirm_payment' and e.sent_at <= paid.started_at) then 'confirmation'
    when paid.fingerprint <> failed.fingerprint then 'new_card'
    else 'by_itself' end`;

/** ASCII characters that separate words; PostgreSQL would keep addresses and tags together. */
const NO_WORD = '[\\x01-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7f]+';

const COLUMNS =
  'customer_id, subscription_id, plan, currency, amount, returned, disputed, state, cause, failed_at, ended_at, attempts, reason, payment_method, brand, country, next_kind, next_at, need, is_stopped, asked_at, stripe_at, words'.split(
    ', ',
  );

/**
 * Returns the number of applied changes. Told of more than are waiting, PostgreSQL would read whole tables for a single one; finding the
 * best order of so many joins would take as long as they do, so they are made as written. Host applications are notified of a recovery
 * here, because failure and payment may arrive in either order, and no payment has to wait for the event.
 */
function drawFailures(tx: Queryable, waiting: number) {
  return tx.getValue<number>(
    `with taken as (
       delete from payment_retry.failure_changes where id in (
         select id from payment_retry.failure_changes order by id limit $1) returning account, invoice_id
     ), drawn as (
       insert into payment_retry.failures (account, invoice_id, ${COLUMNS.join(', ')})
       select c.account, c.invoice_id, known.customer_id, known.subscription_id, s.message->>'planId', known.currency,
         known.amount,
         case ended.state when 'recovered' then least(known.amount, back.refunded + back.disputed) else 0 end, least(known.amount, back.in_dispute), ended.state,
         case ended.state when 'recovered' then ${CAUSE} end, first.started_at,
         case ended.state when 'recovered' then coalesce(paid.started_at, i.version) when 'lost' then coalesce(i.version, failed.started_at) end,
         first.attempts, coalesce(failed.decline_code, failed.code), failed.payment_method, failed.brand, card.country,
         next.kind, next.due_at, ${NEED}, ${IS_STOPPED}, asked.at, i.next_attempt_at,
         to_tsvector('simple', regexp_replace(concat_ws(' ', customer.name, customer.email, c.invoice_id, i.number,
           known.customer_id, known.subscription_id, card.last4, charges.ids), $2, ' ', 'g'))
       from (select distinct account, invoice_id from taken) c
       join lateral (
         select min(started_at) as started_at, count(*) as attempts from payment_retry.attempts a
         where a.account = c.account and a.invoice_id = c.invoice_id and a.outcome in ('declined', 'requires_action')
         having count(*) > 0) first on true
       join lateral (
         select a.* from payment_retry.attempts a
         where a.account = c.account and a.invoice_id = c.invoice_id and a.outcome in ('declined', 'requires_action')
         order by coalesce((a.message->>'isOtherMethod')::boolean, false), a.started_at desc, a.id limit 1) failed on true
       left join lateral (
         select a.*, x.cause, sum(a.amount) over ()::bigint as total from payment_retry.attempts a left join payment_retry.actions x on x.id = a.action_id
         where a.account = c.account and a.invoice_id = c.invoice_id and a.outcome = 'paid' order by a.started_at desc, a.id limit 1) paid on true
       left join payment_retry.invoices i on i.account = c.account and i.id = c.invoice_id
       cross join lateral (select coalesce(i.customer_id, failed.customer_id) as customer_id,
         coalesce(i.subscription_id, failed.subscription_id) as subscription_id,
         coalesce(i.currency, failed.currency, '') as currency,
         coalesce(nullif(i.amount_remaining, 0), case i.status when 'paid' then nullif(i.amount_due, 0) end, paid.total, failed.amount, 0) as amount) known
       cross join lateral (select
         (select coalesce(sum(a.refunded), 0) from payment_retry.attempts a
          where a.account = c.account and a.invoice_id = c.invoice_id and a.outcome = 'paid') as refunded,
         (select coalesce(sum(d.amount), 0) from payment_retry.disputes d
          where d.account = c.account and d.invoice_id = c.invoice_id and d.status = 'lost') as disputed,
         (select coalesce(sum(d.amount), 0) from payment_retry.disputes d
          where d.account = c.account and d.invoice_id = c.invoice_id and d.closed_at is null) as in_dispute) back
       left join payment_retry.subscriptions s on s.account = c.account and s.id = known.subscription_id
       left join payment_retry.customers customer on customer.account = c.account and customer.id = known.customer_id
       cross join lateral (select string_agg(concat_ws(' ', a.charge_id, a.payment_intent), ' ') as ids from payment_retry.attempts a
         where a.account = c.account and a.invoice_id = c.invoice_id) charges
       left join payment_retry.cards card on card.account = c.account and card.id = failed.payment_method
       left join lateral (
         select kind, due_at from payment_retry.actions x where x.account = c.account and x.invoice_id = c.invoice_id
           and x.state in ('scheduled', 'running') order by due_at limit 1) next on true
       cross join lateral (select case
         when i.status = 'paid' and (paid.id is not null or i.amount_due is distinct from 0) or i.id is null and paid.id is not null then 'recovered'
         when i.status in ('paid', 'void', 'uncollectible', 'deleted') or s.status in ('canceled', 'incomplete_expired') then 'lost'
         else 'open' end as state) ended
       ${NEED_FACTS}
       on conflict (account, invoice_id) do update set ${setTo(COLUMNS)}
       returning account, invoice_id, customer_id, subscription_id, currency, amount, state, ended_at
     ), told as (
       insert into payment_retry.host_events (channel, event_id, type, account, invoice_id, at, detail, next_at)
       select channel, md5('paid ' || account || ' ' || invoice_id)::uuid, 'recovered', account, invoice_id, ended_at,
         jsonb_build_object('customer', customer_id, 'subscription', subscription_id, 'currency', currency, 'amount', amount), ended_at
       from drawn join payment_retry.event_channels on opened_at <= ended_at
       where state = 'recovered' and not exists (select from payment_retry.failures as before
         where before.account = drawn.account and before.invoice_id = drawn.invoice_id and before.state = 'recovered')
     )
     select count(*) as taken from taken`,
    [waiting, NO_WORD],
  );
}
