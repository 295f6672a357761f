/** Of a table: a name, or one over numbers. */
export type Column = string | { readonly number: string };

export const numbers = (...names: readonly string[]): Column[] => names.map((number) => ({ number }));

export function ColumnHeads({ columns }: { columns: readonly Column[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) =>
          typeof column === 'string' ? (
            <th scope="col">{column}</th>
          ) : (
            <th scope="col" class="number">
              {column.number}
            </th>
          ),
        )}
      </tr>
    </thead>
  );
}
