import pg from 'pg';
import { isLoopback } from '../../config/loopback.ts';
import { DatabaseAwayError, PluginError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import type { Database, Queryable, Transaction } from './database.ts';
import { holdPresence, listen, SERVER_KEEPALIVE } from './kept-sessions.ts';
import { mapRows } from './rows.ts';
import { createStatementNames } from './statement-names.ts';

const MAX_CONNECTIONS = 20;
/** Far above what a statement takes. Where the network is cut without a word, no answer ever comes. */
const STATEMENT_MS = 60_000;

export async function openPostgres(
  url: string,
  logger: Pick<Logger, 'info' | 'warn' | 'error'>,
  statementMs = STATEMENT_MS,
): Promise<Database> {
  const plain = findPlainHost(url);
  if (plain !== undefined)
    logger.warn(
      { host: plain },
      'the connection to the database is not encrypted: add ?sslmode=verify-full to DATABASE_URL, unless the network between is yours alone',
    );
  const pool = createPool(url, statementMs);
  const makeDo = createShortage(pool, logger);
  const connections = createConnections({ pool, makeDo, outage: createOutageLog(logger), statementMs });
  const { alone, withConnection } = connections;
  const run = (text: string, params?: readonly unknown[]) =>
    alone((connection) => connection.send(text, params));

  await run('select 1 as one').catch(async (error) => {
    await pool.end();
    throw error;
  });
  return {
    kind: 'postgres',
    query: (text, params) => alone(({ query }) => query(text, params)),
    exec: async (text) => {
      await run(text);
    },
    transaction: (work, options) =>
      withConnection((connection) => inTransaction(connection, work), options?.statementMs),
    queue: {
      executeSql: async (text, values) => ({ rows: rowsOf(await run(text, values)) }),
      setSessionStatements: async (statements) => connections.setSessionStatements(statements),
    },
    damaged: new Promise(() => {}),
    showPresence: (processId) => holdPresence(url, processId),
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
      failure =
        error instanceof DatabaseAwayError || isChanged(error) ? error : await leaveTransaction(connection);
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
  const { host, ssl } = new pg.Client({ connectionString: url });
  return ssl || host.startsWith('/') || isLoopback(host) ? undefined : host;
}

function createPool(url: string, statementMs: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: 10_000,
    query_timeout: statementMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // Just-in-time compilation costs more than it saves on short queue statements (stripe-facts 11.3).
    // A plan for any values would take a common word of a search for a rare one; reading a statement anew costs more than planning.
    options: `-c jit=off -c plan_cache_mode=force_custom_plan -c timezone=UTC ${SERVER_KEEPALIVE}`,
    types: { getTypeParser: parserFor },
    verify: (client, done) => void findReadOnly(client).then(done, done),
  });
  // Without listeners a lost connection ends the process: one that idles, and one between two statements of a
  // transaction. The next statement fails.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** `too_many_connections`: all that the server, the database or the role may have are taken. */
const NONE_LEFT = '53300';
/** Others may have given theirs back by then. */
const SHORTAGE_MS = 60_000;

/**
 * Where PostgreSQL refuses another connection, the pool makes do with those that it has, for a while, and whoever needs one waits for it.
 * False if it has none, or if the connection failed for another reason.
 */
function createShortage(pool: pg.Pool, logger: Pick<Logger, 'warn'>) {
  let isKnown = false;
  return (refusal: unknown): boolean => {
    if (!(refusal instanceof pg.DatabaseError) || refusal.code !== NONE_LEFT || pool.totalCount === 0)
      return false;
    if (pool.options.max === MAX_CONNECTIONS)
      setTimeout(() => {
        pool.options.max = MAX_CONNECTIONS;
      }, SHORTAGE_MS).unref();
    pool.options.max = pool.totalCount;
    if (!isKnown)
      logger.warn(
        { reason: refusal.message, connections: pool.totalCount },
        'PostgreSQL gives no more connections: work goes on with these, more slowly. Raise max_connections, or the limit of the role or database',
      );
    isKnown = true;
    return true;
  };
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

/** A standby takes connections, too. While one stands in the place of the database, that counts as away. */
async function findReadOnly(client: pg.PoolClient): Promise<Error | undefined> {
  const { rows } = await client.query<{ is_read_only: boolean }>(
    `select current_setting('transaction_read_only')::boolean as is_read_only`,
  );
  return rows[0]?.is_read_only === true
    ? new Error('The server takes no writes: it is a standby, or was made read-only.')
    : undefined;
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
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function inTransaction<T>(
  { query, send }: Connection,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  await query('begin');
  const result = await work({
    query,
    queue: { executeSql: async (text, values) => ({ rows: rowsOf(await send(text, values)) }) },
  });
  await query('commit');
  return result;
}

type Result = pg.QueryResult<object>;

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
    const results: Result | Result[] = await client.query<object>(statement).catch((error) => {
      throw isLoss(error) ? onLoss(error) : error;
    });
    return [results].flat();
  };
  return {
    send,
    query: async <Row extends object>(text: string, params?: readonly unknown[]) =>
      (await send(text, params)).flatMap(({ rows, fields }) => mapRows<Row>(rows, fields)),
  };
}

/** As the columns are named, for pg-boss. */
const rowsOf = (results: readonly Result[]) => results.flatMap(({ rows }) => rows);

/** 64-bit integers as numbers, as PGlite gives them: ours are counts and amounts below 2^53. */
function parserFor(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8) return Number;
  return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
}

/** A migration of another process changed the columns of a statement that this session keeps. A new session reads it anew. */
const isChanged = (error: unknown): error is Error =>
  error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery';

/** Class 08, 57P and the session's timeouts: the connection is gone. 25006: its server takes no writes any more. */
const LOST = /^(08|57P|25P0[34]|25006)/;

/** What is not the server's word is the connection's own, unless it comes from a value that cannot be sent (TypeError …). */
function isLoss(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return LOST.test(error.code ?? '');
  return error instanceof Error && error.name === 'Error';
}
