import type { z } from 'zod';
import { UsageError } from './errors.ts';

/**
 * The options of a command as they were typed. Throws UsageError, where they do not fit: with one sentence about all, or one of each
 * problem, which begins with its option's name unless `say` words it.
 */
export function readOptions<Options>(
  schema: z.ZodType<Options>,
  given: unknown,
  say: string | ((issue: z.core.$ZodIssue) => string) = ({ path, message }) =>
    `--${path.join('.')} ${message}`,
): Options {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new UsageError(typeof say === 'string' ? [say] : parsed.error.issues.map(say));
}

/** Whether the person at the terminal has had enough by now. */
export function watchInterruption(interrupted: Promise<void>): () => boolean {
  let isInterrupted = false;
  void interrupted.then(() => {
    isInterrupted = true;
  });
  return () => isInterrupted;
}
