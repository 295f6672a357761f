/**
 * Everything at once and for long. SOAK_PART names one part alone: a flood of connections (`flood`), of large bodies (`bodies`), SOAK_REQUESTS requests of every
 * kind (100,000; `fuzz`, from SOAK_SEED), a full disk (`disk`), a clock that jumps (`clock`), SOAK_CUTS power cuts at checkpoints (30; `power`), PostgreSQL that stops and fails over (`failover`), SOAK_WEBHOOKS
 * webhooks to two processes while everything around them fails (100,000; `load`), locks that
 * nobody gives back (`blocked`), every call as the last one of its process (`points`), several processes in orders of SEED and SEEDS (`orders`), and the fault-injection scenario (`stories`): SOAK_MINUTES of stories (10), or the one of
 * SOAK_SEED, of SOAK_STEPS steps (40), on SOAK_ENGINE (`postgres`, `embedded`; both in turns), of SOAK_TEMPER (`busy`, `greedy`; by
 * the seed). Ends with 1 at the first violation.
 */

import { findTestPostgres } from '../../test/support/database/postgres-server.ts';

const postgres = await findTestPostgres();
if (postgres) process.env.DATABASE_URL_TEST = postgres.url;
// What these import reads at once where PostgreSQL is.
const { EVERY_ENGINE } = await import('../../test/support/database/databases.ts');
const { runChaos } = await import('../../test/scenarios/chaos/run-chaos.ts');
const { runBlocked } = await import('./blocked.ts');
const { runClockJumps } = await import('./clock-jumps.ts');
const { runCrashPoints } = await import('./crash-points.ts');
const { runFailover } = await import('./failover.ts');
const { runFlood } = await import('./flood.ts');
const { runFullDisk } = await import('./full-disk.ts');
const { runFuzz } = await import('./fuzz.ts');
const { runLargeBodies } = await import('./large-bodies.ts');
const { runLoads } = await import('./load.ts');
const { runOrders } = await import('./orders.ts');
const { runPowerCuts } = await import('./power-cuts.ts');

const TEMPERS = ['busy', 'greedy'] as const;
const onlySeed = process.env.SOAK_SEED;
const steps = Number(process.env.SOAK_STEPS ?? 40);
const endAt = Date.now() + Number(process.env.SOAK_MINUTES ?? 10) * 60_000;
const engines = EVERY_ENGINE.filter(({ engine }) => (process.env.SOAK_ENGINE ?? engine) === engine);
if (!postgres)
  print('There is no PostgreSQL: the stories are those of one process on the embedded database.');

const totals: Record<string, number> = {};
let stories = 0;
let seed = Number(onlySeed ?? Date.now() % 1_000_000);
/** A story or a crash point that is told again is told alone. */
const part =
  process.env.SOAK_PART ?? (process.env.CRASH_POINT ? 'points' : onlySeed === undefined ? 'all' : 'stories');
const isAsked = (name: string) => part === 'all' || part === name;
try {
  if (isAsked('flood')) await runFlood(print);
  if (isAsked('bodies')) await runLargeBodies(print);
  if (isAsked('fuzz')) await runFuzz(print, seed, Number(process.env.SOAK_REQUESTS ?? 100_000));
  if (isAsked('disk')) await runFullDisk(print);
  if (isAsked('power')) await runPowerCuts(print, Number(process.env.SOAK_CUTS ?? 30), seed);
  if (isAsked('failover')) await runFailover(print);
  if (isAsked('blocked')) await runBlocked(print);
  if (isAsked('load')) await runLoads(print, seed, Number(process.env.SOAK_WEBHOOKS ?? 100_000));
  if (isAsked('stories')) await tellStories();
  if (isAsked('points')) await runCrashPoints(print);
  if (isAsked('orders')) await runOrders(print);
  if (isAsked('clock')) await runClockJumps(print);
} finally {
  await postgres?.stop();
}

async function tellStories(): Promise<void> {
  do {
    const engine = engines[stories % engines.length];
    if (!engine) throw new Error(`There is no engine ${process.env.SOAK_ENGINE} here.`);
    await tell(seed, engine);
    stories += 1;
    seed += 1;
  } while (onlySeed === undefined && process.exitCode === undefined && Date.now() < endAt);
  print(`${stories} stories: ${JSON.stringify(totals)}`);
}

async function tell(seed: number, engine: (typeof engines)[number]): Promise<void> {
  const begunAt = Date.now();
  const temper =
    TEMPERS.find((one) => one === process.env.SOAK_TEMPER) ?? TEMPERS[seed % TEMPERS.length] ?? 'busy';
  const again = `SOAK_SEED=${seed} SOAK_STEPS=${steps} SOAK_ENGINE=${engine.engine} SOAK_TEMPER=${temper} npm run soak`;
  try {
    const { violations, figures } = await runChaos({ seed, engine, steps, temper });
    for (const [name, value] of Object.entries(figures)) totals[name] = (totals[name] ?? 0) + value;
    const tookSeconds = Math.round((Date.now() - begunAt) / 1000);
    const result = violations.length === 0 ? 'ok' : 'VIOLATED';
    print(
      `seed ${seed} ${temper} ${engine.engine} ${result} in ${tookSeconds} s: ${JSON.stringify(figures)}`,
    );
    if (violations.length === 0) return;
    for (const violation of violations) print(`  ${violation}`);
  } catch (error) {
    print(
      `seed ${seed} ${temper} ${engine.engine} FAILED: ${error instanceof Error ? error.stack : String(error)}`,
    );
  }
  print(`Once more: ${again}`);
  process.exitCode = 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
