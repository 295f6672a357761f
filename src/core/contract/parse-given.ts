import type { z } from 'zod';
import { InvalidRequestError } from '../base/errors.ts';
import { describeProblem } from './contract.ts';

/** Parses parameters. Throws InvalidRequestError with all invalid ones. */
export function parseGiven<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) =>
    [issue.path.join('.'), describeProblem(issue)].filter(Boolean).join(': '),
  );
  throw new InvalidRequestError(problems.join('; '), { cause: parsed.error });
}
