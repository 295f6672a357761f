/**
 * What an operation is: one row, from which its command with its help, `/api/v1` and its OpenAPI entries, the forms of the console, the
 * requests of the Stripe App and the words of all of them are made.
 */

import type { DateTime } from 'luxon';
import { z } from 'zod';
import { InvalidRequestError } from '../../../core/base/errors.ts';
import { oneLine } from '../../../core/contract/contract-fields.ts';
import { parseGiven } from '../../../core/contract/parse-given.ts';
import type { Queryable } from '../../../core/database/database.ts';
import type { Role } from '../../../core/web/sign-in/operators.ts';
import type { AuditKind } from '../../actions/audit-kinds.ts';
import type { PluginDeps } from '../../jobs/queues.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { Objection } from '../../retry/actions/objection.ts';
import type { RetryDeps } from '../../retry/actions/retry-deps.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import type { Config } from '../../settings/config.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import { type ControlGroup, findControlGroup } from '../../store/tables/retry/lots.ts';

const VIA = ['console', 'command', 'api', 'stripe_app', 'application'] as const;

export const askingSchema = z.object({
  who: z.object({ name: oneLine(200), via: z.enum(VIA) }),
  /** Kept in the audit, and shown wherever the operation is. */
  reason: oneLine(500).optional(),
});

/** Who asks, by which way, and why. */
export type Asking = Readonly<z.output<typeof askingSchema>>;
export type Who = Asking['who'];

/** `enqueue` does nothing where no process works: the sweep of the running one, or the next start, finds due work. */
export interface OperationDeps extends PluginDeps {
  /**
   * What reading an invoice at Stripe takes. A function: what stops something needs the database and no other setting.
   * Throws ConfigError where a setting is missing.
   */
  readonly retry: () => RetryDeps;
  readonly config: () => Config;
}

/** The outcome of an operation, for callers that do not know its codes, and its HTTP status. */
export const STATUS_OF = { changed: 200, unchanged: 200, refused: 409, not_found: 404 } as const;
export type Outcome = keyof typeof STATUS_OF;

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

/** Formats the parameters of a sentence for its reader. */
export interface Say {
  readonly invoice: (id: string) => string;
  readonly moment: (iso: string) => string;
  readonly reason: (reason: Reason) => string;
  readonly pause: (pause: { account: string; since: string; by: string; reason: string }) => string;
  /** Codes and commands, for technical readers; empty for others. */
  readonly technical: (text: string) => string;
  readonly money: (amount: number, currency: string) => string;
  readonly card: (card: { brand: string | undefined; last4: string | undefined }) => string;
  /** The first of a name and an address that is there. */
  readonly person: (person: { name: string | null; email: string | null }) => string;
}

/** A preview of the operation: a sentence with current figures, and the objections. */
export interface Preview {
  readonly will?: ((say: Say) => string | readonly string[]) | undefined;
  readonly objection?: Objection | undefined;
  /** Warns: what is done to its customer changes the comparison. */
  readonly controlGroup?: ControlGroup | null;
}

type MakePreview = (deps: OperationDeps, given: unknown) => Promise<Preview>;

/** Reads only. Empty where nothing is known of what it is about. Throws InvalidRequestError for parameters that do not fit. */
export function previewOf<Parameters extends z.ZodObject>(
  parameters: Parameters,
  look: (deps: OperationDeps, known: z.output<Parameters>) => Promise<Preview>,
): MakePreview {
  return async (deps, given) => {
    const known = parseGiven(parameters, given);
    return { ...(await look(deps, known)), controlGroup: await findControlGroup(deps.database, known) };
  };
}

type Words<Result extends OperationResult> = {
  readonly [Code in Result['code']]: (
    result: Extract<Result, { code: Code }>,
    say: Say,
  ) => string | readonly string[];
};

/** The command line's form. Parameters that are no argument are options; `--check`, `--reason`, `--by` and `--json` are added. */
export interface CommandSpec {
  /** Its name and its argument, which is a parameter: `invoices stop <invoice>`, `queue dismiss <records...>`. */
  readonly use: string;
  /** Placeholders of option values: `{ until: '<time>' }`; `<id>` by default, empty for a flag. */
  readonly values?: Readonly<Record<string, string>>;
  /** Whether it reads at Stripe, for which it needs every setting. */
  readonly needs: 'database' | 'settings';
  /** Examples without the program's name. */
  readonly examples: readonly string[];
}

/** The invoice's state as far as a form needs it. */
export interface InvoiceStanding {
  readonly isHeld: boolean;
  /** An email about it was planned once: it can be sent again. */
  readonly hadEmail: boolean;
}

/** The console's form: on the page of its subject, opened and then confirmed. */
export interface FormSpec {
  /** `part`: of a page that places it by name. */
  readonly about: 'invoice' | 'customer' | 'part';
  /** Words that open it, and that do it. */
  readonly title: string;
  readonly button: string;
  readonly isDangerous?: boolean;
  readonly isOffered?: (standing: InvoiceStanding) => boolean;
  readonly asks?: readonly {
    readonly name: string;
    readonly label: string;
    readonly as: 'moment' | 'zone' | 'text' | 'check' | 'choice';
    readonly options?: readonly (readonly [value: string, label: string])[];
  }[];
  /** Irreversible: the customer's name or id must be typed, as `typed`. */
  readonly isTyped?: boolean;
}

