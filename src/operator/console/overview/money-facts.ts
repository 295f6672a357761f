/** What the overview adds up. Pure but for the reading. */
import type { DateTime } from 'luxon';
import type { ExchangeRates } from '../../../config/exchange-rates.ts';
import type { Database } from '../../../store/engine/database.ts';
import { refreshFailures } from '../../../store/reports/money/refresh-failures.ts';
import {
  type DimensionSum,
  type DueSum,
  type MoneyState,
  type MoneySum,
  type RecoveredSum,
  sumDue,
  sumFailuresSince,
  sumRecoveredByDay,
  sumUnpaid,
} from '../../../store/reports/money/sum-failures.ts';
import { listPlanNames } from '../../../store/tables/sync/payers.ts';
import type { Reader } from '../page-reader.ts';
import { addUp, reportCurrency, type Total } from '../parts/exchange.ts';

export const PERIODS = [7, 30, 90] as const;
export type Period = (typeof PERIODS)[number];
const DUE_DAYS = 7;

export interface MoneyFacts {
  readonly days: Period;
  readonly since: DateTime;
  /** Invoices that failed in the period, and by each dimension. */
  readonly failed: readonly DimensionSum[];
  /** Whenever it failed. */
  readonly unpaid: readonly MoneySum[];
  readonly recovered: readonly RecoveredSum[];
  readonly due: readonly DueSum[];
  readonly plans: ReadonlyMap<string, string>;
  readonly currency: string;
  readonly rates: ExchangeRates;
}

export async function readMoneyFacts(
  database: Database,
  { days, rates, reader }: { days: Period; rates: ExchangeRates; reader: Reader },
): Promise<MoneyFacts> {
  const { now, zone } = reader;
  await refreshFailures(database);
  const today = now.setZone(zone).startOf('day');
  const since = today.minus({ days: days - 1 });
  const [failed, unpaid, recovered, due] = await Promise.all([
    sumFailuresSince(database, since),
    sumUnpaid(database),
    sumRecoveredByDay(database, since, zone),
    sumDue(database, today.plus({ days: DUE_DAYS }), zone),
  ]);
  const plans = failed.flatMap(({ dimension, value }) =>
    dimension === 'plan' && value !== null ? [value] : [],
  );
  return {
    ...{ days, since, failed, unpaid, recovered, due, rates },
    plans: await listPlanNames(database, [...new Set(plans)]),
    currency: reportCurrency(rates, [...unpaid, ...failed]),
  };
}

/** Of the sums in these states, in the currency of the report. */
export function totalOf(
  facts: Pick<MoneyFacts, 'currency' | 'rates'>,
  sums: readonly MoneySum[],
  ...states: readonly MoneyState[]
): Total & { readonly invoices: number } {
  const chosen = states.length === 0 ? sums : sums.filter(({ state }) => states.includes(state));
  const invoices = chosen.reduce((all, sum) => all + sum.invoices, 0);
  return { ...addUp(chosen, facts.currency, facts.rates), invoices };
}
