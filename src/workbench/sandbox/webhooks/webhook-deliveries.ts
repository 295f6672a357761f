import { Duration } from 'luxon';
import type { Event } from '../objects/wire.ts';
import type { World } from '../sandbox-world.ts';
import { type EventTarget, targetsOf, type WebhookSecrets } from './event-targets.ts';
import type { WebhookSender } from './send-webhook.ts';

/** Disorder on demand. Probabilities are between 0 and 1 and drawn from the sandbox's seed. */
export interface WebhookFaults {
  /** Chance that a delivery is made twice. */
  duplicate: number;
  /** Deliver due webhooks in random order. */
  shuffle: boolean;
  /** Chance that a delivery is lost on the way; Stripe sees a failure and tries again later. */
  drop: number;
  /** Every first delivery comes this much late. */
  delayMs: number;
}

export interface WebhookDeliveries {
  readonly faults: WebhookFaults;
  /** Sends due webhooks, up to `concurrency` at a time; returns the number of requests made. */
  deliver(concurrency?: number): Promise<number>;
  nextAtMs(): number | undefined;
  readonly log: readonly DeliveryRecord[];
}

/** One delivery attempt. Status 0: no answer, or lost on the way. */
export interface DeliveryRecord {
  eventId: string;
  type: string;
  url: string;
  attempt: number;
  status: number;
}

interface Delivery {
  event: Event;
  target: EventTarget;
  /** 1 for the first. */
  attempt: number;
  dueAtMs: number;
}

/** Waits between attempts; the last one repeats until three days are over (stripe-facts 1.2, live mode). */
const RETRY_GAPS_MINUTES: readonly number[] = [1, 5, 30, 120, 300, 600];
const GIVE_UP_AFTER = Duration.fromObject({ days: 3 });

export function createWebhookDeliveries(
  world: World,
  send: WebhookSender,
  secrets: WebhookSecrets,
): WebhookDeliveries {
  const faults: WebhookFaults = { duplicate: 0, shuffle: false, drop: 0, delayMs: 0 };
  const log: DeliveryRecord[] = [];
  let waiting: Delivery[] = [];

  world.eventListeners.push((event) => {
    const dueAtMs = world.clock.now().toMillis() + faults.delayMs;
    if (world.isRevoked) return;
    for (const target of targetsOf(world, event, secrets)) {
      event.pending_webhooks += 1;
      waiting.push({ event, target, attempt: 1, dueAtMs });
    }
  });

  async function attempt(delivery: Delivery): Promise<void> {
    const { event, target } = delivery;
    const { url, body } = target;
    const isLost = world.ids.roll() < faults.drop;
    const status = isLost ? 0 : await send(target);
    log.push({ eventId: body.id, type: body.type, url, attempt: delivery.attempt, status });
    if (status >= 200 && status < 300) {
      event.pending_webhooks = Math.max(0, event.pending_webhooks - 1);
      if (event.pending_webhooks === 0) world.undelivered.delete(event.id);
      return;
    }
    world.undelivered.add(event.id);
    const retry = nextAttempt(world, delivery);
    if (retry !== undefined) waiting.push(retry);
  }

  return {
    faults,
    log,
    async deliver(concurrency = 1) {
      const now = world.clock.now().toMillis();
      const due = waiting.filter(({ dueAtMs, target }) => dueAtMs <= now && target.isListening());
      waiting = waiting.filter(({ dueAtMs }) => dueAtMs > now);
      const batch = due.flatMap((delivery) =>
        world.ids.roll() < faults.duplicate ? [delivery, delivery] : [delivery],
      );
      if (faults.shuffle) shuffle(batch, world.ids.roll);
      const queue = batch.values();
      const worker = async () => {
        for (const delivery of queue) await attempt(delivery);
      };
      await Promise.all(Array.from({ length: concurrency }, worker));
      return batch.length;
    },
    nextAtMs: () =>
      waiting.reduce<number | undefined>((first, { dueAtMs }) => earlier(first, dueAtMs), undefined),
  };
}

function nextAttempt(world: World, delivery: Delivery): Delivery | undefined {
  const minutes = RETRY_GAPS_MINUTES[Math.min(delivery.attempt, RETRY_GAPS_MINUTES.length) - 1] ?? 0;
  const dueAtMs = world.clock.now().plus(Duration.fromObject({ minutes })).toMillis();
  const isTooLate = dueAtMs > delivery.event.created * 1000 + GIVE_UP_AFTER.toMillis();
  return isTooLate ? undefined : { ...delivery, attempt: delivery.attempt + 1, dueAtMs };
}

function shuffle<T>(items: T[], roll: () => number): void {
  for (let i = items.length - 1; i > 0; i -= 1) {
    const j = Math.floor(roll() * (i + 1));
    const [a, b] = [items[i], items[j]];
    if (a === undefined || b === undefined) continue;
    items[i] = b;
    items[j] = a;
  }
}

function earlier(a: number | undefined, b: number): number {
  return a === undefined ? b : Math.min(a, b);
}
