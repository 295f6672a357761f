import { z } from 'zod';
import { isPrintable } from '../../../core/base/printable-text.ts';
import { describeIssue } from '../../../core/contract/contract.ts';
import type { Reason } from '../../reasons/reason.ts';

/** Oddities of a forwarded record, for the log. */
export type MappingWarning =
  | { readonly code: 'field_left_out'; readonly field: string }
  | { readonly code: 'unknown_status'; readonly status: string; readonly takenAs: string }
  | { readonly code: 'unknown_interval'; readonly interval: string }
  | { readonly code: 'unknown_usage_type'; readonly priceId: string; readonly usageType: string }
  /** Counted as 1. */
  | { readonly code: 'no_quantity'; readonly priceId: string }
  /** Chosen by the customer; counted as 0. */
  | { readonly code: 'custom_amount'; readonly priceId: string }
  /** Adds nothing to the amount. */
  | { readonly code: 'item_not_recurring'; readonly itemId: string }
  | { readonly code: 'amount_negative'; readonly amount: number }
  | {
      readonly code: 'metadata_cut';
      readonly key: string;
      readonly characters: number;
      readonly kept: number;
    };

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
  const filled: Record<string, unknown> = {};
  let areStorable = true;
  // Without pairs of name and value, which each subscription would pay for.
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value === null || value === undefined) continue;
    filled[name] = value;
    areStorable &&= isStorable(value);
  }
  const whole = schema.safeParse(filled);
  if (whole.success && areStorable) return { kind: 'message', message: whole.data, warnings: [] };
  const given = Object.entries(filled);
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
