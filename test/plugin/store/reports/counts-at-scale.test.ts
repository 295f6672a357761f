/** What status, console and metrics count costs what waits, not what was. */
import { DateTime } from 'luxon';
import type { Queryable } from '../../../../src/core/database/database.ts';
import { addUpCounters, countWork, readCounters } from '../../../../src/plugin/store/reports/counters.ts';
import { findInvoiceHistory } from '../../../../src/plugin/store/reports/invoice-history.ts';
import { listEmails } from '../../../../src/plugin/store/reports/listed-emails.ts';
import {
  CUSTOMER_SORTS,
  listCustomers,
  sumCustomers,
} from '../../../../src/plugin/store/reports/money/list-customers.ts';
import { refreshFailures } from '../../../../src/plugin/store/reports/money/refresh-failures.ts';
import { readWorkStatus } from '../../../../src/plugin/store/reports/work-status.ts';
import { countUndelivered } from '../../../../src/plugin/store/tables/sync/outbox.ts';
import { countRows } from '../../../support/database/count-rows.ts';
import { countVisited } from '../../../support/database/count-visited.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const ROWS = 12_000;
/** So few of each table that PostgreSQL rather looks each up than reads the table whole. */
const WAITING = ROWS / 400;

/** Rows of each table that grows, from one number to another; those after the first ones are settled. */
const rows = (from: number, to: number) => `
insert into payment_retry.events (account, id, type, created_at, received_at, payload, processed_at, results)
select 'own', 'evt_' || i, 'invoice.paid', now(), now(), '{}', case when i > ${WAITING} then now() end,
  case when i = ${to} then '[{"code": "dead"}]' else '[{"code": "mirrored"}]' end::jsonb from generate_series(${from}, ${to}) i;
insert into payment_retry.subscriptions (account, id, customer_id, status, message, version, version_source, delivered_version)
select 'own', 'sub_' || i, 'cus_' || i, 'active', '{}', now(), 'event', case when i > ${WAITING} then now() end from generate_series(${from}, ${to}) i;
insert into payment_retry.invoices (account, id, customer_id, subscription_id, status, amount_remaining, currency, attempt_count,
  message, version, version_source, delivered_version)
select 'own', 'in_' || i, 'cus_' || i, 'sub_' || i, case when i > ${WAITING} then 'paid' else 'open' end, 100, 'eur', 1, '{}', now(), 'event',
  now() from generate_series(${from}, ${to}) i;
insert into payment_retry.instructions (account, request_id, source, received_at, issued_at, type, invoice_id, body, state, handled_at)
select 'own', 'req_' || i, 'callback', now(), now(), 'suggestion', 'in_' || i, '{}', case when i > ${WAITING} then 'scheduled' else 'failed' end,
  now() from generate_series(${from}, ${to}) i;
insert into payment_retry.recovery_actions (account, id, body, fate, first_seen_at, updated_at)
select 'own', 'ra_' || i, '{}', 'history', now(), now() from generate_series(${from}, ${to}) i;
insert into payment_retry.actions (id, account, cause, reference, kind, invoice_id, due_at, state, created_at)
select md5('action' || i)::uuid, 'own', 'instruction', 'req_' || i, 'pay', 'in_' || i, now(), case when i > ${WAITING} then 'done' else 'scheduled' end,
  now() from generate_series(${from}, ${to}) i;
insert into payment_retry.attempts (id, account, invoice_id, action_id, source, started_at, outcome, message, version, delivered_version)
select md5('attempt' || i)::uuid, 'own', 'in_' || i, md5('action' || i)::uuid, 'ours', now(), case when i > ${WAITING} then 'paid' end, '{}',
  now(), now() from generate_series(${from}, ${to}) i;
insert into payment_retry.emails (account, invoice_id, template, step, recipient, message_id, state, created_at, named, campaign)
select 'own', 'in_' || i, 'card_update', i, '', '', case when i > ${WAITING} then 'sent' else 'sending' end, now(), array['in_' || i], '1' from generate_series(${from}, ${to}) i;
insert into payment_retry.endings (account, invoice_id, given_up_at, reason, ended_at)
select 'own', 'in_' || i, now(), '{}', case when i > ${WAITING} then now() end from generate_series(${from}, ${to}) i;
insert into payment_retry.audit (account, at, invoice_id, kind, detail)
select 'own', now(), 'in_' || i, case when i > ${2 * WAITING} then 'attempt.started' when i > ${WAITING} then 'email.undeliverable' else 'observed.pay' end, '{}'
from generate_series(${from}, ${to}) i`;

