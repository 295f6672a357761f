/** Outcomes of the service's requests: one by one for the service, and as figures. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import { isPaused } from '../tables/retry/pauses.ts';

/** `kept`: carried out within five minutes of the requested time; `late`: after that; `settled`: the invoice ended in another way; `undecided`: a person decides. */
export type Fate = 'waiting' | 'kept' | 'late' | 'postponed' | 'undecided' | 'settled' | 'refused';

const IN_TIME = `interval '5 minutes'`;
const SETTLED = `('invoice_ended', 'invoice_settled', 'invoice_status', 'nothing_remaining')`;

/** A time in the past counts from receipt. `$1` is now. */
const fatesOf = (which: string) => `
  select i.account, i.request_id, i.invoice_id, i.reported, wanted_at,
    case
      when i.handled_at is null then 'waiting'
      when i.reason ? 'instead' then 'refused'
      when is_done then case when done_at <= wanted_at + ${IN_TIME} then 'kept' else 'late' end
      when a.state = 'undecided' then 'undecided'
      -- Closed, but with an attempt in doubt: its outcome is to come.
      when a.state in ('scheduled', 'running') then case when a.closed_at is null
        and (greatest(a.due_at, $1::timestamptz) > wanted_at + ${IN_TIME} or i.reported like 'postponed%') then 'postponed' else 'waiting' end
      when coalesce(a.reason, i.reason)->>'code' in ${SETTLED} then 'settled'
      else 'refused'
    end as fate,
    case when i.reason ? 'instead' then i.handled_at else coalesce(done_at, a.due_at, i.handled_at) end as at,
    t.outcome as result,
    case when i.reason ? 'instead' then i.reason->>'instead' when is_done then delay.code
      when a.state = 'scheduled' and a.due_at <= $1 and ${isPaused('a')} then 'effects_paused'
      else coalesce(a.reason->>'code', delay.code, nullif(i.reason->>'code', 'planned')) end as reason
  from payment_retry.instructions i
  cross join lateral (select greatest(i.ideal_retry_at, i.received_at) as wanted_at) as wanted
  left join payment_retry.actions a on a.account = i.account and a.cause = 'instruction' and a.reference = i.request_id
  left join lateral (
    select outcome, started_at from payment_retry.attempts
    where account = i.account and invoice_id = i.invoice_id and action_id = a.id and calls > 0
      and outcome in ('paid', 'pending', 'declined', 'requires_action')
    order by started_at limit 1) as t on true
  cross join lateral (
    select coalesce(t.started_at, a.closed_at) as done_at, a.state = 'done' and coalesce(a.reason->>'code', '') not in ('payment_observed', 'email_observed') or t.outcome is not null as is_done) as done
  -- The first obstacle.
  left join lateral (
    select detail->'reason'->>'code' as code from payment_retry.audit
    where account = i.account and invoice_id = i.invoice_id and detail->>'actionId' = a.id::text and detail ? 'guard'
      and (done_at is null or done_at > wanted_at + ${IN_TIME})
    order by id limit 1) as delay on a.id is not null
  where i.type = 'suggestion' and ${which}`;

export interface RequestFate {
  readonly requestId: string;
  readonly invoiceId: string | null;
  readonly fate: Exclude<Fate, 'waiting'>;
  /** Time of the outcome, or the time planned. */
  readonly at: DateTime<true>;
  /** A code of `reasons/`. */
  readonly reason: string | null;
  readonly result: string | null;
  /** A final outcome is reported once, an open one at each change of its time. */
  readonly mark: string;
}

/** Days of history reported to a service that newly asks for it. A retry may come 60 days after its request, postponed by 90. */
const TOLD_DAYS = 180;

/** Requests whose outcome was not reported to the service yet, oldest first. */
export function listUnreported(
  db: Queryable,
  { account, now, limit }: { account: string; now: DateTime; limit: number },
) {
  // Stripe's signal is no request of the service.
  const among = `i.account = $2 and i.received_at > $3 and i.source <> 'signal'
    and (i.reported is null or i.reported like 'postponed%' or i.reported like 'undecided%')`;
  return db.query<RequestFate>(
    `select * from (select request_id, invoice_id, fate, at, reason, result, reported,
       case when fate = 'postponed' then fate || extract(epoch from at)::bigint else fate end as mark
       from (${fatesOf(among)}) as fates where fate <> 'waiting') as marked
     where mark is distinct from reported order by at limit $4`,
    [now, account, now.minus({ days: TOLD_DAYS }), limit],
  );
}

export async function markReported(
  db: Queryable,
  account: string,
  fates: readonly Pick<RequestFate, 'requestId' | 'mark'>[],
) {
  await db.query(
    `update payment_retry.instructions i set reported = mine.mark
     from unnest($2::text[], $3::text[]) as mine (request_id, mark)
     where i.account = $1 and i.request_id = mine.request_id`,
    [account, fates.map(({ requestId }) => requestId), fates.map(({ mark }) => mark)],
  );
}

/** Retries whose time came in the current month. */
export interface KeptTimes {
  readonly asked: number;
  readonly kept: number;
  readonly others: readonly {
    readonly fate: RequestFate['fate'];
    readonly reason: string | null;
    readonly count: number;
  }[];
}

export async function readKeptTimes(db: Queryable, now: DateTime): Promise<KeptTimes> {
  const among = `i.suggestion = 'ACTION_SUGGESTION_RETRY' and i.ideal_retry_at between $2 and $1`;
  const rows = await db.query<KeptTimes['others'][number]>(
    `select fate, reason, count(*)::int as count from (${fatesOf(among)}) as fates
     where fate <> 'waiting' group by 1, 2 order by count desc, fate, reason`,
    [now, now.toUTC().startOf('month')],
  );
  const sum = (all: typeof rows) => all.reduce((total, { count }) => total + count, 0);
  return {
    asked: sum(rows),
    kept: sum(rows.filter(({ fate }) => fate === 'kept')),
    others: rows.filter(({ fate }) => fate !== 'kept'),
  };
}
