/** Differences between the database and Stripe, found by a verification. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import type { BackfillRun } from './backfill-runs.ts';

/** `charges` are attempts by Stripe's charge id, `attempts` ours by our id, `actions` planned work. */
export type DriftKind = 'subscriptions' | 'invoices' | 'charges' | 'attempts' | 'actions';

/** Stored and Stripe's value, by column or field of a message. */
export type Difference = Readonly<Record<string, readonly [here: unknown, there: unknown]>>;

export interface Drift {
  kind: DriftKind;
  id: string;
}

/** Longest time that an event may take to arrive. */
const ON_ITS_WAY_MINUTES = 2;
/** Doubtful payments are settled within minutes; some banks take days. */
const IN_DOUBT_HOURS = 24;

/** Runs `work`, rolls its writes back and returns its result. */
export async function takenBack<Result>(tx: Queryable, work: () => Promise<Result>): Promise<Result> {
  await tx.query('savepoint before_work');
  const result = await work();
  await tx.query('rollback to savepoint before_work');
  return result;
}

export async function recordDrifts(
  db: Queryable,
  found: { run: number; kind: DriftKind; ids: readonly string[]; now: DateTime },
) {
  if (found.ids.length === 0) return;
  await db.query(
    `insert into payment_retry.drifts (run, kind, id, found_at) select $1, $2, unnest($3::text[]), $4
     on conflict (run, kind, id) do nothing`,
    [found.run, found.kind, found.ids, found.now],
  );
}

/** Actions planned for settled invoices. */
const NEEDLESS_ACTIONS = `
  select a.id, jsonb_build_object('state', jsonb_build_array(a.state, null), 'invoice', jsonb_build_array(null, i.status)) as difference
  from payment_retry.actions a join payment_retry.invoices i on i.account = a.account and i.id = a.invoice_id
  where a.account = $1 and a.closed_at is null and a.state in ('scheduled', 'undecided') and a.kind = any($2::text[])
    and i.status in ('paid', 'void', 'deleted')`;

/** Old payments of ours without an outcome. */
const IN_DOUBT = `
  select t.id, jsonb_build_object('outcome', jsonb_build_array(null, 'unknown')) as difference
  from payment_retry.attempts t where t.account = $1 and t.source = 'ours' and t.outcome is null and t.started_at < $2`;

/** Finds drifts in our own rows, and payments of ours in the run's period whose charge Stripe did not list. */
export async function findOwnDrifts(
  db: Queryable,
  { id: run, account }: Pick<BackfillRun, 'id' | 'account'>,
  { from, to, kinds, now }: { from: DateTime; to: DateTime; kinds: readonly string[]; now: DateTime },
): Promise<Drift[]> {
  const actions = await db.query<{ id: string }>(NEEDLESS_ACTIONS, [account, kinds]);
  const doubtful = await db.query<{ id: string }>(IN_DOUBT, [account, now.minus({ hours: IN_DOUBT_HOURS })]);
  const unseen = await db.query<{ id: string }>(
    `select t.id from payment_retry.attempts t
     where t.account = $1 and t.source = 'ours' and t.outcome = 'paid' and t.charge_id is not null
       and t.started_at between $3 and $4
       and not exists (select 1 from payment_retry.backfill_seen s where s.run = $2 and s.id = t.charge_id)`,
    [account, run, from, to],
  );
  return [
    ...actions.map(({ id }) => ({ kind: 'actions' as const, id })),
    ...[...doubtful, ...unseen].map(({ id }) => ({ kind: 'attempts' as const, id })),
  ];
}

/** Checks an action or a doubtful attempt again; undefined if the difference is gone. */
export async function findOwnDifference(
  db: Queryable,
  account: string,
  { kind, id }: Drift,
  { kinds, now }: { kinds: readonly string[]; now: DateTime },
) {
  const row = await db.find<{ difference: Difference }>(
    kind === 'actions' ? `${NEEDLESS_ACTIONS} and a.id = $3` : `${IN_DOUBT} and t.id = $3`,
    [account, kind === 'actions' ? kinds : now.minus({ hours: IN_DOUBT_HOURS }), id],
  );
  return row?.difference;
}

/** The charge of a paid attempt of ours. */
export function findPaidCharge(db: Queryable, account: string, id: string) {
  return db.findValue<string>(
    `select charge_id from payment_retry.attempts
     where account = $1 and id = $2 and outcome = 'paid' and charge_id is not null`,
    [account, id],
  );
}

/** When all drifts may be checked again; undefined without any. */
export function findSecondLook(db: Queryable, run: number) {
  return db.findValue<DateTime<true>>(
    `select max(found_at) + interval '${ON_ITS_WAY_MINUTES} minutes' as at
     from payment_retry.drifts where run = $1 and confirmed_at is null`,
    [run],
  );
}

/** Drifts to be checked again, ordered by kind and id. */
export function listUnconfirmed(db: Queryable, run: number, limit: number) {
  return db.query<Drift>(
    `select kind, id from payment_retry.drifts where run = $1 and confirmed_at is null order by kind, id limit $2`,
    [run, limit],
  );
}

/** Confirms a drift; without a difference deletes it: the change was still on its way. */
export async function concludeDrift(
  db: Queryable,
  run: number,
  { kind, id, difference }: Drift & { difference: Difference | undefined },
  now: DateTime,
) {
  await db.query(
    difference === undefined
      ? `delete from payment_retry.drifts where run = $1 and kind = $2 and id = $3`
      : `update payment_retry.drifts set confirmed_at = $4, difference = $5::jsonb where run = $1 and kind = $2 and id = $3`,
    difference === undefined ? [run, kind, id] : [run, kind, id, now, JSON.stringify(difference)],
  );
}

const MIRRORS: Readonly<Partial<Record<DriftKind, { table: string; key: string }>>> = {
  subscriptions: { table: 'payment_retry.subscriptions', key: 'id' },
  invoices: { table: 'payment_retry.invoices', key: 'id' },
  charges: { table: 'payment_retry.attempts', key: 'charge_id' },
};

/** Columns about the row rather than the object. */
const OF_THE_ROW: readonly string[] = [
  ...['id', 'version', 'version_source', 'backfill_run', 'is_reread_asked', 'claimed_until', 'claimed_by'],
  ...['delivered_version', 'delivered_request', 'refused_version', 'refused_answer', 'dismissed_version'],
  'odd_answers',
];

/** The stored columns of an object; undefined if it is not stored. */
export async function readMirrored(db: Queryable, account: string, { kind, id }: Drift) {
  const mirror = MIRRORS[kind];
  if (mirror === undefined) return undefined;
  return db.findValue<Record<string, unknown>>(
    `select (to_jsonb(t) - 'message' - $3::text[]) || coalesce(
       (select jsonb_object_agg('message.' || key, value) from jsonb_each(t.message - 'updatedAt')), '{}') as columns
     from ${mirror.table} t where t.account = $1 and t.${mirror.key} = $2`,
    [account, id, OF_THE_ROW],
  );
}
