/** A rolling upgrade: processes of the version before work on while the tables are those of this one. */
import { readdirSync, readFileSync } from 'node:fs';
import { listNewerMigrations } from '../../../../src/plugin/store/migrate-plugin.ts';
import { declinesTimes } from '../../../../src/workbench/sandbox/payment-behaviour.ts';
import { chargesOf, failingInvoice, statusOf } from '../../../support/scenario.ts';
import { createWorld } from '../../../support/world.ts';

/** What an old process's statements could stumble over. */
const NARROWS = [
  /\bdrop (table|column|view)\b/i,
  /\brename\b/i,
  /\balter column \w+ (set data )?type\b/i,
  /\bset not null\b/i,
  /\badd (column )?\w+ [^,;]*\bnot null\b(?![^,;]*\bdefault\b)/i,
  /\badd constraint \w+ check\b/i,
  /\btruncate\b/i,
];

/** What holds a lock for as long as a table is large: it is read or written whole while others wait. */
const READS_ALL = [
  /\badd (column )?\w+ [^,;]*\bdefault\b[^,;]*\b(clock_timestamp|gen_random_uuid|nextval|random|uuidv7)\b/i,
  /\badd (column )?\w+ [^,;]*\b((big|small)?serial|stored|generated \w+ as identity|references|unique|primary key)\b/i,
  /\badd (constraint \w+ )?(foreign key|check|unique|primary key|exclude)\b(?![^;]*\b(not valid|using index)\b)/i,
  /\b(set data type|alter column \w+ type|set not null|set (logged|unlogged|tablespace))\b/i,
  /^\s*(update|delete from|cluster|vacuum|reindex|lock|refresh)\b/im,
  /^\s*(insert into|create table)\b[^;]*\bselect\b/im,
];

/** Indexes on tables that have rows already: those of the same file are empty. */
function indexesOfOldTables(sql: string): string[] {
  const fresh = new Set(
    [...sql.matchAll(/\bcreate table (?:if not exists )?(\S+)/gi)].map(([, table]) => table),
  );
  return [...sql.matchAll(/\bcreate (?:unique )?index (?:\w+ )*?on (?:only )?([\w.]+)/gi)].flatMap(
    ([whole, table]) => (fresh.has(table) ? [] : [whole]),
  );
}

const locksLong = (sql: string) =>
  READS_ALL.some((pattern) => pattern.test(withoutComments(sql))) ||
  indexesOfOldTables(withoutComments(sql)).length > 0;

const withoutComments = (sql: string) => sql.replace(/--.*$/gm, '');

test.each(['plugin/store', 'service'])('migrations of the %s after the first only add', (part) => {
  const folder = new URL(`../../../../src/${part}/migrations/`, import.meta.url);
  const names = readdirSync(folder).filter((name) => name !== '0001.sql');
  const narrowing = names.filter((name) =>
    NARROWS.some((pattern) => pattern.test(withoutComments(readFileSync(new URL(name, folder), 'utf8')))),
  );
  expect(narrowing).toEqual([]);
});

test.each(['plugin/store', 'service'])(
  'a migration of the %s after the first holds no long lock, or its time stands in upgrading.md',
  (part) => {
    const folder = new URL(`../../../../src/${part}/migrations/`, import.meta.url);
    const page = readFileSync(new URL('../../../../docs/how-to/upgrading.md', import.meta.url), 'utf8');
    const unsaid = readdirSync(folder).filter(
      (name) =>
        name !== '0001.sql' &&
        locksLong(readFileSync(new URL(name, folder), 'utf8')) &&
        !page.includes(`\`${part}/${name}\``),
    );
    expect(unsaid).toEqual([]);
  },
);

test('what reads or writes a whole table under a lock is seen', () => {
  const long = [
    'create index events_note on payment_retry.events (note);',
    'create unique index if not exists events_note on payment_retry.events (note);',
    'create index on payment_retry.events (note);',
    'alter table payment_retry.events add column key uuid default gen_random_uuid();',
    'alter table payment_retry.events add column number bigserial;',
    'alter table payment_retry.events add column a text, add column b text generated always as (lower(a)) stored;',
    'alter table payment_retry.events add constraint known check (note is not null);',
    'alter table payment_retry.events add unique (note);',
    'alter table payment_retry.events add column invoice_id text references payment_retry.invoices (id);',
    'alter table payment_retry.events alter column note type varchar;',
    "update payment_retry.events set note = '';",
    'insert into payment_retry.notes select id from payment_retry.events;',
  ];
  expect(long.filter((sql) => !locksLong(sql))).toEqual([]);
  const short = [
    'alter table payment_retry.events add column note text;',
    "alter table payment_retry.events add column note text not null default '';",
    'alter table payment_retry.events add column seen_at timestamptz default now();',
    'alter table payment_retry.events add constraint known check (note is not null) not valid;',
    'create table payment_retry.notes (id text primary key, made_at timestamptz default clock_timestamp());\ncreate index notes_made on payment_retry.notes (made_at);',
    "insert into payment_retry.settings (name) values ('x');",
    'drop index payment_retry.events_dead;',
  ];
  expect(short.filter(locksLong)).toEqual([]);
});

test('what would break an old process is seen', () => {
  const breaking = [
    'alter table payment_retry.events drop column payload;',
    'alter table payment_retry.events rename to inbox;',
    'alter table payment_retry.events alter column type type integer;',
    'alter table payment_retry.events add column reason text not null;',
  ];
  for (const sql of breaking)
    expect([sql, NARROWS.some((pattern) => pattern.test(sql))]).toEqual([sql, true]);
  const harmless = `alter table payment_retry.events add column reason text not null default '';`;
  expect(NARROWS.some((pattern) => pattern.test(harmless))).toBe(false);
});

test('a process works on while every table gets a column that it does not know', async () => {
  const world = await createWorld();
  try {
    const { invoiceId } = await failingInvoice(world, declinesTimes(2, 'insufficient_funds'));
    const { database } = world.plugin.parts;
    const tables = await database.query<{ name: string }>(
      `select schemaname || '.' || tablename as name from pg_tables
       where schemaname in ('payment_retry', 'retry_service')`,
    );
    const changes = tables.map(
      ({ name }) => `alter table ${name} add column of_the_next_version text not null default 'next'`,
    );
    await database.exec(changes.join(';'));
    await database.exec(`insert into payment_retry.migrations (name) values ('9999_next.sql')`);

    const other = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'), {
      email: 'ben@example.com',
    });
    await world.advance({ days: 14 });
    expect([invoiceId, other.invoiceId].map((id) => statusOf(world, id))).toEqual(['paid', 'paid']);
    expect(chargesOf(world, invoiceId)).toEqual(['failed', 'failed', 'succeeded']);
    expect(await listNewerMigrations(database)).toEqual(['9999_next.sql']);
  } finally {
    await world.stop();
  }
});
