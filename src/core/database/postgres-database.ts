/** A pooler that gives a session away between two transactions: PgBouncer in transaction mode, and its like. */
import pg from 'pg';
import { ConfigError, DatabaseAwayError, DatabaseBusyError, isError, PluginError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { isLoopback } from '../base/loopback.ts';
import type { Database, Queryable, Transaction, TransactionOptions } from './database.ts';
import { holdPresence, listen } from './kept-sessions.ts';
import { connectionTo, OwnClient } from './own-client.ts';
import { createPool, createShortage, USUAL_CONNECTIONS } from './postgres-pool.ts';
import { mapRows, toParameters } from './rows.ts';
import { USUAL_SCHEMA } from './schemas.ts';
import { onServer, WAITS, type Waits, whereSimulated } from './session-settings.ts';
import { createStatementNames } from './statement-names.ts';

export interface PostgresOptions extends Partial<Waits> {
  /** What `inSchemas` is given. */
  readonly schema?: string | undefined;
  /** The most at a time. */
  readonly connections?: number | undefined;
}

export async function openPostgres(
  url: string,
  logger: Pick<Logger, 'info' | 'warn' | 'error'>,
  { schema = USUAL_SCHEMA, connections = USUAL_CONNECTIONS, ...given }: PostgresOptions = {},
): Promise<Database> {
  const waits = { ...WAITS, ...given };
  const { statementMs } = waits;
  const plain = findPlainHost(url);
  if (plain !== undefined)
    logger.warn(
      { host: plain },
      'the connection to the database is not encrypted: add ?sslmode=verify-full to DATABASE_URL, unless the network between is yours alone',
    );
  const pool = createPool({ url, waits, connections });
  const makeDo = createShortage(pool, { connections, logger });
  const lent = createConnections({ pool, makeDo, outage: createOutageLog(logger), statementMs });
  const { alone, withConnection } = lent;
  const run = (text: string, params?: readonly unknown[]) =>
    alone((connection) => connection.send(text, params));

  try {
    refuseOtherEncoding(await run(ENCODING));
    await refuseSharedSessions(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    kind: 'postgres',
    query: (text, params) => alone(({ query }) => query(text, params)),
    exec: async (text) => {
      await run(text);
    },
    transaction: (work, options = {}) =>
      withConnection((connection) => inTransaction(connection, work, options), options.statementMs),
    queue: {
      executeSql: async (text, values) => ({ rows: rowsOf(await run(text, values)) }),
      setSessionStatements: async (statements) => lent.setSessionStatements(whereSimulated(statements)),
    },
    damaged: new Promise(() => {}),
    showPresence: (processId) => holdPresence(url, schema, processId),
    listen: (channel, hear) => listen(url, channel, hear),
    close: () => pool.end(),
  };
}

interface PoolUse {
  readonly pool: pg.Pool;
  readonly makeDo: (refusal: unknown) => boolean;
  readonly outage: OutageLog;
  readonly statementMs: number;
}

/** Connections of the pool, each prepared for this session's work and lent for as long as a piece of work lasts. */
function createConnections({ pool, makeDo, outage, statementMs }: PoolUse) {
  let sessionStatements: readonly string[] = [];
  const prepared = new WeakMap<pg.PoolClient, readonly string[]>();
  const nameOf = createStatementNames();

  async function connect(): Promise<pg.PoolClient> {
    if (pool.ending) throw new PluginError('STORE_UNAVAILABLE', 'The database is closed.');
    return pool.connect().catch((error) => {
      if (makeDo(error)) return connect();
      throw outage.begin(error);
    });
  }

  async function withConnection<T>(
    work: (connection: Connection) => Promise<T>,
    patienceMs = statementMs,
  ): Promise<T> {
    const client = await connect();
    const connection = toConnection(client, { patienceMs, nameOf, onLoss: outage.begin });
    let failure: Error | undefined;
    try {
      if (prepared.get(client) !== sessionStatements) {
        for (const statement of sessionStatements) await connection.query(statement);
        prepared.set(client, sessionStatements);
      }
      const result = await work(connection);
      outage.end();
      return result;
    } catch (error) {
      failure = isOfNoUse(error) ? error : await leaveTransaction(connection);
      throw error;
    } finally {
      client.release(failure);
    }
  }

  /** Of a transaction the whole begins anew, where it is asked for. */
  async function alone<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await withConnection(work);
      } catch (error) {
        if (!isChanged(error)) throw error;
      }
  }

  return {
    withConnection,
    alone,
    setSessionStatements: (statements: readonly string[]) => {
      sessionStatements = statements;
    },
  };
}

/** The other machine that everything is sent to in clear text, if it is: node-postgres uses TLS only where it is asked to. */
function findPlainHost(url: string): string | undefined {
  const { host, ssl } = new OwnClient(connectionTo(url));
  return ssl || host.startsWith('/') || isLoopback(host) ? undefined : host;
}

type OutageLog = ReturnType<typeof createOutageLog>;

/**
 * Logged once: whatever needs the database meets the same error, many times a second. One that was never there is reported by
 * whoever opened it.
 */
function createOutageLog(logger: Pick<Logger, 'info' | 'error'>) {
  let state: 'unknown' | 'there' | 'away' = 'unknown';
  return {
    begin: (cause: unknown): DatabaseAwayError => {
      const away = new DatabaseAwayError(cause);
      if (state === 'there') {
        const message =
          'the database is away: webhooks and instructions get 503, and all work waits until it is back';
        logger.error({ reason: away.reason }, message);
        state = 'away';
      }
      return away;
    },
    end: (): void => {
      if (state === 'away') logger.info({}, 'the database is back');
      state = 'there';
    },
  };
}

