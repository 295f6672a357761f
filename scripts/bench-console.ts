/**
 * The console on PostgreSQL with BENCH_SUBSCRIPTIONS (a million) subscriptions and BENCH_CASES (200,000) failed invoices of a year: each
 * page over HTTP, and whether a statement of it reads a large table whole. Prints the table of docs/benchmarks.md.
 */
import { createSimulatedClock } from '../src/clock.ts';
import { type Database, openDatabase, type Queryable } from '../src/store/engine/database.ts';
import { migratePlugin } from '../src/store/engine/migrate.ts';
import { type ConsoleHarness, NOW, startConsole } from '../test/operator/console/console-harness.ts';
import { findTestPostgres } from '../test/support/postgres-server.ts';

const SUBSCRIPTIONS = Number(process.env.BENCH_SUBSCRIPTIONS ?? 1_000_000);
const CASES = Number(process.env.BENCH_CASES ?? 200_000);
const ROUNDS = 21;
/** A table with fewer rows is read whole for good reason. */
const LARGE = 5_000;

let isWatching = false;

/** What the statements of one page came to. */
interface Seen {
  whole: string[];
  /** Of the statements alone. */
  ms: number;
  /** Of 8 kB. */
  buffers: number;
  slowest: { ms: number; text: string }[];
}

const PAGES: readonly (readonly [path: string, mostMs: number])[] = [
  ['', 100],
  ['?days=90', 100],
  ['invoices', 50],
  ['invoices?state=waiting', 50],
  ['invoices?state=recovered', 50],
  ['invoices?state=lost', 50],
  ['invoices?q=name77', 50],
  ['invoices?q=example', 50],
  ['invoices?q=in_100', 50],
  ['invoices?reason=lost_card', 50],
  ['invoices?country=JP&currency=jpy', 50],
  ['invoices?plan=price_39', 50],
  ['invoices?sort=next', 50],
  ['invoices?sort=amount&currency=eur', 50],
  ['invoices?from=2025-06-01&to=2025-06-08', 50],
  ['invoices?customer=cus_777', 50],
  ['deliveries', 50],
  ['customers', 50],
  ['customers?state=open', 50],
  ['customers?q=name77', 50],
  ['customers?q=example', 50],
  ['customers?after=2025-09-01T00%3A00%3A00.000Z~in_1', 50],
  ['customers/cus_777', 50],
  ['mails', 50],
  ['mails?state=unsent', 50],
  ['mails?q=name777%40example.com', 50],
  ['mails?q=in_777', 50],
  ['mails/00000000-0000-4000-8000-000000000777', 50],
  ['audit', 50],
  ['invoices/in_777', 50],
];

const FILL = [
  `insert into payment_retry.subscriptions (account, id, customer_id, status, message, version, version_source, delivered_version)
   select 'own', 'sub_' || i, 'cus_' || i, 'active', jsonb_build_object('planId', 'price_' || i % 40), now(), 'event', now()
   from generate_series(1, ${SUBSCRIPTIONS}) i`,
  `insert into payment_retry.customers select 'own', 'cus_' || i, 'Name' || i, 'name' || i || '@example.com' from generate_series(1, ${CASES}) i`,
  `insert into payment_retry.cards select 'own', 'pm_' || i, '4242', 'DE' from generate_series(1, ${CASES}) i`,
  `insert into payment_retry.plans select 'own', 'price_' || i, 'Plan ' || i from generate_series(0, 39) i`,
  `insert into payment_retry.failures (account, invoice_id, customer_id, subscription_id, plan, currency, amount, state, cause, failed_at,
     ended_at, attempts, reason, payment_method, brand, country, next_kind, next_at, words)
   select 'own', 'in_' || i, 'cus_' || i, 'sub_' || i, 'price_' || i % 40, (array['usd', 'usd', 'eur', 'eur', 'gbp', 'jpy'])[1 + i % 6],
     500 + i % 9000, state, case state when 'recovered' then (array['retry', 'retry', 'new_card', 'confirmation', 'by_itself'])[1 + i % 5] end,
     failed_at, case state when 'open' then null else failed_at + interval '4 days' end, 1 + i % 4,
     (array['insufficient_funds', 'insufficient_funds', 'do_not_honor', 'generic_decline', 'expired_card', 'lost_card'])[1 + i % 6],
     'pm_' || i, (array['visa', 'visa', 'mastercard', 'amex'])[1 + i % 4], (array['DE', 'US', 'FR', 'GB', 'BR', 'JP'])[1 + i % 6],
     case when state = 'open' and i % 3 > 0 then 'pay' end,
     case when state = 'open' and i % 3 > 0 then $1::timestamptz + (i % 14) * interval '1 day' end,
     to_tsvector('simple', 'name' || i || ' name' || i || ' example com in ' || i || ' cus ' || i || ' sub ' || i)
   from (select i, $1::timestamptz - (i::double precision / ${CASES}) * interval '365 days' as failed_at,
           case when i < ${CASES} / 12 and i % 2 = 0 then 'open' when i % 3 = 0 then 'lost' else 'recovered' end as state
         from generate_series(1, ${CASES}) i) made`,
  `insert into payment_retry.invoices (account, id, customer_id, subscription_id, status, amount_remaining, currency, attempt_count, version, version_source)
   select account, invoice_id, customer_id, subscription_id, case state when 'open' then 'open' when 'lost' then 'void' else 'paid' end,
     amount, currency, attempts, failed_at, 'event' from payment_retry.failures`,
  `insert into payment_retry.attempts (id, account, invoice_id, customer_id, subscription_id, source, amount, currency, payment_method, brand,
     fingerprint, charge_id, outcome, code, decline_code, started_at, version)
   select gen_random_uuid(), account, invoice_id, customer_id, subscription_id, 'stripe', amount, currency, payment_method, brand,
     'fp_' || payment_method, 'ch_' || invoice_id, 'declined', 'card_declined', reason, failed_at, failed_at from payment_retry.failures`,
  `insert into payment_retry.emails (account, invoice_id, template, step, recipient, message_id, state, created_at, sent_at, subject, body_text, body_html)
   select 'own', 'in_' || i, 'card_update', '00000000-0000-4000-8000-' || lpad(i::text, 12, '0'), 'name' || i || '@example.com', '<' || i || '@shop.example>',
     case when i % 1000 = 0 then 'refused' else 'sent' end, f.failed_at, f.failed_at, 'Please update your card', repeat('Dear customer ', 50), repeat('<p>Dear customer</p>', 100)
   from generate_series(1, ${CASES}) i join payment_retry.failures f on f.invoice_id = 'in_' || i`,
  `insert into payment_retry.audit (account, at, invoice_id, kind, detail)
   select 'own', failed_at, invoice_id, kind, '{}' from payment_retry.failures cross join (values ('instruction.scheduled'), ('attempt.declined'), ('email.sent')) as told (kind)`,
  'truncate payment_retry.failure_changes',
];
const FILLED = [
  'subscriptions',
  'customers',
  'cards',
  'plans',
  'failures',
  'invoices',
  'attempts',
  'emails',
  'audit',
];
/** A million rows take their time. */
const PATIENCE = { statementMs: 3_600_000 };

