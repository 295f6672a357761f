import { z } from 'zod';
import { type ApiError, invalidParameter } from '../api-error.ts';

/** Stripe's form encoding knows only strings; these read them as what they stand for. */
export const formInteger = z
  .string()
  .regex(/^-?\d+$/, 'Invalid integer')
  .transform(Number);
export const formBoolean = z.enum(['true', 'false']).transform((text) => text === 'true');
export const formMetadata = z.record(z.string(), z.string());

export const none = z.strictObject({});
export const text = z.string().optional();
export const integer = formInteger.optional();
export const flag = formBoolean.optional();
export const metadata = formMetadata.optional();

/** An empty value clears the field. */
export function clearable<Schema extends z.ZodType>(schema: Schema) {
  return z.union([z.literal('').transform(() => null), schema]);
}

const range = z.strictObject({
  gt: formInteger.optional(),
  gte: formInteger.optional(),
  lt: formInteger.optional(),
  lte: formInteger.optional(),
});

export const formTimeFilter = z.union([
  formInteger.transform((exact) => ({ gte: exact, lte: exact })),
  range,
]);
export const created = formTimeFilter.optional();
export type TimeFilter = z.output<typeof range>;

export const PAGE_PARAMETERS = {
  limit: formInteger.pipe(z.number().min(1).max(100)).default(10),
  starting_after: z.string().optional(),
  ending_before: z.string().optional(),
};

export function isWithin(created: number, filter: TimeFilter | undefined): boolean {
  if (filter === undefined) return true;
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = filter;
  return created > gt && created >= gte && created < lt && created <= lte;
}

/** Parameters that fit, or Stripe's 400. What the sandbox does not simulate is refused, never ignored. */
export function parseParameters<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw parameterError(parsed.error);
}

function parameterError(error: z.ZodError): ApiError {
  const [issue] = error.issues;
  if (issue === undefined) return invalidParameter('Invalid parameters', {});
  if (issue.code === 'unrecognized_keys') {
    const param = formName([...issue.path, ...issue.keys.slice(0, 1)]);
    return invalidParameter(`Received unknown parameter: ${param} (or one the sandbox does not simulate)`, {
      code: 'parameter_unknown',
      param,
    });
  }
  const param = formName(issue.path);
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  return isMissing
    ? invalidParameter(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
    : invalidParameter(`Invalid ${param}: ${issue.message}`, { param });
}

/** `items`, 0, `price` → `items[0][price]`. */
function formName(path: readonly PropertyKey[]): string {
  const [head = '', ...rest] = path.map(String);
  return head + rest.map((part) => `[${part}]`).join('');
}
