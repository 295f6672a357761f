/** The way in and out of both databases: what our code calls a column, a time and an absent value, and what SQL calls them. */
import { types } from 'node:util';
import { DateTime } from 'luxon';
import type { Result } from '../pglite/pglite-messages.ts';

interface Field {
  readonly name: string;
}

/** What is bound to a statement: times as ISO 8601, what is absent as null. Inside an array each value is the caller's to convert. */
export function toParameters(values: readonly unknown[]): unknown[] {
  return values.map((value) => {
    if (DateTime.isDateTime(value)) return value.toISO();
    return types.isDate(value) ? value.toISOString() : (value ?? null);
  });
}

/** The rows of a result under the names of our code: `invoice_id` is `invoiceId`. A column without an underscore keeps its name. */
export function mapRows<Row extends object>(rows: readonly object[], fields: readonly Field[]): Row[];
export function mapRows(rows: readonly object[], fields: readonly Field[]): object[] {
  const names = fields.map(({ name }) => name);
  if (!names.some((name) => name.includes('_'))) return [...rows];
  const renamed = names.map(toCamelCase);
  return rows.map((row) => {
    const values: Record<string, unknown> = { ...row };
    return Object.fromEntries(names.map((name, index) => [renamed[index], values[name]]));
  });
}

/** The same of rows that come from the thread of the embedded database. */
export function readRows<Row extends object>(result: Result, rename: (name: string) => string): Row[];
export function readRows({ names, rows, json }: Result, rename: (name: string) => string): object[] {
  const columns = names.map((name, index) => ({ name: rename(name), index, isJson: json.includes(index) }));
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (const { name, index, isJson } of columns) {
      const value = values[index];
      row[name] = isJson && typeof value === 'string' ? JSON.parse(value) : value;
    }
    return row;
  });
}

export function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
