/** Moves simulated time for a sandbox and a plugin together; each does its due work and gives the other more. */
import { DateTime } from 'luxon';
import type { SimulatedClock } from '../../core/base/clock.ts';
import type { Plugin } from '../../plugin/app/plugin.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

export interface Movable {
  readonly clock: SimulatedClock;
  readonly sandbox: Pick<Sandbox, 'run' | 'nextDueAt'>;
  readonly plugin: Pick<Plugin, 'runOnce' | 'nextDueAt'>;
}

/** Enough for the events of one moment to be written together, as they are when Stripe sends them. */
const WEBHOOK_CONCURRENCY = 8;

/** Lets everything that is due happen. The plugin finishes all it has; only what Stripe sends can give it more. */
export async function settle({ clock, sandbox, plugin }: Movable): Promise<void> {
  do {
    await sandbox.run({ concurrency: WEBHOOK_CONCURRENCY });
    await plugin.runOnce();
  } while (isDue(sandbox.nextDueAt(), clock.now()));
}

/** What else happens at each moment, when next, and how far. */
export interface Turn {
  run(): Promise<void>;
  nextAt?(): DateTime | undefined;
  /** Whether time stays where it is, before the end. */
  isEnough?(): boolean;
}

/** Moves time on to `end`, or until it is enough, stopping wherever something falls due. */
export async function moveTo(world: Movable, end: DateTime, turn?: Turn): Promise<void> {
  const { clock } = world;
  for (;;) {
    await (turn ? turn.run() : settle(world));
    if (turn?.isEnough?.()) return;
    const next = await nextDueAt(world, turn?.nextAt?.());
    if (next === undefined || next > end) break;
    // All that was due is done: what still claims to be due is asked again a second later.
    await clock.set(DateTime.max(next, clock.now().plus({ seconds: 1 })));
  }
  await clock.set(end);
}

function isDue(at: DateTime | undefined, now: DateTime): boolean {
  return at !== undefined && at <= now;
}

async function nextDueAt({ sandbox, plugin }: Movable, also?: DateTime): Promise<DateTime | undefined> {
  const job = await plugin.nextDueAt();
  const times = [
    sandbox.nextDueAt(),
    also,
    job === undefined ? undefined : DateTime.fromISO(job, { zone: 'utc' }),
  ];
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : DateTime.min(...known);
}
