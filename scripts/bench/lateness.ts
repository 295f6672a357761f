/**
 * How late due actions are carried out on PostgreSQL: a steady trickle beside BENCH_PENDING planned ones, then some that another process
 * asks for, as a command does, and BENCH_DUE that fall due within one minute, of accounts of very different size, of which Stripe takes 20 requests a second each. A stand-in for Stripe says
 * that each invoice is paid already, so that an action is one request; when it comes is what counts.
 */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSimulatedClock, systemClock } from '../../src/core/base/clock.ts';
import { silentLogger } from '../../src/core/base/logger.ts';
import type { Database } from '../../src/core/database/database.ts';
import { openDatabase } from '../../src/core/database/open-database.ts';
import { createProducer } from '../../src/core/jobs/producer.ts';
import { createOwnPlugin } from '../../src/plugin/app/own-plugin.ts';
import type { PluginQueues } from '../../src/plugin/jobs/queues.ts';
import { JOBS_SCHEMA, QUEUES } from '../../src/plugin/jobs/queues.ts';
import { findTestPostgres } from '../../test/support/database/postgres-server.ts';
import { eventually } from '../../test/support/eventually.ts';
import { closeServer, listenOnLoopback } from '../../test/support/http/loopback-server.ts';
import { startServerProcess } from '../../test/support/process/server-process.ts';
import { buildInvoice } from '../../test/support/stripe/stripe-objects.ts';
import { percentile } from './percentile.ts';

const PENDING = Number(process.env.BENCH_PENDING ?? 1_000_000);
const TRICKLE_SECONDS = Number(process.env.BENCH_SECONDS ?? 30);
const TRICKLE_PER_SECOND = 10;
const ASKED = 100;
const DUE = Number(process.env.BENCH_DUE ?? 50_000);
/** How long the flood is watched. */
const FLOOD_SECONDS = Number(process.env.BENCH_FLOOD_SECONDS ?? 90);
/** A job of the table that the others are copies of. */
const TEMPLATE = '00000000-0000-4000-8000-000000000001';
const PATIENCE = { statementMs: 3_600_000 };

interface Size {
  readonly name: string;
  readonly accounts: number;
  /** Of each account. */
  readonly due: number;
}

/** Of the due actions six tenths are one account's. */
const SIZES: readonly Size[] = [
  { name: 'large', accounts: 1, due: Math.ceil(DUE * 0.6) },
  { name: 'middle', accounts: 9, due: Math.ceil(DUE * 0.04) },
  { name: 'small', accounts: 100, due: Math.ceil(DUE * 0.0004) },
];

/** When Stripe was first asked about an invoice. */
const askedAtMs = new Map<string, number>();
const invoice = JSON.stringify(buildInvoice({ id: '#', status: 'paid', amount_remaining: 0 }));
const stripe = createServer((req, res) => {
  res.setHeader('content-type', 'application/json');
  const [, id] = /^\/v1\/invoices\/(in_\w+)/.exec(req.url ?? '') ?? [];
  if (id) {
    if (!askedAtMs.has(id)) askedAtMs.set(id, Date.now());
    res.end(invoice.replace('"#"', `"${id}"`));
  } else if (req.url?.startsWith('/v1/account')) res.end('{"id":"acct_1","object":"account"}');
  else res.end('{"object":"list","has_more":false,"data":[]}');
});

interface Planned {
  /** Of invoices and actions. */
  readonly name: string;
  readonly account: string;
  readonly count: number;
  /** Of number `i`, in SQL: the same for the action and its job. */
  readonly dueAt: string;
}

/** Actions with their jobs, as the plugin would have written them a day ago. */
async function plan(database: Database, { name, account, count, dueAt }: Planned): Promise<void> {
  const made = `(select '${name}_' || i as name, i, ${dueAt} as due_at from generate_series(1, ${count}) i) made`;
  const statements = [
    `insert into payment_retry.actions (id, account, cause, reference, kind, invoice_id, customer_id, due_at, state, created_at)
     select md5(name)::uuid, '${account}', 'instruction', name, 'pay', 'in_' || name, 'cus_' || name, due_at, 'scheduled', now()
     from ${made}`,
    `insert into payment_retry_jobs.job select copy.* from payment_retry_jobs.job as template cross join ${made}
     cross join lateral jsonb_populate_record(template, jsonb_build_object('id', gen_random_uuid(), 'group_id', '${account}',
       'start_after', due_at, 'created_on', now() - interval '1 day' + i * interval '1 millisecond',
       'data', jsonb_build_object('account', '${account}', 'actionId', md5(made.name)::uuid))) as copy
     where template.id = '${TEMPLATE}'`,
  ];
  await database.transaction(async (tx) => {
    for (const statement of statements) await tx.query(statement);
  }, PATIENCE);
}

/** All tables and queues, and the template. */
async function prepare(settings: { databaseUrl: string; stripeApiBase: string }): Promise<void> {
  const plugin = createOwnPlugin({
    ...settings,
    retryMode: 'advisory',
    stripeSecretKey: 'sk_test_bench_not_a_real_key',
    stripeWebhookSecret: 'whsec_bench',
    businessEntity: 'Bench Inc.',
    servicePort: 0,
    logger: silentLogger,
    clock: createSimulatedClock(systemClock.now()),
  });
  await plugin.start();
  await plugin.parts.operations.enqueue('execute-action', [
    {
      id: TEMPLATE,
      data: { actionId: TEMPLATE, account: 'own' },
      startAfter: systemClock.now().plus({ years: 1 }),
    },
  ]);
  await plugin.stop();
}

