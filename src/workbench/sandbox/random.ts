/** Chance that repeats: every number follows from a seed. */

export type Random = ReturnType<typeof createRandom>;

export function createRandom(...seed: number[]) {
  const uniform = mulberry32(mix(...seed));
  const exponential = (mean: number) => -mean * Math.log(1 - uniform());
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return {
    /** Returns a number from 0 up to, not including, 1. */
    uniform,
    exponential,
    between: (low: number, high: number) => low + (high - low) * uniform(),
    /** Given its median and the standard deviation of its logarithm. */
    lognormal: (median: number, spread: number) => median * Math.exp(spread * normal()),
    /** A gamma variate of whole shape with this mean. */
    gamma: (shape: number, mean: number) => {
      let sum = 0;
      for (let index = 0; index < shape; index += 1) sum += exponential(mean / shape);
      return sum;
    },
    pick: <Item>(weighted: Weighted<Item>) => pickOne(weighted, uniform()),
  };
}

/** Small seeded generator; quality suffices for test data. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    return scramble(state) / 0x1_0000_0000;
  };
}

/** The same number between 0 and 1 for the same arguments, independent of earlier calls. */
export function fixedChance(...parts: number[]): number {
  return mix(...parts) / 0x1_0000_0000;
}

export type Weighted<Item> = readonly (readonly [Item, weight: number])[];

/** `chance`: from 0 up to, not including, 1. */
export function pickOne<Item>(weighted: Weighted<Item>, chance: number): Item {
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
