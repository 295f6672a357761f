import { invalidParameter, refused } from '../api-error.ts';
import { nulls } from '../objects/nulls.ts';
import type { Subscription, SubscriptionSchedule } from '../objects/wire.ts';
import { publish, publishUpdated, snapshotOf, update } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { cancelSubscription, changeSubscription } from './change-subscription.ts';
import { endWithPeriod } from './renew-subscription.ts';
import { isOver } from './subscription-status.ts';

const NOTICE_DAYS = 7;

export interface PhaseInput {
  /** Unix seconds. */
  ends: number;
  /** The price of the subscription's first item; its current one by default. */
  price?: string | undefined;
  quantity?: number | undefined;
  /** When absent, the subscription has no method of its own in this phase and is charged on the customer's. */
  defaultPaymentMethod?: string | undefined;
}

/** A schedule made from a subscription, whose first phase runs already (stripe-facts 2.10). */
export function schedulePhases(
  world: World,
  subscription: Subscription,
  inputs: readonly PhaseInput[],
  endBehavior: 'release' | 'cancel' = 'release',
): SubscriptionSchedule {
  const starts = [unixNow(world), ...inputs.map(({ ends }) => ends)];
  const schedule = world.schedules.add(buildSchedule(world, subscription, endBehavior));
  schedule.phases = inputs.map((input, index) => buildPhase(subscription, input, starts[index] ?? 0));
  publish(world, 'subscription_schedule.created', schedule);
  update(world, 'customer.subscription.updated', subscription, { schedule: schedule.id });
  enterPhase(world, schedule, subscription, 0);
  return schedule;
}

/** Changes the items and the method of phases that are not over; changing their times is not simulated. */
export function updatePhases(
  world: World,
  schedule: SubscriptionSchedule,
  inputs: readonly (PhaseInput & { starts: number })[],
): SubscriptionSchedule {
  const subscription = world.subscriptions.get(schedule.subscription ?? '');
  const now = unixNow(world);
  const ahead = schedule.phases.filter(({ end_date }) => end_date > now);
  const isSame = ({ start_date, end_date }: Phase, at: number) =>
    start_date === inputs[at]?.starts && end_date === inputs[at]?.ends;
  if (subscription === undefined || ahead.length !== inputs.length || !ahead.every(isSame))
    throw invalidParameter('The current phase and all later ones have to be given, with the same dates.', {
      param: 'phases',
    });
  const changed = inputs.map((input) => buildPhase(subscription, input, input.starts));
  const phases = [...schedule.phases.filter(({ end_date }) => end_date <= now), ...changed];
  update(world, 'subscription_schedule.updated', schedule, { phases });
  const current = schedule.phases.find(({ start_date }) => start_date === schedule.current_phase?.start_date);
  if (current) applyPhase(world, subscription, current);
  return schedule;
}

/** Cancels the schedule and its subscription immediately. By default usage and unused time until then are billed. */
export function cancelSchedule(
  world: World,
  schedule: SubscriptionSchedule,
  { invoice_now: invoiceNow = true, prorate = true }: ScheduleEnd,
): SubscriptionSchedule {
  if (schedule.status !== 'active') throw refused(`The schedule is ${schedule.status}.`);
  const subscription = world.subscriptions.get(schedule.subscription ?? '');
  Object.assign(schedule, { status: 'canceled', canceled_at: unixNow(world), current_phase: null });
  publish(world, 'subscription_schedule.canceled', schedule);
  if (subscription !== undefined) cancelSubscription(world, subscription, { invoiceNow, prorate });
  return schedule;
}

/** Stripe's own parameter names. */
interface ScheduleEnd {
  invoice_now?: boolean | undefined;
  prorate?: boolean | undefined;
}

/** The subscription goes on as it is. */
export function releaseSchedule(world: World, schedule: SubscriptionSchedule): SubscriptionSchedule {
  const subscription = world.subscriptions.get(schedule.subscription ?? '');
  Object.assign(schedule, {
    status: 'released',
    released_at: unixNow(world),
    released_subscription: schedule.subscription,
    subscription: null,
    current_phase: null,
  });
  publish(world, 'subscription_schedule.released', schedule);
  if (subscription !== undefined && !isOver(subscription))
    update(world, 'customer.subscription.updated', subscription, { schedule: null });
  return schedule;
}

