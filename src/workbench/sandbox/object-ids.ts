/** Deterministic ids and dice: the same seed and the same calls give the same account. */
export interface ObjectIds {
  next(prefix: string): string;
  /** A number in [0, 1). */
  roll(): number;
}

const ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const RANDOM_CHARACTERS = 8;

export function createObjectIds(seed: number): ObjectIds {
  const rollForIds = mulberry32(seed);
  // Ids must not depend on how often chance was consulted, and the other way round.
  const roll = mulberry32(seed + 1);
  let counter = 0;
  return {
    next(prefix) {
      counter += 1;
      let random = '';
      for (let i = 0; i < RANDOM_CHARACTERS; i += 1) {
        random += ID_ALPHABET.charAt(Math.floor(rollForIds() * ID_ALPHABET.length));
      }
      return `${prefix}_sbx${String(counter).padStart(8, '0')}${random}`;
    },
    roll,
  };
}

/** Small seeded generator; quality suffices for test data. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
