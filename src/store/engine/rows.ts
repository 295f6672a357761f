/** Columns are snake_case in SQL and camelCase here: `invoice_id` of a row is read as `invoiceId`. */

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

function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
