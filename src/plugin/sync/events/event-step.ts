import type { DateTime } from 'luxon';
import Stripe from 'stripe';
import type { Clock } from '../../../core/base/clock.ts';
import type { Logger } from '../../../core/base/logger.ts';
import type { Database, Transaction } from '../../../core/database/database.ts';
import type { Enqueue } from '../../../core/jobs/enqueue.ts';
import type { StripeClient } from '../../clients/stripe-client.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import type { EventResult } from '../../reasons/event-result.ts';
import type { Accounts } from '../../settings/accounts.ts';
import type { Config } from '../../settings/config.ts';
import type { InvoiceRow } from '../../store/tables/sync/invoices.ts';
import type { MirrorVersion, MirrorWrite } from '../../store/tables/sync/mirror-version.ts';
import type { SubscriptionRow } from '../../store/tables/sync/subscriptions.ts';

/** The version that the SDK's typings describe. */
const API_VERSION: string = Stripe.API_VERSION;

export interface SyncDeps {
  readonly config: Pick<
    Config,
    | 'forward'
    | 'businessEntityMetadataKey'
    | 'mode'
    | 'experiment'
    | 'livemode'
    | 'recoverSignUps'
    | 'testClock'
    | 'forgetDeletedCustomers'
    | 'verifyDays'
    | 'stripeEvents'
  >;
  readonly database: Database;
  readonly stripe: StripeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly enqueue: Enqueue<PluginQueues>;
  readonly accounts: Pick<Accounts, 'find'>;
  /** Makes an account known, at the first event that it sends. */
  readonly admit: (account: string) => Promise<void>;
  /** The configured name, else the account's own. */
  readonly businessEntity: (account: string) => Promise<string>;
}

/** For planning many events together, when nobody waits for Stripe. */
export type PlanDeps = Omit<SyncDeps, 'stripe'> & { readonly stripe: StripeClient | undefined };

export function canAsk(deps: PlanDeps): deps is SyncDeps {
  return deps.stripe !== undefined;
}

/** Of an object that was read for an event, which did not hold it. */
export interface SeenState {
  /** When the read began. */
  readonly at: DateTime<true>;
  /** What was stored of it by then. */
  readonly stored: MirrorVersion | undefined;
  /** False for those that share the read of another event, which stores it. */
  readonly isFirst: boolean;
  /** Stripe has neither it nor an event that holds it any more. */
  readonly isGone?: boolean;
}

export interface ReceivedEvent {
  readonly account: string;
  readonly event: Stripe.Event;
  readonly createdAt: DateTime<true>;
  /** What is stored of the object that it is about. */
  readonly stored: MirrorVersion | undefined;
  readonly seen?: SeenState;
}

/** A copy of an object that is to be stored. */
export type Copy =
  | { readonly kind: 'subscriptions'; readonly write: MirrorWrite<SubscriptionRow> }
  | { readonly kind: 'invoices'; readonly write: MirrorWrite<InvoiceRow> };

/** What an event leads to: decided with all reads done, applied in the transaction that marks it processed. */
export interface EventPlan {
  readonly result: EventResult;
  /** Stored first, together with those of other events. */
  readonly copy?: Copy;
  readonly apply?: (tx: Transaction) => Promise<void>;
}

/** In place of a plan: the event needs Stripe first, and so a job of its own. */
export const ASKS_STRIPE = 'asks_stripe';

export type StepResult = EventPlan | typeof ASKS_STRIPE;

/** One thing that is done about a type of event. */
export type Step<Deps, Result = StepResult> = (deps: Deps, received: ReceivedEvent) => Promise<Result>;
export type EventStep = Step<PlanDeps>;
/** One that always asks Stripe. */
export type AskingStep = Step<SyncDeps, EventPlan>;

/** Another worker stored the object between our look and our write; a second look sees the new state. */
export class ConcurrentUpdateError extends Error {
  constructor(what: string) {
    super(`${what} was changed by another worker at the same moment; its event is processed again.`);
    this.name = 'ConcurrentUpdateError';
  }
}

export async function wakeDelivery(
  deps: Pick<SyncDeps, 'enqueue'>,
  tx: Transaction,
  account: string,
): Promise<void> {
  await deps.enqueue('deliver', [{ data: { account }, key: account }], tx);
}

/** A snapshot of another API version may have another shape (stripe-facts 1.4): the object is read again instead. */
export function isOurVersion(event: Stripe.Event): boolean {
  return event.api_version === API_VERSION;
}
