/**
 * Records waiting for delivery to the service. Three tables carry a message and two versions whose difference makes a row
 * dirty; all use the same statements.
 */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../../core/database/database.ts';
import { isClaimed } from '../../../../core/database/processes.ts';

/** Delivered in this order, as the service wants (stripe-facts 12.3). */
export const OUTBOX_KINDS = ['subscriptions', 'invoices', 'transactions'] as const;
export type OutboxKind = (typeof OUTBOX_KINDS)[number];

export const OUTBOX_TABLES: Readonly<Record<OutboxKind, string>> = {
  subscriptions: 'payment_retry.subscriptions',
  invoices: 'payment_retry.invoices',
  transactions: 'payment_retry.attempts',
};

const KEY_TYPES: Readonly<Record<OutboxKind, string>> = {
  subscriptions: 'text',
  invoices: 'text',
  transactions: 'uuid',
};

export interface OutboxRow {
  key: string;
  message: Record<string, unknown>;
  version: DateTime;
  /** End of the claim, which also identifies it. */
  claimedUntil: DateTime;
  /** Consecutive odd answers from the service. */
  oddAnswers: number;
}

export interface OutboxClaim {
  account: string;
  now: DateTime;
  until: DateTime;
  /** Number of the claiming process. */
  by: number | undefined;
}

/** Matches the table's index and statistics. */
const UNDELIVERED = 'message is not null and coalesce(version <> delivered_version, true)';
export const DIRTY = `${UNDELIVERED} and version is distinct from refused_version`;

/** A backup card's decline says nothing about the case's card: only its success is reported. */
const OF_BACKUP = `outcome is distinct from 'paid' and exists (
  select 1 from payment_retry.actions where actions.account = attempts.account
    and actions.invoice_id = attempts.invoice_id and actions.cause = 'backup'
    and actions.payment_method = attempts.payment_method
    and attempts.started_at between actions.created_at - interval '5 seconds'
      and coalesce(actions.closed_at, 'infinity') + interval '1 minute')`;

function dirtyIn(table: string): string {
  return table === OUTBOX_TABLES.transactions ? `${DIRTY} and not (${OF_BACKUP})` : DIRTY;
}

/** Rows of the account with keys in parameter 2. The cast keeps the plan off other rows, even with young statistics. */
const keyed = (kind: OutboxKind) => {
  const keys = `$2::${KEY_TYPES[kind]}[]`;
  return { keys, among: `t.account = $1 and t.id = any(${keys})` };
};

/** Claims the oldest dirty rows until `until`; other claimants skip them. */
export async function claimDirty(db: Queryable, kind: OutboxKind, claim: OutboxClaim & { limit: number }) {
  const table = OUTBOX_TABLES[kind];
  const rows = await db.query<Omit<OutboxRow, 'claimedUntil'>>(
    // A materialized step: the planner may run a plain subquery again for each row, past the limit.
    `with due as materialized (
       select id from ${table}
       where account = $1 and ${dirtyIn(table)} and not ${isClaimed('$2')}
       order by version limit $4 for update skip locked)
     update ${table} t set claimed_until = $3, claimed_by = $5 from due
     where t.account = $1 and t.id = due.id
     returning t.id::text as key, t.message, t.version, t.odd_answers`,
    [claim.account, claim.now, claim.until, claim.limit, claim.by],
  );
  return rows.map((row) => ({ ...row, claimedUntil: claim.until }));
}

/** Extends claims until `until`. Leaves out rows taken over by another process, which may have sent a newer version. */
export async function renewClaims(
  db: Queryable,
  kind: OutboxKind,
  rows: readonly OutboxRow[],
  claim: OutboxClaim,
) {
  const { keys: given, among } = keyed(kind);
  const kept = await db.query<{ key: string }>(
    `update ${OUTBOX_TABLES[kind]} t set claimed_until = $5
     from unnest(${given}, $3::timestamptz[]) as mine (key, until)
     where ${among} and t.id = mine.key and t.claimed_until = mine.until and t.claimed_until > $4
     returning mine.key`,
    [claim.account, keysOf(rows), claimsOf(rows), claim.now, claim.until],
  );
  const keys = new Set(kept.map(({ key }) => key));
  return rows.filter(({ key }) => keys.has(key)).map((row) => ({ ...row, claimedUntil: claim.until }));
}

/** Frees claims of dead processes. */
export async function releaseDeliveriesOf(db: Queryable, processIds: readonly number[]) {
  for (const table of Object.values(OUTBOX_TABLES)) {
    await db.query(
      `update ${table} set claimed_until = null
       where ${dirtyIn(table)} and claimed_until is not null and claimed_by = any($1::integer[])`,
      [[...processIds]],
    );
  }
}

const keysOf = (rows: readonly OutboxRow[]) => rows.map(({ key }) => key);
const claimsOf = (rows: readonly OutboxRow[]) => rows.map(({ claimedUntil }) => claimedUntil);

/** Counts a batch in one row instead of one per record. Parameter `first` is the kind, the next the result. */
const countIn = (statement: string, first = 6) =>
  `insert into payment_retry.counter_changes (name, labels, total)
   select 'deliveries', jsonb_build_object('kind', $${first}::text, 'result', $${first + 1}::text), count(*)
   from ${statement} having count(*) > 0`;