/** Those that wait are counted as they come. The others are many, and no trigger counts them. */
const FILLED = `${rows(1, 2 * WAITING)};
insert into payment_retry.failures (account, invoice_id, customer_id, currency, amount, state, failed_at, attempts, words)
select 'own', 'in_' || i, 'cus_' || i, (array['eur', 'usd'])[1 + i % 2], i, case when i > ${WAITING} then 'recovered' else 'open' end,
  now() - i * interval '1 minute', 1, to_tsvector('simple', 'cus ' || i || case when i % 400 = 0 then ' rare' else '' end)
from generate_series(1, ${ROWS}) i;
insert into payment_retry.backfill_runs (account, kind, months, per_second, started_at) values ('own', 'backfill', 12, 20, now());
set session_replication_role = replica;
${rows(2 * WAITING + 1, ROWS)};
set session_replication_role = origin`;

let held: TestDatabase;
beforeAll(async () => {
  held = await openTestDatabase(MAIN);
  await held.database.exec(FILLED);
  await addUpCounters(held.database);
  await held.database.exec('vacuum analyze');
});
afterAll(() => held.close());

describe('with thousands of settled rows in each table', () => {
  test('no statement of status, console or metrics reads a table whole, and all together read few pages', async () => {
    const asked: { text: string; params: readonly unknown[] }[] = [];
    const recording: Queryable = {
      ...held.database,
      query: (text, params = []) => {
        asked.push({ text, params });
        return held.database.query(text, params);
      },
    };
    await readWorkStatus(recording, NOW);
    // One invoice and its customer, among all.
    await findInvoiceHistory(recording, 'in_5000', 'own');
    await listEmails(recording, { customer: { account: 'own', id: 'cus_5000' } }, { limit: 50 });
    const emailsOf = { customer: { account: 'own', id: 'cus_5000' } };
    expect(await countVisited(held.database, (db) => listEmails(db, emailsOf, { limit: 50 }))).toBeLessThan(
      20,
    );
    await countUndelivered(recording);
    await readCounters(recording);
    expect(asked.length).toBeGreaterThan(15);
    const costs: [pages: number, wholeTables: string[], text: string][] = [];
    for (const { text, params } of asked) costs.push([...(await explain(held.database, text, params)), text]);
    expect(costs.filter(([, tables]) => tables.length > 0)).toEqual([]);
    // One that visits each of fifty rows and what belongs to it reads some hundreds.
    expect(costs.filter(([pages]) => pages > 1_000)).toEqual([]);
  });

  test('a changed failure is drawn anew by reading what belongs to it', async () => {
    await refreshFailures(held.database);
    await held.database.query(
      `update payment_retry.attempts set outcome = 'declined' where invoice_id = 'in_5000'`,
    );
    const read: string[][] = [];
    await refreshFailures({
      ...held.database,
      transaction: (work) =>
        held.database.transaction((tx) =>
          work({
            ...tx,
            query: async <Row extends object>(text: string, params?: readonly unknown[]) => {
              if (!text.startsWith('with taken')) return tx.query<Row>(text, params);
              read.push((await explain(tx, text, params))[1]);
              return [{ taken: 1 }] as Row[];
            },
          }),
        ),
    });
    expect(read).toEqual([[]]);
    const drawn = `select amount from payment_retry.failures where invoice_id = 'in_5000'`;
    expect(await held.database.getValue(drawn)).toBe(100);
  });

  test.each([
    {},
    { isOpen: true },
    { search: { query: 'rare:*', isCommon: false } },
    { search: { query: 'cus:*', isCommon: true } },
  ])('a page of customers, in each order, reads its rows and what belongs to them: %j', async (filter) => {
    const worth = ['eur', 'usd'].map((currency) => ({ currency, group: '', factor: '1' }));
    const visited: [sort: string, rows: number][] = [];
    for (const sort of CUSTOMER_SORTS) {
      const page = { sort, worth, limit: 50 };
      visited.push([sort, await countVisited(held.database, (db) => listCustomers(db, filter, page))]);
    }
    expect(visited.filter(([, rows]) => rows > 1_000)).toEqual([]);
    // Of the failures of a customer and the words that were looked for, and no more.
    expect(await countVisited(held.database, (db) => sumCustomers(db, filter))).toBeLessThan(ROWS);
  });

  test('the counts are those of the rows, whoever changes them in whatever order, and whoever adds them up', async () => {
    const { database } = held;
    await held.clear();
    await database.exec(rows(1, 2 * WAITING));
    const change = (from: number) => [
      `update payment_retry.events set processed_at = now(), results = '[{"code": "dead"}]' where id in ('evt_${from}', 'evt_${from + 1}')`,
      `update payment_retry.actions set state = 'closed' where invoice_id = 'in_${from}'`,
      `update payment_retry.attempts set outcome = 'declined' where invoice_id = 'in_${from}'`,
      `delete from payment_retry.emails where invoice_id = 'in_${from}'`,
      `update payment_retry.subscriptions set delivered_version = version where id = 'sub_${from}'`,
    ];
    const changes = Array.from({ length: 10 }, (_, index) =>
      database
        .transaction(async (tx) => {
          const statements = change(3 * index + 1);
          for (const text of index % 2 === 0 ? statements : statements.toReversed()) await tx.query(text);
          if (index % 3 === 0) throw new Error('rolled back');
        })
        .catch((error: Error) => error.message),
    );
    const done = await Promise.all([...changes, ...[1, 2, 3].map(() => addUpCounters(database))]);
    expect(done.filter((one) => one === 'rolled back')).toHaveLength(4);
    const counts = await countWork(database);
    expect(counts).toContainEqual({ table: 'events', state: 'dead', count: 13 });
    expect(counts).toEqual(await countRows(database));
    const happened = await readCounters(database);
    expect(happened).toContainEqual({
      name: 'events_processed',
      labels: { result: 'dead' },
      total: 12,
      amount: 0,
    });
    await Promise.all([1, 2, 3].map(() => addUpCounters(database)));
    await addUpCounters(database);
    expect(await database.query('select * from payment_retry.counter_changes')).toEqual([]);
    expect(await readCounters(database)).toEqual(happened);
    expect(await countWork(database)).toEqual(counts);
  });
});

const BIG = [
  'events',
  'subscriptions',
  'invoices',
  'instructions',
  'recovery_actions',
  'actions',
  'attempts',
  'emails',
  'audit',
  'endings',
];

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: Plan[];
}

async function explain(
  db: Queryable,
  text: string,
  params?: readonly unknown[],
): Promise<[pages: number, wholeTables: string[]]> {
  const [row] = await db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (analyze, buffers, format json) ${text}`,
    params,
  );
  const root = row?.['QUERY PLAN'][0].Plan;
  if (!root) throw new Error('no plan');
  const pages = (root['Shared Hit Blocks'] ?? 0) + (root['Shared Read Blocks'] ?? 0);
  const whole = nodesOf(root).filter(
    (node) => node['Node Type'].endsWith('Seq Scan') && BIG.includes(node['Relation Name'] ?? ''),
  );
  return [pages, whole.map((node) => node['Relation Name'] ?? '')];
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
