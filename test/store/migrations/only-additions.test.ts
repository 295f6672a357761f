/** A rolling upgrade: processes of the version before work on while the tables are those of this one. */
import { readdirSync, readFileSync } from 'node:fs';
import { declinesTimes } from '../../../src/sandbox/stripe/payment-behaviour.ts';
import { listNewerMigrations } from '../../../src/store/engine/migrate.ts';
import { chargesOf, failingInvoice, statusOf } from '../../support/scenario.ts';
import { createWorld } from '../../support/world.ts';

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

const withoutComments = (sql: string) => sql.replace(/--.*$/gm, '');

test.each(['store', 'service'])('migrations of the %s after the first only add', (part) => {
  const folder = new URL(`../../../src/${part}/migrations/`, import.meta.url);
  const names = readdirSync(folder).filter((name) => name !== '0001.sql');
  const narrowing = names.filter((name) =>
    NARROWS.some((pattern) => pattern.test(withoutComments(readFileSync(new URL(name, folder), 'utf8')))),
  );
  expect(narrowing).toEqual([]);
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
    for (const { name } of tables)
      await database.exec(`alter table ${name} add column of_the_next_version text not null default 'next'`);
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
