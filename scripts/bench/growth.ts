/**
 * What a piece of work costs as the tables grow: one PostgreSQL database, filled further and further with settled rows
 * (BENCH_SIZES, stored events), and after each fill the same work on it. Prints a table, and draws the plot of docs/reference/benchmarks.md
 * into the file that BENCH_PLOT names.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { openDatabase } from '../../src/core/database/open-database.ts';
import { accepts, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { startConsole } from '../../test/plugin/operator/console/console-harness.ts';
import { findTestPostgres } from '../../test/support/database/postgres-server.ts';
import { METRICS_TOKEN, scrape } from '../../test/support/http/scrape.ts';
import { callBack } from '../../test/support/scenario.ts';
import { createWorld } from '../../test/support/world.ts';
import { drawGrowth } from './growth-plot.tsx';
import { median } from './load.ts';

const SIZES = (process.env.BENCH_SIZES ?? '10000,100000,1000000').split(',').map(Number);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const WEBHOOKS = 50;
const PAYMENTS = 25;
const PAGES = 20;
/** Rows of one statement that fills. */
const STEP = 1_000_000;
const READ_TOKEN = 'operator-read-token-for-benchmarks-only-1';
const READER = { authorization: `Bearer ${READ_TOKEN}` };

/**
 * For each event a tenth of a subscription, an invoice and a line of the audit, a twentieth of an attempt and an action,
 * a fiftieth of a failure. `$1` and `$2` are the first and last event, `$3` is now; what is open is one in ten thousand.
 */
const every = (nth: number) => `generate_series($1::int / ${nth} + 1, $2::int / ${nth}) i`;
const FILL = [
  `insert into payment_retry.events (account, id, type, created_at, received_at, payload, processed_at, results)
   select 'own', 'evt_old_' || i, 'invoice.paid', at, at, '{}', at, '[{"code": "mirrored"}]'
   from (select i, $3::timestamptz - i % 1000000 * interval '1 second' as at from ${every(1)}) made`,
  `insert into payment_retry.customers (account, id, name, email)
   select 'own', 'cus_old_' || i, 'Name' || i, 'name' || i || '@example.com' from ${every(10)}`,
  `insert into payment_retry.subscriptions (account, id, customer_id, status, message, version, version_source, delivered_version)
   select 'own', 'sub_old_' || i, 'cus_old_' || i, 'active', '{}', $3::timestamptz, 'event', $3::timestamptz from ${every(10)}`,
  `insert into payment_retry.invoices (account, id, customer_id, subscription_id, status, amount_remaining, currency, attempt_count,
     message, version, version_source, delivered_version)
   select 'own', 'in_old_' || i, 'cus_old_' || i, 'sub_old_' || i, case when i % 1000 = 0 then 'open' else 'paid' end, 100, 'eur', 1, '{}',
     $3::timestamptz, 'event', $3::timestamptz from ${every(10)}`,
  `insert into payment_retry.actions (id, account, cause, reference, kind, invoice_id, due_at, state, created_at)
   select md5('action' || i)::uuid, 'own', 'instruction', 'old_' || i, 'pay', 'in_old_' || i, $3::timestamptz, 'done', $3::timestamptz
   from ${every(20)}`,
  `insert into payment_retry.attempts (id, account, invoice_id, customer_id, action_id, source, amount, currency, fingerprint, started_at,
     outcome, message, version, delivered_version)
   select md5('attempt' || i)::uuid, 'own', 'in_old_' || i, 'cus_old_' || i, md5('action' || i)::uuid, 'ours', 100, 'eur', 'print_' || i,
     $3::timestamptz - i % 1000000 * interval '1 second', 'paid', '{}', $3::timestamptz, $3::timestamptz from ${every(20)}`,
  `insert into payment_retry.failures (account, invoice_id, customer_id, subscription_id, currency, amount, state, cause, failed_at, ended_at,
     attempts, reason, words)
   select 'own', 'in_old_' || i, 'cus_old_' || i, 'sub_old_' || i, 'eur', 100, 'recovered', 'retry', at, at, 1, 'insufficient_funds',
     to_tsvector('simple', 'name' || i) from (select i, $3::timestamptz - i * interval '2 minutes' as at from ${every(50)}) made`,
  `insert into payment_retry.audit (account, at, invoice_id, kind, detail)
   select 'own', $3::timestamptz - i % 1000000 * interval '1 second', 'in_old_' || i, 'attempt.started', '{}' from ${every(10)}`,
  'delete from payment_retry.failure_changes',
];

const postgres = await findTestPostgres();
if (!postgres) {
  console.log('The growth is left out: no DATABASE_URL_TEST and no postgres binary found.');
  process.exit(0);
}
const url = await postgres.createDatabase();
/** Beside the plugin, in a session that the counts of pages leave out while it waits. */
const filler = await openDatabase({ kind: 'postgres', url });
const world = await createWorld({
  isRemote: true,
  engine: { createMigrated: place },
  plugin: { metricsToken: METRICS_TOKEN, operatorReadToken: READ_TOKEN },
});
const { sandbox, clock } = world;
const pages = await startConsole({ shared: { database: world.plugin.parts.database, clock } });
let session = await pages.signIn();
const price = sandbox.createPrice({ unit_amount: 2000 });
const subscribed = Array.from({ length: WEBHOOKS }, () => {
  const { id: customer } = sandbox.createCustomer({ email: 'ada@example.com', paymentMethod: accepts() });
  return sandbox.createSubscription({ customer, items: [{ price: price.id }] }).id;
});
await world.settle();
let changes = 0;
let failed: string[] = [];

interface Work {
  readonly name: string;
  /** How many of them a round does. */
  readonly count: number;
  /** Before the rounds, and not measured. */
  prepare?(): Promise<void>;
  round(): Promise<unknown>;
}

