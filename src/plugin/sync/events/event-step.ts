import type { DateTime } from 'luxon';
import Stripe from 'stripe';
import type { Transaction } from '../../../core/database/database.ts';
import type { StripeClient } from '../../clients/stripe-client.ts';
import type { PluginDeps } from '../../jobs/queues.ts';
import type { EventResult } from '../../reasons/event-result.ts';
import type { Accounts } from '../../settings/accounts.ts';
import type { Config } from '../../settings/config.ts';
import type { InvoiceRow } from '../../store/tables/sync/invoices.ts';
import type { MirrorVersion, MirrorWrite } from '../../store/tables/sync/mirror-version.ts';
import type { SubscriptionRow } from '../../store/tables/sync/subscriptions.ts';

/** The version of the SDK's types. */
const API_VERSION: string = Stripe.API_VERSION;

export interface SyncDeps extends PluginDeps {
  readonly config: Config;
  readonly stripe: StripeClient;
  readonly accounts: Pick<Accounts, 'find'>;
  /** Makes an account known at its first event. */
  readonly admit: (account: string) => Promise<void>;
  /** The configured name, else the account's own. */
  readonly businessEntity: (account: string) => Promise<string>;
}

/** Dependencies for planning many events together, without calls to Stripe. */
export type PlanDeps = Omit<SyncDeps, 'stripe'> & { readonly stripe: StripeClient | undefined };

export function canAsk(deps: PlanDeps): deps is SyncDeps {
  return deps.stripe !== undefined;
}

/** State of an object fetched because the event did not include it. */
export interface SeenState {
  /** Start of the read. */
  readonly at: DateTime<true>;
  /** Version stored by then. */
  readonly stored: MirrorVersion | undefined;
  /** False for events that share the read of another one, which stores it. */
  readonly isFirst: boolean;
  /** Stripe has neither the object nor an event with it. */
  readonly isGone?: boolean;
}

export interface ReceivedEvent {
  readonly account: string;
  readonly event: Stripe.Event;
  readonly createdAt: DateTime<true>;
  /** Stored version of the event's object. */
  readonly stored: MirrorVersion | undefined;
  readonly seen?: SeenState;
}

/** A copy of an object to be stored. */
export type Copy =
  | { readonly kind: 'subscriptions'; readonly write: MirrorWrite<SubscriptionRow> }
  | { readonly kind: 'invoices'; readonly write: MirrorWrite<InvoiceRow> };

/** Result of an event: decided after all reads, applied in the transaction that marks it processed. */
export interface EventPlan {
  readonly result: EventResult;
  /** Stored first, together with copies of other events. */
  readonly copy?: Copy;
  readonly apply?: (tx: Transaction) => Promise<void>;
}

/** Replaces a plan: the event needs Stripe first, and so a job of its own. */
export const ASKS_STRIPE = 'asks_stripe';

export type StepResult = EventPlan | typeof ASKS_STRIPE;

/** One reaction to a type of event. */
export type Step<Deps, Result = StepResult> = (deps: Deps, received: ReceivedEvent) => Promise<Result>;
export type EventStep = Step<PlanDeps>;
/** A step that always calls Stripe. */
export type AskingStep = Step<SyncDeps, EventPlan>;

/** Another worker stored the object between our read and our write; processing repeats. */
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

/** A snapshot of another API version may have another shape (stripe-facts 1.4): the object is read again. */
export function isOurVersion(event: Stripe.Event): boolean {
  return event.api_version === API_VERSION;
}
