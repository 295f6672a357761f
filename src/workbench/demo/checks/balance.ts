/** Whether the three sides agree: Stripe, the plugin and the retry service. */

import { OWN_ACCOUNT } from '../../../plugin/settings/account.ts';
import { countWork } from '../../../plugin/store/reports/counters.ts';
import { listInvoiceLedger } from '../../../plugin/store/reports/invoice-ledger.ts';
import { EVENT_HANDLERS } from '../../../plugin/sync/events/handlers.ts';
import type { CustomerWorld } from '../../customers/customer-world.ts';
import type { InvoiceAccount } from '../../customers/ledger.ts';
import { checkCharges } from './charge-checks.ts';
import type { Check } from './check.ts';
import { checkService } from './service-checks.ts';

export async function checkBalance(
  world: CustomerWorld,
  accounts: readonly InvoiceAccount[],
): Promise<Check[]> {
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

/** Compares the plugin's records with Stripe's events and the customers' emails. */
async function checkRecords(world: CustomerWorld, accounts: readonly InvoiceAccount[]): Promise<Check[]> {
  return [await checkInvoices(world), await checkEvents(world), checkEmails(world, accounts)];
}

async function checkInvoices({ sandbox, plugin }: CustomerWorld): Promise<Check> {
  const rows = new Map(
    (await listInvoiceLedger(plugin.parts.database, OWN_ACCOUNT)).map((row) => [row.id, row] as const),
  );
  const problems: string[] = [];
  const invoices = [...sandbox.state.invoices.newestFirst()].filter(({ status }) => status !== 'draft');
  for (const { id, status, amount_remaining } of invoices) {
    const row = rows.get(id);
    if (!row) problems.push(`${id}: the plugin does not know it`);
    else if (row.status !== status || row.amountRemaining !== amount_remaining)
      problems.push(
        `${id}: ${status}, ${amount_remaining} due at Stripe; ${row.status}, ${row.amountRemaining} here`,
      );
  }
  return {
    name: `the plugin shows every invoice as Stripe does: ${rows.size} of ${invoices.length}`,
    problems,
  };
}

/** Each event is recorded once, however often it came, and none is left over. */
async function checkEvents({ sandbox, plugin }: CustomerWorld): Promise<Check> {
  const wanted = new Set(Object.keys(EVENT_HANDLERS));
  const sent = [...sandbox.state.events.newestFirst()].filter(({ type }) => wanted.has(type)).length;
  const counts = (await countWork(plugin.parts.database)).filter(({ table }) => table === 'events');
  const recorded = counts.reduce((sum, { count }) => sum + Number(count), 0);
  const { deliveries } = sandbox.state;
  const failed = deliveries.filter(({ status }) => status < 200 || status > 299).length;
  const problems = counts
    .filter(({ state }) => state !== 'processed')
    .map(({ state, count }) => `${count} events are ${state}`);
  if (recorded !== sent) problems.push(`${sent} events sent, ${recorded} recorded`);
  return {
    name: `every event recorded once and processed: ${sent} events in ${deliveries.length} deliveries, ${failed} of them failed`,
    problems,
  };
}

function checkEmails({ mailbox }: CustomerWorld, accounts: readonly InvoiceAccount[]): Check {
  const recorded = accounts.reduce((sum, { emails }) => sum + emails, 0);
  const received = mailbox.emails.length;
  const problems = recorded === received ? [] : [`${recorded} emails recorded, ${received} received`];
  return { name: `every email recorded and received once: ${received}`, problems };
}
