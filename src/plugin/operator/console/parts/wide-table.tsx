/** Tables of rows: one description of a column has its head, its cells and how it is sorted. */
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Whether a phone, which shows no heads, needs the name next to the cell. */
  readonly isNamed?: boolean;
  /** Where the cell says nothing: a phone leaves it out. */
  readonly isNone?: (row: Row) => boolean;
  /** The order that this column offers. */
  readonly sort?: string;
}

/** A column over numbers. */
export const figures = <Row,>(name: string, cell: Column<Row>['cell']) => ({ name, cell, isNumber: true });

interface Sorting {
  readonly sort: string | undefined;
  readonly link: (changes: { sort: string }) => string;
}

interface RowsProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** The list's current order; when absent the heads are words only. */
  readonly sorting?: Sorting;
  readonly classOf?: (row: Row) => string | undefined;
  /** Whether the first column names the rows, as it mostly does. */
  readonly hasNames?: boolean | undefined;
}

interface WideTableProps<Row> extends RowsProps<Row> {
  readonly label: string;
  /** Whether a phone shows each row's cells below each other. */
  readonly isStacked?: boolean;
}

/** A table that a narrow window shows a part of; keys move it, too. */
export function WideTable<Row>({ label, isStacked = false, ...rows }: WideTableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys (WCAG 2.1.1)
    <section class={isStacked ? 'wide stacked' : 'wide'} aria-label={label} tabIndex={0}>
      <table class="list">
        <Rows {...rows} />
      </table>
    </section>
  );
}

/** The rows of a table. */
export function Rows<Row>({ columns, rows, sorting, classOf, hasNames = true }: RowsProps<Row>) {
  return (
    <>
      <thead>
        <tr>
          {columns.map((column) => (
            <Head {...column} sorting={sorting} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr class={classOf?.(row)}>
            {columns.map((column, place) => (
              <Cell {...{ column, row }} isName={hasNames && place === 0} />
            ))}
          </tr>
        ))}
      </tbody>
    </>
  );
}

type HeadProps = Pick<Column<never>, 'name' | 'sort' | 'isNumber'> & {
  readonly sorting: Sorting | undefined;
};

function Head({ name, sort, isNumber, sorting }: HeadProps) {
  const isSortable = sorting !== undefined && sort !== undefined;
  const direction = sort === 'next' ? 'ascending' : 'descending';
  return (
    <th
      scope="col"
      class={isNumber ? 'number' : undefined}
      aria-sort={isSortable && sorting.sort === sort ? direction : undefined}
    >
      {isSortable ? <a href={sorting.link({ sort })}>{name}</a> : name}
    </th>
  );
}

interface CellProps<Row> {
  readonly column: Column<Row>;
  readonly row: Row;
  readonly isName: boolean;
}

function Cell<Row>({ column, row, isName }: CellProps<Row>) {
  const { name, cell, isNumber, isNamed, isNone } = column;
  const tones = [...(isNumber ? ['number'] : []), ...(isNone?.(row) ? ['none'] : [])];
  const tone = tones.join(' ') || undefined;
  if (isName)
    return (
      <th scope="row" class={tone}>
        {cell(row)}
      </th>
    );
  return (
    <td class={tone} data-name={isNamed ? name : undefined}>
      {cell(row)}
    </td>
  );
}
