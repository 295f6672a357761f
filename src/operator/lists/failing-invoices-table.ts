/** The list of failing invoices as lines for a terminal, and as CSV. */
import { describeAction } from '../../contract/action-kinds.ts';
import { describeCode, describePerson, money } from '../text/describe-code.ts';
import { exactMoment } from '../text/exact-moment.ts';
import { toCsvCell } from './csv-cell.ts';
import type { FailingInvoice } from './failing-invoices.ts';

export function describeFailingInvoice(invoice: FailingInvoice): string {
  const { customer, amount, currency, state, reason, next, failedAt, attempts } = invoice;
  const who = describePerson([customer.name, customer.email, customer.id]);
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
  ['standing', ({ standing }) => standing],
  ['need', ({ need }) => need],
  ['asked_at', ({ askedAt }) => askedAt],
  ['stripe_retry_at', ({ stripeRetryAt }) => stripeRetryAt],
];

export function csvHead(): string {
  return `${COLUMNS.map(([name]) => name).join(',')}\r\n`;
}

export function toCsvLine(invoice: FailingInvoice): string {
  return `${COLUMNS.map(([, read]) => toCsvCell(read(invoice))).join(',')}\r\n`;
}