function enterPhase(
  world: World,
  schedule: SubscriptionSchedule,
  subscription: Subscription,
  index: number,
): void {
  const phase = schedule.phases[index];
  if (phase === undefined) {
    complete(world, schedule, subscription);
    return;
  }
  const { start_date, end_date } = phase;
  const before = snapshotOf(schedule);
  schedule.current_phase = { start_date, end_date };
  if (index > 0) publishUpdated(world, 'subscription_schedule.updated', schedule, before);
  applyPhase(world, subscription, phase);
  const isCurrent = () => schedule.status === 'active' && !isOver(subscription);
  world.due.add({
    atMs: end_date * 1000,
    isCurrent,
    run: () => enterPhase(world, schedule, subscription, index + 1),
  });
  if (index < schedule.phases.length - 1) return;
  world.due.add({
    atMs: (end_date - NOTICE_DAYS * 86_400) * 1000,
    isCurrent,
    run: () => publish(world, 'subscription_schedule.expiring', schedule),
  });
}

function applyPhase(world: World, subscription: Subscription, phase: Phase): void {
  const items = subscription.items.data.map(({ id }, at) => ({
    id,
    price: phase.items[at]?.price,
    quantity: phase.items[at]?.quantity,
  }));
  changeSubscription(world, subscription, { items, default_payment_method: phase.default_payment_method });
}

function complete(world: World, schedule: SubscriptionSchedule, subscription: Subscription): void {
  const isCanceling = schedule.end_behavior === 'cancel';
  if (!isCanceling) releaseSchedule(world, schedule);
  schedule.status = 'completed';
  schedule.completed_at = unixNow(world);
  publish(world, 'subscription_schedule.completed', schedule);
  if (isCanceling) endWithPeriod(world, subscription);
}

type Phase = SubscriptionSchedule['phases'][number];

function buildPhase(subscription: Subscription, input: PhaseInput, start: number): Phase {
  const items = subscription.items.data.map(({ price, quantity }, index) => {
    const own = index === 0 ? input : undefined;
    const id = own?.price ?? price.id;
    const count = own?.quantity ?? quantity;
    return {
      billing_thresholds: null,
      discounts: [],
      metadata: {},
      plan: id,
      price: id,
      ...(count === undefined ? {} : { quantity: count }),
    };
  });
  return {
    ...nulls('application_fee_percent billing_cycle_anchor billing_thresholds collection_method'),
    ...nulls('description invoice_settings on_behalf_of transfer_data trial_end'),
    add_invoice_items: [],
    discounts: [],
    items,
    metadata: {},
    currency: subscription.currency,
    default_payment_method: input.defaultPaymentMethod ?? null,
    end_date: input.ends,
    proration_behavior: 'create_prorations',
    start_date: start,
  };
}

function buildSchedule(world: World, subscription: Subscription, endBehavior: string): SubscriptionSchedule {
  return {
    ...nulls('application canceled_at completed_at current_phase customer_account released_at'),
    ...nulls('released_subscription'),
    id: world.ids.next('sub_sched'),
    object: 'subscription_schedule',
    billing_mode: subscription.billing_mode,
    created: unixNow(world),
    customer: subscription.customer,
    default_settings: {
      ...nulls('application_fee_percent billing_thresholds collection_method default_payment_method'),
      ...nulls('description on_behalf_of transfer_data'),
      billing_cycle_anchor: 'automatic',
      invoice_settings: {
        ...nulls('account_tax_ids custom_fields days_until_due description footer'),
        issuer: { type: 'self' },
      },
    },
    end_behavior: endBehavior,
    livemode: false,
    metadata: {},
    pause_schedules: [],
    phases: [],
    status: 'active',
    subscription: subscription.id,
    test_clock: world.testClock,
  };
}
