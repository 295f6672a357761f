import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { z } from 'zod';
import { toIsoSeconds } from '../../../core/base/clock.ts';
import { lazy } from '../../../core/base/lazy.ts';
import { cutText, printableText } from '../../../core/base/printable-text.ts';
import { isRecord, MAX_NAME_LENGTH } from '../../../core/contract/contract.ts';
import {
  type ExtendedSubscription,
  extendedSubscription,
} from '../../../core/contract/contract-extensions.ts';
import { customerIdOf } from '../../clients/customer-reference.ts';
import { type Fitted, fitMessage, type MappingWarning, unmappable, unreadable } from './fit-message.ts';
import type { Obstacle, PriceParts } from './price-amount.ts';
import { CHARGED_BY_STRIPE, currencyCode, customerReference, looseTime, stripeTime } from './stripe-parts.ts';
import {
  type ItemParts,
  itemParts,
  type SubscriptionAmount,
  subscriptionAmount,
} from './subscription-amount.ts';

/** `held_back`: nothing is sent while `incomplete`. `incomplete_object`: read again with all items, tiers and currency options. */
type MappedSubscription = Fitted<ExtendedSubscription> | { kind: 'held_back' } | Obstacle;

interface SubscriptionContext {
  /** The event's `created`, or the time of the read; becomes `updatedAt`. */
  observedAt: DateTime;
  businessEntity: string;
}

const subscriptionParts = lazy(() =>
  z.compile(
    z.object({
      id: z.string(),
      status: z.string(),
      ...customerReference,
      currency: currencyCode,
      created: stripeTime,
      start_date: looseTime,
      canceled_at: looseTime,
      ended_at: looseTime,
      cancel_at: looseTime,
      // Extensions of the contract: an odd value must not block the rest.
      pause_collection: z.object({ resumes_at: looseTime }).nullish().catch(null),
      cancel_at_period_end: z.boolean().nullish().catch(null),
      trial_end: looseTime,
      collection_method: z.string().nullish().catch(null),
      discounts: z.array(z.unknown()).nullish().catch(null),
      metadata: z.record(z.string(), z.unknown()).nullish().catch(null),
      items: z.object({ data: z.array(itemParts).nullish(), has_more: z.boolean().nullish() }).nullish(),
    }),
  ),
);
type SubscriptionParts = z.infer<ReturnType<typeof subscriptionParts>>;
type SubscriptionPeriod = NonNullable<PriceParts['recurring']>;

const endingParts = z.object({
  status: z.string(),
  canceled_at: stripeTime.nullish().catch(null),
  ended_at: stripeTime.nullish().catch(null),
});

const ACTIVE = 'SUBSCRIPTION_STATE_ACTIVE';
const CANCELED = 'SUBSCRIPTION_STATE_CANCELED';

/** Active: money may still be collected (stripe-facts 2.1). */
const STATES: ReadonlyMap<string, string> = new Map([
  ['trialing', ACTIVE],
  ['active', ACTIVE],
  ['past_due', ACTIVE],
  ['unpaid', ACTIVE],
  ['paused', ACTIVE],
  ['canceled', CANCELED],
  ['incomplete_expired', CANCELED],
]);

const KNOWN_INTERVALS: ReadonlySet<string> = new Set(['day', 'week', 'month', 'year']);

/** Maps a subscription of our API version. Total: every object gives one of the kinds, never an exception. */
export function mapSubscription(
  subscription: Stripe.Subscription,
  context: SubscriptionContext,
): MappedSubscription {
  if (isRecord(subscription) && subscription.status === 'incomplete') return { kind: 'held_back' };
  const parsed = subscriptionParts().safeParse(subscription);
  if (!parsed.success) return unreadable(parsed.error);
  const { items, currency } = parsed.data;
  if (items?.has_more) return { kind: 'incomplete_object', reason: { code: 'items_missing' } };
  if (!items?.data?.length) return unmappable({ code: 'no_items' });

  const amount = subscriptionAmount(items.data, currency);
  if (amount.kind !== 'amount') return amount;
  return toMessage(parsed.data, amount, context);
}

/** Changes to a message at the end of its subscription. Null removes a field. */
export interface SubscriptionEnding {
  readonly state: string;
  readonly canceledAt: string | null;
  readonly expiresAt: string | null;
  readonly endsAt: string | null;
  readonly renewsAt: null;
}

/** Undefined while the subscription is active. Needs neither items nor prices. */
export function readEnding(subscription: Stripe.Subscription): SubscriptionEnding | undefined {
  const parsed = endingParts.safeParse(subscription);
  if (!parsed.success || stateOf(parsed.data) !== CANCELED) return undefined;
  const { canceled_at: canceledAt, ended_at: endedAt } = parsed.data;
  const endsAt = endedAt ?? null;
  return {
    state: CANCELED,
    canceledAt: canceledAt ?? endsAt,
    expiresAt: endsAt,
    endsAt,
    renewsAt: null,
  };
}

function stateOf({ status, ended_at }: { status: string; ended_at?: unknown }): string {
  return STATES.get(status) ?? (ended_at ? CANCELED : ACTIVE);
}

