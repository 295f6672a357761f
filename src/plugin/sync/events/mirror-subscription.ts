import type Stripe from 'stripe';
import { z } from 'zod';
import type { Transaction } from '../../../core/database/database.ts';
import { customerIdOf } from '../../clients/customer-reference.ts';
import { closeScheduledActions } from '../../store/tables/retry/planned-actions.ts';
import { listInvoiceIdsOfSubscription } from '../../store/tables/sync/invoices.ts';
import type { MirrorWrite } from '../../store/tables/sync/mirror-version.ts';
import { upsertMirrors } from '../../store/tables/sync/mirrors.ts';
import { SUBSCRIPTIONS, type SubscriptionRow } from '../../store/tables/sync/subscriptions.ts';
import { mapSubscription, readEnding } from '../map/map-subscription.ts';
import { eventObject, owned, reference, word } from './event-object.ts';
import {
  ConcurrentUpdateError,
  type EventStep,
  type PlanDeps,
  type SyncDeps,
  wakeDelivery,
} from './event-step.ts';
import {
  type Mirrored,
  mirrorAgain,
  mirrorSnapshot,
  type Observation,
  printableReason,
} from './mirror-object.ts';

export const SUBSCRIPTION = eventObject(
  ['subscription_read'],
  z.object({
    object: z.literal('subscription'),
    id: word,
    ...owned,
    status: word,
    default_payment_method: reference,
  }),
);

const MIRROR: Mirrored<Stripe.Subscription, SubscriptionRow> = {
  kind: 'subscriptions',
  find: (deps, account, id) => deps.stripe.findSubscription(account, id),
  toRow: toSubscriptionRow,
  toCopy: (write) => ({ kind: 'subscriptions', write }),
  // An object gone from Stripe may have reported its end before.
  whenGone: async (_deps, { account, snapshot, at }) => {
    const ending = readEnding(snapshot);
    if (!ending) return { result: { code: 'gone', object: 'subscription' } };
    const row = { ...identify(account, snapshot), message: undefined, ending, version: at } as const;
    return { result: { code: 'mirrored_end' }, row: { ...row, versionSource: 'read' } };
  },
};

/** Stores a subscription with its message for the service. */
export const mirrorSubscription: EventStep = async (deps, received) => {
  const { object } = received.event.data;
  if (object.object !== 'subscription')
    return { result: { code: 'ignored_object', expected: 'subscription' } };
  return mirrorSnapshot(deps, MIRROR, received, object);
};

export const rereadSubscription = (deps: SyncDeps, account: string, id: string) =>
  mirrorAgain(deps, MIRROR, account, id);

/** Undefined if the object is incomplete and must be read again. */
export async function toSubscriptionRow(
  deps: PlanDeps,
  account: string,
  subscription: Stripe.Subscription,
  version: Observation,
): Promise<SubscriptionRow | undefined> {
  const mapped = mapSubscription(subscription, {
    observedAt: version.at,
    businessEntity: await deps.businessEntity(account),
  });
  const fields = { account, subscription: subscription.id };
  if (mapped.kind === 'incomplete_object' && !version.isWhole) return undefined;
  if (mapped.kind === 'message') {
    for (const warning of mapped.warnings)
      deps.logger.warn({ ...fields, warning }, 'a subscription was mapped with a warning');
  } else if (mapped.kind === 'held_back') {
    deps.logger.debug(fields, 'a subscription is held back until its first payment');
  } else deps.logger.warn({ ...fields, reason: mapped.reason }, 'a subscription is not forwarded completely');
  return {
    ...identify(account, subscription),
    message: mapped.kind === 'message' ? mapped.message : undefined,
    ending: mapped.kind === 'message' ? undefined : readEnding(subscription),
    unmappedReason:
      mapped.kind === 'message' || mapped.kind === 'held_back' ? undefined : printableReason(mapped.reason),
    version: version.at,
    versionSource: version.source,
  };
}

function identify(account: string, subscription: Stripe.Subscription) {
  const { id, status } = subscription;
  return { account, id, customerId: customerIdOf(subscription) ?? '', status };
}

/** Stores subscriptions of one account, with the effects on deliveries and planned work. */
export async function storeSubscriptions(
  deps: SyncDeps,
  tx: Transaction,
  account: string,
  writes: readonly MirrorWrite<SubscriptionRow>[],
): Promise<void> {
  const stored = await upsertMirrors(tx, SUBSCRIPTIONS, { account, writes });
  for (const { row } of writes) {
    if (!stored.has(row.id)) throw new ConcurrentUpdateError(`Subscription ${row.id}`);
    if (row.status === 'canceled') await stopRetrying(deps, tx, row);
  }
  if (writes.some(({ row }) => row.message || row.ending)) await wakeDelivery(deps, tx, account);
}

/** Stops retries: invoices of canceled subscriptions are paid on request only (stripe-facts 2.1). */
async function stopRetrying(
  deps: SyncDeps,
  tx: Transaction,
  { account, id }: SubscriptionRow,
): Promise<void> {
  const invoiceIds = await listInvoiceIdsOfSubscription(tx, account, id);
  const reason = { code: 'subscription_canceled', subscriptionId: id } as const;
  await closeScheduledActions(tx, { account, invoiceIds }, reason, deps.clock.now());
}
