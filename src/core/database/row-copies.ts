/**
 * Rows of one database of ours for another, and the proof that both have the same. Every value goes as PostgreSQL's own text,
 * as pg_dump sends it, so that neither the engine nor its version matters.
 */
import type { Database, Queryable } from './database.ts';

export interface MovedTable {
  readonly schema: string;
  readonly name: string;
  /** Where the rows are: the table itself, or its partitions. */
  readonly parts: readonly string[];
  readonly columns: readonly Column[];
  /** Condition of the copied rows. */
  readonly condition: string;
}

interface Column {
  readonly name: string;
  readonly type: string;
}

export interface Contents {
  readonly count: number;
  readonly checksum: string;
}

/** Schemas of which every row goes, and those of queues, of which the jobs that have not ended go. */
const WHOLE = ['payment_retry', 'retry_service'];
const QUEUES = ['payment_retry_jobs', 'retry_service_jobs'];
/** Our schemas' names here, next to the names in every database and file: $1. */
const OURS = `unnest(array['${[...WHOLE, ...QUEUES].join("', '")}'], $1::text[]) as ours (own, usual)`;
const NOT_ENDED = `state < 'completed'`;

const BATCH = 500;
const PATIENCE = { statementMs: 3_600_000 };

/** What each of our schemas has, in the order of their names; which migrations ran is not among it. */
export async function listMovedTables(database: Database): Promise<MovedTable[]> {
  const tables = await database.query<{ schema: string; name: string }>(
    `select usual as schema, relname as name
     from ${OURS} join pg_namespace on nspname = own join pg_class on pg_namespace.oid = relnamespace
     where relkind in ('r', 'p') and not relispartition
       and (relname <> 'migrations' and usual <> all($2) or relname = 'job' and usual = any($2))
     order by 1, 2`,
    [[...WHOLE, ...QUEUES], QUEUES],
  );
  const found: MovedTable[] = [];
  for (const { schema, name } of tables)
    found.push({
      schema,
      name,
      parts: await listParts(database, `${schema}.${name}`),
      columns: await listColumns(database, `${schema}.${name}`),
      condition: QUEUES.includes(schema) ? NOT_ENDED : 'true',
    });
  return found;
}

async function listParts(database: Database, table: string): Promise<string[]> {
  const parts = await database.listValues<string>(
    `select relid::text from pg_partition_tree('${table}') where isleaf order by 1`,
  );
  // Of a table without partitions that function says nothing.
  return parts.length > 0 ? parts : [table];
}

/** Columns in the order of their names: a table may have got them in another order. */
function listColumns(database: Database, table: string): Promise<Column[]> {
  return database.query<Column>(
    `select quote_ident(attname) as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attname`,
  );
}

const rowText = (columns: readonly Column[]) =>
  `json_build_array(${columns.map(({ name }) => `${name}::text`).join(', ')})::text`;

export async function readContents(database: Database, table: MovedTable): Promise<Contents> {
  const { schema, name, columns, condition } = table;
  return database.transaction(
    (tx) =>
      tx.get<Contents>(
        `select count(*)::int as count, coalesce(sum(('x' || left(md5(data), 15))::bit(60)::bigint), 0)::text as checksum
         from (select ${rowText(columns)} as data from ${schema}.${name} where ${condition}) as rows`,
      ),
    PATIENCE,
  );
}

export function isSame(one: Contents, other: Contents): boolean {
  return one.count === other.count && one.checksum === other.checksum;
}

/** A row is a JSON array of its values' texts, in the order of the table's columns. */
export type Rows = AsyncIterable<readonly string[]>;

/** Reads a table in portions. Nobody changes it meanwhile. */
export async function* readTable(from: Database, table: MovedTable): Rows {
  for (const part of table.parts) {
    let after = '(0,0)';
    for (;;) {
      const rows = await readRows(from, { ...table, part, after });
      yield rows.map(({ data }) => data);
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH) break;
      after = last.place;
    }
  }
}

/** How much of a copy is done, from 0 to 1, and which table it is at. A table counts as much as another. */
export type TellCopied = (share: number, table: string) => void;

/** Tells of each portion that passes. `of` is the number of tables, `index` that of this one. */
export async function* tellRows(
  rows: Rows,
  { place, count, index, of }: { place: string; count: number; index: number; of: number },
  tell: TellCopied = () => {},
): Rows {
  let done = 0;
  for await (const portion of rows) {
    tell(Math.min(1, (index + done / Math.max(1, count)) / of), place);
    yield portion;
    done += portion.length;
  }
}

/** Empties the table first. Triggers, which would repeat the effects that the rows record, are disabled. */
export async function writeTable(to: Database, table: MovedTable, rows: Rows): Promise<void> {
  const place = `${table.schema}.${table.name}`;
  await to.transaction(async (tx) => {
    await tx.query(`alter table ${place} disable trigger user`);
    await tx.query(`delete from ${place}`);
    for await (const portion of rows) await insertRows(tx, table, portion);
    await tx.query(`alter table ${place} enable trigger user`);
  }, PATIENCE);
}

/** Reads values by their places in the file. */
function readRows(
  from: Database,
  { part, after, columns, condition }: MovedTable & { part: string; after: string },
): Promise<{ place: string; data: string }[]> {
  return from.query(
    `select ctid::text as place, ${rowText(columns)} as data from ${part}
     where ctid > $1::tid and ${condition} order by ctid limit ${BATCH}`,
    [after],
  );
}

async function insertRows(tx: Queryable, table: MovedTable, rows: readonly string[]): Promise<void> {
  const { schema, name, columns } = table;
  if (rows.length === 0) return;
  const values = columns.map(({ type }, index) => `(data ->> ${index})::${type}`);
  await tx.query(
    `insert into ${schema}.${name} (${columns.map((column) => column.name).join(', ')}) overriding system value
     select ${values.join(', ')} from json_array_elements($1::json) as rows (data)`,
    [`[${rows.join(',')}]`],
  );
}

export interface Sequence {
  readonly name: string;
  readonly last: number;
  readonly called: boolean;
}

export async function readSequences(from: Database): Promise<Sequence[]> {
  const names = await from.listValues<string>(
    `select format('%s.%I', usual, sequencename) from ${OURS} join pg_sequences on schemaname = own
     where usual <> all($2) order by 1`,
    [[...WHOLE, ...QUEUES], QUEUES],
  );
  const found: Sequence[] = [];
  for (const name of names)
    found.push(
      await from.get(`select $1::text as name, last_value as last, is_called as called from ${name}`, [name]),
    );
  return found;
}

/** The next numbers go on where they were. */
export async function writeSequences(to: Database, sequences: readonly Sequence[]): Promise<void> {
  for (const { name, last, called } of sequences)
    await to.query(`select setval('${name}', $1::bigint, $2::boolean)`, [last, called]);
}
