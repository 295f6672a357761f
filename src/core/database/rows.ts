/** The way in and out of both databases: what our code calls a column, a time and an absent value, and what SQL calls them. */
import { types } from 'node:util';
import { DateTime } from 'luxon';
import { fromUnixMs } from '../base/clock.ts';
import type { Result } from './pglite/pglite-messages.ts';

type Values = Readonly<Record<string, unknown>>;

interface Field {
  readonly name: string;
}

/** Converts a statement's values: times to ISO 8601, absent ones to null, in arrays as well. */
export const toParameters = (values: readonly unknown[]): unknown[] => values.map(toParameter);

export function toParameter(value: unknown): unknown {
  if (Array.isArray(value)) return toParameters(value);
  // The platform's formatting costs a tenth of luxon's.
  return DateTime.isDateTime(value) ? value.toJSDate().toISOString() : (value ?? null);
}

/**
 * The rows of a result as our code has them: `invoice_id` is `invoiceId`, and a time is a `DateTime` in UTC. A column without an
 * underscore keeps its name.
 */
export function mapRows<Row extends object>(rows: readonly Values[], fields: readonly Field[]): Row[];
export function mapRows(rows: readonly Values[], fields: readonly Field[]): object[] {
  const columns = fields.map(({ name }) => ({ name, own: toCamelCase(name) }));
  return rows.map((row) => {
    const mapped: Record<string, unknown> = {};
    for (const { name, own } of columns) mapped[own] = readTime(row[name]);
    return mapped;
  });
}

/** The same of rows that come from the thread of the embedded database. `asStored`: as SQL and the platform have it, for pg-boss. */
export function readRows<Row extends object>(result: Result, asStored?: 'asStored'): Row[];
export function readRows({ names, rows, json }: Result, asStored?: 'asStored'): object[] {
  const columns = names.map((name, index) => ({
    name: asStored ? name : toCamelCase(name),
    index,
    isJson: json.includes(index),
  }));
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (const { name, index, isJson } of columns) {
      const value = values[index];
      if (isJson && typeof value === 'string') row[name] = JSON.parse(value);
      else row[name] = asStored ? value : readTime(value);
    }
    return row;
  });
}

/** The `set` of an upsert that replaces these columns. */
export const setTo = (columns: readonly string[], from = 'excluded') =>
  columns.map((column) => `${column} = ${from}.${column}`).join(', ');

/** `customerId` becomes `customer_id`. */
export const toColumn = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

const readTime = (value: unknown) =>
  typeof value === 'object' && types.isDate(value) ? fromUnixMs(value.getTime()) : value;
