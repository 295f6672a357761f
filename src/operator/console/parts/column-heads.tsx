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

/** A column, by which a list may be sorted. */
export interface SortHead<Sort extends string> {
  readonly sort?: Sort;
  readonly text: string;
  readonly isNumber?: boolean;
  /** At the first press; a second one turns it round. */
  readonly isDescending?: boolean;
}

interface SortHeadsProps<Sort extends string> {
  readonly heads: readonly SortHead<Sort>[];
  readonly sort: Sort | undefined;
  readonly isReversed: boolean;
  readonly link: (changes: { sort: Sort; order: 'reversed' | undefined }) => string;
}

const OTHER = { ascending: 'descending', descending: 'ascending' } as const;

export function SortHeads<Sort extends string>({ heads, sort, isReversed, link }: SortHeadsProps<Sort>) {
  return (
    <thead>
      <tr>
        {heads.map(({ sort: by, text, isNumber = false, isDescending = false }) => {
          if (by === undefined)
            return (
              <th scope="col" class={isNumber ? 'number' : undefined}>
                {text}
              </th>
            );
          const usual = isDescending ? 'descending' : 'ascending';
          const isOther = sort === by && !isReversed;
          return (
            <th
              scope="col"
              class={isNumber ? 'number' : undefined}
              aria-sort={sort !== by ? undefined : isReversed ? OTHER[usual] : usual}
            >
              <a href={link({ sort: by, order: isOther ? 'reversed' : undefined })}>{text}</a>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
