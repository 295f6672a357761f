/**
 * The console and the API's lists on PostgreSQL with BENCH_SUBSCRIPTIONS (a million) subscriptions and BENCH_CASES (200,000) failed
 * invoices of a year: each page over HTTP, signed in, and what its statements read. Fails if one of them reads a large table whole,
 * or if a page takes longer than promised. Prints the table of docs/reference/benchmarks.md. BENCH_DATABASE_URL names a database of your own,
 * which is filled once and kept.
 */
import { createSimulatedClock } from '../../src/core/base/clock.ts';
import type { Database, Queryable } from '../../src/core/database/database.ts';
import { openDatabase } from '../../src/core/database/open-database.ts';
import { migratePlugin } from '../../src/plugin/store/migrate-plugin.ts';
import {
  type ConsoleHarness,
  NOW,
  startConsole,
} from '../../test/plugin/operator/console/console-harness.ts';
import { findTestPostgres } from '../../test/support/database/postgres-server.ts';
import { analyzeTables, fillMerchantYear, type LargeTable } from './console-data.ts';

const SIZE = {
  subscriptions: Number(process.env.BENCH_SUBSCRIPTIONS ?? 1_000_000),
  cases: Number(process.env.BENCH_CASES ?? 200_000),
};
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 21);
const ONLY = process.env.BENCH_ONLY;
/** A table with fewer rows is read whole for good reason. */
const LARGE = 5_000;
const TOKEN = 'bench-token-bench-token-bench-token';

const OVERVIEW_MS = 100;
const LIST_MS = 50;

/** What the statements of one page came to. */
interface Seen {
  ms: number;
  statements: { ms: number; rows: number; text: string }[];
  whole: Set<string>;
}

const PAGES: readonly string[] = [
  'console/',
  'console/?months=all',
  'console/reports',
  'console/attempts',
  'console/invoices',
  'console/invoices?state=unpaid',
  'console/invoices?state=recovered',
  'console/invoices?state=lost',
  'console/invoices?q=tara',
  'console/invoices?q=tara+adler',
  'console/invoices?q=example',
  'console/invoices?q=in_100',
  'console/invoices?reason=lost_card',
  'console/invoices?reason=never_seen',
  'console/invoices?country=JP&currency=jpy',
  'console/invoices?country=JP&state=asked',
  'console/invoices?plan=price_39&state=lost',
  'console/invoices?sort=next',
  'console/invoices?sort=next&country=JP',
  'console/invoices?sort=amount',
  'console/invoices?sort=amount&reason=lost_card',
  'console/invoices?sort=amount&currency=eur',
  'console/invoices?sort=amount&currency=eur&state=retry',
  'console/invoices?need=no_address',
  'console/invoices?from=2025-06-01&to=2025-06-08',
  'console/invoices?from=2025-06-01&to=2025-06-08&reason=lost_card',
  'console/invoices?customer=cus_777',
  'console/deliveries',
  'console/customers',
  'console/customers?state=open',
  'console/customers?sort=unpaid',
  'console/customers?sort=unpaid&state=open',
  'console/customers?sort=recovered',
  'console/customers?q=tara',
  'console/customers?q=example',
  'console/customers?after=2025-09-01T00%3A00%3A00.000Z~in_1',
  'console/customers?state=open&after=2026-02-10T00%3A00%3A00.000Z~in_1',
  'console/customers/cus_777',
  'console/emails',
  'console/emails?state=unsent',
  'console/emails?q=tara.adler80%40example.com',
  'console/emails?q=in_777',
  'console/emails/00000000-0000-4000-8000-000000000777',
  'console/audit',
  'console/timing',
  'console/settings',
  'console/invoices/in_777',
  'api/v1/status',
  'api/v1/failing_invoices',
  'api/v1/failing_invoices?limit=500',
  'api/v1/failing_invoices?state=open&minDays=14',
  'api/v1/failing_invoices?state=open&minAmount=10000&currency=eur',
  'api/v1/failing_invoices?email=tara.adler80',
  'api/v1/failing_invoices?subscription=sub_777',
  'api/v1/invoices/in_777',
  'console/invoices.csv',
];

