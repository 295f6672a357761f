/** The series of emails that an email would go on with. */

import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { type EmailKey, type MailCampaign, readCampaign } from '../../store/tables/retry/emails.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import type { Facts } from '../guards/facts.ts';
import { currentCampaign } from '../guards/mail-guards.ts';
import type { OwedInvoice } from './owed-together.ts';

export async function findCampaign(
  { database, clock, config: { reminderDays } }: RetryDeps,
  key: EmailKey & Pick<StoredAction, 'invoiceId'>,
  { invoices, facts }: { invoices: readonly OwedInvoice[]; facts: Facts },
): Promise<MailCampaign> {
  const now = clock.now();
  const invoiceIds = invoices.map(({ invoice }) => invoice.id);
  const recipient = invoices[0]?.invoice.customer?.email ?? undefined;
  const asked = { invoiceIds, recipient, method: await facts.next(), now };
  const found = await readCampaign(database, key, asked);
  return currentCampaign(found, { now, invoiceId: key.invoiceId, reminderDays });
}
