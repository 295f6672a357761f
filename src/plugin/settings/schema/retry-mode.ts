/** The mode has no default: nobody is charged because a setting was left out or misspelled. */
import { z } from 'zod';

const MODES = {
  observe: 'writes down what it would do; charges and emails nobody. Begin with it',
  advisory: "carries out the service's instructions, next to Stripe's own retries",
  exclusive:
    "carries them out in the place of Stripe's retries, which it switches off for each failed invoice",
} as const;

/** The plugin's treatment of the retry service's instructions. */
export type RetryMode = keyof typeof MODES;

export const CHOOSE_MODE = `must be one of:${Object.entries(MODES)
  .map(([mode, meaning]) => `\n    ${mode}: ${meaning}`)
  .join('')}`;

export const oneMode = () => z.enum(Object.keys(MODES) as RetryMode[], CHOOSE_MODE);
