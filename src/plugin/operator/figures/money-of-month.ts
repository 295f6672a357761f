/** The figures of the console's overview, for `status` and the API. */
import type { Config } from '../../settings/config.ts';
import { readWorkStatus, type WorkStatus } from '../../store/reports/work-status.ts';
import type { OperationDeps } from '../operations/operation.ts';
import { type MoneyFigures, sumFigures } from './list-figures.ts';
import { type MoneyFacts, readMoneyFacts } from './money-facts.ts';

export function readMonth(deps: OperationDeps): Promise<MoneyFacts> {
  const { exchangeRates: rates, timeZone: zone } = readMoneySettings(deps);
  const asked = { month: undefined, currency: undefined, rates, zone };
  return readMoneyFacts(deps.database, asked, deps.clock.now());
}

/** A row for each currency that has its own figures. */
export function toMoney(facts: MoneyFacts): { month: string; rows: MoneyFigures[] } {
  return { month: facts.month, rows: facts.rows.map((row) => sumFigures(facts, row)) };
}

/** All that `status --json` prints. */
export async function readStatus(deps: OperationDeps): Promise<WorkStatus & { money: object }> {
  const status = await readWorkStatus(deps.database, deps.clock.now());
  return { ...status, money: toMoney(await readMonth(deps)) };
}

/** The command works where only the database is set; `doctor` reports other settings that are wrong. */
function readMoneySettings({ config }: OperationDeps): Pick<Config, 'exchangeRates' | 'timeZone'> {
  try {
    return config();
  } catch {
    return { exchangeRates: { currency: undefined, rates: new Map() }, timeZone: 'UTC' };
  }
}
