/** What operations on one invoice share, and those on one customer: they say what is planned, and change it. */
import { z } from 'zod';
import type { Database, Transaction } from '../../../core/database/database.ts';
import { describeAction } from '../../actions/action-kinds.ts';
import { findInvoiceKey, lockInvoice } from '../../store/tables/invoice-keys.ts';
import type { PlannedWork } from '../../store/tables/retry/planned-actions.ts';
import type { InvoiceKey } from '../../store/tables/retry/takeovers.ts';
import {
  type OperationDeps,
  type Preview,
  plural,
  previewOf,
  result,
  type Say,
  stripeId,
} from './operation.ts';

/** What each takes. */
export const invoiceParameters = z.object({
  invoice: stripeId.describe('The id of the invoice at Stripe.'),
  account: stripeId.optional().describe('The account that it is of; left out, the one that has it.'),
});

type OnInvoice = typeof invoiceParameters;

export const invoiceUnknown = result('not_found', 'invoice_unknown', { invoice: z.string() });
/** Words of results that several have. */
export const unknownWords = {
  invoice_unknown: ({ invoice }: { invoice: string }, say: Say) =>
    `nothing is known about ${say.invoice(invoice)}`,
};

/** A preview for an invoice that is known. */
export function previewOnInvoice<Parameters extends OnInvoice>(
  parameters: Parameters,
  look: (deps: OperationDeps, key: InvoiceKey, known: z.output<Parameters>) => Promise<Preview>,
) {
  return previewOf<Parameters>(parameters, async (deps, known) => {
    const key = await findInvoiceKey(deps.database, known.invoice, known.account);
    return key ? look(deps, key, known) : {};
  });
}

/** Changes an invoice's state in one transaction, during which nobody else does. */
export function changeInvoice<const Result>(
  database: Database,
  { invoice, account }: z.output<OnInvoice>,
  change: (tx: Transaction, key: InvoiceKey) => Promise<Result>,
): Promise<Result | z.output<typeof invoiceUnknown>> {
  return database.transaction(async (tx) => {
    const key = await findInvoiceKey(tx, invoice, account);
    if (!key) return { outcome: 'not_found', code: 'invoice_unknown', invoice };
    await lockInvoice(tx, key);
    return change(tx, key);
  });
}

export function warnOfStripe(at: string | undefined, what: string, { moment }: Say): string[] {
  return at === undefined ? [] : [`Stripe itself still means to try at ${moment(at)}: ${what}`];
}

export const customerUnknown = result('not_found', 'customer_unknown', { customer: z.string() });
export const customerUnknownWords = {
  customer_unknown: ({ customer }: { customer: string }) => `nothing is known about ${customer}`,
};

/** `2 payments, the first at 5 Mar`; undefined where nothing is planned. */
export function describePlanned(planned: readonly PlannedWork[], { moment }: Say): string | undefined {
  const [first] = planned;
  const counts = planned.map(({ kind, count }) => plural(count, describeAction(kind)));
  if (first === undefined) return undefined;
  const all = planned.reduce((sum, { count }) => sum + count, 0);
  return `${counts.join(' and ')}${all > 1 ? ', the first' : ''} at ${moment(first.nextAt.toISO())}`;
}