const postgres = await findTestPostgres('on');
if (!postgres) {
  console.log('The console is left out: no DATABASE_URL_TEST and no postgres binary found.');
  process.exit(0);
}
const url = await postgres.createDatabase();
const database = await openDatabase({ kind: 'postgres', url });
try {
  await migratePlugin(database);
  for (const statement of FILL)
    await database.transaction(
      (tx) => tx.query(statement, statement.includes('$1') ? [NOW.toISO()] : []),
      PATIENCE,
    );
  for (const table of FILLED) await database.query(`vacuum analyze payment_retry.${table}`);
  const seen: Seen = { whole: [], ms: 0, buffers: 0, slowest: [] };
  const harness = await startConsole({
    shared: { database: watched(database, seen), clock: createSimulatedClock(NOW) },
  });
  try {
    await measure(harness, seen);
  } finally {
    await harness.stop();
  }
} finally {
  await database.close();
  await postgres.stop();
}

async function measure(harness: ConsoleHarness, seen: Seen): Promise<void> {
  const session = await harness.signIn();
  console.log(`${SUBSCRIPTIONS} subscriptions, ${CASES} failed invoices, ${ROUNDS} rounds, ms over HTTP\n`);
  console.log(
    '| page | statements | buffers | median | slowest | at most | reads whole |\n|---|---|---|---|---|---|---|',
  );
  for (const [path, most] of PAGES) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = performance.now();
      const answer = await harness.visit(`/console/${path}`, session);
      await answer.text();
      times.push(performance.now() - before);
      if (answer.status !== 200) throw new Error(`/console/${path} answered ${answer.status}.`);
    }
    times.sort((a, b) => a - b);
    Object.assign(seen, { whole: [], ms: 0, buffers: 0, slowest: [] });
    isWatching = true;
    await (await harness.visit(`/console/${path}`, session)).text();
    isWatching = false;
    const median = times[Math.floor(ROUNDS / 2)] ?? 0;
    const found = seen.whole.join(', ') || '–';
    const [statements, slowest] = [seen.ms.toFixed(1), (times.at(-1) ?? 0).toFixed(0)];
    console.log(
      `| \`/${path}\` | ${statements} | ${seen.buffers.toLocaleString('en')} | ${median.toFixed(0)} | ${slowest} | ${most}${median > most ? ' EXCEEDED' : ''} | ${found} |`,
    );
    const worst = seen.slowest.sort((one, other) => other.ms - one.ms).slice(0, 3);
    if (process.env.BENCH_STATEMENTS)
      for (const { ms, text } of worst)
        console.log(`  ${ms.toFixed(1)} ms: ${text.replace(/\s+/g, ' ').slice(0, 160)}`);
  }
}

/** While it is watched, each statement that reads is explained, and large tables that it reads whole are noted. */
function watched(db: Database, seen: Seen): Database {
  const query: Queryable['query'] = async (text, params) => {
    if (isWatching && /^\s*(select|with)/i.test(text) && !/for update|delete|insert|advisory/i.test(text)) {
      const plan = await db.query<{ 'QUERY PLAN': string }>(
        `explain (analyze, buffers, timing off) ${text}`,
        params,
      );
      const lines = plan.map((row) => row['QUERY PLAN']);
      const [ms] = [...lines.join('\n').matchAll(/(?:Planning|Execution) Time: ([\d.]+)/g)].reduce(
        ([sum], [, time]) => [sum + Number(time)] as [number],
        [0] as [number],
      );
      const [, hit = 0, read = 0] =
        /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(lines.join('\n')) ?? [];
      seen.ms += ms;
      seen.buffers += Number(hit) + Number(read);
      seen.slowest.push({ ms, text });
      for (const line of lines) {
        const [, table = '', rows = ''] = /Seq Scan on (\w+).*actual rows=([\d.]+)/.exec(line) ?? [];
        if (Number(rows) >= LARGE) seen.whole.push(table);
      }
    }
    return db.query(text, params);
  };
  return { ...db, query };
}
