import { createObjectIds } from '../../../src/workbench/sandbox/object-ids.ts';

/** Chance that can be repeated: the same seed and the same calls give the same answers. */
export interface Dice {
  /** A number in [0, 1). */
  roll(): number;
  /** True so often. */
  chance(probability: number): boolean;
  /** From `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** Throws when there is nothing. */
  pick<T>(from: readonly T[]): T;
  /** Undefined when there is nothing. */
  oneOf<T>(from: readonly T[]): T | undefined;
}

export function createDice(seed: number): Dice {
  const { roll } = createObjectIds(seed);
  return {
    roll,
    chance: (probability) => roll() < probability,
    between: (least, most) => least + Math.floor(roll() * (most - least + 1)),
    pick: (from) => {
      for (const chosen of from.slice(Math.floor(roll() * from.length))) return chosen;
      throw new Error('There is nothing to choose from.');
    },
    oneOf: (from) => from[Math.floor(roll() * from.length)],
  };
}
