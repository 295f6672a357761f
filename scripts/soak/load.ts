/**
 * Volume with everything that fails at the same time: two processes that are killed and stopped, a database that stops and
 * starts again, Stripe and the service failing, webhooks lost, doubled and out of order, slow clients, and a clock that steps.
 * Stripe's own ledger, in the sandbox, then judges the books, as it does for the fault-injection scenario.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/core/base/clock.ts';
import type { Sandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { createDice, type Dice } from '../../test/scenarios/chaos/dice.ts';
import { answerBadly, BRIEF_FAULTS, calm, disturbCalls } from '../../test/scenarios/chaos/disorder.ts';
import { findViolations } from '../../test/scenarios/chaos/violations.ts';
import { createSharedSite, type SharedSite } from '../../test/scenarios/shared-site.ts';
import { type OwnPostgres, startOwnPostgres } from '../../test/support/database/postgres-server.ts';
import { FAKE_TIME_LIBRARY, fakeTimeOf, setFakeTime } from './fake-time.ts';
import { openFlood } from './flood.ts';

const WEBHOOKS_A_RUN = 50_000;
const PROCESSES = 2;
/** Renewals that fail at the same time. */
const AT_ONCE = 50;
/** Webhooks that wait to be sent before the next renewals. */
const MOST_WAITING = 1_000;
/** Changes of other subscriptions for each of them. */
const CHANGES = 5;
const SLOW_CLIENTS = 50;
/** Deliveries that the service answers as it likes. More would pause them for most of the time. */
const BAD_ANSWERS = 0.15;
const WITHIN_MS = 30 * 60_000;

interface Load {
  readonly site: SharedSite;
  readonly server: OwnPostgres;
  readonly seed: number;
  readonly begunAt: number;
  readonly dice: Dice;
  /** What the clock of the processes is off by stands in this file. */
  readonly clockFile: string;
  readonly acknowledged: Set<string>;
  readonly counts: Record<'kills' | 'stops' | 'databaseRestarts' | 'clockSteps' | 'slowClients', number>;
  isOver: boolean;
}

/**
 * Runs with seeds that follow each other, until Stripe has sent so many webhooks, repetitions included. While one comes to rest,
 * which takes minutes of waiting, the next one works. Throws for anything that was lost or done twice.
 */
