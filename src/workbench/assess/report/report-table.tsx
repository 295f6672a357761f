/** Sections, tables and figures as an assessment shows them. */
import type { ComponentChild, ComponentChildren } from 'preact';
import { formatMoney } from '../../../plugin/mails/format-money.ts';

export interface DataTableProps {
  /** The first one names the rows. */
  readonly heads: readonly string[];
  readonly rows: readonly (readonly ComponentChild[])[];
}

export function DataTable({ heads: [name, ...numbers], rows }: DataTableProps) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{name}</th>
            {numbers.map((head) => (
              <th scope="col" class="number">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([label, ...cells]) => (
            <tr>
              <th scope="row">{label}</th>
              {cells.map((cell, at) => (
                <td class="number" data-head={numbers[at]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function money(amount: number, currency: string): string {
  return formatMoney(amount, currency, 'en');
}

export function count(value: number): string {
  return value.toLocaleString('en');
}

export function share(part: number, whole: number | undefined): string {
  return !whole ? '–' : `${((100 * part) / whole).toFixed(1)} %`;
}
