/** The figures of a month of failed payments and of the present. */
import { DateTime } from 'luxon';
import type { Database } from '../../../core/database/database.ts';
import type { ExchangeRates } from '../../settings/schema/operator-settings.ts';
import {
  findFirstFailure,
  type MonthDimension,
  type MonthSum,
  type Span,
  sumMonths,
} from '../../store/reports/money/failure-months.ts';
import {
  type NeedSum,
  type Standing,
  type StandingSum,
  sumNeeds,
  sumUnpaid,
} from '../../store/reports/money/needs.ts';
import { refreshForReader } from '../../store/reports/money/refresh-failures.ts';
import type { Cause, NetSum } from '../../store/reports/money/sum-failures.ts';
import { type CurrencyRow, inRow, listCurrencyRows, toFactors } from './exchange.ts';

/** The last day of a month on which the overview opens on the month before. */
const EARLY_DAYS = 7;

export interface MoneyQuery {
  /** `2026-03`; without it the current one, and early in it the one before. */
  readonly month: string | undefined;
  /** The row of currencies that is shown; the first one without it. */
  readonly currency: string | undefined;
  readonly rates: ExchangeRates;
  /** The account's time zone. */
  readonly zone: string;
}

export interface MoneyFacts extends MoneyQuery {
  readonly month: string;
  readonly span: Span;
  /** Every month since the first failure, the current one last. */
  readonly months: readonly string[];
  readonly sums: readonly MonthSum[];
  readonly unpaid: readonly StandingSum[];
  readonly needs: readonly NeedSum[];
  readonly rows: readonly CurrencyRow[];
  readonly row: CurrencyRow;
}

export type Counted = Omit<NetSum, 'currency'>;

/** Failed = recovered + in recovery + lost. */
export type MonthFigures = Readonly<ReturnType<typeof figuresOf>>;

export const METHODS = {
  retry: ['retry', 'other_card'],
  new_card: ['new_card'],
  confirmation: ['confirmation'],
  without_us: ['by_itself'],
} as const satisfies Readonly<Record<string, readonly Cause[]>>;
export type Method = keyof typeof METHODS;

export function isMethod(text: string): text is Method {
  return Object.hasOwn(METHODS, text);
}

export async function readMoneyFacts(
  database: Database,
  asked: MoneyQuery,
  now: DateTime,
  dimensions: readonly MonthDimension[] = ['all', 'recovered'],
): Promise<MoneyFacts> {
  await refreshForReader(database);
  const factors = toFactors(asked.rates);
  const today = now.setZone(asked.zone);
  const first = (await findFirstFailure(database)) ?? today;
  const months = listMonths(first.setZone(asked.zone), today);
  const month = chooseMonth(asked.month, months, today);
  const from = DateTime.fromISO(month, { zone: asked.zone });
  const span = { from, to: from.plus({ months: 1 }) };
  const whole = {
    from: first.setZone(asked.zone).startOf('month'),
    to: today.endOf('month').plus({ days: 1 }),
  };
  const sums = await sumMonths(database, whole, { zone: asked.zone, now, factors, dimensions });
  const unpaid = await sumUnpaid(database, factors);
  const rows = listCurrencyRows(asked.rates, [
    ...unpaid,
    ...sums.filter(({ dimension }) => dimension === 'all'),
  ]);
  const chosen = rows.find(({ currencies }) => currencies.has(asked.currency ?? ''));
  return {
    ...asked,
    month,
    span,
    months,
    sums,
    unpaid,
    needs: await sumNeeds(database, factors),
    rows,
    row: chosen ?? rows[0] ?? { currency: asked.rates.currency ?? 'usd', currencies: new Set() },
  };
}

function listMonths(first: DateTime, today: DateTime): string[] {
  const last = today.startOf('month');
  const count = Math.max(0, Math.round(last.diff(first.startOf('month'), 'months').months));
  return Array.from({ length: count + 1 }, (_, index) =>
    last.minus({ months: count - index }).toFormat('yyyy-MM'),
  );
}

function chooseMonth(asked: string | undefined, months: readonly string[], today: DateTime): string {
  if (asked !== undefined && months.includes(asked)) return asked;
  const early = today.minus({ months: today.day > EARLY_DAYS ? 0 : 1 }).toFormat('yyyy-MM');
  return months.includes(early) ? early : today.toFormat('yyyy-MM');
}

export function count(sums: readonly Counted[]): Counted {
  return {
    invoices: sums.reduce((all, { invoices }) => all + invoices, 0),
    amount: sums.reduce((all, { amount }) => all + amount, 0),
    disputes: sums.reduce((all, { disputes }) => all + disputes, 0),
    disputed: sums.reduce((all, { disputed }) => all + disputed, 0),
  };
}

/** Those of a row of currencies; of one month, or of all. */
export function figuresOf({ sums }: Pick<MoneyFacts, 'sums'>, row: CurrencyRow, month?: string) {
  const own = inRow(row, sums).filter((sum) => month === undefined || sum.month === month);
  const all = own.filter(({ dimension }) => dimension === 'all');
  const recovered = all.filter(({ state }) => state === 'recovered');
  const by = (method: Method) =>
    count(recovered.filter(({ value }) => METHODS[method].some((cause) => cause === value)));
  return {
    failed: count(all),
    recovered: count(recovered),
    inRecovery: count(all.filter(({ state }) => state === 'open')),
    lost: count(all.filter(({ state }) => state === 'lost')),
    /** Paid in the month, without regard to the first failure. */
    paid: count(own.filter(({ dimension }) => dimension === 'recovered')),
    /** Recovered by each method. */
    methods: {
      retry: by('retry'),
      new_card: by('new_card'),
      confirmation: by('confirmation'),
      without_us: by('without_us'),
    },
  };
}

/** The unpaid invoices of a row of one standing, or all. */
export function unpaidOf(
  { unpaid }: Pick<MoneyFacts, 'unpaid'>,
  row: CurrencyRow,
  standing?: Standing,
): Counted {
  const own = inRow(row, unpaid);
  return count(standing === undefined ? own : own.filter((sum) => sum.standing === standing));
}
