/** The series that an email continues. */
import type { DateTime } from 'luxon';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import { type EmailCampaign, readCampaign } from '../../store/tables/retry/emails.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { findFraudReport, listBindingDeclines } from '../guards/card-history.ts';
import { currentCampaign } from '../guards/email-guards.ts';
import type { Facts } from '../guards/facts.ts';
import type { OwedInvoice } from './owed-together.ts';

interface About {
  readonly invoices: readonly [OwedInvoice, ...OwedInvoice[]];
  readonly facts: Facts;
}

export async function findCampaign(
  { database, clock, config: { reminderDays } }: RetryDeps,
  action: StoredAction,
  about: About,
): Promise<EmailCampaign> {
  const now = clock.now();
  const { account, id: step, invoiceId } = action;
  const { customer, onBehalfOf: seller } = about.invoices[0].invoice;
  const invoiceIds = about.invoices.map(({ invoice }) => invoice.id);
  const recipient = customer?.email ?? undefined;
  const asked = { invoiceIds, recipient, seller, method: await about.facts.next(), now };
  const found = await readCampaign(database, { account, step }, asked);
  const lacksFunds = found.lacksFunds && !(await isToBeReplaced(about, action, now));
  return currentCampaign({ ...found, lacksFunds }, { now, invoiceId, reminderDays });
}

/** Whether the card must be replaced regardless of funds: reported as fraud, or declined for good. */
async function isToBeReplaced(
  { invoices: [{ invoice }], facts }: About,
  action: StoredAction,
  now: DateTime,
): Promise<boolean> {
  const { method, card, attempts } = await facts.card(await facts.next());
  const holds = await facts.holds();
  if (findFraudReport(card.warning, holds) !== undefined) return true;
  const declines = listBindingDeclines({ now, action, invoice, method, attempts, holds });
  return declines.some(({ class: decline }) => decline === 'needs_new_card');
}
