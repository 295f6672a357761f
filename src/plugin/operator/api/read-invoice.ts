/** One invoice's state, deliveries and history, for the API. */
import { z } from 'zod';
import { toIso } from '../../../core/base/clock.ts';
import { PluginError } from '../../../core/base/errors.ts';
import type { Database } from '../../../core/database/database.ts';
import { OWN_ACCOUNT } from '../../settings/account.ts';
import { findInvoiceHistory, listDeliveries } from '../../store/reports/invoice-history.ts';
import { lineOf, listTimeline } from '../text/list-timeline.ts';

export const invoiceAnswer = z.object({
  invoice: z.string(),
  state: z
    .object({
      account: z.string(),
      status: z.string(),
      amountRemaining: z.int(),
      currency: z.string(),
      customer: z.string(),
      subscription: z.string().nullable(),
    })
    .nullable()
    .describe('Null if no event about it has been received.'),
  deliveries: z
    .array(z.object({ kind: z.string(), id: z.string(), at: z.string(), requestId: z.string().nullable() }))
    .describe('What the service has of it, and by which request, as the service named it.'),
  history: z
    .array(z.object({ at: z.string(), what: z.string(), text: z.string() }))
    .describe('Oldest first.'),
});

export async function readInvoice(database: Database, id: string): Promise<z.output<typeof invoiceAnswer>> {
  const known = await findInvoiceHistory(database, id);
  if (!known) throw new PluginError('NOT_FOUND', `Nothing is known about ${id}.`);
  const { invoice } = known;
  const state = invoice
    ? {
        account: invoice.account,
        status: invoice.status,
        amountRemaining: invoice.amountRemaining,
        currency: invoice.currency,
        customer: invoice.customerId,
        subscription: invoice.subscriptionId,
      }
    : null;
  const history = listTimeline([{ id, history: known }])
    .reverse()
    .map((entry) => ({ at: toIso(entry.at), what: entry.kind, text: lineOf(entry) }));
  const deliveries = (
    await listDeliveries(database, { account: known.invoice?.account ?? OWN_ACCOUNT, invoiceId: id })
  ).map(({ deliveredAt, ...one }) => ({ ...one, at: deliveredAt.toISO() }));
  return { invoice: id, state, deliveries, history };
}