/**
 * A text of several statements may have begun a transaction before it failed (the queue sends such), as a transaction of
 * ours has. Left open, it would fail whatever the pool gives this connection to next. Returns why the connection is of no
 * more use, if it is.
 */
async function leaveTransaction(connection: Queryable): Promise<Error | undefined> {
  try {
    await connection.query('rollback');
    return undefined;
  } catch (error) {
    return isError(error) ? error : new Error(String(error));
  }
}

async function inTransaction<T>(
  { query, send }: Connection,
  work: (tx: Transaction) => Promise<T>,
  { statementMs, opening = [] }: TransactionOptions,
): Promise<T> {
  const bound = statementMs === undefined ? [] : [`set local statement_timeout = ${onServer(statementMs)}`];
  await query(['begin', ...bound, ...opening].join('; '));
  const result = await work({
    query,
    queue: { executeSql: async (text, values) => ({ rows: rowsOf(await send(text, values)) }) },
  });
  await query('commit');
  return result;
}

type Result = pg.QueryResult<Record<string, unknown>>;

interface Connection extends Queryable {
  /** One result for each statement of the text. */
  send(text: string, params?: readonly unknown[]): Promise<Result[]>;
}

interface Sending {
  readonly patienceMs: number;
  /** Of a statement with parameters that the session keeps. */
  readonly nameOf: (text: string) => string | undefined;
  readonly onLoss: (cause: unknown) => DatabaseAwayError;
}

function toConnection(client: pg.PoolClient, { patienceMs, nameOf, onLoss }: Sending): Connection {
  const send: Connection['send'] = async (text, params) => {
    const name = params && params.length > 0 ? nameOf(text) : undefined;
    const statement = {
      text,
      query_timeout: patienceMs,
      ...(params ? { values: [...params] } : {}),
      ...(name === undefined ? {} : { name }),
    };
    const results: Result | Result[] = await client.query(statement).catch((error) => {
      if (isLoss(error)) throw onLoss(error);
      throw isLocked(error) ? new DatabaseBusyError(error) : error;
    });
    return [results].flat();
  };
  return {
    send,
    query: async <Row extends object>(text: string, params?: readonly unknown[]) =>
      (await send(text, params && toParameters(params))).flatMap(({ rows, fields }) =>
        mapRows<Row>(rows, fields),
      ),
  };
}

/** As the columns are named, for pg-boss. */
const rowsOf = (results: readonly Result[]) => results.flatMap(({ rows }) => rows);

/** A migration of another process changed the columns of a statement that this session keeps. A new session reads it anew. */
const isChanged = (error: unknown): error is Error =>
  error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery';

const isOfNoUse = (error: unknown): error is Error =>
  (error instanceof DatabaseAwayError && !(error instanceof DatabaseBusyError)) || isChanged(error);

/** `lock_not_available`: by `lock_timeout`, or by NOWAIT. */
const isLocked = (error: unknown) => error instanceof pg.DatabaseError && error.code === '55P03';

/** Class 08, 57P and the session's timeouts: the connection is gone. 25006: its server takes no writes any more. */
const LOST = /^(08|57P|25P0[34]|25006)/;

/** What is not the server's word is the connection's own, unless it comes from a value that cannot be sent (TypeError …). */
function isLoss(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return LOST.test(error.code ?? '');
  return isError(error) && error.name === 'Error';
}

const ENCODING = `select current_setting('server_encoding') as encoding, current_database() as name`;

/** Another encoding lacks characters that Stripe sends: their events could never be stored. */
function refuseOtherEncoding(results: readonly Result[]): void {
  const { encoding, name } = results[0]?.rows[0] ?? {};
  if (encoding === 'UTF8') return;
  throw new ConfigError([
    `DATABASE_URL: database ${name} is encoded in ${encoding}, which cannot store every name and text that Stripe sends. Create one in UTF-8 (createdb --encoding=UTF8 --template=template0 NAME) and name that.`,
  ]);
}

/** Whichever of its connections a pooler takes next, the third of ours at the latest meets one that was the first's. */
const MOST_HOLDERS = 3;

/**
 * Throws a ConfigError where sessions are shared: locks of a session, LISTEN and settings would be another's. PostgreSQL tells a client
 * the number of its own process, a pooler one that it made up: only then sessions are compared.
 */
async function refuseSharedSessions(pool: pg.Pool): Promise<void> {
  const first = await pool.connect();
  const holders: pg.PoolClient[] = [];
  try {
    const pids = new Set([await pidOf(first)]);
    if ('processID' in first && pids.has(Number(first.processID))) return;
    while (holders.length < MOST_HOLDERS) {
      const holder = await pool.connect().catch(() => undefined);
      // It has no more for us: what it has is ours alone, or will be looked at by the next start.
      if (!holder) return;
      holders.push(holder);
      await holder.query('begin');
      // A session of one's own keeps its process, which nobody else has meanwhile.
      if (pids.has(await pidOf(holder)) || !pids.has(await pidOf(first))) throw refusal();
    }
  } finally {
    for (const client of [first, ...holders]) client.release(holders.length > 0);
  }
}

async function pidOf(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

const refusal = () =>
  new ConfigError([
    'DATABASE_URL: between here and PostgreSQL is a pooler that shares sessions, such as PgBouncer in transaction mode. Set it to session mode (pool_mode = session), or give the address of PostgreSQL itself.',
  ]);
