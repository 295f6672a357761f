/**
 * What each kind of change costs on a table of BENCH_EVENTS events while events come in: how long it takes, the strongest lock it holds on
 * the table, and how long the slowest event waited. Each change is made in one transaction, as `db migrate` does, and taken back.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase } from '../../src/core/database/open-database.ts';
import { migratePlugin } from '../../src/plugin/store/migrate-plugin.ts';
import { findTestPostgres } from '../../test/support/database/postgres-server.ts';

const EVENTS = Number(process.env.BENCH_EVENTS ?? 1_000_000);
const EVERY_MS = 5;
const EVENT = `insert into payment_retry.events (account, id, type, created_at, received_at, payload, processed_at, results)
  select 'own', $1 || i, 'invoice.paid', at, at, '{}', at, '[{"code": "mirrored"}]'
  from (select i, now() - i % 1000000 * interval '1 second' as at from generate_series(1, $2::int) i) made`;

const CHANGES: Readonly<Record<string, string>> = {
  'a new column': 'alter table payment_retry.events add column note text',
  'a new column with a default': `alter table payment_retry.events add column note text not null default 'none'`,
  'a new table with an index':
    'create table payment_retry.notes (id text primary key, at timestamptz); create index on payment_retry.notes (at)',
  'a check of new rows alone': `alter table payment_retry.events add constraint noted check (id <> '') not valid`,
  'a check of all rows (refused by the test)': `alter table payment_retry.events add constraint noted check (id <> '')`,
  'an index on the table (refused by the test)': 'create index on payment_retry.events (type, received_at)',
};

const ORDER = [
  'AccessShareLock',
  'RowExclusiveLock',
  'ShareUpdateExclusiveLock',
  'ShareLock',
  'AccessExclusiveLock',
];
const strongest = (modes: readonly string[]) =>
  modes.toSorted((one, other) => ORDER.indexOf(other) - ORDER.indexOf(one))[0] ?? 'none';
const shown = (ms: number) => (ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`);

const postgres = await findTestPostgres();
if (!postgres) {
  console.log('Migrations are left out: no DATABASE_URL_TEST and no postgres binary found.');
  process.exit(0);
}
const url = await postgres.createDatabase();
const [changing, writing] = [new pg.Client(url), new pg.Client(url)];
try {
  const database = await openDatabase({ kind: 'postgres', url });
  await migratePlugin(database);
  await database.close();
  await Promise.all([changing.connect(), writing.connect()]);
  await changing.query(EVENT, ['evt_old_', EVENTS]);
  await changing.query('vacuum analyze payment_retry.events');
  console.log(`${EVENTS.toLocaleString('en')} events, one more every ${EVERY_MS} ms\n`);
  console.log('| Change | Takes | Strongest lock on the table | Slowest event |\n|---|---|---|---|');
  for (const [name, sql] of Object.entries(CHANGES)) console.log(await measure(name, sql));
} finally {
  await Promise.all([changing.end(), writing.end()]);
  await postgres.dropDatabase(url);
  await postgres.stop();
}

async function measure(name: string, sql: string): Promise<string> {
  const ending = new AbortController();
  const writer = write(name, ending.signal);
  await pause(200);
  await changing.query('begin');
  const begunAt = performance.now();
  await changing.query(sql);
  const ms = performance.now() - begunAt;
  const { rows } = await changing.query<{ mode: string }>(
    `select mode from pg_locks where pid = pg_backend_pid() and relation = 'payment_retry.events'::regclass`,
  );
  await changing.query('rollback');
  await pause(200);
  ending.abort();
  return `| ${name} | ${shown(ms)} | ${strongest(rows.map(({ mode }) => mode))} | ${shown(await writer)} |`;
}

/** Returns how long the slowest took. */
async function write(name: string, ending: AbortSignal): Promise<number> {
  let slowest = 0;
  for (let count = 0; !ending.aborted; count++) {
    const begunAt = performance.now();
    await writing.query(EVENT, [`evt_new_${name}_${count}_`, 1]);
    slowest = Math.max(slowest, performance.now() - begunAt);
    await pause(EVERY_MS);
  }
  return slowest;
}
