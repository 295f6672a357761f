/** One story of disorder from a seed: weeks of a merchant's life while everything fails, then calm, then the reckoning. */
import { DateTime, type DurationLike } from 'luxon';
import { createSimulatedClock, type SimulatedClock } from '../../../src/core/base/clock.ts';
import { type Sandbox, startSandbox } from '../../../src/workbench/sandbox/sandbox.ts';
import type { Engine } from '../../support/database/databases.ts';
import { type RecordingService, startRecordingService } from '../../support/http/recording-service.ts';
import type { PluginChild } from '../../support/process/plugin-child.ts';
import { createPluginFleet, type PluginFleet } from '../../support/process/plugin-fleet.ts';
import { createDice, type Dice } from './dice.ts';
import { answerBadly, calm, disturb } from './disorder.ts';
import { createInstructor, type Instructor } from './instructor.ts';
import { live, type Temper } from './life.ts';
import { findViolations } from './violations.ts';

export interface ChaosOptions {
  readonly seed: number;
  readonly engine: Engine;
  /** Some hours of life each. */
  readonly steps: number;
  readonly temper?: Temper;
}

export interface ChaosReport {
  readonly violations: readonly string[];
  /** What happened, in figures: a story in which nothing happens proves nothing. */
  readonly figures: Readonly<Record<string, number>>;
}

interface Story {
  readonly dice: Dice;
  readonly clock: SimulatedClock;
  readonly sandbox: Sandbox;
  readonly service: RecordingService;
  readonly fleet: PluginFleet;
  readonly instructor: Instructor;
  /** How many processes there should be. */
  readonly size: number;
  readonly temper: Temper;
  isBad: boolean;
  kills: number;
}

const START = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });

export async function runChaos({ seed, engine, steps, temper = 'busy' }: ChaosOptions): Promise<ChaosReport> {
  const dice = createDice(seed);
  const clock = createSimulatedClock(START);
  const stripeRetries = dice.pick(['off', 'smart'] as const);
  const sandbox = await startSandbox({ clock, seed, stripeRetries });
  const service = await startRecordingService(clock);
  const place = await engine.createMigrated();
  const fleet = await createPluginFleet({ clock, sandbox, serviceUrl: service.url, place });
  const instructor = createInstructor({ sandbox, fleet, dice: createDice(seed + 1), clock, temper });
  const size = engine.engine === 'postgres' ? 2 : 1;
  const story: Story = {
    dice,
    clock,
    sandbox,
    service,
    fleet,
    instructor,
    size,
    temper,
    isBad: true,
    kills: 0,
  };
  try {
    await startAll(story);
    sandbox.addWebhookEndpoint(`${fleet.url}/webhooks/stripe`);
    answerBadly(service, createDice(seed + 2), () => story.isBad);
    for (let step = 0; step < steps; step += 1) await liveOn(story);
    await comeToRest(story);
    const [child] = fleet.children;
    if (!child) throw new Error('Nobody is left.');
    const violations = await findViolations({
      sandbox,
      service,
      acknowledged: instructor.acknowledged,
      now: clock.now().toSeconds(),
      query: child.query,
    });
    return { violations: [...violations, ...(await listAlarms(story, child))], figures: figuresOf(story) };
  } finally {
    await fleet.stop();
    await Promise.all([sandbox.stop(), service.stop()]);
    await place.remove();
  }
}

async function startAll({ fleet, size }: Story): Promise<void> {
  await Promise.all(Array.from({ length: size - fleet.children.length }, () => fleet.start()));
}

async function liveOn(story: Story): Promise<void> {
  const { dice, sandbox, clock, instructor, temper } = story;
  disturb(sandbox, dice);
  live({ sandbox, dice, now: clock.now, temper }, dice.between(2, 7));
  instructor.think();
  for (const passing of [
    { seconds: dice.between(0, 40) },
    { minutes: dice.between(1, 9) },
    { hours: dice.between(6, 36) },
  ]) {
    await pass(story, passing);
    await instructor.send();
    await workOrDie(story);
    if (dice.chance(0.5)) await startAll(story);
  }
  await startAll(story);
}

async function pass({ clock, fleet }: Pick<Story, 'clock' | 'fleet'>, duration: DurationLike): Promise<void> {
  await clock.set(clock.now().plus(duration));
  await fleet.setClock(clock.now());
}

