/** What the overview adds up. */
import type { DateTime } from 'luxon';
import type { Database } from '../../../core/database/database.ts';
import type { ExchangeRates } from '../../settings/schema/operator-settings.ts';
import { type RenewalSum, sumRenewals } from '../../store/reports/counters.ts';
import {
  type BackSum,
  countPaidAfter,
  type MonthSum,
  type PaidAfter,
  type Span,
  type SpanSums,
  sumMonths,
  sumSpan,
} from '../../store/reports/money/failure-months.ts';
import { type NeedSum, sumNeeds } from '../../store/reports/money/needs.ts';
import { refreshForReader } from '../../store/reports/money/refresh-failures.ts';
import {
  type DueSum,
  type MoneyState,
  type MoneySum,
  netOf,
  sumDue,
  sumOtherUnpaid,
} from '../../store/reports/money/sum-failures.ts';
import { listPlanNames } from '../../store/tables/sync/payers.ts';
import { addUp, type CurrencyRow, inRow, listCurrencyRows, type Sum } from './exchange.ts';

/** A calendar one each, up to today. */
export const RANGES = ['week', 'month', 'quarter', 'year'] as const;
export type Range = (typeof RANGES)[number];
const DUE_DAYS = 7;

export interface MoneyQuery {
  readonly range: Range;
  /** Before refunds and lost disputes. */
  readonly isGross: boolean;
  /** Whose charts are shown; the first row's without it. */
  readonly currency: string | undefined;
  readonly rates: ExchangeRates;
  /** In which days and months are counted, whoever reads. */
  readonly zone: string;
}

export interface Spans {
  readonly now: Span;
  /** The one before, whole and as far as `now` has come. */
  readonly before: Span;
  readonly sameDays: Span;
}

export interface MoneyFacts extends MoneyQuery, Spans {
  readonly sums: SpanSums;
  readonly sumsBefore: SpanSums;
  /** What came back until as many days into the one before. */
  readonly backBefore: readonly BackSum[];
  readonly renewals: readonly RenewalSum[];
  /** Whenever it failed. */
  readonly unpaid: readonly MoneySum[];
  readonly needs: readonly NeedSum[];
  readonly due: readonly DueSum[];
  /** Twelve months, this one the last. */
  readonly span12: Span;
  readonly months: readonly MonthSum[];
  /** Of this month's failures, and of last month's. */
  readonly paidAfter: readonly PaidAfter[];
  readonly paidAfterBefore: readonly PaidAfter[];
  readonly plans: ReadonlyMap<string, string>;
  readonly rows: readonly CurrencyRow[];
  /** The row that is shown below the figures. */
  readonly row: CurrencyRow;
}

export function spansOf(range: Range, now: DateTime, zone: string): Spans {
  const today = now.setZone(zone).startOf('day');
  const from = today.startOf(range);
  const before = { from: from.minus({ [range]: 1 }), to: from };
  const days = Math.round(today.diff(from, 'days').days) + 1;
  const until = before.from.plus({ days });
  return {
    now: { from, to: from.plus({ [range]: 1 }) },
    before,
    sameDays: { from: before.from, to: until < before.to ? until : before.to },
  };
}

export async function readMoneyFacts(
  database: Database,
  asked: MoneyQuery,
  { now, zone }: { now: DateTime; zone: string },
): Promise<MoneyFacts> {
  await refreshForReader(database);
  const spans = spansOf(asked.range, now, asked.zone);
  const at = { zone: asked.zone, now };
  const nextWeek = now.setZone(zone).startOf('day').plus({ days: DUE_DAYS });
  const month = spansOf('month', now, asked.zone);
  const span12 = { from: month.now.from.minus({ months: 11 }), to: month.now.to };
  // One after the other: each may add up months that the next one reads.
  const months = await sumMonths(database, span12, at);
  const sums = await sumSpan(database, spans.now, at);
  const sumsBefore = await sumSpan(database, spans.before, { ...at, isWhole: true });
  const paidAfter = await countPaidAfter(database, month.now, at);
  const paidAfterBefore = await countPaidAfter(database, month.before, at);
  const [renewals, otherUnpaid, needs, due] = await Promise.all([
    sumRenewals(database, spans.now.from.toISODate() ?? '', spans.now.to.toISODate() ?? ''),
    sumOtherUnpaid(database, span12),
    sumNeeds(database),
    sumDue(database, nextWeek, zone),
  ]);
  const plans = sums.failed.flatMap(({ dimension, value }) =>
    dimension === 'plan' && value !== null ? [value] : [],
  );
  const unpaid = [...otherUnpaid, ...months.filter(({ state }) => state === 'open' || state === 'waiting')];
  const until = spans.sameDays.to.toISODate() ?? '';
  const counted = [...unpaid, ...sums.failed, ...sums.back, ...sumsBefore.failed, ...months];
  const rows = listCurrencyRows(asked.rates, counted);
  const chosen = rows.find(({ currencies }) => currencies.has(asked.currency ?? ''));
  return {
    ...asked,
    ...spans,
    sums,
    sumsBefore,
    renewals,
    unpaid,
    needs,
    due,
    rows,
    span12,
    months,
    paidAfter,
    paidAfterBefore,
    row: chosen ?? rows[0] ?? { currency: asked.rates.currency ?? 'usd', currencies: new Set() },
    backBefore: sumsBefore.back.filter(({ day }) => day < until),
    plans: await listPlanNames(database, [...new Set(plans)]),
  };
}

/** Of a row's sums, in its currency. */
export function totalOf(
  { rates }: Pick<MoneyFacts, 'rates'>,
  row: CurrencyRow,
  sums: readonly Sum[],
): number {
  return addUp(inRow(row, sums), row.currency, rates);
}

/** As the page is asked for: net of what was given back, or not. */
export function counted<One extends Pick<MoneySum, 'amount' | 'returned'>>(
  { isGross }: Pick<MoneyFacts, 'isGross'>,
  sums: readonly One[],
): readonly One[] {
  return isGross ? sums : sums.map(netOf);
}

export function ofAll({ failed }: SpanSums, ...states: readonly MoneyState[]): readonly MoneySum[] {
  const all = failed.filter(({ dimension }) => dimension === 'all');
  return states.length === 0 ? all : all.filter(({ state }) => states.includes(state));
}

/** What of a row's sums is in open disputes, in its currency. */
export function disputesOf(
  facts: Pick<MoneyFacts, 'rates'>,
  row: CurrencyRow,
  sums: readonly Pick<MoneySum, 'currency' | 'disputes' | 'disputed'>[],
): Pick<MoneySum, 'disputes' | 'disputed'> {
  const own = inRow(row, sums);
  const amounts = own.map(({ currency, disputed: amount }) => ({ currency, amount }));
  return {
    disputes: own.reduce((all, { disputes }) => all + disputes, 0),
    disputed: totalOf(facts, row, amounts),
  };
}

export function countInvoices(sums: readonly { readonly invoices: number }[]): number {
  return sums.reduce((all, { invoices }) => all + invoices, 0);
}