function toMessage(
  parts: SubscriptionParts,
  { amount, primary, warnings }: Extract<SubscriptionAmount, { kind: 'amount' }>,
  context: SubscriptionContext,
): MappedSubscription {
  const state = stateOf(parts);
  const isCanceled = state === CANCELED;
  const canceledAt = parts.canceled_at ?? parts.ended_at;
  // Canceled without `ended_at`: no expiry, because a future period end would contradict the state.
  const expiresAt = isCanceled ? parts.ended_at : (parts.cancel_at ?? primary.item.current_period_end);
  const entity = businessEntityOf(parts, context);
  const fitted = fitMessage(extendedSubscription, {
    id: parts.id,
    state,
    customerId: customerIdOf(parts),
    businessEntity: entity.name,
    planId: primary.item.price.id || null,
    amount,
    currency: parts.currency,
    createdAt: parts.created,
    updatedAt: toIsoSeconds(context.observedAt),
    activatedAt: parts.start_date,
    canceledAt: isCanceled ? canceledAt : null,
    expiresAt,
    ...billingPeriodOf(primary.period),
    ...toExtensions(parts, { isCanceled, expiresAt, primary: primary.item }),
  });
  if (fitted.kind !== 'message') return fitted;
  const doubts = doubtsAbout(parts, { state, interval: primary.period.interval });
  return { ...fitted, warnings: [...entity.warnings, ...doubts, ...fitted.warnings, ...warnings] };
}

interface Read {
  readonly isCanceled: boolean;
  readonly expiresAt: unknown;
  readonly primary: ItemParts;
}

/** Fields beyond the contract. */
function toExtensions(parts: SubscriptionParts, { isCanceled, expiresAt, primary }: Read) {
  const { items, discounts, collection_method: method, pause_collection: pause } = parts;
  const isEnding = isCanceled || Boolean(parts.cancel_at_period_end || parts.cancel_at);
  // A time that fits no message is reported once, by `expiresAt`.
  const time = typeof expiresAt === 'string' ? expiresAt : null;
  const all = items?.data ?? [];
  const billedUntil = latest(all.map(({ billed_until: until }) => until));
  return {
    isCollectionPaused: pause ? true : null,
    collectionResumesAt: pause?.resumes_at,
    isCancelRequested: parts.cancel_at_period_end || parts.cancel_at ? true : null,
    isCanceledAtPeriodEnd: !isCanceled && parts.cancel_at_period_end ? true : null,
    ...(isEnding ? { endsAt: time } : { renewsAt: time }),
    trialEndsAt: parts.status === 'trialing' ? parts.trial_end : null,
    isPaused: parts.status === 'paused' ? true : null,
    hasDiscounts: discounts?.length ? true : null,
    hasMeteredItems: all.some(({ price }) => price.recurring?.usage_type === 'metered') ? true : null,
    collectionMethod: method === CHARGED_BY_STRIPE ? null : method,
    prebilledUntil: billedUntil > String(primary.current_period_end ?? '') ? billedUntil : null,
  };
}

/** The latest of our timestamps; empty without any. */
function latest(times: readonly unknown[]): string {
  return times
    .filter((time) => typeof time === 'string')
    .reduce((last, time) => (time > last ? time : last), '');
}

/** Both or neither: a number without a known unit would be taken for months. */
function billingPeriodOf({ interval, interval_count }: SubscriptionPeriod): Record<string, unknown> {
  const unit = interval.toUpperCase();
  if (!/^[A-Z0-9_]+$/.test(unit)) return {};
  return { billingPeriod: interval_count, billingPeriodUnit: `BILLING_PERIOD_UNIT_${unit}` };
}

/** Stripe's enums are open (stripe-facts 2.6): unknown values are passed on with a warning. */
function doubtsAbout(parts: SubscriptionParts, read: { state: string; interval: string }): MappingWarning[] {
  const doubts: MappingWarning[] = [];
  if (!STATES.has(parts.status))
    doubts.push({ code: 'unknown_status', status: parts.status, takenAs: read.state });
  if (!KNOWN_INTERVALS.has(read.interval)) doubts.push({ code: 'unknown_interval', interval: read.interval });
  return doubts;
}

/** Metadata that replaces the business entity; its values have up to 500 characters. */
const BUSINESS_ENTITY_KEY = 'business_entity';

function businessEntityOf(
  { metadata }: SubscriptionParts,
  { businessEntity }: SubscriptionContext,
): { name: string | undefined; warnings: MappingWarning[] } {
  const named = metadata?.[BUSINESS_ENTITY_KEY];
  const own = typeof named === 'string' ? printableText(named) : undefined;
  const name = own ?? printableText(businessEntity);
  const isTooLong = own !== undefined && own.length > MAX_NAME_LENGTH;
  return {
    name: name && cutText(name, MAX_NAME_LENGTH),
    warnings: isTooLong
      ? [{ code: 'metadata_cut', key: BUSINESS_ENTITY_KEY, characters: own.length, kept: MAX_NAME_LENGTH }]
      : [],
  };
}
