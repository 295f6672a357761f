/**
 * One world of payers, each with one to five subscriptions from weekly to yearly and cards that draw on one wallet, for half a year: the
 * plugin and its embedded service against the simulated account. The people do the same whatever the product decides
 * (`payer-people.ts`), so the table says what a change of it brings. WORLD (`usual`, `tight`), PAYERS, FROM (the first payer's number),
 * DAYS, SEED and MODE are settings. Every SLICE payers have a world of their own, since payers do not meet, and the figures so far are
 * printed after each. TRACE=1 tells what was done for the subscriptions that a new card did not bring back within an hour, and what
 * each payer was emailed and charged.
 */
import { DateTime } from 'luxon';
import { createAgenda } from '../../src/workbench/customers/agenda.ts';
import type { Sandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { prepareRun } from '../../test/support/runner/prepare-run.ts';
import type { World } from '../../test/support/world.ts';
import { addFigures, createLedger, type Figures, type Report, toTable } from './payer-ledger.ts';
import { createPayers, type Payer, WORLDS } from './payer-people.ts';

const PAYERS = Number(process.env.PAYERS ?? 60);
const FROM = Number(process.env.FROM ?? 0);
const SLICE = Number(process.env.SLICE ?? 30);
const DAYS = Number(process.env.DAYS ?? 182);
const WORLD = process.env.WORLD === 'tight' ? 'tight' : 'usual';
const SEED = Number(process.env.SEED ?? 1);
const MODE = process.env.MODE === 'advisory' ? 'advisory' : 'exclusive';
/** How often emails are looked at. */
const STEP_HOURS = 12;
const START = DateTime.fromISO('2026-03-02T00:00:00Z', { zone: 'utc' });

async function play(world: World, payers: readonly Payer[]): Promise<Report> {
  const agenda = createAgenda();
  const byEmail = new Map(payers.map((payer) => [payer.email, payer]));
  const ledger = createLedger(world, payers);
  const end = START.plus({ days: DAYS });
  const change = (payer: Payer) => {
    const isWanted = payer.isCardDead(world.clock.now()) || isBehind(world.sandbox, payer);
    if (!isWanted) return;
    ledger.noteNewCard(payer);
    payer.giveCard(world.clock.now());
  };
  for (const payer of payers) if (payer.givesCardAt) agenda.add(payer.givesCardAt, () => change(payer));
  let read = 0;
  const readEmails = () => {
    for (; read < world.email.emails.length; read += 1) {
      const payer = byEmail.get(world.email.emails[read]?.to?.[0]?.address ?? '');
      if (!payer) continue;
      const hours = payer.answersEmail(world.clock.now());
      if (hours !== undefined) agenda.add(world.clock.now().plus({ hours }), () => change(payer));
    }
  };
  for (let step = START; step < end; ) {
    step = DateTime.min(step.plus({ hours: STEP_HOURS }), end);
    for (let next = agenda.nextAt(); next && next <= step; next = agenda.nextAt()) {
      await world.advance(next.diff(world.clock.now()));
      await agenda.runDue(next);
    }
    await world.advance(step.diff(world.clock.now()));
    // Every five minutes otherwise: here once a day, at midnight, which nobody waits for.
    if (step.hour === 0) await world.plugin.parts.requestActionsSync();
    await world.settle();
    await ledger.watch();
    readEmails();
  }
  return ledger.report();
}

function isBehind({ state }: Sandbox, { subscriptions }: Payer): boolean {
  return subscriptions.some((id) => state.subscriptions.get(id)?.status === 'past_due');
}

const run = await prepareRun();
Object.assign(process.env, run.variables);
const { createWorld } = await import('../../test/support/world.ts');
const startedAt = performance.now();
const last = FROM + PAYERS;
let all: Figures | undefined;
try {
  for (let first = FROM; first < last; first += SLICE) {
    const count = Math.min(SLICE, last - first);
    const { figures, emails } = await playSlice(first, count);
    all = all ? addFigures(all, figures) : figures;
    console.log(`${first + count - FROM} payers\n${toTable(all)}\n${JSON.stringify({ all, emails })}`);
  }
} finally {
  await run.stop();
}
console.log(
  `${PAYERS} payers of the ${WORLD} world, ${DAYS} days, seed ${SEED}, ${MODE}: played in ${Math.round((performance.now() - startedAt) / 1000)} s`,
);

async function playSlice(first: number, count: number): Promise<Report> {
  const world = await createWorld({
    start: START.toISO() ?? '',
    sandbox: { stripeRetries: 'smart', seed: SEED },
    plugin: { retryMode: MODE, ...(MODE === 'exclusive' ? { afterGivingUp: 'cancel' } : {}) },
  });
  try {
    const payers = createPayers(
      world.sandbox,
      { first, count },
      { world: WORLDS[WORLD], seed: SEED, start: START, days: DAYS },
    );
    const report = await play(world, payers);
    if (process.env.TRACE) await traceAll(world, report);
    return report;
  } finally {
    await world.stop();
  }
}

async function traceAll(world: World, { slow }: Report): Promise<void> {
  for (const card of slow) await trace(world, card);
  const lines = await world.query<{ line: string }>(
    `select recipient || ' ' || to_char(at, 'MM-DD HH24:MI') || ' ' || what as line from (
       select recipient, sent_at as at, '## ' || concat_ws(' ', template, invoice_id, subscription_id) as what
       from payment_retry.emails where state = 'sent'
       union all
       select email, started_at, concat_ws(' ', '-', invoice_id, source, amount, right(fingerprint, 6), outcome, decline_code)
       from payment_retry.attempts a join payment_retry.customers c on c.account = a.account and c.id = a.customer_id
     ) as told order by recipient, at`,
  );
  for (const { line } of lines) console.log(line);
}

async function trace(world: World, { subscription, at, hours }: Report['slow'][number]): Promise<void> {
  console.log(`${subscription}, new card at ${at.toISO()}, good standing after ${hours ?? 'no'} hours`);
  const lines = await world.query<{ line: string }>(
    `select to_char(at, 'MM-DD HH24:MI') || ' ' || invoice_id || ' ' || kind || ' ' || left(detail::text, 300) as line
     from payment_retry.audit where at between $2::timestamptz - interval '10 days' and $2::timestamptz + interval '30 days'
       and invoice_id in (select id from payment_retry.invoices where subscription_id = $1) order by at, id`,
    [subscription, at.toISO()],
  );
  for (const { line } of lines) console.log(`  ${line}`);
  const attempts = await world.query<{ line: string }>(
    `select to_char(started_at, 'MM-DD HH24:MI') || ' ' || concat_ws(' ', invoice_id, source, amount, fingerprint, outcome, decline_code) as line
     from payment_retry.attempts where customer_id = (select customer_id from payment_retry.subscriptions where id = $1)
       and started_at between $2::timestamptz - interval '40 days' and $2::timestamptz + interval '30 days' order by started_at`,
    [subscription, at.toISO()],
  );
  for (const { line } of attempts) console.log(`  - ${line}`);
}
