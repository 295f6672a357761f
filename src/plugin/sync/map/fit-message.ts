import { z } from 'zod';
import { isPrintable } from '../../../core/base/printable-text.ts';
import { describeIssue } from '../../../core/contract/contract.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { MappingWarning } from './mapping-warning.ts';

/** `unmappable`: fits no message. */
export type Fitted<Message> = { kind: 'message'; message: Message; warnings: MappingWarning[] } | Unmappable;

export type Unmappable = { kind: 'unmappable'; reason: Reason };

/**
 * Builds a message from the fields with a value. Leaves out optional fields that do not fit, with a warning, so that the service gets
 * the rest.
 */
export function fitMessage<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  fields: Readonly<Record<string, unknown>>,
): Fitted<z.infer<z.ZodObject<Shape>>> {
  const given = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const whole = schema.safeParse(Object.fromEntries(given));
  if (whole.success && given.every(([, value]) => isStorable(value)))
    return { kind: 'message', message: whole.data, warnings: [] };
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
  const odd = given.flatMap(([name, value]) => {
    const field = shape[name];
    return field && isOptional(field) && !isFit(field, value) ? [name] : [];
  });
  const fitted = schema.safeParse(Object.fromEntries(given.filter(([name]) => !odd.includes(name))));
  if (!fitted.success) return unreadable(fitted.error);
  const warnings = odd.map((field) => ({ code: 'field_left_out', field }) as const);
  return { kind: 'message', message: fitted.data, warnings };
}

/** Why an object, or its message, does not fit. */
export function unreadable(error: z.ZodError): Unmappable {
  return unmappable({ code: 'unreadable_object', problem: describeIssue(error) });
}

export function unmappable(reason: Reason): Unmappable {
  return { kind: 'unmappable', reason };
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
