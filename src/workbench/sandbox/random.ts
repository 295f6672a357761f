/** Chance that repeats: every number follows from a seed. */

export interface Random {
  /** Returns a number from 0 up to, not including, 1. */
  uniform(): number;
  between(low: number, high: number): number;
  exponential(mean: number): number;
  /** Given its median and the standard deviation of its logarithm. */
  lognormal(median: number, spread: number): number;
  /** A gamma variate of whole shape with this mean. */
  gamma(shape: number, mean: number): number;
  pick<Item>(weighted: readonly (readonly [Item, number])[]): Item;
}

export function createRandom(...seed: number[]): Random {
  let state = mix(...seed);
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    return scramble(state) / 0x1_0000_0000;
  };
  const exponential = (mean: number) => -mean * Math.log(1 - uniform());
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return {
    uniform,
    exponential,
    between: (low, high) => low + (high - low) * uniform(),
    lognormal: (median, spread) => median * Math.exp(spread * normal()),
    gamma: (shape, mean) => {
      let sum = 0;
      for (let index = 0; index < shape; index += 1) sum += exponential(mean / shape);
      return sum;
    },
    pick: (weighted) => pickOne(weighted, uniform()),
  };
}

/** The same number between 0 and 1 for the same arguments, independent of earlier calls. */
export function fixedChance(...parts: number[]): number {
  return mix(...parts) / 0x1_0000_0000;
}

function pickOne<Item>(weighted: readonly (readonly [Item, number])[], chance: number): Item {
  const total = weighted.reduce((sum, [, weight]) => sum + weight, 0);
  let left = chance * total;
  for (const [item, weight] of weighted) {
    left -= weight;
    if (left < 0) return item;
  }
  const last = weighted.at(-1);
  if (!last) throw new RangeError('nothing to pick from');
  return last[0];
}

function mix(...parts: number[]): number {
  let hash = 0x9e3779b9;
  for (const part of parts) hash = scramble((hash ^ Math.imul(part | 0, 0x85ebca6b)) + 0x6d2b79f5);
  return hash;
}

/** The last steps of mulberry32. */
function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 15), 1 | value);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return (mixed ^ (mixed >>> 14)) >>> 0;
}