/** In milliseconds, of those invoices about which Stripe was asked. */
async function listLateness(database: Database, name: string): Promise<number[]> {
  const rows = await database.query<{ id: string; dueMs: number }>(
    `select invoice_id as id, (1000 * extract(epoch from due_at))::float8 as due_ms from payment_retry.actions
     where starts_with(invoice_id, $1)`,
    [`in_${name}_`],
  );
  return rows.flatMap(({ id, dueMs }) => {
    const askedMs = askedAtMs.get(id);
    return askedMs === undefined ? [] : [askedMs - dueMs];
  });
}

function describe(lateness: readonly number[]): string {
  return [0.5, 0.99, 1].map((share) => (percentile(lateness, share) / 1000).toFixed(2)).join(', ');
}

async function measureTrickle(database: Database): Promise<void> {
  const dueAt = "now() + interval '5 seconds' + i * interval '100 milliseconds'";
  for (let second = 0; second < TRICKLE_SECONDS; second += 1) {
    await plan(database, { name: `trickle_${second}`, account: 'own', count: TRICKLE_PER_SECOND, dueAt });
    await sleep(1_000);
  }
  const asked = TRICKLE_SECONDS * TRICKLE_PER_SECOND;
  const lateness = await eventually(async () => {
    const list = await listLateness(database, 'trickle');
    if (list.length < asked) throw new Error(`${list.length} of ${asked} were carried out.`);
    return list;
  });
  console.log(
    `| ${TRICKLE_PER_SECOND} a second, beside ${PENDING} planned | ${asked} | ${asked} | | ${describe(lateness)} |`,
  );
}

/** Asked for at once by a process that carries out nothing, as `invoices retry in_…` does. */
async function measureAsked(database: Database): Promise<void> {
  const producer = createProducer<PluginQueues>({
    database,
    clock: systemClock,
    logger: silentLogger,
    schema: JOBS_SCHEMA,
    queues: QUEUES,
  });
  for (let number = 1; number <= ASKED; number += 1) {
    const invoiceId = `in_asked_${number}`;
    await database.transaction(async (tx) => {
      const [action] = await tx.query<{ id: string }>(
        `insert into payment_retry.actions (id, account, cause, reference, kind, invoice_id, customer_id, due_at, state, created_at)
         values (gen_random_uuid(), 'own', 'instruction', $1::text, 'pay', $1, 'cus_' || $1::text, clock_timestamp(), 'scheduled', now())
         returning id`,
        [invoiceId],
      );
      if (action)
        await producer.enqueue('execute-action', [{ data: { actionId: action.id, account: 'own' } }], tx);
    });
    await eventually(() => {
      if (!askedAtMs.has(invoiceId)) throw new Error(`${invoiceId} was not carried out.`);
    });
  }
  await producer.close();
  const lateness = await listLateness(database, 'asked');
  console.log(`| asked for by another process | ${ASKED} | ${lateness.length} | | ${describe(lateness)} |`);
}

async function measureFlood(database: Database): Promise<void> {
  const begins = Date.now() + 15_000;
  const dueAt = `to_timestamp(${begins / 1000}) + (i * 7919) % 60000 * interval '1 millisecond'`;
  for (const { name, accounts, due } of SIZES)
    for (let number = 1; number <= accounts; number += 1) {
      const account = `acct_${name}${number}`;
      await database.query('insert into payment_retry.accounts (account, first_seen_at) values ($1, now())', [
        account,
      ]);
      await plan(database, { name: `${name}_${number}`, account, count: due, dueAt });
    }
  await database.query('analyze payment_retry_jobs.job, payment_retry.actions', []);
  await sleep(Math.max(0, begins - Date.now()) + FLOOD_SECONDS * 1_000);
  for (const { name, accounts, due } of SIZES) {
    const lateness = await listLateness(database, name);
    const rate = lateness.length / accounts / FLOOD_SECONDS;
    console.log(
      `| ${accounts} ${name}, ${due} each | ${accounts * due} | ${lateness.length} | ${rate.toFixed(1)} | ${describe(lateness)} |`,
    );
    if (name === 'small' && lateness.length < accounts * due)
      throw new Error('The small accounts wait behind the others.');
  }
}

const postgres = await findTestPostgres('on');
if (!postgres) {
  console.log('Left out: no DATABASE_URL_TEST and no postgres binary found.');
  process.exit(0);
}
const stripeApiBase = await listenOnLoopback(stripe);
const databaseUrl = await postgres.createDatabase();
await prepare({ databaseUrl, stripeApiBase });
const database = await openDatabase({ kind: 'postgres', url: databaseUrl });
await plan(database, {
  name: 'pending',
  account: 'own',
  count: PENDING,
  dueAt: "now() + interval '1 day' + i * interval '1 second'",
});
await database.query('vacuum analyze payment_retry_jobs.job');
await database.query('vacuum analyze payment_retry.actions');
const server = await startServerProcess({
  DATABASE_URL: databaseUrl,
  RETRY_MODE: 'advisory',
  STRIPE_SECRET_KEY: 'sk_test_bench_not_a_real_key',
  STRIPE_WEBHOOK_SECRET: 'whsec_bench',
  STRIPE_API_BASE: stripeApiBase,
  BUSINESS_ENTITY: 'Bench Inc.',
  SERVICE_PORT: '0',
  CONNECTED_ACCOUNTS: '{"*":{"businessEntity":"Bench Inc."}}',
});
console.log(
  '| due | actions | carried out | a second and account | s late: p50, p99, worst |\n|---|---|---|---|---|',
);
try {
  await measureTrickle(database);
  await measureAsked(database);
  await measureFlood(database);
} finally {
  await server.kill();
  await database.close();
  await closeServer(stripe);
  await postgres.stop();
}
