import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { customerIdOf } from '../../clients/customer-reference.ts';
import type { Transaction } from '../../store/engine/database.ts';
import type { Basis, MirrorVersion, VersionSource } from '../../store/engine/mirror-version.ts';
import { closeScheduledActions } from '../../store/tables/retry/actions.ts';
import { listInvoiceIdsOfSubscription } from '../../store/tables/sync/invoices.ts';
import {
  findSubscriptionVersion,
  type SubscriptionRow,
  upsertSubscription,
} from '../../store/tables/sync/subscriptions.ts';
import { mapSubscription, readEnding } from '../map/map-subscription.ts';
import {
  ConcurrentUpdateError,
  type EventPlan,
  type EventStep,
  isOurVersion,
  type SyncDeps,
  wakeDelivery,
} from '../receive/event-step.ts';
import { BEFORE_ALL, judgeFreshness, readVersion } from './freshness.ts';
import { printableReason } from './printable-reason.ts';

/** Keeps our copy of a subscription, and with it the message that goes to the service. */
export const mirrorSubscription: EventStep = async (deps, { account, event, createdAt }) => {
  const snapshot = event.data.object;
  if (snapshot.object !== 'subscription')
    return { result: { code: 'ignored_object', expected: 'subscription' } };
  const stored = await findSubscriptionVersion(deps.database, account, snapshot.id);
  const verdict = judgeFreshness(stored, createdAt);
  if (verdict === 'stale') return { result: { code: 'stale' } };

  if (verdict === 'apply' && isOurVersion(event)) {
    const row = await toSubscriptionRow(deps, account, snapshot, {
      at: createdAt,
      source: 'event',
      isWhole: false,
    });
    if (row) return { result: { code: 'mirrored' }, apply: (tx) => store(deps, tx, row, { stored }) };
  }
  const plan = await readAgain(deps, account, { id: snapshot.id, createdAt, stored });
  if (plan) return plan;
  const at = readVersion(deps.clock.now(), createdAt, stored);
  return endGone(deps, { account, snapshot, at, stored });
};

/** What Stripe has now takes the place of what is stored. Undefined if it has no such subscription. */
export async function rereadSubscription(
  deps: SyncDeps,
  account: string,
  id: string,
): Promise<EventPlan | undefined> {
  const stored = await findSubscriptionVersion(deps.database, account, id);
  return readAgain(deps, account, { id, createdAt: BEFORE_ALL, stored });
}

async function readAgain(
  deps: SyncDeps,
  account: string,
  { id, createdAt, stored }: { id: string; createdAt: DateTime; stored: MirrorVersion | undefined },
): Promise<EventPlan | undefined> {
  const at = readVersion(deps.clock.now(), createdAt, stored);
  const fresh = await deps.stripe.findSubscription(account, id);
  if (!fresh) return undefined;
  const row = await toSubscriptionRow(deps, account, fresh, { at, source: 'read', isWhole: true });
  return row
    ? { result: { code: 'mirrored', isReread: true }, apply: (tx) => store(deps, tx, row, { stored }) }
    : { result: { code: 'unmappable' } };
}

/** What cannot be read any more may have reported its end before. */
function endGone(
  deps: SyncDeps,
  { account, snapshot, at, stored }: Basis & { account: string; snapshot: Stripe.Subscription; at: DateTime },
): EventPlan {
  const ending = readEnding(snapshot);
  if (!ending) return { result: { code: 'gone', object: 'subscription' } };
  const row = { ...identify(account, snapshot), message: undefined, ending, version: at } as const;
  return {
    result: { code: 'mirrored_end' },
    apply: (tx) => store(deps, tx, { ...row, versionSource: 'read' }, { stored }),
  };
}

/** How an object came to us. `isWhole`: nothing is left out, so what cannot be mapped now never can. */
export interface Observation {
  at: DateTime;
  source: VersionSource;
  isWhole: boolean;
}

/** Undefined when the object at hand is not enough and must be read again. */
export async function toSubscriptionRow(
  deps: SyncDeps,
  account: string,
  subscription: Stripe.Subscription,
  version: Observation,
): Promise<SubscriptionRow | undefined> {
  const mapped = mapSubscription(subscription, {
    observedAt: version.at,
    businessEntity: await deps.businessEntity(account),
    businessEntityMetadataKey: deps.config.businessEntityMetadataKey,
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

async function store(deps: SyncDeps, tx: Transaction, row: SubscriptionRow, basis: Basis): Promise<void> {
  if (!(await upsertSubscription(tx, row, basis))) throw new ConcurrentUpdateError(`Subscription ${row.id}`);
  if (row.message || row.ending) await wakeDelivery(deps, tx, row.account);
  if (row.status === 'canceled') await stopRetrying(deps, tx, row);
}

/** Never pay an invoice after the subscription was canceled unless asked to (stripe-facts 2.1). */
async function stopRetrying(
  deps: SyncDeps,
  tx: Transaction,
  { account, id }: SubscriptionRow,
): Promise<void> {
  const invoiceIds = await listInvoiceIdsOfSubscription(tx, account, id);
  const reason = { code: 'subscription_canceled', subscriptionId: id } as const;
  await closeScheduledActions(tx, { account, invoiceIds }, reason, deps.clock.now());
}
