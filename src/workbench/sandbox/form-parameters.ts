import { z } from 'zod';

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
export const collectionMethod = z.enum(['charge_automatically', 'send_invoice']).optional();

/** An empty value clears the field. */
export function clearable<Schema extends z.ZodType>(schema: Schema) {
  return z.union([z.literal('').transform(() => null), schema]);
}

/** Removes absent fields. */
export function given(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
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
