/**
 * What the service must believe at the end, written down a second time and on its own: for subscriptions of one licensed
 * item with a price per unit, which are all that `life.ts` makes.
 */
import type { Sandbox } from '../../../src/workbench/sandbox/sandbox.ts';

export interface ExpectedRecord {
  readonly fields: Readonly<Record<string, string | number>>;
  /** The service was told of this state not before it came about. */
  readonly changedAt: number;
}

/** Undefined while nothing may be told: the first payment is open. */
export function expectedRecord({ state }: Sandbox, id: string): ExpectedRecord | undefined {
  const subscription = state.subscriptions.get(id);
  const item = subscription?.items.data[0];
  if (!subscription || !item || subscription.items.data.length !== 1)
    throw new Error(`Subscription ${id} is not of the one kind that this knows.`);
  if (subscription.status === 'incomplete') return undefined;
  const isOver = subscription.status === 'canceled' || subscription.status === 'incomplete_expired';
  const end = isOver ? subscription.ended_at : (subscription.cancel_at ?? item.current_period_end);
  const cancellation = isOver ? (subscription.canceled_at ?? subscription.ended_at) : null;
  return {
    changedAt: lastChange(state, id),
    fields: {
      id,
      state: isOver ? 'SUBSCRIPTION_STATE_CANCELED' : 'SUBSCRIPTION_STATE_ACTIVE',
      customerId: String(subscription.customer),
      businessEntity: subscription.metadata.business_entity ?? 'Sandbox Inc.',
      planId: item.price.id,
      amount: (item.price.unit_amount ?? Number.NaN) * (item.quantity ?? 1),
      currency: subscription.currency.toUpperCase(),
      createdAt: iso(subscription.created),
      activatedAt: iso(subscription.start_date),
      ...(cancellation === null ? {} : { canceledAt: iso(cancellation) }),
      ...(end === null ? {} : { expiresAt: iso(end) }),
      billingPeriod: item.price.recurring?.interval_count ?? 1,
      billingPeriodUnit: `BILLING_PERIOD_UNIT_${String(item.price.recurring?.interval).toUpperCase()}`,
    },
  };
}

/** `trial_will_end` tells what is to come, and changes nothing. */
const CHANGES = /^customer\.subscription\.(created|updated|deleted|paused|resumed)$/;

function lastChange({ events }: Sandbox['state'], id: string): number {
  for (const event of events.newestFirst()) {
    const { object } = event.data;
    if (CHANGES.test(event.type) && 'id' in object && object.id === id) return event.created;
  }
  throw new Error(`There is no event of subscription ${id}.`);
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