const postgres = process.env.BENCH_DATABASE_URL ? undefined : await findTestPostgres('on');
const url = process.env.BENCH_DATABASE_URL ?? (await postgres?.createDatabase());
if (url === undefined) {
  console.log('The console is left out: no DATABASE_URL_TEST and no postgres binary found.');
  process.exit(0);
}
const database = await openDatabase({ kind: 'postgres', url });
const problems: string[] = [];
try {
  await migratePlugin(database);
  await fillMerchantYear(database, SIZE, NOW);
  const large = await analyzeTables(database, LARGE);
  const watch = watched(database, large);
  const harness = await startConsole({
    settings: { operatorToken: TOKEN },
    shared: { database: watch.database, clock: createSimulatedClock(NOW) },
  });
  try {
    await measure(harness, watch.during);
  } finally {
    await harness.stop();
  }
} finally {
  await database.close();
  await postgres?.stop();
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

async function measure(harness: ConsoleHarness, watch: Watch): Promise<void> {
  const session = await harness.signIn();
  const number = new Intl.NumberFormat('en');
  console.log(
    `${number.format(SIZE.subscriptions)} subscriptions, ${number.format(SIZE.cases)} failed invoices, ${ROUNDS} rounds over HTTP\n`,
  );
  console.log(
    '| page | rows read | ms of statements | CPU ms here | median ms | slowest |\n|---|---|---|---|---|---|',
  );
  for (const path of PAGES.filter((one) => ONLY === undefined || one.includes(ONLY))) {
    const read = async () => {
      const isApi = path.startsWith('api/');
      const answer = await harness.visit(`/${path}`, isApi ? { authorization: `Bearer ${TOKEN}` } : session);
      await answer.text();
      if (answer.status !== 200) throw new Error(`/${path} answered ${answer.status}.`);
    };
    const times: number[] = [];
    const used = process.cpuUsage();
    // A file as long as all of them, of which the first lines come at once.
    const isFile = path.includes('.csv');
    const rounds = isFile ? 1 : ROUNDS;
    for (let round = 0; round < rounds; round += 1) {
      const before = performance.now();
      await read();
      times.push(performance.now() - before);
    }
    const { user, system } = process.cpuUsage(used);
    times.sort((a, b) => a - b);
    const seen = await watch(read);
    const median = times[Math.floor(rounds / 2)] ?? 0;
    const most = path.startsWith('console/?') || path === 'console/' ? OVERVIEW_MS : LIST_MS;
    const rows = seen.statements.reduce((sum, one) => sum + one.rows, 0);
    const columns = [
      `\`/${path}\``,
      number.format(rows),
      seen.ms.toFixed(1),
      ((user + system) / 1000 / rounds).toFixed(0),
      median.toFixed(0),
      (times.at(-1) ?? 0).toFixed(0),
    ];
    console.log(`| ${columns.join(' | ')} |`);
    if (median > most && !isFile) problems.push(`/${path}: ${median.toFixed(0)} ms, more than ${most}.`);
    for (const table of seen.whole) problems.push(`/${path} reads ${table} whole.`);
    if (process.env.BENCH_STATEMENTS)
      for (const { ms, rows, text } of seen.statements
        .sort((one, other) => other.ms - one.ms)
        .slice(0, Number(process.env.BENCH_STATEMENTS)))
        console.log(`  ${ms.toFixed(1)} ms, ${rows} rows: ${text.replace(/\s+/g, ' ').slice(0, 200)}`);
  }
}

type Watch = (work: () => Promise<void>) => Promise<Seen>;

/** While something is watched, each statement that reads is explained first. */
function watched(db: Database, large: readonly LargeTable[]): { database: Database; during: Watch } {
  let seen: Seen | undefined;
  const explained =
    (queryable: Queryable): Queryable['query'] =>
    async (text, params) => {
      if (seen && /^\s*(select|with)/i.test(text) && !/for update|delete|insert|advisory/i.test(text)) {
        const [plan] = await queryable.query<{ 'QUERY PLAN': [Explained] }>(
          `explain (analyze, timing off, format json) ${text}`,
          params,
        );
        if (plan) note(plan['QUERY PLAN'][0], text, seen);
      }
      return queryable.query(text, params);
    };
  const note = (explained: Explained, text: string, into: Seen) => {
    const ms = explained['Planning Time'] + explained['Execution Time'];
    const read = readOf(explained.Plan);
    into.ms += ms;
    into.statements.push({ ms, text, rows: read.reduce((sum, { rows }) => sum + rows, 0) });
    for (const { name, rows } of large) {
      const ofIt = read.filter(({ table }) => table === name);
      const isWhole = ofIt.some((one) => (one.isSequential ? one.rows >= LARGE : one.rows > rows / 2));
      if (isWhole) into.whole.add(name);
    }
  };
  const during: Watch = async (work) => {
    const made: Seen = { ms: 0, statements: [], whole: new Set() };
    seen = made;
    await work();
    seen = undefined;
    return made;
  };
  const transaction: Database['transaction'] = (work, options) =>
    db.transaction((tx) => work({ ...tx, query: explained(tx) }), options);
  return { database: { ...db, query: explained(db), transaction }, during };
}

interface Explained {
  readonly Plan: PlanNode;
  readonly 'Planning Time': number;
  readonly 'Execution Time': number;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

interface TableRead {
  readonly table: string;
  readonly isSequential: boolean;
  readonly rows: number;
}

/** Rows that were looked at, whether they fitted or not. */
function readOf(node: PlanNode): TableRead[] {
  const below = (node.Plans ?? []).flatMap(readOf);
  const table = node['Relation Name'];
  if (table === undefined) return below;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const rows = Math.round((node['Actual Rows'] + removed) * node['Actual Loops']);
  return [{ table, isSequential: node['Node Type'] === 'Seq Scan', rows }, ...below];
}