interface Cost {
  readonly ms: number;
  /** Of 8 kB, read from the database. */
  readonly pages: number;
}

const WORKS: readonly Work[] = [
  { name: 'a webhook, processed and delivered', count: WEBHOOKS, round: changeSubscriptions },
  {
    name: 'an instruction, from its callback to the paid invoice',
    count: PAYMENTS,
    prepare: failInvoices,
    round: payInvoices,
  },
  { name: 'a minute in which nothing is due', count: 1, round: passMinute },
  {
    name: 'a page of failing invoices over the API',
    count: PAGES,
    round: () => readPages(`${world.url}/api/v1/failing_invoices`, READER),
  },
  {
    name: "the console's overview",
    count: PAGES,
    prepare: signIn,
    round: () => readPages(`${pages.url}/console/`, session),
  },
  {
    name: "the console's list of invoices",
    count: PAGES,
    prepare: signIn,
    round: () => readPages(`${pages.url}/console/invoices`, session),
  },
  { name: '/metrics', count: PAGES, round: () => times(PAGES, () => scrape(world.url)) },
];

try {
  await measureGrowth();
} finally {
  await pages.stop();
  await world.stop();
  await filler.close();
  await postgres.stop();
}

async function place() {
  return { location: { kind: 'postgres', url } as const, remove: async () => {} };
}

async function measureGrowth(): Promise<void> {
  const lines = WORKS.map((work) => ({ ...work, costs: [] as Cost[] }));
  let filled = 0;
  for (const size of SIZES) {
    for (let from = filled; from < size; from += STEP) await fill(from, Math.min(size, from + STEP));
    filled = size;
    await filler.exec('vacuum analyze');
    for (const line of lines) {
      const cost = await measure(line);
      line.costs.push(cost);
      console.log(`${size} events: ${line.name}: ${cellOf(cost)}`);
    }
  }
  console.log(`\n| ms, pages | ${SIZES.map((size) => size.toLocaleString('en')).join(' | ')} |`);
  console.log(`|---|${SIZES.map(() => '---|').join('')}`);
  for (const { name, costs } of lines) console.log(`| ${name} | ${costs.map(cellOf).join(' | ')} |`);
  const { BENCH_PLOT: file } = process.env;
  if (file)
    writeFileSync(
      file,
      drawGrowth(
        SIZES,
        lines.map(({ name, costs }) => ({ name, pages: costs.map(({ pages }) => pages) })),
      ),
    );
}

function cellOf({ ms, pages }: Cost): string {
  return `${ms.toFixed(1)}, ${pages}`;
}

/** The first round warms up. */
async function measure({ count, prepare, round }: Work): Promise<Cost> {
  await prepare?.();
  await round();
  const before = await readBuffers();
  const took: number[] = [];
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    const start = performance.now();
    await round();
    took.push(performance.now() - start);
  }
  const buffers = ((await readBuffers()) - before) / ROUNDS;
  return { ms: median(took) / count, pages: Math.round(buffers / count) };
}

async function fill(from: number, to: number): Promise<void> {
  const values = { $1: from, $2: to, $3: clock.now().toISO() };
  for (const statement of FILL) {
    const params = Object.entries(values).flatMap(([name, value]) =>
      statement.includes(name) ? [value] : [],
    );
    await filler.transaction((tx) => tx.query(statement, params), { statementMs: 3_600_000 });
  }
}

async function changeSubscriptions(): Promise<void> {
  changes += 1;
  for (const id of subscribed) sandbox.updateSubscription(id, { metadata: { change: String(changes) } });
  await world.settle();
}

/** The clock has passed the end of the session before. */
async function signIn(): Promise<void> {
  session = await pages.signIn();
}

/** For every round, and so long ago that the networks allow another attempt. */
async function failInvoices(): Promise<void> {
  failed = Array.from({ length: PAYMENTS * (ROUNDS + 1) }, () => {
    const fingerprint = `card${sandbox.state.customers.size}`;
    const paymentMethod = declinesTimes(1, 'insufficient_funds', {}, { fingerprint });
    const { id: customer } = sandbox.createCustomer({ email: 'ada@example.com', paymentMethod });
    return sandbox.renewNow(sandbox.createSubscription({ customer, items: [{ price: price.id }] }).id).id;
  });
  await world.settle();
  await clock.set(clock.now().plus({ hours: 25 }));
  await world.settle();
}

async function payInvoices(): Promise<void> {
  const invoices = failed.splice(0, PAYMENTS);
  for (const invoiceId of invoices)
    await callBack(world, {
      requestId: `request for ${invoiceId}`,
      invoiceId,
      actionSuggestion: 'ACTION_SUGGESTION_RETRY',
      idealRetryTime: clock.now().toISO(),
    });
  await world.settle();
  for (const id of invoices)
    if (sandbox.state.invoices.get(id)?.status !== 'paid') throw new Error(`${id} was not paid.`);
}

async function passMinute(): Promise<void> {
  await clock.set(clock.now().plus({ minutes: 1 }));
  await world.settle();
}

async function readPages(address: string, headers: Record<string, string>): Promise<void> {
  await times(PAGES, async () => {
    const answer = await fetch(address, { headers, redirect: 'manual' });
    await answer.text();
    if (answer.status !== 200) throw new Error(`${address} answered ${answer.status}.`);
  });
}

async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await work();
}

/** Pages of 8 kB. A session reports what it read once it has been idle for ten seconds. */
async function readBuffers(): Promise<number> {
  await setTimeout(12_000);
  const [row] = await filler.query<{ buffers: number }>(
    'select (blks_hit + blks_read)::float8 as buffers from pg_stat_database where datname = current_database()',
  );
  return row?.buffers ?? 0;
}
