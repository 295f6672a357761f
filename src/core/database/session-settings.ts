/**
 * What a session on PostgreSQL is set to. By a statement: a pooler refuses a connection that brings settings along which it does not
 * know. Settings that a server does not know are left out.
 */
import type pg from 'pg';

export type SessionSettings = Readonly<Record<string, string | number>>;

/** PostgreSQL notices within half a minute that a machine vanished, and gives its locks back. */
const KEEPALIVE = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 };

/**
 * Everything that changes the meaning or the text of a statement or of its answer, or ends it early: a database, a role and PGOPTIONS
 * may bring other values. `shared-database.test.ts` compares the list with `pg_settings`.
 */
const MEANING: SessionSettings = {
  client_encoding: 'UTF8',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: 1,
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  // Statements name schemas. An unqualified name is the server's own, and no temporary table hides a relation.
  search_path: 'pg_catalog, pg_temp',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  row_security: 'on',
  gin_fuzzy_search_limit: 0,
  exit_on_error: 'off',
  transaction_timeout: 0,
  idle_session_timeout: 0,
  // A webhook is acknowledged when its row is on the disk. Only 'off' is replaced: a standby may be asked for.
  synchronous_commit: 'on',
};

/** Settings of a kept session. A killed process's ends with its connection; a slow process keeps it. */
export const KEPT_SESSION: SessionSettings = { ...MEANING, ...KEEPALIVE };

/** How long a session of the pool waits, in milliseconds. */
export interface Waits {
  /** A server silent for longer counts as gone. */
  readonly statementMs: number;
  /** The wait for another transaction's row or table. Most take milliseconds. */
  readonly lockMs: number;
  /** The wait for our next statement: longer waits mean a stopped process, whose locks are then freed. */
  readonly idleMs: number;
}

export const WAITS: Waits = { statementMs: 60_000, lockMs: 5_000, idleMs: 20_000 };
/** Stripe gives up after some ten seconds, and rows that are written with others wait for a moment alone. */
export const PROMPT_WAITS = { statementMs: 8_000, lockMs: 200 };

/** The server gives up first: its word costs a statement, and silence the connection. */
export const onServer = (statementMs: number) => Math.ceil(statementMs * 0.9);

export const poolSession = ({ statementMs, lockMs, idleMs }: Waits): SessionSettings => ({
  // Just-in-time compilation costs more than it saves on short queue statements (stripe-facts 11.3).
  jit: 'off',
  // A plan for any values would take a common word of a search for a rare one; replanning costs less than that.
  plan_cache_mode: 'force_custom_plan',
  ...MEANING,
  ...KEEPALIVE,
  statement_timeout: onServer(statementMs),
  lock_timeout: lockMs,
  idle_in_transaction_session_timeout: idleMs,
  // A session that waits for a lock would otherwise take it although its client is gone.
  client_connection_check_interval: 10_000,
});

/** The queue sets sessions up on a simulated clock only, whose tables are small: a plan for any values does, and is made once. */
export const whereSimulated = (statements: readonly string[]): readonly string[] =>
  statements.length === 0 ? [] : [...statements, `set plan_cache_mode = 'force_generic_plan'`];

/** Returns whether the session takes writes. */
export async function setSession(
  client: pg.ClientBase,
  settings: SessionSettings,
): Promise<{ isReadOnly: boolean }> {
  const { rows } = await client.query<{ is_read_only: boolean }>(
    `select current_setting('transaction_read_only')::boolean as is_read_only, (
       select count(set_config(name, wished.setting, false))
       from unnest($1::text[], $2::text[]) as wished (name, setting) join pg_settings using (name)
       -- Only there can a server look after its clients (postgresql.org/docs/current/runtime-config-connection.html).
       where (name <> 'client_connection_check_interval' or version() ~ 'linux|darwin|bsd')
         and (name <> 'synchronous_commit' or pg_settings.setting = 'off'))`,
    [Object.keys(settings), Object.values(settings).map(String)],
  );
  return { isReadOnly: rows[0]?.is_read_only === true };
}
