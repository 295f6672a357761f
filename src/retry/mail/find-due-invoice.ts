import { DateTime } from 'luxon';
import { IMPATIENT } from '../../clients/patience.ts';
import { findPromise } from '../../store/tables/retry/emails.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { findCollectionObjection } from '../guards/collection-guards.ts';
import { readHolds } from '../invoice/invoice-holds.ts';
import { readPayableInvoice } from '../invoice/payable-invoice.ts';
import type { DueInvoice } from './card-update-page.ts';
import { findConsequence } from './consequence.ts';
import { readInvoiceFacts } from './invoice-facts.ts';

/** What the card-update page says of an invoice: by the rules that payments and mails go by. */
export async function findDueInvoice(
  deps: Pick<RetryDeps, 'stripe' | 'database' | 'config' | 'logger'>,
  account: string,
  invoiceId: string,
): Promise<DueInvoice | undefined> {
  const { stripe, database, config } = deps;
  const found = await stripe.findPayableInvoice(account, invoiceId, IMPATIENT);
  if (!found) return undefined;
  const invoice = readPayableInvoice(found);
  const holds = await readHolds(database, account, invoiceId);
  const { amountRemaining, currency } = invoice;
  const objection = findCollectionObjection({ invoice, holds, recoverSignUps: config.recoverSignUps });
  if (objection !== undefined) return { isDue: false, amountRemaining, currency };
  const key = { account, invoiceId };
  const promise = await findPromise(database, key);
  const consequence = await findConsequence(deps, key, {
    hasSubscription: invoice.subscription !== undefined,
    promisedAt: promise && DateTime.fromJSDate(promise, { zone: 'utc' }),
  });
  const facts = await readInvoiceFacts(deps, account, found, IMPATIENT);
  return { isDue: true, amountRemaining, currency, ...facts, consequence };
}
