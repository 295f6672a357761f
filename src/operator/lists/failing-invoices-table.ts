/** The list of failing invoices as lines for a terminal, and as CSV. */
import { describeAction } from '../text/describe-actions.ts';
import { describeCode, money } from '../text/describe-code.ts';
import { exactMoment } from '../text/exact-moment.ts';
import type { FailingInvoice } from './failing-invoices.ts';

export function describeFailingInvoice(invoice: FailingInvoice): string {
  const { customer, amount, currency, state, reason, next, failedAt, attempts } = invoice;
  const who = [customer.name, customer.email, customer.id].filter((part) => part !== null).join(', ');
  const why = reason === null ? '' : `, ${describeCode(reason)}`;
  const then =
    next === null ? '' : `; next: ${describeAction(next.kind)} at ${exactMoment(new Date(next.at))}`;
  const tries = `${attempts} attempt${attempts === 1 ? '' : 's'}`;
  return `${invoice.invoice}  ${state}, ${money(amount, currency)}, ${who}, failed ${exactMoment(new Date(failedAt))}, ${tries}${why}${then}`;
}

type Cell = string | number | null;

const COLUMNS: readonly (readonly [name: string, read: (invoice: FailingInvoice) => Cell])[] = [
  ['account', ({ account }) => account],
  ['invoice', ({ invoice }) => invoice],
  ['customer', ({ customer }) => customer.id],
  ['name', ({ customer }) => customer.name],
  ['email', ({ customer }) => customer.email],
  ['subscription', ({ subscription }) => subscription],
  ['plan', ({ plan }) => plan],
  ['amount', ({ amount }) => amount],
  ['currency', ({ currency }) => currency],
  ['state', ({ state }) => state],
  ['cause', ({ cause }) => cause],
  ['failed_at', ({ failedAt }) => failedAt],
  ['ended_at', ({ endedAt }) => endedAt],
  ['attempts', ({ attempts }) => attempts],
  ['reason', ({ reason }) => reason],
  ['brand', ({ card }) => card.brand],
  ['last4', ({ card }) => card.last4],
  ['country', ({ card }) => card.country],
  ['next_kind', ({ next }) => next?.kind ?? null],
  ['next_at', ({ next }) => next?.at ?? null],
];

/** RFC 4180, with a first line of names. */
export function toCsv(invoices: readonly FailingInvoice[]): string {
  const lines = invoices.map((invoice) => COLUMNS.map(([, read]) => toCell(read(invoice))).join(','));
  return [COLUMNS.map(([name]) => name).join(','), ...lines].join('\r\n');
}

/** A customer chooses their own name: no spreadsheet may take it for a formula. */
function toCell(value: Cell): string {
  if (value === null || typeof value === 'number') return String(value ?? '');
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
