/** Whether the three sides agree: Stripe, the plugin and the retry service. */

import type { DemoWorld } from '../demo-world.ts';
import { checkCharges } from './charge-checks.ts';
import type { Check } from './check.ts';
import type { InvoiceAccount } from './ledger.ts';
import { checkRecords } from './record-checks.ts';
import { checkService } from './service-checks.ts';

export async function checkBalance(world: DemoWorld, accounts: readonly InvoiceAccount[]): Promise<Check[]> {
  return [
    checkOutcomes(accounts),
    ...checkCharges(world.sandbox, accounts),
    ...(await checkRecords(world, accounts)),
    ...(await checkService(world, accounts)),
  ];
}

function checkOutcomes(accounts: readonly InvoiceAccount[]): Check {
  const count = (kind: string) => accounts.filter(({ outcome }) => outcome.kind === kind).length;
  const [recovered, waiting, givenUp] = [count('recovered'), count('waiting'), count('given_up')];
  return {
    name: `${accounts.length} failed invoices = ${recovered} recovered + ${waiting} waiting + ${givenUp} given up, each for a stated reason`,
    problems: accounts
      .filter(({ outcome }) => outcome.kind === 'unexplained')
      .map(({ id, customer, outcome }) => `${id} (${customer}): ${outcome.reason}`),
  };
}