/** As many payments of one customer wait for each other at most. */
const TURNS = 60;

const KILL_CHANCE = 0.25;
/** As long as a run takes, more or less: the moment is anywhere in it. */
const KILL_WITHIN_MS = 250;

/** Both sides do what is due, and now and then one process does not survive it. */
async function workOrDie(story: Story): Promise<void> {
  const { dice, sandbox, fleet } = story;
  const victim = dice.chance(KILL_CHANCE) ? dice.oneOf(fleet.children) : undefined;
  const delayMs = dice.between(0, KILL_WITHIN_MS);
  await Promise.all([
    victim && killLater(story, victim, delayMs),
    sandbox.run({ concurrency: 3 }),
    // A killed one cannot tell how much it did.
    Promise.all(
      fleet.children.map((child) =>
        child.run().catch((error) => {
          if (child !== victim) throw error;
        }),
      ),
    ),
  ]);
  await settle(story, 3);
}

async function killLater(story: Story, victim: PluginChild, delayMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  story.kills += 1;
  await story.fleet.kill(victim);
}

async function settle({ sandbox, fleet }: Pick<Story, 'sandbox' | 'fleet'>, rounds: number): Promise<number> {
  let total = 0;
  for (let round = 0; round < rounds; round += 1) {
    const done = (await sandbox.run({ concurrency: 3 })) + (await fleet.run());
    if (done === 0) break;
    total += done;
  }
  return total;
}

/** Nothing fails any more, and enough time passes for every repetition, sweep and postponed attempt. */
async function comeToRest(story: Story): Promise<void> {
  const { dice, sandbox, fleet, instructor } = story;
  calm(sandbox, { isDropping: dice.chance(0.5) });
  story.isBad = false;
  await startAll(story);
  const steps: DurationLike[] = [
    ...[1, 5, 20, 60].map((minutes) => ({ minutes })),
    ...[2, 4, 12, 26, 26, 26, 26].map((hours) => ({ hours })),
  ];
  for (const step of steps) {
    await pass(story, step);
    await instructor.send();
    await Promise.all(fleet.children.map((child) => child.request('catch-up')));
    await settle(story, 50);
    // A customer's payments are made one after the other, each when the one before has let go.
    for (let turn = 0; turn < TURNS; turn += 1) {
      await pass(story, { seconds: 16 });
      if ((await settle(story, 50)) === 0) break;
    }
  }
  await pass(story, { minutes: 20 });
  await settle(story, 50);
}

/** Of the plugin's own comparison with Stripe: now that nothing is lost, each is a false one. */
async function listAlarms(story: Story, child: PluginChild): Promise<string[]> {
  await child.request('verification');
  await settle(story, 50);
  // What differs is looked at once more after two minutes.
  await pass(story, { minutes: 3 });
  await settle(story, 50);
  const [run] = await child.query(
    `select id, finished_at, reason::text from payment_retry.backfill_runs where kind = 'verification' order by id desc limit 1`,
  );
  if (!run?.finishedAt) return [`the verification has not ended: ${JSON.stringify(run)}`];
  const drifts = await child.query(
    `select kind, id, difference::text from payment_retry.drifts where run = ${run.id}`,
  );
  return drifts.map(({ kind, id, difference }) => `verify calls it drift: ${kind} ${id} ${difference}`);
}

function figuresOf({ sandbox, service, instructor, kills, clock }: Story): Record<string, number> {
  const { state } = sandbox;
  const calls = state.apiCalls.filter(({ path }) => /\/pay$/.test(path));
  return {
    days: Math.round(clock.now().diff(START).as('days')),
    kills,
    events: state.events.size,
    subscriptions: state.subscriptions.size,
    invoices: state.invoices.size,
    charges: state.charges.size,
    payCalls: calls.length,
    repeatedPayCalls: calls.length - new Set(calls.map(({ idempotencyKey }) => idempotencyKey)).size,
    instructions: instructor.acknowledged.size,
    deliveries: service.requests.length,
    failedDeliveries: service.requests.filter(({ status }) => status !== 200).length,
    lostWebhooks: state.deliveries.filter(({ status }) => status !== 200).length,
  };
}
