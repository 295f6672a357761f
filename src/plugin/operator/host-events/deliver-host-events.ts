/** Delivers events to the handlers of the host application, and to EVENTS_URL. */
import { createHmac } from 'node:crypto';
import type { DateTime } from 'luxon';
import type { Clock } from '../../../core/base/clock.ts';
import { DatabaseBusyError, messageOf } from '../../../core/base/errors.ts';
import { withDeadline } from '../../../core/web/bounded-answer.ts';
import type { PluginDeps } from '../../jobs/queues.ts';
import type { Config } from '../../settings/config.ts';
import { keepAccess, takeAccessChanges } from '../../store/tables/access-changes.ts';
import {
  CHANNELS,
  type Channel,
  findEvent,
  forgetEvent,
  hasDueEvents,
  listDueEvents,
  openChannels,
  putOffEvent,
  type StoredHostEvent,
} from '../../store/tables/host-events.ts';
import { type AccessRules, judgeAccess } from '../lists/access.ts';
import { findAccessFacts } from '../lists/customer-state.ts';
import { type AlertDeps, alertReceivers, postJson, type Receivers } from './deliver-alerts.tsx';
import type { HostHandlers } from './host-event.ts';
import { teamReceiver } from './team-channel.ts';

export interface HostEventDeps extends PluginDeps, AlertDeps {
  readonly config: Pick<Config, 'events' | 'alerts' | 'publicUrl' | 'timeZone'> & AccessRules;
  readonly on: HostHandlers | undefined;
  /** A handler that takes longer counts as failed: one that never ends would hold up all events and alerts. */
  readonly handledWithinMs?: number;
}

export type HostEventDelivery = ReturnType<typeof createHostEventDelivery>;

/** Channels of every event; alerts and emails have their own. */
const EVENT_CHANNELS: ReadonlySet<Channel> = new Set<Channel>(['host', 'webhook', 'team']);

const AT_ONCE = 100;
const FIRST_WAIT_SECONDS = 15;
const LONGEST_WAIT_SECONDS = 6 * 3600;
/** Tries over about three days. */
const MOST_TRIES = 24;

export function createHostEventDelivery(deps: HostEventDeps) {
  const { database, clock, enqueue, config, on, handledWithinMs = 60_000 } = deps;
  const receivers: Receivers = {
    ...(on ? { host: (event) => withDeadline(handledWithinMs, () => callHandler(on, event)) } : {}),
    ...(config.events ? { webhook: postTo(config.events, clock) } : {}),
    ...alertReceivers(deps),
    ...teamReceiver(deps),
  };
  const channels = CHANNELS.filter((channel) => receivers[channel] !== undefined);
  const kept = channels.filter((channel) => EVENT_CHANNELS.has(channel));
  return {
    /** Events are kept from here on until they are delivered. */
    start: async () => {
      if (kept.length > 0) await openChannels(database, kept, clock.now());
    },
    /** Gives due deliveries a job. */
    sweep: async ({ hasAccessChanged }: { readonly hasAccessChanged: boolean }) => {
      if (hasAccessChanged) await noteAccess(deps);
      const now = clock.now();
      if (channels.length > 0 && (await hasDueEvents(database, channels, now)))
        await enqueue('host-events', [{ data: {}, key: 'host-events' }]);
    },
    job: {
      handle: async () => {
        for (;;) {
          const due = await listDueEvents(database, channels, clock.now(), AT_ONCE);
          for (const { id } of due) {
            const event = await findEvent(database, id);
            if (event) await deliverOnce(deps, event, receivers[event.channel]);
          }
          if (due.length < AT_ONCE) return;
        }
      },
    },
  };
}

/** Notes for the host whose access has ended or is restored. Failures must be refreshed before. */
async function noteAccess(deps: HostEventDeps): Promise<void> {
  const { database, clock, config } = deps;
  const isMore = await database
    .transaction(async (tx) => {
      const now = clock.now();
      const keys = await takeAccessChanges(tx, { now, limit: AT_ONCE });
      for (const key of keys ?? [])
        await keepAccess(tx, key, judgeAccess(config, await findAccessFacts(tx, key), now), now);
      return keys !== undefined;
    })
    .catch((error: unknown) => {
      if (error instanceof DatabaseBusyError) return false;
      throw error;
    });
  if (isMore) await noteAccess(deps);
}

/** An event whose delivery is cut off before its row is deleted is delivered again. */
async function deliverOnce(
  { database, clock, logger }: HostEventDeps,
  event: StoredHostEvent,
  receive: Receivers[Channel],
): Promise<void> {
  try {
    await receive?.(event);
    await forgetEvent(database, event.id);
  } catch (error) {
    const now = clock.now();
    const problem = messageOf(error);
    const nextAt = nextTry(event.tries + 1, now);
    const fields = { type: event.type, event: event.eventId, channel: event.channel, reason: problem };
    if (nextAt) logger.warn(fields, 'an event could not be delivered; it is tried again');
    else logger.error(fields, 'an event could not be delivered for days; it is given up');
    await putOffEvent(database, event.id, { problem, nextAt, now });
  }
}

function nextTry(tries: number, now: DateTime): DateTime | undefined {
  if (tries >= MOST_TRIES) return undefined;
  return now.plus({ seconds: Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** (tries - 1)) });
}

/** One without a handler goes nowhere. */
async function callHandler(on: HostHandlers, event: StoredHostEvent): Promise<void> {
  const handlers = new Map(Object.entries(on));
  // The database writes each type with its own data, which the compiler cannot see.
  const handler = handlers.get(event.type) as ((given: object) => void | Promise<void>) | undefined;
  await handler?.(toEvent(event));
}

function toEvent(event: StoredHostEvent): object {
  const { eventId: id, type, account, invoiceId: invoice, at, detail: data } = event;
  return { id, type, account, invoice, at: at.toISO(), data };
}

/** Signed as Standard Webhooks say (https://www.standardwebhooks.com): over id, time and body. */
function postTo(
  { url, secret }: NonNullable<Config['events']>,
  clock: Clock,
): NonNullable<Receivers[Channel]> {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return async (event) => {
    const body = JSON.stringify(toEvent(event));
    const timestamp = Math.floor(clock.now().toSeconds());
    const signature = createHmac('sha256', key)
      .update(`${event.eventId}.${timestamp}.${body}`)
      .digest('base64');
    const headers = {
      'webhook-id': event.eventId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    };
    await postJson('EVENTS_URL', url, { body, headers });
  };
}
