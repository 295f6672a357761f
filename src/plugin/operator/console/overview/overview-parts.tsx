/** Parts shared by the overview's cards and the reports: their data, the reader's choice, and lists of invoices. */
import type { Request } from 'express';
import { DateTime } from 'luxon';
import type { Config } from '../../../settings/config.ts';
import type { MonthCost } from '../../../store/reports/money/failure-months.ts';
import type { Failure, ListedSum } from '../../../store/reports/money/list-failures.ts';
import type { Observed } from '../../../store/reports/observed.ts';
import type { WorkStatus } from '../../../store/reports/work-status.ts';
import type { CurrencyRow } from '../../figures/exchange.ts';
import type { MoneyFacts, MoneyQuery } from '../../figures/money-facts.ts';
import { Link, Money } from '../parts/cells.tsx';

export interface ShownOverview {
  readonly facts: MoneyFacts;
  readonly cost: MonthCost;
  readonly status: WorkStatus;
  /** The latest that need a person. */
  readonly needed: readonly Failure[];
  /** The next actions. */
  readonly next: readonly Failure[];
  /** Payments that are due today. */
  readonly due: readonly ListedSum[];
  /** Held-back actions of observe mode. */
  readonly observed: Observed | undefined;
  /** The month that is compared with; undefined for none. */
  readonly compared: string | undefined;
  /** Every month is listed, not the latest six alone. */
  readonly isWhole: boolean;
  /** Subscriptions that the retry service knows. */
  readonly subscriptions: number;
}

/** The month and the currency of an address. */
export function moneyQuery({ exchangeRates, timeZone }: Config, { query }: Request): MoneyQuery {
  return {
    month: typeof query.month === 'string' ? query.month : undefined,
    currency: typeof query.currency === 'string' ? query.currency.toLowerCase() : undefined,
    rates: exchangeRates,
    zone: timeZone,
  };
}

/** The overview's address with another choice. */
export function overviewOf(
  { facts, compared, isWhole }: Pick<ShownOverview, 'facts' | 'compared' | 'isWhole'>,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const chosen = {
    month: facts.month,
    currency: facts.currency,
    compare: compared === before(facts.month, 1) ? undefined : (compared ?? 'none'),
    months: isWhole ? 'all' : undefined,
    ...changes,
  };
  const given = Object.entries(chosen).filter((one): one is [string, string] => one[1] !== undefined);
  return `?${new URLSearchParams(given)}`;
}

/** The month so many months before. */
export function before(month: string, months: number): string {
  return DateTime.fromISO(month, { zone: 'utc' }).minus({ months }).toFormat('yyyy-MM');
}

/** The month's dates, as a list narrows by them. */
export function datesOf(month: string, name = ''): Record<string, string> {
  return { [`${name}from`]: `${month}-01`, [`${name}to`]: `${before(month, -1)}-01` };
}

/** The list of a figure's invoices. */
export function invoicesOf({ currencies }: CurrencyRow, filter: Record<string, string>): string {
  const of = currencies.size === 0 ? {} : { currency: [...currencies].sort().join(',') };
  return `invoices?${new URLSearchParams({ ...filter, ...of })}`;
}

interface AmountProps {
  readonly row: CurrencyRow;
  readonly amount: number;
  readonly filter: Record<string, string>;
  readonly class?: string;
}

/** An amount that leads to its invoices. */
export function Amount({ row, amount, filter, ...link }: AmountProps) {
  return (
    <Link {...link} to={invoicesOf(row, filter)}>
      <Money amount={amount} currency={row.currency} />
    </Link>
  );
}
