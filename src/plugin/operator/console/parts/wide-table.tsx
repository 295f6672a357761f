/** Tables of rows: one description of a column has its head, its cells and how it is sorted. */
import type { ComponentChildren } from 'preact';

export interface Column<Row, Sort extends string = never> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Whether a phone, which shows no heads, needs the name next to the cell. */
  readonly isNamed?: boolean;
  /** Where the cell says nothing: a phone leaves it out. */
  readonly isNone?: (row: Row) => boolean;
  /** The order that this column offers. */
  readonly sort?: Sort;
}

/** A column over numbers. */
export const figures = <Row,>(name: string, cell: Column<Row>['cell']) => ({ name, cell, isNumber: true });

interface Sorting {
  readonly sort: string | undefined;
  readonly link: (changes: { sort: string }) => string;
}

interface RowsProps<Row, Sort extends string> {
  readonly columns: readonly Column<Row, Sort>[];
  readonly rows: readonly Row[];
  /** The list's current order; when absent the heads are words only. */
  readonly sorting?: Sorting | undefined;
  readonly classOf?: (row: Row) => string | undefined;
  /** Whether the first column names the rows, as it mostly does. */
  readonly hasNames?: boolean | undefined;
}

interface WideTableProps<Row, Sort extends string> extends RowsProps<Row, Sort> {
  readonly label: string;
  readonly caption?: ComponentChildren;
  /** Whether a phone shows each row's cells below each other. */
  readonly isStacked?: boolean;
}

/** A table that a narrow window shows a part of; keys move it, too. */
export function WideTable<Row, Sort extends string = never>(props: WideTableProps<Row, Sort>) {
  const { label, caption, isStacked = false, ...rows } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys (WCAG 2.1.1)
    <section class={isStacked ? 'wide stacked' : 'wide'} aria-label={label} tabIndex={0}>
      <table class="list">
        {caption && <caption>{caption}</caption>}
        <Rows {...rows} />
      </table>
    </section>
  );
}

interface TableCardProps<Row, Sort extends string> extends Omit<WideTableProps<Row, Sort>, 'label'> {
  readonly title: string;
  /** Text of an empty table. */
  readonly empty?: string;
}

/** A table in a card of its own. */
export function TableCard<Row, Sort extends string = never>(props: TableCardProps<Row, Sort>) {
  const { title, empty, ...table } = props;
  return (
    <section class="card flush">
      <h2>{title}</h2>
      {empty !== undefined && table.rows.length === 0 ? (
        <p class="soft empty">{empty}</p>
      ) : (
        <WideTable label={title} {...table} />
      )}
    </section>
  );
}

/** The rows of a table. */
export function Rows<Row, Sort extends string = never>(props: RowsProps<Row, Sort>) {
  const { columns, rows, sorting, classOf, hasNames = true } = props;
  return (
    <>
      <thead>
        <tr>
          {columns.map((column) => (
            <Head {...{ column, sorting }} />
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

interface HeadProps<Row, Sort extends string> extends Pick<RowsProps<Row, Sort>, 'sorting'> {
  readonly column: Column<Row, Sort>;
}

function Head<Row, Sort extends string>({ column, sorting }: HeadProps<Row, Sort>) {
  const { name, sort: by, isNumber } = column;
  const tone = isNumber ? 'number' : undefined;
  if (sorting === undefined || by === undefined)
    return (
      <th scope="col" class={tone}>
        {name}
      </th>
    );
  const { sort, link } = sorting;
  return (
    <th
      scope="col"
      class={tone}
      aria-sort={sort !== by ? undefined : by === 'next' ? 'ascending' : 'descending'}
    >
      <a href={link({ sort: by })}>{name}</a>
    </th>
  );
}

interface CellProps<Row, Sort extends string> {
  readonly column: Column<Row, Sort>;
  readonly row: Row;
  readonly isName: boolean;
}

function Cell<Row, Sort extends string>({ column, row, isName }: CellProps<Row, Sort>) {
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
