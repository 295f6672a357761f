import pg from 'pg';
import type { Database, Queryable, Transaction } from './database.ts';
import { holdPresence } from './presence.ts';
import { mapRows } from './rows.ts';
import { explainUnreachable } from './unreachable.ts';

const MAX_CONNECTIONS = 20;

/** Throws STORE_UNAVAILABLE, with what to do, if the database cannot be reached. */
export async function openPostgres(url: string): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: 10_000,
    // Just-in-time compilation costs more than it saves on short queue statements (stripe-facts 11.3).
    options: '-c jit=off -c timezone=UTC',
    types: { getTypeParser: parserFor },
  });
  // Without a listener a connection lost while idle would end the process; the next query reconnects.
  pool.on('error', () => {});

  let sessionStatements: readonly string[] = [];
  const prepared = new WeakMap<pg.PoolClient, readonly string[]>();

  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      if (prepared.get(client) !== sessionStatements) {
        for (const statement of sessionStatements) await client.query(statement);
        prepared.set(client, sessionStatements);
      }
      return await work(client);
    } catch (error) {
      failure = isConnectionLoss(error) ? error : await leaveTransaction(client);
      throw error;
    } finally {
      client.release(failure);
    }
  }

  const run = (text: string, params?: readonly unknown[]) =>
    withClient((client) => send(client, text, params));

  await run('select 1 as one').catch(async (error: unknown) => {
    await pool.end();
    throw explainUnreachable(error);
  });
  return {
    kind: 'postgres',
    query: (text, params) => withClient((client) => queryable(client).query(text, params)),
    exec: async (text) => {
      await run(text);
    },
    transaction: (work) => withClient((client) => inTransaction(client, work)),
    queue: {
      executeSql: async (text, values) => ({ rows: rowsOf(await run(text, values)) }),
      setSessionStatements: async (statements) => {
        sessionStatements = statements;
      },
    },
    showPresence: (processId) => holdPresence(url, processId),
    close: () => pool.end(),
  };
}

/**
 * A text of several statements may have begun a transaction before it failed (the queue sends such). Left open, it
 * would fail whatever the pool gives this connection to next. Returns why the connection is of no more use, if it is.
 */
async function leaveTransaction(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function inTransaction<T>(client: pg.PoolClient, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const connection = queryable(client);
  await client.query('begin');
  try {
    const result = await work({
      query: connection.query,
      queue: { executeSql: async (text, values) => ({ rows: rowsOf(await send(client, text, values)) }) },
    });
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

function queryable(client: pg.PoolClient): Queryable {
  return {
    query: async <Row extends object>(text: string, params?: readonly unknown[]) =>
      (await send(client, text, params)).flatMap(({ rows, fields }) => mapRows<Row>(rows, fields)),
  };
}

type Result = pg.QueryResult<object>;

/** One result for each statement of the text. */
async function send(client: pg.PoolClient, text: string, params?: readonly unknown[]): Promise<Result[]> {
  const results: Result | Result[] = await client.query<object>(text, params ? [...params] : undefined);
  return [results].flat();
}

/** As the columns are named, for pg-boss. */
const rowsOf = (results: readonly Result[]) => results.flatMap(({ rows }) => rows);

/** 64-bit integers as numbers, as PGlite gives them: ours are counts and amounts below 2^53. */
function parserFor(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8) return Number;
  return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
}

/** Class 08 and 57P: the connection is gone, so it must not go back into the pool. */
function isConnectionLoss(error: unknown): error is Error {
  if (!(error instanceof Error) || !('code' in error)) return error instanceof Error;
  const code = String(error.code);
  return code.startsWith('08') || code.startsWith('57P') || /^E[A-Z]+$/.test(code);
}
