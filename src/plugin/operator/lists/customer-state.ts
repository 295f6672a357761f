/** How the payments of one customer stand, for the merchant's own pages: the host's code and `/api/v1` get the same. */
import { z } from 'zod';
import type { Clock } from '../../../core/base/clock.ts';
import type { Database, Queryable } from '../../../core/database/database.ts';
import { listHeldSubscriptions, listOwed, type OwedRow } from '../../store/reports/money/customer-record.ts';
import { refreshForReader } from '../../store/reports/money/refresh-failures.ts';
import { type CustomerKey, isKnownCustomer } from '../../store/tables/forgotten.ts';
import { findHold } from '../../store/tables/retry/holds.ts';
import { findControlGroup } from '../../store/tables/retry/lots.ts';
import { findPause } from '../../store/tables/retry/pauses.ts';
import {
  type Access,
  type AccessFacts,
  type AccessRules,
  access,
  decideAccess,
  nextOf,
  nextStep,
  time,
} from './access.ts';

const amount = z.int().describe('In the currency’s smallest unit.');

export const owedInvoice = z.object({
  invoice: z.string(),
  subscription: z.string().nullable(),
  plan: z.string().nullable(),
  amount,
  currency: z.string(),
  state: z
    .enum(['open', 'waiting'])
    .describe('open: a payment is planned; waiting: the customer or a person has to act first.'),
  failedAt: time,
  attempts: z.int(),
  reason: z.string().nullable().describe('The code of the latest failure.'),
  next: nextStep.omit({ invoice: true }).nullable(),
});

export const customerState = z.object({
  account: z.string(),
  customer: z.string(),
  failingSince: time.nullable().describe('Null: nothing is unpaid after a failed payment.'),
  owed: z.array(z.object({ currency: z.string(), amount })).describe('By currency.'),
  invoices: z.array(owedInvoice).describe('The earliest failure first; at most 50.'),
  next: nextStep.nullable().describe('The earliest of all.'),
  access: access.describe('Whether the customer may use your product.'),
  controlGroup: z
    .object({ against: z.enum(['stripe', 'schedule']), since: time })
    .nullable()
    .describe(
      'In the control group of EXPERIMENT: Stripe’s own retries, or a fixed schedule. Leave them to it.',
    ),
  stopped: z
    .object({ since: time, reason: z.string() })
    .nullable()
    .describe('A person stopped all collection from the customer.'),
  isPaused: z.boolean().describe('Nothing is charged or emailed now, whatever is planned.'),
});
/** What `plugin.customers.state` answers. */
export type CustomerState = z.output<typeof customerState>;

interface StateDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly config: AccessRules;
}

/** Undefined for a customer that is not known. Reads our tables alone. */
export async function readCustomerState(
  deps: StateDeps,
  key: CustomerKey,
): Promise<CustomerState | undefined> {
  const { database, config } = deps;
  await refreshForReader(database);
  const facts = await findAccessFacts(database, key);
  if (!facts.isKnown) return undefined;
  const invoices = facts.owed.map(toView);
  const pause = await findPause(database, key.account);
  const group = await findControlGroup(database, { account: key.account, customer: key.customerId });
  const hold = await findHold(database, { account: key.account, invoiceId: key.customerId });
  return {
    account: key.account,
    customer: key.customerId,
    failingSince: invoices[0]?.failedAt ?? null,
    owed: addUp(invoices),
    invoices,
    next: nextOf(facts.owed),
    access: decideAccess(config, facts, deps.clock.now()),
    controlGroup: group && { against: group.against, since: group.since.toISO() },
    stopped: hold?.heldAt ? { since: hold.heldAt.toISO(), reason: hold.reason } : null,
    isPaused: pause !== undefined,
  };
}

/** Reads our tables alone, as they are now. */
export async function readAccess({ database, clock, config }: StateDeps, key: CustomerKey): Promise<Access> {
  await refreshForReader(database);
  return decideAccess(config, await findAccessFacts(database, key), clock.now());
}

/** `failures` must be refreshed before. */
export async function findAccessFacts(database: Queryable, key: CustomerKey): Promise<AccessFacts> {
  const subscriptions = await listHeldSubscriptions(database, key);
  const owed = await listOwed(database, key);
  const isKnown = subscriptions.length > 0 || (await isKnownCustomer(database, key));
  return { isKnown, subscriptions, owed };
}

type Invoice = CustomerState['invoices'][number];

function toView({ invoiceId, subscriptionId, plan, amount, currency, ...row }: OwedRow): Invoice {
  const { state, attempts, reason } = row;
  const next = nextOf([{ invoiceId, ...row }]);
  return {
    invoice: invoiceId,
    subscription: subscriptionId,
    plan,
    amount,
    currency,
    state,
    attempts,
    reason,
    failedAt: row.failedAt.toISO(),
    next: next && { at: next.at, kind: next.kind },
  };
}

function addUp(invoices: readonly Invoice[]): CustomerState['owed'] {
  const sums = new Map<string, number>();
  for (const { currency, amount } of invoices) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return [...sums].map(([currency, amount]) => ({ currency, amount }));
}
