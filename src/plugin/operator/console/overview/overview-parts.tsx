/** Parts shared by the overview's cards: the reader's choice, lists of invoices, bars and keys. */
import type { Failure, ListedSum } from '../../../store/reports/money/list-failures.ts';
import type { MonthCost } from '../../../store/reports/money/month-cost.ts';
import type { Observed } from '../../../store/reports/observed.ts';
import type { WorkStatus } from '../../../store/reports/work-status.ts';
import type { CurrencyRow } from '../../figures/exchange.ts';
import type { MoneyFacts } from '../../figures/money-facts.ts';
import type { Reader } from '../page-reader.ts';

export interface ShownNow {
  readonly facts: MoneyFacts;
  /** The latest that need a person. */
  readonly needed: readonly Failure[];
  /** The next actions. */
  readonly next: readonly Failure[];
  /** Payments that are due today. */
  readonly due: readonly ListedSum[];
  readonly reader: Reader;
}

export interface ShownOverview extends ShownNow {
  readonly facts: MoneyFacts;
  readonly cost: MonthCost;
  readonly status: WorkStatus;
  /** Held-back actions of observe mode. */
  readonly observed: Observed | undefined;
  /** The month that is compared with; undefined for none. */
  readonly compared: string | undefined;
  /** Every month is listed, not the latest six alone. */
  readonly isWhole: boolean;
  /** Subscriptions that the retry service knows. */
  readonly subscriptions: number;
}

type Choice = Pick<ShownOverview, 'facts' | 'compared' | 'isWhole' | 'reader'>;

/** The overview with another choice. */
export function overviewOf(
  { facts, compared, isWhole, reader }: Choice,
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
  return `${reader.root}?${new URLSearchParams(given)}`;
}

export function before(month: string, months: number): string {
  const [year = 0, place = 1] = month.split('-').map(Number);
  const count = year * 12 + place - 1 - months;
  return `${Math.floor(count / 12)}-${String((count % 12) + 1).padStart(2, '0')}`;
}

/** The month's dates, as a list narrows by them. */
export function datesOf(month: string, name = ''): Record<string, string> {
  return { [`${name}from`]: `${month}-01`, [`${name}to`]: `${before(month, -1)}-01` };
}

/** The list of a figure's invoices. */
export function linkTo(
  { root }: Reader,
  { currencies }: CurrencyRow,
  filter: Record<string, string>,
): string {
  const of = currencies.size === 0 ? {} : { currency: [...currencies].sort().join(',') };
  return `${root}invoices?${new URLSearchParams({ ...filter, ...of })}`;
}
