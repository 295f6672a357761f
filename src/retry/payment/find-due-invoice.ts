import type { RetryDeps } from '../actions/retry-deps.ts';
import { findCollectionObjection } from '../guards/collection-rules.ts';
import { readFinalSay } from '../guards/final-say.ts';
import type { DueInvoice } from '../mail/card-update-page.ts';
import { readPayableInvoice } from './payable-invoice.ts';

/** A customer waits for the page, which works without the amount. */
const PATIENCE = { timeout: 5_000, maxNetworkRetries: 0 };

/** What the card-update page says of an invoice: by the rules that payments and mails go by. */
export async function findDueInvoice(
  { stripe, database, config }: Pick<RetryDeps, 'stripe' | 'database' | 'config'>,
  account: string,
  invoiceId: string,
): Promise<DueInvoice | undefined> {
  const found = await stripe.findPayableInvoice(account, invoiceId, PATIENCE);
  if (!found) return undefined;
  const invoice = readPayableInvoice(found);
  const say = await readFinalSay(database, account, invoiceId);
  const { amountRemaining, currency } = invoice;
  const objection = findCollectionObjection({ invoice, say, recoverSignUps: config.recoverSignUps });
  return { isDue: objection === undefined, amountRemaining, currency };
}
