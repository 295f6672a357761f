/** What every operation has in common: who asks and why, parameters and result by schema, and how it is called by name. */
import type { DateTime } from 'luxon';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { describeProblem } from '../../contract/contract.ts';
import type { Enqueue } from '../../jobs/enqueue.ts';
import type { PluginQueues } from '../../jobs/plugin-queues.ts';
import type { Clock } from '../../kit/clock.ts';
import { InvalidRequestError } from '../../kit/errors.ts';
import type { Objection } from '../../retry/actions/objection.ts';
import type { RetryDeps } from '../../retry/actions/retry-deps.ts';
import type { Database, Queryable } from '../../store/engine/database.ts';
import { recordAudit } from '../../store/tables/audit.ts';

const VIA = ['console', 'command', 'api', 'stripe_app'] as const;

/** A text that PostgreSQL takes: no control character, and no half of one. */
export const oneLine = (max: number) =>
  z
    .string()
    .trim()
    .regex(new RegExp(`^[^\\p{Cc}\\p{Cs}]{1,${max}}$`, 'u'), `1 to ${max} characters in one line`);

export const askingSchema = z.object({
  who: z.object({ name: oneLine(200), via: z.enum(VIA) }),
  /** Kept in the audit, and shown wherever the operation is. */
  why: oneLine(500).optional(),
});

/** Who asks, by which way, and why. */
export type Asking = Readonly<z.output<typeof askingSchema>>;
export type Who = Asking['who'];

export interface OperationDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Does nothing where no process works: the sweep of the running one, or the next start, finds what is due. */
  readonly enqueue: Enqueue<PluginQueues>;
  /**
   * What reading an invoice at Stripe takes. A function: what stops something needs the database and no other setting.
   * Throws ConfigError where a setting is missing.
   */
  readonly retry: () => RetryDeps;
  /** Throws ConfigError likewise. */
  readonly config: () => Config;
}

/** What an operation came to, for whoever acts on it without knowing its codes. */
export const OUTCOMES = ['changed', 'unchanged', 'refused', 'not_found'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface OperationResult {
  readonly outcome: Outcome;
  readonly code: string;
}

/** One result: its code, and its parameters. Times are ISO 8601 in UTC. */
export function result<
  const Kind extends Outcome,
  const Code extends string,
  const Shape extends z.ZodRawShape,
>(outcome: Kind, code: Code, shape: Shape) {
  return z.object({ outcome: z.literal(outcome), code: z.literal(code), ...shape });
}

export interface OperationSpec<Parameters extends z.ZodObject, Result extends OperationResult> {
  /** One sentence for help texts and documents: what it does. */
  readonly description: string;
  /** Whether it may charge a customer: asked back before it is done. */
  readonly movesMoney: boolean;
  readonly parameters: Parameters;
  readonly result: z.ZodType<Result>;
  /**
   * Safe to repeat and to ask for twice at once. What is changed and the audit's line about it commit together; where Stripe
   * is changed, the line follows its answer.
   */
  readonly run: (deps: OperationDeps, asking: Asking, parameters: z.output<Parameters>) => Promise<Result>;
  /** What would stand against it now; reads alone. */
  readonly foresee?: (
    deps: OperationDeps,
    parameters: z.output<Parameters>,
  ) => Promise<Objection | undefined>;
}

export interface Operation<Result extends OperationResult = OperationResult>
  extends Pick<OperationSpec<z.ZodObject, Result>, 'description' | 'movesMoney' | 'parameters' | 'result'> {
  /** Throws InvalidRequestError for parameters that do not fit, naming each. */
  readonly carryOut: (deps: OperationDeps, asking: Asking, given: unknown) => Promise<Result>;
  /** Undefined where nothing is known to stand against it. */
  readonly foresee: (deps: OperationDeps, given: unknown) => Promise<Objection | undefined>;
}

export function defineOperation<Parameters extends z.ZodObject, Result extends OperationResult>(
  spec: OperationSpec<Parameters, Result>,
): Operation<Result> {
  const { description, movesMoney, parameters, run, foresee } = spec;
  const parse = (given: unknown) => parseGiven(parameters, given);
  return {
    description,
    movesMoney,
    parameters,
    result: spec.result,
    carryOut: async (deps, asking, given) => run(deps, parseGiven(askingSchema, asking), parse(given)),
    foresee: async (deps, given) => foresee?.(deps, parse(given)),
  };
}

function parseGiven<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) =>
    [issue.path.join('.'), describeProblem(issue)].filter(Boolean).join(': '),
  );
  throw new InvalidRequestError(problems.join('; '), { cause: parsed.error });
}

export interface Line {
  readonly account: string;
  readonly invoiceId: string | undefined;
  readonly kind: string;
  readonly detail?: Record<string, unknown>;
}

/** The audit's line of an operation: what, by whom, which way, why. */
export function recordOperation(
  tx: Queryable,
  { who, why }: Asking,
  at: DateTime,
  { detail, ...line }: Line,
): Promise<void> {
  return recordAudit(tx, { ...line, at, detail: { ...detail, note: why, by: who.name, via: who.via } });
}

/** For rows that must have a reason. */
export function reasonGiven({ why }: Asking): string {
  return why ?? 'no reason given';
}

/** An id of Stripe's; PostgreSQL takes no text with a zero in it. */
export const stripeId = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{1,255}$/, 'an id, without spaces');

/** What operations on an invoice take. */
export const invoiceParameters = z.object({
  invoice: stripeId.describe('The id of the invoice at Stripe.'),
  account: stripeId.optional().describe('The account that it is of; left out, the one that has it.'),
});

export const invoiceUnknown = result('not_found', 'invoice_unknown', { invoice: z.string() });

/** A list of ids, also as text from a form or a terminal, separated by spaces or commas. */
export const idList = z.preprocess(
  (given) => (typeof given === 'string' ? given.split(/[\s,]+/).filter((part) => part !== '') : given),
  z.array(stripeId).max(10_000),
);
