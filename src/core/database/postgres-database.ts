import pg from 'pg';
import { DatabaseAwayError, DatabaseBusyError, isError, PluginError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { isLoopback } from '../base/loopback.ts';
import {
  type Database,
  type Queryable,
  RESULTS,
  type Transaction,
  type TransactionOptions,
} from './database.ts';
import { holdPresence } from './hold-presence.ts';
import { connectionTo, OwnClient } from './own-client.ts';
import {
  createPool,
  createShortage,
  isNoneLeft,
  type PoolOptions,
  USUAL_CONNECTIONS,
} from './postgres-pool.ts';
import { refuseOtherEncoding, refuseSharedSessions } from './refused-servers.ts';
import { mapRows, toParameters } from './rows.ts';
import { USUAL_SCHEMA } from './schemas.ts';
import { onServer, PROMPT_WAITS, WAITS, type Waits, whereSimulated } from './session-settings.ts';
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
  const plain = findPlainHost(url);
  if (plain !== undefined)
    logger.warn(
      { host: plain },
      'the connection to the database is not encrypted: add ?sslmode=verify-full to DATABASE_URL, unless the network between is yours alone',
    );
  const forPrompt = Math.min(MOST_PROMPT, Math.floor(connections / 5));
  const use = { url, logger, outage: createOutageLog(logger) };
  const lent = createConnections({ ...use, waits, connections: connections - forPrompt });
  const prompt = createConnections({
    ...use,
    waits: { ...waits, ...PROMPT_WAITS },
    connections: forPrompt,
    spare: lent.connect,
  });
  const query: Database['query'] = (text, params, pace) =>
    (pace === 'prompt' ? prompt : lent).alone((connection) => connection.query(text, params));
  const run = (text: string, params?: readonly unknown[]) =>
    lent.alone((connection) => connection.send(text, params));
  const close = async () => {
    await Promise.all([lent.pool.end(), prompt.pool.end()]);
  };

  try {
    await refuseOtherEncoding({ ...RESULTS, query });
    await refuseSharedSessions(lent.pool);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...RESULTS,
    kind: 'postgres',
    query,
    exec: async (text) => {
      await run(text);
    },
    transaction: (work, options = {}) =>
      lent.withConnection((connection) => inTransaction(connection, work, options), options.statementMs),
    queue: {
      executeSql: async (text, values) => ({ rows: rowsOf(await run(text, values)) }),
      setSessionStatements: async (statements) => lent.setSessionStatements(whereSimulated(statements)),
    },
    damaged: new Promise(() => {}),
    showPresence: (processId) => holdPresence(url, schema, processId),
    close,
  };
}

/** The most of a process's connections that record webhooks, and so the most groups recorded in parallel. */
const MOST_PROMPT = 4;

interface PoolUse extends PoolOptions {
  readonly logger: Pick<Logger, 'warn'>;
  readonly outage: OutageLog;
  /** A connection of another pool, where the server gives this one none. */
  readonly spare?: () => Promise<pg.PoolClient>;
}

/** Connections of a pool, each prepared for this session's work and lent for as long as a piece of work lasts. */
function createConnections({ outage, spare, ...options }: PoolUse) {
  const pool = createPool(options);
  const makeDo = createShortage(pool, options);
  let sessionStatements: readonly string[] = [];
  const prepared = new WeakMap<pg.PoolClient, readonly string[]>();
  const nameOf = createStatementNames();

  async function connect(): Promise<pg.PoolClient> {
    if (pool.ending) throw new PluginError('STORE_UNAVAILABLE', 'The database is closed.');
    return pool.connect().catch((error) => {
      if (makeDo(error)) return connect();
      if (spare && isNoneLeft(error)) return spare();
      throw outage.begin(error);
    });
  }

  async function withConnection<T>(
    work: (connection: Connection) => Promise<T>,
    patienceMs = options.waits.statementMs,
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

  /** Retries a statement outside of a transaction; a transaction is repeated as a whole by its caller. */
  async function alone<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await withConnection(work);
      } catch (error) {
        if (!isChanged(error)) throw error;
      }
  }

  return {
    pool,
    connect,
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
 * Logs an outage once: all work meets the same error, many times a second. A database that was never reachable is reported by
 * the code that opened it.
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
 * Ends a transaction that a failed text of several statements may have begun (the queue sends such), or one of ours. Left open,
 * it would fail the connection's next user. Returns the reason if the connection is unusable.
 */
async function leaveTransaction(connection: Connection): Promise<Error | undefined> {
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
    ...RESULTS,
    query,
    queue: { executeSql: async (text, values) => ({ rows: rowsOf(await send(text, values)) }) },
  });
  await query('commit');
  return result;
}

type Result = pg.QueryResult<Record<string, unknown>>;

interface Connection extends Pick<Queryable, 'query'> {
  /** One result for each statement of the text. */
  send(text: string, params?: readonly unknown[]): Promise<Result[]>;
}

interface Sending {
  readonly patienceMs: number;
  /** Name of a prepared statement. */
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

/** Rows with the columns' own names, for pg-boss. */
const rowsOf = (results: readonly Result[]) => results.flatMap(({ rows }) => rows);

/** A migration by another process changed the columns of a prepared statement. A new session prepares it again. */
const isChanged = (error: unknown): error is Error =>
  error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery';

const isOfNoUse = (error: unknown): error is Error =>
  (error instanceof DatabaseAwayError && !(error instanceof DatabaseBusyError)) || isChanged(error);

/** `lock_not_available`: by `lock_timeout`, or by NOWAIT. */
const isLocked = (error: unknown) => error instanceof pg.DatabaseError && error.code === '55P03';

/** Class 08, 57P and the session's timeouts: the connection is gone. 25006: its server takes no writes any more. */
const LOST = /^(08|57P|25P0[34]|25006)/;

/** Errors other than the server's are the connection's, except those of values that cannot be sent (TypeError …). */
function isLoss(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return LOST.test(error.code ?? '');
  return isError(error) && error.name === 'Error';
}