/** What a role of Stripe's Dashboard may be needed for. */
export type Ability = 'operate' | 'configure';

/** The role that an operator of the console needs. */
export function roleFor({ app, role }: Pick<Operation, 'app' | 'role'>): Role {
  return role ?? (app?.needs === 'configure' ? 'administrator' : 'operator');
}

export interface AppSpec {
  readonly needs: Ability;
  /** The views' name for it, if not the operation's own. */
  readonly request?: string;
  /** Where the views have other words for it, by code. */
  readonly words?: Readonly<Record<string, string>>;
}

export interface OperationSpec<
  Parameters extends z.ZodObject,
  Result extends OperationResult,
  Done extends Result = Result,
> {
  readonly description: string;
  /** Whether it may charge a customer: asked back before it is done. */
  readonly movesMoney: boolean;
  readonly parameters: Parameters;
  readonly result: z.ZodType<Result>;
  /**
   * Safe to repeat and to request twice in parallel. The change and its audit line commit together; where Stripe is changed,
   * the line follows its answer.
   */
  readonly run: (deps: OperationDeps, asking: Asking, parameters: z.output<Parameters>) => Promise<Done>;
  /** Its preview, of the parameters that are known before a person enters the others. */
  readonly preview?: MakePreview;
  /** What it came to, line by line. */
  readonly words: Words<Result>;
  /** Whether something is left although it changed something. */
  readonly isPartial?: (result: Result) => boolean;
  /** Nothing takes back what it does (a charge, an email, an erasure): who asks for it in the console has proven who it is just before. */
  readonly isFinal?: boolean;
  readonly needsReason?: boolean;
  /** Whose it is in the console, where `app` does not say it. */
  readonly role?: Role;
  /** What it returns opens something: its answer is kept nowhere. */
  readonly isSecret?: boolean;
  /** The kinds of its lines in the audit, in words. */
  readonly history?: Readonly<Partial<Record<AuditKind, string>>>;
  readonly command?: CommandSpec;
  readonly form?: FormSpec;
  readonly app?: AppSpec;
}

export interface Operation<
  Result extends OperationResult = OperationResult,
  Parameters extends z.ZodObject = z.ZodObject,
> extends Omit<OperationSpec<Parameters, Result>, 'run' | 'preview' | 'words' | 'isPartial'> {
  readonly hasPreview: boolean;
  /** Throws InvalidRequestError for parameters that do not fit, naming each. */
  readonly carryOut: (deps: OperationDeps, asking: Asking, given: unknown) => Promise<Result>;
  readonly preview: MakePreview;
  /** What its result is in words, a line each. */
  tell(result: Result, say: Say): readonly string[];
  isPartial(result: Result): boolean;
}

/** `Done` has the results that `run` returns, with their codes as literals. */
export function defineOperation<
  Parameters extends z.ZodObject,
  Result extends OperationResult,
  const Done extends Result,
>(spec: OperationSpec<Parameters, Result, Done>): Operation<Result, Parameters> {
  const { run, preview, words, isPartial, ...row } = spec;
  return {
    ...row,
    hasPreview: preview !== undefined,
    carryOut: async (deps, asking, given) => {
      const asked = parseGiven(askingSchema, asking);
      if (row.needsReason && !asked.reason) throw new InvalidRequestError('a reason is required');
      return run(deps, asked, parseGiven(row.parameters, given));
    },
    preview: async (deps, given) => (await preview?.(deps, given)) ?? {},
    tell(result, say) {
      // Each text takes its own code's parameters, which the compiler cannot see through the table.
      const text = words[result.code as Result['code']] as (result: Result, say: Say) => string | string[];
      return [text(result, say)].flat();
    },
    isPartial: (result) => isPartial?.(result) ?? false,
  };
}

export interface Line {
  readonly account: string;
  readonly invoiceId?: string | undefined;
  readonly kind: AuditKind;
  readonly detail?: Record<string, unknown>;
}

/** The audit's line of an operation: what, by whom, which way, why. Returns its number, which `undo` takes. */
export function recordOperation(
  tx: Queryable,
  { who, reason }: Asking,
  at: DateTime,
  { account, invoiceId, kind, detail }: Line,
): Promise<number> {
  const asked = { note: reason, by: who.name, via: who.via };
  return recordAudit(tx, { account, invoiceId, kind, at, detail: { ...detail, ...asked } });
}

/** The reason of rows that require one. */
export function reasonGiven({ reason }: Asking): string {
  return reason ?? 'no reason given';
}

/** An id of Stripe's; PostgreSQL takes no text with a zero in it. */
export const stripeId = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{1,255}$/, 'an id, without spaces');

/** What operations on a customer take. */
export const oneCustomer = z.object({
  customer: stripeId.describe('The id of the customer at Stripe.'),
  account: stripeId.default(OWN_ACCOUNT).describe('The connected account, if it is not your own.'),
});

export function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** A list of ids, also as text from a form or a terminal, separated by spaces or commas. */
export const idList = z.preprocess(
  (given) => (typeof given === 'string' ? given.split(/[\s,]+/).filter((part) => part !== '') : given),
  z.array(stripeId).max(10_000),
);
