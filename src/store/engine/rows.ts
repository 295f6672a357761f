/** Columns are snake_case in SQL and camelCase here: `invoice_id` of a row is read as `invoiceId`. */

import type { Result } from '../pglite/pglite-messages.ts';

interface Field {
  readonly name: string;
}

/** The rows of a result under the names of our code. A column without an underscore keeps its name. */
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
