import { z } from 'zod';
import { isPrintable } from '../../../core/base/printable-text.ts';
import { describeIssue } from '../../../core/contract/contract.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { MappingWarning } from './mapping-warning.ts';

export type Fitted<Message> =
  | { ok: true; message: Message; warnings: MappingWarning[] }
  | { ok: false; reason: Reason };

/**
 * The message that a record becomes. An optional field that does not fit is left out, with a warning: only what the
 * service cannot do without may keep it from hearing of the rest.
 */
export function fitMessage<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  record: Readonly<Record<string, unknown>>,
): Fitted<z.infer<z.ZodObject<Shape>>> {
  const whole = schema.safeParse(record);
  if (whole.success && Object.values(record).every(isStorable))
    return { ok: true, message: whole.data, warnings: [] };
  const odd = Object.entries(schema.shape)
    .filter(([name, field]) => isOptional(field) && !isFit(field, record[name]))
    .map(([name]) => name);
  const kept = Object.entries(record).filter(([name]) => !odd.includes(name));
  const fitted = schema.safeParse(Object.fromEntries(kept));
  if (!fitted.success) return { ok: false, reason: unreadable(fitted.error) };
  return {
    ok: true,
    message: fitted.data,
    warnings: odd.map((field) => ({ code: 'field_left_out', field })),
  };
}

/** Why an object, or the message made of it, does not fit. */
export function unreadable(error: z.ZodError): Reason {
  return { code: 'unreadable_object', problem: describeIssue(error) };
}

function isOptional(field: z.core.$ZodType): boolean {
  return z.safeParse(field, undefined).success;
}

function isFit(field: z.core.$ZodType, value: unknown): boolean {
  return isStorable(value) && z.safeParse(field, value).success;
}

/** PostgreSQL keeps no text that is not printable, however well it fits the schema. */
function isStorable(value: unknown): boolean {
  return typeof value !== 'string' || isPrintable(value);
}