export async function runLoads(print: (line: string) => void, seed: number, webhooks: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'payment-retry-load-'));
  process.env.RUN_DIR = folder;
  const endings: Promise<unknown>[] = [];
  try {
    for (let left = webhooks, next = seed; left > 0; left -= WEBHOOKS_A_RUN, next += 1) {
      const load = await startLoad(next, join(folder, `clock-${next}`));
      if (!load) return print('load: skipped, as this machine has no PostgreSQL');
      await work(load, Math.min(left, WEBHOOKS_A_RUN)).catch(async (error) => {
        await load.site.stop();
        throw error;
      });
      const ending = finish(load, print).finally(load.site.stop);
      ending.catch(() => {});
      endings.push(ending);
    }
    await Promise.all(endings);
  } finally {
    await Promise.allSettled(endings);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startLoad(seed: number, clockFile: string): Promise<Load | undefined> {
  const server = await startOwnPostgres();
  if (!server) return undefined;
  const site = await createSharedSite(
    { create: async () => ({ location: { kind: 'postgres', url: server.url }, remove: server.stop }) },
    { settings: settingsOf(clockFile), concurrency: 30 },
  );
  await site.start(PROCESSES);
  return {
    site,
    server,
    seed,
    dice: createDice(seed),
    clockFile,
    begunAt: Date.now(),
    acknowledged: new Set(),
    counts: { kills: 0, stops: 0, databaseRestarts: 0, clockSteps: 0, slowClients: 0 },
    isOver: false,
  };
}

async function finish(load: Load, print: (line: string) => void): Promise<void> {
  const { site, seed } = load;
  await comeToRest(load);
  const seconds = Math.round((Date.now() - load.begunAt) / 1000);
  print(`load: seed ${seed} in ${seconds} s: ${JSON.stringify(figuresOf(load))}`);
  const violations = await findViolations({
    sandbox: site.sandbox,
    service: site.service,
    acknowledged: load.acknowledged,
    now: systemClock.now().plus({ hours: 1 }).toSeconds(),
    query: (sql) => site.database.query(sql),
  });
  if (violations.length > 0)
    throw new Error(
      `load: seed ${seed}, ${violations.length} violations:\n${violations.slice(0, 50).join('\n')}`,
    );
  print(`load: seed ${seed} whole: nothing lost, nothing charged twice, no limit exceeded`);
}

function settingsOf(clockFile: string): Record<string, string> {
  const pace = { MAX_CHARGES_PER_MINUTE: '100000', STRIPE_REQUESTS_PER_SECOND: '1000' };
  return { ...pace, ...(existsSync(FAKE_TIME_LIBRARY) ? fakeTimeOf(clockFile) : {}) };
}

async function work(load: Load, webhooks: number): Promise<void> {
  const dice = createDice(load.seed + 2);
  answerBadly(load.site.service, dice, () => !load.isOver && dice.chance(BAD_ANSWERS));
  const disturbing = [disturbProcesses(load), disturbCallsOf(load, createDice(load.seed + 1))];
  try {
    await makeWork(load, webhooks);
  } finally {
    load.isOver = true;
    await Promise.all(disturbing);
  }
}

/** Failed renewals, each with several instructions, and five changes of other subscriptions for each. */
async function makeWork({ site, dice, acknowledged }: Load, webhooks: number): Promise<void> {
  const { sandbox } = site;
  const subscriptions: string[] = [];
  const countUnsent = createUnsent(sandbox);
  const instructing = new Set<Promise<void>>();
  const ask = (invoiceId: string, requestId: string) => {
    const asked = site
      .instructAs(requestId, invoiceId)
      .then(() => void acknowledged.add(requestId))
      .finally(() => instructing.delete(asked));
    instructing.add(asked);
  };
  while (sandbox.state.deliveries.length < webhooks) {
    for (let count = 0; count < AT_ONCE; count += 1) {
      const { subscriptionId, invoiceId } = site.failedRenewal();
      subscriptions.push(subscriptionId);
      for (let time = dice.between(4, 12); time > 0; time -= 1)
        ask(invoiceId, `request ${time} for ${invoiceId}`);
      for (let time = 0; time < CHANGES; time += 1) change(sandbox, dice.pick(subscriptions), dice);
      // Sending takes its turn between them.
      await sleep(0);
    }
    while (instructing.size > AT_ONCE || countUnsent() > MOST_WAITING) await sleep(50);
  }
  await Promise.all(instructing);
}

function change(sandbox: Sandbox, id: string, dice: Dice): void {
  const item = sandbox.state.subscriptions.get(id)?.items.data[0];
  if (item) sandbox.updateSubscription(id, { items: [{ id: item.id, quantity: dice.between(1, 99) }] });
}

/** How many events no webhook was sent of yet. */
function createUnsent({ state }: Sandbox): () => number {
  const sent = new Set<string>();
  let read = 0;
  return () => {
    for (; read < state.deliveries.length; read += 1) sent.add(state.deliveries[read]?.eventId ?? '');
    return state.events.size - sent.size;
  };
}

/** Every few seconds a process is killed or asked to stop, or the database is, or the clock steps. */
async function disturbProcesses(load: Load): Promise<void> {
  const { site, dice, counts } = load;
  while (!load.isOver) {
    const floods = site.processes.map(({ port }) => openFlood(`http://127.0.0.1:${port}`, SLOW_CLIENTS));
    counts.slowClients += floods.length * SLOW_CLIENTS;
    await sleep(dice.between(3_000, 10_000));
    for (const { close } of floods) close();
    await dice.pick([kill, kill, kill, killAll, stopOne, restartDatabase, stepClock])(load);
    await startMissing(load);
  }
}

async function kill({ site, dice, counts }: Load): Promise<void> {
  counts.kills += 1;
  await site.kill(dice.pick(site.processes));
}

async function killAll({ site, counts }: Load): Promise<void> {
  counts.kills += site.processes.length;
  await Promise.all([...site.processes].map(site.kill));
}

async function stopOne({ site, dice, counts }: Load): Promise<void> {
  counts.stops += 1;
  await site.terminate(dice.pick(site.processes));
}

async function restartDatabase({ server, dice, counts }: Load): Promise<void> {
  counts.databaseRestarts += 1;
  await server.halt(dice.pick(['fast', 'immediate']));
  await sleep(dice.between(0, 3_000));
  await server.start();
}

/** As far as a signature of Stripe's allows. */
async function stepClock({ dice, clockFile, counts }: Load): Promise<void> {
  counts.clockSteps += 1;
  setFakeTime(clockFile, dice.between(-240, 240));
}

/** One that starts while the database is away ends with a sentence, and is started again, as a supervisor does. */
async function startMissing({ site }: Load): Promise<void> {
  while (site.processes.length < PROCESSES) await site.start(1).catch(() => {});
}

async function disturbCallsOf(load: Load, dice: Dice): Promise<void> {
  while (!load.isOver) {
    disturbCalls(load.site.sandbox, dice, BRIEF_FAULTS);
    Object.assign(load.site.sandbox.webhookFaults, {
      duplicate: dice.pick([0, 0.3]),
      shuffle: dice.chance(0.6),
      drop: dice.pick([0, 0.05, 0.2]),
    });
    await sleep(2_000);
  }
}

/** Nothing fails any more; what no webhook brings is read from Stripe's list at the start. */
async function comeToRest({ site, clockFile }: Load): Promise<void> {
  calm(site.sandbox, { isDropping: false });
  setFakeTime(clockFile, 0);
  await Promise.all([...site.processes].map(site.terminate));
  await hasten(site);
  await site.start(PROCESSES);
  await site.untilDone(WITHIN_MS, { mayWait: true });
}

/** An attempt without an answer is repeated after up to an hour: the time of each comes with the calm. */
async function hasten({ database }: SharedSite): Promise<void> {
  const inDoubt = 'select action_id from payment_retry.attempts where outcome is null';
  await database.query(
    `update payment_retry.actions set due_at = now() where state = 'scheduled' and id in (${inDoubt})`,
  );
  await database.query(
    `update payment_retry_jobs.job set start_after = now() where name = 'execute-action' and state < 'active'
     and (data->>'actionId')::uuid in (${inDoubt})`,
  );
}

function figuresOf({ site, acknowledged, counts }: Load): Record<string, number> {
  const { state } = site.sandbox;
  const pays = state.apiCalls.filter(({ path }) => /\/pay$/.test(path));
  return {
    events: state.events.size,
    webhooks: state.deliveries.length,
    refusedOrLost: state.deliveries.filter(({ status }) => status !== 200).length,
    instructions: acknowledged.size,
    payments: new Set(pays.map(({ idempotencyKey }) => idempotencyKey)).size,
    repeatedPayCalls: pays.length - new Set(pays.map(({ idempotencyKey }) => idempotencyKey)).size,
    deliveries: site.service.requests.length,
    failedDeliveries: site.service.requests.filter(({ status }) => status !== 200).length,
    ...counts,
  };
}
