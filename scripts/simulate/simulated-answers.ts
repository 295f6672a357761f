/** The issuer's answer to one more try: fixed by the case and the hour, so that all policies meet the same fate. */

import { fixedChance } from '../../src/workbench/sandbox/random.ts';
import type { SimulatedCase } from './simulated-case.ts';
import type { World } from './worlds.ts';

/** A false decline that does not heal passes by luck; the luck holds for a week. */
const LUCK = 0.04;
const MEMORY_HOURS = 72;

export function canSucceed(
  world: World,
  failed: SimulatedCase,
  hour: number,
  tries: readonly number[] = [],
): boolean {
  if (!isPossible(failed, hour, tries)) return false;
  const recent = tries.filter((at) => hour - at <= MEMORY_HOURS).length;
  return (
    fixedChance(failed.failedAt, failed.subscriber, hour) <
    approval(world, failed, hour % 24) * fatigue(world, failed, recent)
  );
}

function isPossible(failed: SimulatedCase, hour: number, tries: readonly number[]): boolean {
  if (failed.issuer) return failed.issuer(hour, tries);
  if (failed.cause === 'no_money') return failed.covers?.[hour] === 1;
  if (hour >= failed.clearsAt) return true;
  if (failed.cause !== 'false_decline') return false;
  return fixedChance(failed.failedAt, failed.subscriber, 1_000_000 + Math.floor(hour / (7 * 24))) < LUCK;
}

function approval({ night }: World, _failed: SimulatedCase, hourOfDay: number): number {
  return hourOfDay >= 1 && hourOfDay < 5 ? night : 1;
}

function fatigue(world: World, { cause }: SimulatedCase, recent: number): number {
  if (cause === 'false_decline') return world.fatigue.falseDecline ** recent;
  return cause === 'no_money' ? world.fatigue.noMoney ** recent : 1;
}
