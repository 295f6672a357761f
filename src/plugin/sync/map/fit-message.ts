import { z } from 'zod';
import { isPrintable } from '../../../core/base/printable-text.ts';
import { describeIssue } from '../../../core/contract/contract.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { MappingWarning } from './mapping-warning.ts';

export type Fitted<Message> =
  | { ok: true; message: Message; warnings: MappingWarning[] }
  | { ok: false; reason: Reason };

/** Builds a message from a record. Leaves out optional fields that do not fit, with a warning, so that the service gets the rest. */
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

/** Why an object, or its message, does not fit. */
export function unreadable(error: z.ZodError): Reason {
  return { code: 'unreadable_object', problem: describeIssue(error) };
}

function isOptional(field: z.core.$ZodType): boolean {
  return z.safeParse(field, undefined).success;
}

function isFit(field: z.core.$ZodType, value: unknown): boolean {
  return isStorable(value) && z.safeParse(field, value).success;
}

/** PostgreSQL stores printable text only. */
function isStorable(value: unknown): boolean {
  return typeof value !== 'string' || isPrintable(value);
}
