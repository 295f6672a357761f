import { mulberry32 } from './random.ts';

const ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const RANDOM_CHARACTERS = 8;

export type ObjectIds = ReturnType<typeof createObjectIds>;

/** Deterministic ids and dice: the same seed and the same calls give the same account. */
export function createObjectIds(seed: number) {
  const rollForIds = mulberry32(seed);
  // Ids must not depend on how often chance was consulted, and the other way round.
  const roll = mulberry32(seed + 1);
  let counter = 0;
  return {
    next(prefix: string): string {
      counter += 1;
      let random = '';
      for (let i = 0; i < RANDOM_CHARACTERS; i += 1) {
        random += ID_ALPHABET.charAt(Math.floor(rollForIds() * ID_ALPHABET.length));
      }
      return `${prefix}_sbx${String(counter).padStart(8, '0')}${random}`;
    },
    /** A number in [0, 1). */
    roll,
  };
}