/** Marks the sent version only: a row changed meanwhile stays dirty. */
export async function markDelivered(
  db: Queryable,
  kind: OutboxKind,
  account: string,
  rows: readonly OutboxRow[],
  requestId: string | undefined,
) {
  const { keys, among } = keyed(kind);
  await db.query(
    `with delivered as (
     update ${OUTBOX_TABLES[kind]} t
     set delivered_version = sent.version, delivered_request = $4, refused_version = null, refused_answer = null, odd_answers = 0,
         claimed_until = case when t.claimed_until = sent.until then null else t.claimed_until end
     from unnest(${keys}, $3::timestamptz[], $5::timestamptz[]) as sent (key, version, until)
     where ${among} and t.id = sent.key
       and (t.delivered_version is null or t.delivered_version < sent.version)
     returning 1)
     ${countIn('delivered')}`,
    [account, keysOf(rows), rows.map((row) => row.version), requestId, claimsOf(rows), kind, 'accepted'],
  );
}

/** Puts a refused version into quarantine, until the object changes or is replayed. */
export async function markRefused(
  db: Queryable,
  kind: OutboxKind,
  account: string,
  row: OutboxRow,
  answer: string,
) {
  await db.query(
    `with refused as (
     update ${OUTBOX_TABLES[kind]} set refused_version = $3, refused_answer = $4, odd_answers = 0, claimed_until = null
     where account = $1 and id = $2::${KEY_TYPES[kind]} returning 1)
     ${countIn('refused', 5)}`,
    [account, row.key, row.version, answer, kind, 'refused'],
  );
}

export interface OddAnswers {
  account: string;
  kind: OutboxKind;
  records: number;
  answer: string | null;
}

/** Records whose deliveries were answered with a success that confirms nothing. */
export function listOddAnswers(db: Queryable) {
  const branches = OUTBOX_KINDS.map(
    (kind) => `select account, '${kind}' as kind, count(*) as records, max(refused_answer) as answer
      from ${OUTBOX_TABLES[kind]} where ${DIRTY} and odd_answers > 0 group by account`,
  );
  return db.query<OddAnswers>(`${branches.join(' union all ')} order by kind, account`);
}

/** Releases rows; after an odd answer they wait until `odd.until`. */
export async function releaseClaims(
  db: Queryable,
  kind: OutboxKind,
  account: string,
  rows: readonly OutboxRow[],
  odd?: { answer: string; until: DateTime },
) {
  const { keys, among } = keyed(kind);
  const putOff = odd && ', odd_answers = odd_answers + 1, refused_answer = $5';
  await db.query(
    `update ${OUTBOX_TABLES[kind]} t set claimed_until = $4, claimed_by = null ${putOff ?? ''}
     from unnest(${keys}, $3::timestamptz[]) as mine (key, until)
     where ${among} and t.id = mine.key and t.claimed_until = mine.until`,
    [account, keysOf(rows), claimsOf(rows), odd?.until, ...(odd ? [odd.answer] : [])],
  );
}

/** One row per undelivered record. */
export const UNDELIVERED_ROWS = Object.values(OUTBOX_TABLES)
  .map((table) => `select account, claimed_until from ${table} where ${dirtyIn(table)}`)
  .join(' union all ');

/** Accounts with undelivered records; with `now`, without those that wait after an odd answer. */
export function listDirtyAccounts(db: Queryable, now?: DateTime) {
  return db.listValues<string>(
    `select distinct account from (${UNDELIVERED_ROWS}) as undelivered
     where $1::timestamptz is null or coalesce(claimed_until, '-infinity') <= $1`,
    [now],
  );
}

export interface QuarantinedRecord {
  account: string;
  kind: OutboxKind;
  /** The service's id. */
  id: string;
  answer: string | null;
  /** Fields of its message. */
  amount: number | null;
  currency: string | null;
}

const REFUSED = `${UNDELIVERED} and refused_version = version`;
/** Refused and not dismissed. A new version starts afresh. */
const QUARANTINED = `${REFUSED} and dismissed_version is distinct from version`;

/** Records whose latest version was refused. */
export function listQuarantined(db: Queryable) {
  const branches = OUTBOX_KINDS.map(
    (
      kind,
    ) => `select account, '${kind}' as kind, coalesce(message->>'id', id::text) as id, refused_answer as answer,
      (message->>'amount')::bigint as amount, message->>'currency' as currency
      from ${OUTBOX_TABLES[kind]} where ${QUARANTINED}`,
  );
  return db.query<QuarantinedRecord>(`${branches.join(' union all ')} order by kind, id`);
}

/** Dismisses refused records. Returns their ids. */
export function dismissRefused(db: Queryable, kind: OutboxKind, ids: readonly string[]) {
  return db.listValues<string>(
    `update ${OUTBOX_TABLES[kind]} set dismissed_version = version
     where ${QUARANTINED} and coalesce(message->>'id', id::text) = any($1::text[])
     returning coalesce(message->>'id', id::text) as id`,
    [ids],
  );
}

/** Releases refused records of a kind: without `ids` all in quarantine, with them dismissed ones, too. Returns their ids. */
export function replayRefused(db: Queryable, kind: OutboxKind, ids?: readonly string[]) {
  return db.listValues<string>(
    `update ${OUTBOX_TABLES[kind]} set refused_version = null, refused_answer = null, dismissed_version = null
     where ${ids ? REFUSED : QUARANTINED} and ($1::text[] is null or coalesce(message->>'id', id::text) = any($1::text[]))
     returning coalesce(message->>'id', id::text) as id`,
    [ids],
  );
}

export interface Undelivered {
  count: number;
  /** Time of the oldest undelivered change. */
  oldestAt: DateTime<true> | null;
}

/** Undelivered records without quarantined ones. */
export function countUndelivered(db: Queryable): Promise<Undelivered> {
  const branches = Object.values(OUTBOX_TABLES).map(
    (table) => `select version from ${table} where ${dirtyIn(table)}`,
  );
  return db.get<Undelivered>(
    `select count(*) as count, min(version) as oldest_at from (${branches.join(' union all ')}) as dirty`,
  );
}
