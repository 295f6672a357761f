/** Writes failed invoices as lines for a terminal, and as CSV. */
import { DateTime } from 'luxon';
import { describeCode, describePerson, money } from '../text/describe-code.ts';
import { WAIT_FOR_ANSWER } from '../text/describe-need.ts';
import { describeStanding, isStanding, STANDING_TONES } from '../text/describe-standing.ts';
import { exactMoment } from '../text/exact-moment.ts';
import { alignColumns, clip, type TextCell, widthOf } from '../text/text-table.ts';
import type { FailingInvoice } from './failing-invoices.ts';

interface TableFormat {
  readonly now: DateTime;
  readonly hasColors?: boolean | undefined;
  /** The terminal's columns; undefined where lines may have any length. */
  readonly columns?: number | undefined;
}

/** Writes a line for each invoice, in columns; two lines where one does not fit the terminal, indented by two at most. */
export function describeFailingInvoices(
  invoices: readonly FailingInvoice[],
  { now, hasColors = false, columns = Number.POSITIVE_INFINITY }: TableFormat,
): string[] {
  if (invoices.length === 0) return [];
  const rows = [HEADS, ...invoices.map((invoice) => toCells(invoice, now))];
  const most = columns - 2;
  const lines = alignColumns(rows, hasColors);
  if (lines.every((line) => widthOf(line) <= most)) return lines;
  const first = rows.map((row) => row.filter((_cell, at) => !SECOND_LINE.includes(at)));
  return alignColumns(first, hasColors).flatMap((line, index) => {
    const second = SECOND_LINE.map((at) => rows[index]?.[at]?.text ?? '').join('  ');
    return [clip(line, most), clip(`    ${second}`.trimEnd(), most)];
  });
}

/** Invoice and reason. */
const SECOND_LINE = [4, 6];

const HEADS: readonly TextCell[] = [
  ...['State', 'Amount', 'Failed', 'Tried', 'Invoice', 'Customer', 'Reason'].map((text) => ({
    text,
    tone: 'soft' as const,
    isNumber: text === 'Amount' || text === 'Tried',
  })),
];

function toCells(invoice: FailingInvoice, now: DateTime): TextCell[] {
  const { customer, amount, currency, standing, next, failedAt, attempts, stripeRetryAt } = invoice;
  const dates = {
    nextAt: next && DateTime.fromISO(next.at),
    stripeAt: stripeRetryAt === null ? null : DateTime.fromISO(stripeRetryAt),
  };
  const who = describePerson([customer.name, customer.email]) || describePerson([customer.id]);
  return [
    isStanding(standing)
      ? {
          text: describeStanding({ standing, nextKind: next?.kind ?? null, ...dates }, now),
          tone: STANDING_TONES[standing],
        }
      : { text: standing },
    { text: money(amount, currency), isNumber: true },
    { text: exactMoment(DateTime.fromISO(failedAt)).slice(0, 'yyyy-mm-dd'.length) },
    { text: String(attempts), isNumber: true },
    { text: invoice.invoice },
    { text: who },
    { text: listNotes(invoice).join('; ') },
  ];
}

function listNotes({ reason, waitUntil, disputed, currency }: FailingInvoice): string[] {
  return [
    ...(reason === null ? [] : [describeCode(reason)]),
    ...(disputed === 0 ? [] : [`open dispute, ${money(disputed, currency)}`]),
    ...(waitUntil === null ? [] : [`emailed: ${WAIT_FOR_ANSWER}`]),
  ];
}

type Cell = string | number | null;

const COLUMNS: readonly (readonly [name: string, read: (invoice: FailingInvoice) => Cell])[] = [
  ['account', ({ account }) => account],
  ['invoice', ({ invoice }) => invoice],
  ['number', ({ number }) => number],
  ['customer', ({ customer }) => customer.id],
  ['name', ({ customer }) => customer.name],
  ['email', ({ customer }) => customer.email],
  ['subscription', ({ subscription }) => subscription],
  ['plan', ({ plan }) => plan],
  ['amount', ({ amount }) => amount],
  ['currency', ({ currency }) => currency],
  ['returned', ({ returned }) => returned],
  ['disputed', ({ disputed }) => disputed],
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
  ['wait_until', ({ waitUntil }) => waitUntil],
  ['stripe_retry_at', ({ stripeRetryAt }) => stripeRetryAt],
];

export function csvHead(): string {
  return `${COLUMNS.map(([name]) => name).join(',')}\r\n`;
}

export function toCsvLine(invoice: FailingInvoice): string {
  return `${COLUMNS.map(([, read]) => toCsvCell(read(invoice))).join(',')}\r\n`;
}

/** What begins like a formula is one to a spreadsheet, in either width; customers choose their own names. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
/** Also what separates cells where a comma is the decimal point. */
const SEPARATING = /[",;\t\r\n]/;

/** RFC 4180. */
export function toCsvCell(value: string | number | null): string {
  if (value === null || typeof value === 'number') return String(value ?? '');
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return SEPARATING.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
