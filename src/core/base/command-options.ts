import type { z } from 'zod';
import { UsageError } from './errors.ts';

/** Parses a command's options. Throws UsageError with one sentence for all, or one a problem, which `say` words. */
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

/** Whether the person at the terminal has interrupted. */
export function watchInterruption(interrupted: Promise<void>): () => boolean {
  let isInterrupted = false;
  void interrupted.then(() => {
    isInterrupted = true;
  });
  return () => isInterrupted;
}

/** Returns the words that call a command: `invoices retry` of `invoices retry <invoice>`. */
export function wordsOf(name: string): string {
  return name.split(/ [<[]/, 1).join('');
}
