/** What is known of a subscription or a customer: their failed invoices, and how a subscription stands. */
import type { DateTime } from 'luxon';
import {
  type FailingInvoicesPage,
  failingInvoicesQuery,
  listFailingInvoices,
} from '../../operator/lists/failing-invoices.ts';
import { describeFailingInvoices } from '../../operator/lists/failing-invoices-table.ts';
import { exactMoment } from '../../operator/text/exact-moment.ts';
import type { Database } from '../../store/engine/database.ts';
import {
  findSubscriptionDelivery,
  type SubscriptionDelivery,
} from '../../store/tables/sync/subscriptions.ts';

export interface Subject extends FailingInvoicesPage {
  readonly id: string;
  /** Null where the id is a customer's. */
  readonly subscription: SubscriptionDelivery | null;
}

/** Undefined if nothing is known about it. */
export async function findSubject(
  database: Database,
  now: DateTime,
  id: string,
): Promise<Subject | undefined> {
  const subscription = await findSubscriptionDelivery(database, id);
  const isSubscription = id.startsWith('sub_');
  const query = failingInvoicesQuery.parse(isSubscription ? { subscription: id } : { customer: id });
  const page = await listFailingInvoices(database, now, query);
  if (!subscription && page.invoices.length === 0) return undefined;
  return { id, subscription: subscription ?? null, ...page };
}

export function describeSubject(
  { id, subscription, invoices, next }: Subject,
  told: Parameters<typeof describeFailingInvoices>[1],
): string {
  const title = subscription
    ? `${id}: ${subscription.status}, customer ${subscription.customerId}; ${describeDelivery(subscription)}`
    : id;
  const failing =
    invoices.length === 0 ? ['No payment of an invoice failed.'] : describeFailingInvoices(invoices, told);
  return [
    title,
    ...failing.map((line) => `  ${line}`),
    ...(next === null
      ? []
      : [`  more: list --${subscription ? 'subscription' : 'customer'} ${id} --after ${next}`]),
  ].join('\n');
}

function describeDelivery({ deliveredAt, refusedAnswer, unmappedReason }: SubscriptionDelivery): string {
  if (unmappedReason !== null) return `not forwarded to the service: ${unmappedReason}`;
  if (refusedAnswer !== null) return `the service refuses it: ${refusedAnswer}`;
  return deliveredAt === null
    ? 'not sent to the service yet'
    : `the service has its state of ${exactMoment(deliveredAt)}`;
}
