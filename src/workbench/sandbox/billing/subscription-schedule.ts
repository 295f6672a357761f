import { Duration } from 'luxon';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import type { Subscription } from '../objects/wire.ts';
import { publish, update } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { billingPeriodAt } from './billing-period.ts';
import { billInAnHour, endWithPeriod, nextRenewal, renewSubscription } from './renew-subscription.ts';
import { isOver } from './subscription-status.ts';

const TRIAL_NOTICE = Duration.fromObject({ days: 3 });

/** Queues the subscription's next step: its renewal, or its end. Call again whenever dates changed. */
export function scheduleSubscription(world: World, subscription: Subscription): void {
  const at = nextStep(subscription);
  world.due.add({
    atMs: at * 1000,
    isCurrent: () => !isOver(subscription) && nextStep(subscription) === at,
    run: () => {
      if (subscription.cancel_at !== null && subscription.cancel_at <= at) {
        endWithPeriod(world, subscription);
        return;
      }
      if (subscription.status === 'paused') {
        world.whenResumed.set(subscription.id, () => {
          movePeriods(world, subscription);
          scheduleSubscription(world, subscription);
        });
        return;
      }
      const invoice = renewSubscription(world, subscription);
      if (invoice !== undefined) billInAnHour(world, subscription, invoice);
      if (!isOver(subscription) && subscription.status !== 'paused')
        scheduleSubscription(world, subscription);
    },
  });
}

/** Moves to the period that holds the present. */
export function movePeriods(world: World, subscription: Subscription): void {
  const { billing_cycle_anchor: anchor } = subscription;
  for (const item of subscription.items.data) {
    const { start, end } = billingPeriodAt(unixNow(world), anchor, item.price.recurring);
    item.current_period_start = start;
    item.current_period_end = end;
  }
}

/** Three days before a trial ends. */
export function scheduleTrialNotice(world: World, subscription: Subscription): void {
  const trialEnd = subscription.trial_end;
  if (trialEnd === null) return;
  world.due.add({
    atMs: fromUnixSeconds(trialEnd).minus(TRIAL_NOTICE).toMillis(),
    isCurrent: () => subscription.status === 'trialing' && subscription.trial_end === trialEnd,
    run: () => publish(world, 'customer.subscription.trial_will_end', subscription),
  });
}

/** A pause of collection with a date ends on that date. */
export function scheduleCollectionResume(world: World, subscription: Subscription): void {
  const pause = subscription.pause_collection;
  if (pause === null || pause.resumes_at === null) return;
  world.due.add({
    atMs: pause.resumes_at * 1000,
    isCurrent: () => subscription.pause_collection === pause && !isOver(subscription),
    run: () => update(world, 'customer.subscription.updated', subscription, { pause_collection: null }),
  });
}

function nextStep(subscription: Subscription): number {
  return Math.min(nextRenewal(subscription), subscription.cancel_at ?? Number.POSITIVE_INFINITY);
}
