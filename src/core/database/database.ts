/** One SQL dialect over two engines: PostgreSQL through `pg`, or the embedded PGlite. */
import type { PluginError } from '../base/errors.ts';

export type DatabaseLocation =
  | {
      readonly kind: 'postgres';
      readonly url: string;
      /** The prefix of our schemas' names there; `payment_retry` if undefined. An embedded database has nobody else's. */
      readonly schema?: string | undefined;
      /** The most that this process opens for its work; 20 if undefined. */
      readonly connections?: number | undefined;
    }
  | { readonly kind: 'embedded'; readonly directory: string };

/** What pg-boss needs of a database (for its own declaration see `QueueClock`). */
export interface QueueDatabase {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  /** What every connection runs first. */
  setSessionStatements?(statements: string[]): Promise<void>;
}

/** Runs one statement with bound parameters, in which a time is a `DateTime` and nothing is `undefined` or null. Times of rows are a `DateTime` in UTC. A row's shape is stated by the store function that wrote the SQL. */
export interface Queryable {
  query<Row extends object>(text: string, params?: readonly unknown[]): Promise<Row[]>;
  /** The first row of a statement that always has one. */
  get<Row extends object>(text: string, params?: readonly unknown[]): Promise<Row>;
  /** The only column of that row, never null. */
  getValue<Value>(text: string, params?: readonly unknown[]): Promise<Value>;
  /** The first row. */
  find<Row extends object>(text: string, params?: readonly unknown[]): Promise<Row | undefined>;
  /** The only column of the first row; undefined where it is null. */
  findValue<Value>(text: string, params?: readonly unknown[]): Promise<Value | undefined>;
  /** The only column of all rows. */
  listValues<Value>(text: string, params?: readonly unknown[]): Promise<Value[]>;
  /** The number of rows. */
  count(text: string, params?: readonly unknown[]): Promise<number>;
  /** Whether there is a row. */
  has(text: string, params?: readonly unknown[]): Promise<boolean>;
}

/** Other results of a statement, through the `query` of the object that they are spread into. */
export const RESULTS: Omit<Queryable, 'query'> & ThisType<Queryable> = {
  async get<Row extends object>(text: string, params?: readonly unknown[]) {
    const row = await this.find<Row>(text, params);
    if (!row) throw new Error(`No row came of: ${text}`);
    return row;
  },
  async getValue<Value>(text: string, params?: readonly unknown[]) {
    const value = await this.findValue<Value>(text, params);
    if (value === undefined) throw new Error(`No value came of: ${text}`);
    return value;
  },
  async find<Row extends object>(text: string, params?: readonly unknown[]) {
    const [row] = await this.query<Row>(text, params);
    return row;
  },
  async findValue<Value>(text: string, params?: readonly unknown[]) {
    const [value] = await this.listValues<Value | null>(text, params);
    return value ?? undefined;
  },
  async listValues<Value>(text: string, params?: readonly unknown[]) {
    const rows = await this.query<Record<string, Value>>(text, params);
    if (rows[0] && Object.keys(rows[0]).length !== 1) throw new Error(`Not one column: ${text}`);
    return rows.flatMap((row) => Object.values(row));
  },
  async count(text: string, params?: readonly unknown[]) {
    return (await this.query(text, params)).length;
  },
  async has(text: string, params?: readonly unknown[]) {
    return (await this.count(text, params)) > 0;
  },
};

/** A transaction in progress. `queue` lets jobs be enqueued in it, so that they commit or vanish with it. */
export interface Transaction extends Queryable {
  readonly queue: QueueDatabase;
}

export interface TransactionOptions {
  /** How long one of its statements may take before the server counts as gone. */
  readonly statementMs?: number;
  /** Statements without parameters that go along with its begin. Of PostgreSQL alone: nobody else is at work on the embedded database. */
  readonly opening?: readonly string[];
}

export interface Session {
  end(): Promise<void>;
}

/** Options for statements that read much while nobody waits for the answer. */
export const LONG: TransactionOptions = { statementMs: 600_000 };

/**
 * Every method rejects with `DatabaseAwayError` while PostgreSQL is away; the next call reconnects. It rejects with
 * `DatabaseBusyError` where another transaction keeps a row or a table for longer than `WAITS` says.
 */
export interface Database extends Queryable {
  readonly kind: DatabaseLocation['kind'];
  readonly queue: QueueDatabase;
  /** `prompt`: somebody waits for the answer. It goes by connections of its own, which hardly wait for another's lock (`PROMPT_WAITS`). */
  query<Row extends object>(text: string, params?: readonly unknown[], pace?: 'prompt'): Promise<Row[]>;
  /** Several statements without parameters, as migrations need them. */
  exec(text: string): Promise<void>;
  /** Commits when `work` resolves, rolls back when it rejects. */
  transaction<const T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Resolves when the embedded database has reported its own damage, or another process has its folder; from then on every
   * method rejects with the same error, and `close` leaves the files as they are. PostgreSQL sees to itself.
   */
  readonly damaged: Promise<PluginError>;
  /** Shows to other processes, for as long as this one lives, that the one with this number is at work. */
  showPresence(processId: number): Promise<Session>;
  /** Copies the embedded database into a folder, as of one moment; work waits meanwhile. PostgreSQL has tools of its own. */
  readonly copyTo?: (directory: string) => Promise<void>;
  close(): Promise<void>;
}

/** Rejects unless the database answers within seconds, so that no caller waits for long. */
export async function checkDatabase(database: Database): Promise<void> {
  await database.transaction((tx) => tx.query('select 1 as one'), { statementMs: 5_000 });
}

/** Returns the bytes that the embedded database's log takes on the disk, apart from its tables; nothing for PostgreSQL, whose server sees to its own. */
export async function measureLog(database: Database): Promise<number[]> {
  if (database.kind === 'postgres') return [];
  return database.listValues('select sum(size)::float8 from pg_ls_waldir()');
}

/** The embedded database keeps its log below a quarter of this (`upkeep.ts`). */
export const LONG_LOG_BYTES = 512 * 2 ** 20;

export interface ServerFacts {
  version: string;
  bytes: number;
  /** False on a standby, and where a person made it read-only. */
  isWritable: boolean;
}

export async function describeServer(database: Database): Promise<ServerFacts> {
  return database.get(
    `select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes,
       not current_setting('transaction_read_only')::boolean as is_writable`,
  );
}

/** `none`: it is in this process. `local`: on this machine. `plain`: another machine reads along who sits between. */
export async function describeLink(database: Database): Promise<'none' | 'local' | 'encrypted' | 'plain'> {
  if (database.kind === 'embedded') return 'none';
  const { ssl, isLocal } = await database.get<{ ssl: boolean; isLocal: boolean }>(
    `select coalesce(ssl, false) as ssl,
       coalesce(inet_client_addr() <<= inet '127.0.0.0/8' or inet_client_addr() = inet '::1', true) as is_local
     from pg_stat_ssl where pid = pg_backend_pid()`,
  );
  if (ssl) return 'encrypted';
  return isLocal ? 'local' : 'plain';
}
