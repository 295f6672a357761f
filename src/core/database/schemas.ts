/** The schemas of an installation: their names, and who may make them. */
import { ConfigError } from '../base/errors.ts';
import type { Database, Queryable, QueueDatabase, Transaction } from './database.ts';

export const USUAL_SCHEMA = 'payment_retry';

/** The names that every statement is written with: the plugin's, its queue's, and those of the embedded service. */
const USUAL = ['payment_retry', 'payment_retry_jobs', 'retry_service', 'retry_service_jobs'] as const;

/** Whole words only. A move keeps its mark in a schema of its own. */
const WORDS = /\b(payment_retry|retry_service)(_jobs|_move)?\b/g;

/** `acme` gives `acme`, `acme_jobs`, `acme_service` and `acme_service_jobs`; the usual prefix the names that are written. */
function toOwn(prefix: string): (text: string) => string {
  if (prefix === USUAL_SCHEMA) return (text) => text;
  return (text) =>
    text.replace(WORDS, (_name, part: string, end = '') => {
      return `${part === USUAL_SCHEMA ? prefix : `${prefix}_service`}${end}`;
    });
}

export const listSchemas = (prefix = USUAL_SCHEMA): string[] => USUAL.map(toOwn(prefix));

/** A bound for memory, far above the number of our statements. */
const MOST_TEXTS = 2_000;

/** The same database, where statements that name the usual schemas find those below `prefix`. Values are left as they are. */
export function inSchemas(database: Database, prefix = USUAL_SCHEMA): Database {
  if (prefix === USUAL_SCHEMA) return database;
  const own = remembered(toOwn(prefix));
  const query = (db: Queryable): Queryable['query'] => {
    return (text, params) => db.query(own(text), params);
  };
  const queue = ({ executeSql, setSessionStatements }: QueueDatabase): QueueDatabase => ({
    executeSql: (text, values) => executeSql(own(text), values),
    ...(setSessionStatements && {
      setSessionStatements: (statements: string[]) => setSessionStatements(statements.map(own)),
    }),
  });
  const within = (tx: Transaction): Transaction => ({ ...tx, query: query(tx), queue: queue(tx.queue) });
  return {
    ...database,
    query: (text, params, pace) => database.query(own(text), params, pace),
    exec: (text) => database.exec(own(text)),
    queue: queue(database.queue),
    transaction: (work, { opening = [], ...options } = {}) =>
      database.transaction((tx) => work(within(tx)), { ...options, opening: opening.map(own) }),
  };
}

function remembered(change: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const changed = change(text);
    if (known.size < MOST_TEXTS) known.set(text, changed);
    return changed;
  };
}

interface SchemaRights {
  readonly name: string;
  readonly isThere: boolean;
  readonly mayUse: boolean;
  /** Owners of tables there, where this role lacks their rights. */
  readonly owners: readonly string[];
  readonly role: string;
}

/** Makes the schema if it is missing, in one process at a time. Rejects as `checkRights` does. */
export async function ensureSchema(db: Queryable, schema: string): Promise<void> {
  if (!(await checkRights(db, schema))) await db.query(`create schema ${schema}`);
}

/** Returns whether the schema is there. Throws a ConfigError with the SQL for an administrator where this role cannot use or make it. */
export async function checkRights(db: Queryable, schema: string): Promise<boolean> {
  const [own, ...others] = await readRights(db, [schema, ...USUAL.filter((usual) => usual !== schema)]);
  if (own === undefined || toGrants(own).length === 0) return own?.isThere ?? false;
  const sql = [own, ...others].flatMap(toGrants).join(' ');
  throw new ConfigError([
    `DATABASE_URL: role ${own.role} lacks rights in this database. Let an administrator run there: ${sql}`,
  ]);
}

/** What an administrator has to run before this role can start; empty if nothing. */
export const listGrants = async (db: Queryable): Promise<string[]> =>
  (await readRights(db, USUAL)).flatMap(toGrants);

function toGrants({ name, isThere, mayUse, owners, role }: SchemaRights): string[] {
  if (!isThere) return mayUse ? [] : [`create schema ${name} authorization ${role};`];
  return [
    ...(mayUse ? [] : [`grant usage, create on schema ${name} to ${role};`]),
    ...owners.map((owner) => `grant ${owner} to ${role};`),
  ];
}

function readRights(db: Queryable, schemas: readonly string[]): Promise<SchemaRights[]> {
  return db.query<SchemaRights>(
    `select ours.name, n.oid is not null as is_there, quote_ident(current_user) as role,
       case when n.oid is null then has_database_privilege(current_database(), 'create')
         else has_schema_privilege(n.oid, 'usage') and has_schema_privilege(n.oid, 'create') end as may_use,
       array(select distinct quote_ident(pg_get_userbyid(c.relowner)) from pg_class c
         where c.relnamespace = n.oid and not pg_has_role(c.relowner, 'usage') order by 1) as owners
     from unnest(array['${schemas.join("', '")}']) with ordinality as ours (name, position)
     left join pg_namespace n on n.nspname = ours.name order by ours.position`,
  );
}
