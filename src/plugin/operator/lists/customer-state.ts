/** How the payments of one customer stand, for the merchant's own pages: the host's code and `/api/v1` get the same. */
import { z } from 'zod';
import type { Database } from '../../../core/database/database.ts';
import { RECOVERY_DAYS } from '../../../core/limits/reminder-days.ts';
import type { Config } from '../../settings/config.ts';
import { listOwed, type OwedRow } from '../../store/reports/money/customer-record.ts';
import { refreshForReader } from '../../store/reports/money/refresh-failures.ts';
import { type CustomerKey, isKnownCustomer } from '../../store/tables/forgotten.ts';
import { findPause } from '../../store/tables/retry/pauses.ts';

const time = z.string().describe('ISO 8601 in UTC.');
const amount = z.int().describe('In the currency’s smallest unit.');

export const access = z.object({
  rule: z
    .enum(['cancel', 'pause', 'keep', 'person', 'stripe', 'cancel_requested', 'ended', 'none'])
    .describe(
      'What ends it: cancel and pause, what AFTER_GIVING_UP says; keep: nothing, the debt is written off; person: somebody decides; stripe: the setting in Stripe’s Dashboard decides; cancel_requested: the customer or you asked to cancel it at that time; ended: it has ended; none: the invoice is of no subscription.',
    ),
  at: time.nullable().describe('Not before this time; null where nothing here sets one.'),
  isPlanned: z
    .boolean()
    .describe('It is planned for that time; else it is when that could be at the earliest.'),
});

const next = z.object({
  at: time,
  kind: z
    .string()
    .describe(
      'pay, card_update_email, confirm_payment_email, end_dunning …; stripe_retry: Stripe’s own retry.',
    ),
});

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
  next: next.nullable(),
  access,
});

export const customerState = z.object({
  account: z.string(),
  customer: z.string(),
  failingSince: time.nullable().describe('Null: nothing is unpaid after a failed payment.'),
  owed: z.array(z.object({ currency: z.string(), amount })).describe('By currency.'),
  invoices: z.array(owedInvoice).describe('The earliest failure first; at most 50.'),
  next: next.extend({ invoice: z.string() }).nullable().describe('The earliest of all.'),
  access: access.nullable().describe('Of the subscription that ends first; null while nothing is failing.'),
  isPaused: z.boolean().describe('Nothing is charged or emailed now, whatever is planned.'),
});
/** What `plugin.customers.state` answers. */
export type CustomerState = z.output<typeof customerState>;

interface StateDeps {
  readonly database: Database;
  readonly config: Pick<Config, 'mode' | 'afterGivingUp'>;
}

/** Undefined for a customer that is not known. Reads our tables alone. */
export async function readCustomerState(
  { database, config }: StateDeps,
  key: CustomerKey,
): Promise<CustomerState | undefined> {
  if (!(await isKnownCustomer(database, key))) return undefined;
  await refreshForReader(database);
  const invoices = (await listOwed(database, key)).map((row) => toView(config, row));
  const pause = await findPause(database, key.account);
  return {
    account: key.account,
    customer: key.customerId,
    failingSince: invoices[0]?.failedAt ?? null,
    owed: addUp(invoices),
    invoices,
    next: earliest(invoices.flatMap(({ invoice, next }) => (next ? [{ ...next, invoice }] : []))) ?? null,
    access: endsFirst(invoices.map((invoice) => invoice.access)) ?? null,
    isPaused: pause !== undefined,
  };
}

type Invoice = CustomerState['invoices'][number];

function toView(config: StateDeps['config'], row: OwedRow): Invoice {
  const {
    invoiceId: invoice,
    subscriptionId: subscription,
    plan,
    amount,
    currency,
    state,
    attempts,
    reason,
  } = row;
  const times = [
    { kind: row.nextKind, at: row.nextAt },
    { kind: 'stripe_retry', at: row.isTakenOver ? null : row.stripeTriesAt },
  ];
  const known = times.flatMap(({ kind, at }) => (kind && at ? [{ kind, at: at.toISO() }] : []));
  return {
    invoice,
    subscription,
    plan,
    amount,
    currency,
    state,
    attempts,
    reason,
    failedAt: row.failedAt.toISO(),
    next: earliest(known) ?? null,
    access: accessOf(config, row),
  };
}

/** The earlier of two: the result of a failed payment, or the end that a person requested. */
function accessOf(config: StateDeps['config'], row: OwedRow): Invoice['access'] {
  const failed = endOfFailure(config, row);
  const { cancelAt } = row;
  if (cancelAt === null || failed.rule === 'ended') return failed;
  const requested = { rule: 'cancel_requested', at: cancelAt.toISO(), isPlanned: true } as const;
  return failed.at !== null && failed.at < requested.at ? failed : requested;
}

/** Only what we took from Stripe's own collection is ours to end (stripe-facts 4.1). What an email has promised is kept. */
function endOfFailure({ mode, afterGivingUp }: StateDeps['config'], row: OwedRow): Invoice['access'] {
  const by = (rule: Invoice['access']['rule']) => ({ rule, at: null, isPlanned: false });
  if (row.subscriptionId === null) return by('none');
  if (row.subscriptionStatus === 'canceled' || row.subscriptionStatus === 'incomplete_expired')
    return by('ended');
  if (mode !== 'exclusive' || !row.isTakenOver) return by('stripe');
  if (row.isHeld || afterGivingUp === 'leave') return by('person');
  if (afterGivingUp === 'uncollectible') return by('keep');
  const usual = row.failedAt.plus({ days: RECOVERY_DAYS });
  const at = (row.endingAt ?? row.promisedAt ?? usual).toISO();
  return { rule: afterGivingUp, at, isPlanned: row.endingAt !== null };
}

function addUp(invoices: readonly Invoice[]): CustomerState['owed'] {
  const sums = new Map<string, number>();
  for (const { currency, amount } of invoices) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return [...sums].map(([currency, amount]) => ({ currency, amount }));
}

function earliest<Timed extends { readonly at: string }>(all: readonly Timed[]): Timed | undefined {
  return [...all].sort((one, other) => (one.at < other.at ? -1 : 1))[0];
}

/** One with a time before one without. */
function endsFirst(all: readonly Invoice['access'][]): Invoice['access'] | undefined {
  return earliest(all.flatMap((one) => (one.at === null ? [] : [{ ...one, at: one.at }]))) ?? all[0];
}
