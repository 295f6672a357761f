import { addUp } from '../../operator/console/parts/exchange.ts';
import { money } from '../../operator/text/describe-code.ts';
import type { InvoiceAccount } from './checks/ledger.ts';
import { DEMO_RATES } from './demo-world.ts';
import { STATIC_DAYS, type StaticInvoice } from './retries-alone.ts';
import type { Printer } from './text/printer.ts';

const ORDER = ['recovered', 'waiting', 'given_up', 'unexplained'] as const;
const HEADS = ['outcome', 'invoices', 'attempts', 'mails', 'amounts'] as const;

interface Line {
  readonly title: string;
  readonly accounts: readonly InvoiceAccount[];
  readonly isSum: boolean;
}

/** What became of the failed invoices; every figure is added up from the accounts. */
export function printClosingTable(printer: Printer, accounts: readonly InvoiceAccount[]): void {
  const lines = ORDER.flatMap((kind) => toLines(kind, accounts));
  lines.push({ title: 'all failed invoices', accounts, isSum: true });
  const rows = lines.map(toCells);
  const widths = HEADS.slice(0, -1).map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const format = (cells: readonly string[]) =>
    cells.map((cell, column) => align(cell, widths[column] ?? 0, column)).join('  ');
  printer.line(`\n${format(HEADS)}`, 'strong');
  for (const [index, row] of rows.entries())
    printer.line(format(row), lines[index]?.isSum ? 'strong' : 'plain');
  printTotal(printer, accounts);
}

/** All currencies as one, by the demo's own rates. */
function printTotal(printer: Printer, accounts: readonly InvoiceAccount[]): void {
  const recovered = accounts.filter(({ outcome }) => outcome.kind === 'recovered');
  printer.line(`\nin US dollars: ${shareOf(recovered, accounts)} (${accounts.length} invoices)`, 'strong');
}

export function printStaticSchedule(printer: Printer, invoices: readonly StaticInvoice[]): void {
  const recovered = invoices.filter(({ isRecovered }) => isRecovered);
  const days = new Intl.ListFormat('en').format(STATIC_DAYS.map(String));
  printer.line(
    `retries after ${days} days alone, simulated with the same customers: ${shareOf(recovered, invoices)} (${invoices.length} invoices)`,
  );
  printer.line('Nobody is asked for another card there, so that more renewals fail the next month.');
}

type Sum = Pick<InvoiceAccount, 'amount' | 'currency'>;

function shareOf(recovered: readonly Sum[], all: readonly Sum[]): string {
  const [part, whole] = [recovered, all].map((of) =>
    addUp(of, 'usd', { currency: 'usd', rates: DEMO_RATES }),
  );
  const share = whole ? Math.round((100 * (part ?? 0)) / whole) : 0;
  return `${money(part ?? 0, 'usd')} of ${money(whole ?? 0, 'usd')} recovered, ${share} %`;
}

/** A kind of outcome with its sum, and below it its reasons. */
function toLines(kind: (typeof ORDER)[number], accounts: readonly InvoiceAccount[]): Line[] {
  const ofKind = accounts.filter(({ outcome }) => outcome.kind === kind);
  if (ofKind.length === 0) return [];
  const reasons = [...new Set(ofKind.map(({ outcome }) => outcome.reason))];
  const details = reasons.map((reason) => ({
    title: `  ${kind === 'recovered' ? 'by ' : ''}${reason}`,
    accounts: ofKind.filter(({ outcome }) => outcome.reason === reason),
    isSum: false,
  }));
  return [{ title: kind.replace('_', ' '), accounts: ofKind, isSum: true }, ...details];
}

function toCells({ title, accounts }: Line): string[] {
  const add = (read: (account: InvoiceAccount) => number) =>
    accounts.reduce((sum, account) => sum + read(account), 0);
  return [
    title,
    String(accounts.length),
    String(add(({ attempts }) => attempts)),
    String(add(({ mails }) => mails)),
    sumByCurrency(accounts),
  ];
}

function sumByCurrency(accounts: readonly InvoiceAccount[]): string {
  const sums = new Map<string, number>();
  for (const { amount, currency } of accounts) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return [...sums]
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([currency, sum]) => money(sum, currency))
    .join('  ');
}

/** Numbers to the right; the last column ends the line. */
function align(cell: string, width: number, column: number): string {
  if (column === HEADS.length - 1) return cell;
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
