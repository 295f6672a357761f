/**
 * A thin event names its object and does not hold it (stripe-facts 1.10). It goes on as a snapshot event does, with the object as
 * Stripe has it now: one read, however many events of a batch name it.
 */
import { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { z } from 'zod';
import { inSlices } from '../../../core/base/in-slices.ts';
import { lazy } from '../../../core/base/lazy.ts';
import { isRecord } from '../../../core/contract/contract.ts';
import type { StripeClient } from '../../clients/stripe-client.ts';
import type { WaitingEvent } from '../../store/tables/sync/events.ts';
import type { MirrorVersion } from '../../store/tables/sync/mirror-version.ts';
import { listMirrorVersions, type MirroredKind } from '../../store/tables/sync/mirrors.ts';
import { word } from '../events/event-object.ts';
import type { SeenState, SyncDeps } from '../events/event-step.ts';
import { handledTypeOf, isHandled, rowOf } from '../events/handlers.ts';

const isTime = (text: string) => DateTime.fromISO(text, { zone: 'utc' }).isValid;

/** What we rely on; other fields, and values we do not know, are left alone. */
const notification = lazy(() =>
  z.compile(
    z.object({
      object: z.literal('v2.core.event'),
      id: word,
      type: word,
      created: z.string().refine(isTime, 'must be an ISO 8601 time'),
      context: word.nullish(),
      livemode: z.boolean().optional().catch(undefined),
      related_object: z.object({ id: word, type: word, url: z.string() }).nullish().catch(undefined),
      reason: z
        .object({ request: z.object({ idempotency_key: z.string() }) })
        .nullish()
        .catch(undefined),
    }),
  ),
);

export interface ThinEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt: DateTime;
  /** `acct_…`, of a connected account. */
  readonly account: string | undefined;
  readonly livemode: boolean | undefined;
  readonly about: { readonly id: string; readonly type: string; readonly url: string } | undefined;
  readonly idempotencyKey: string | undefined;
}

export const isThin = (event: unknown): boolean => isRecord(event) && event.object === 'v2.core.event';

export function parseThin(event: unknown): z.ZodSafeParseResult<ThinEvent> {
  return thinEvent().safeParse(event);
}

const thinEvent = lazy(() =>
  notification().transform(
    ({ context, created, related_object, reason, ...event }): ThinEvent => ({
      id: event.id,
      type: event.type,
      livemode: event.livemode,
      createdAt: DateTime.fromISO(created, { zone: 'utc' }),
      // Of an organization it is a path, which ends with the account.
      account: context?.split('/').at(-1),
      about: related_object ?? undefined,
      idempotencyKey: reason?.request.idempotency_key || undefined,
    }),
  ),
);

/** An event that continues as a snapshot, with the state seen of its object. */
export interface CompletedEvent {
  readonly id: string;
  readonly event: Stripe.Event;
  readonly seen: SeenState;
}

interface Waiting {
  readonly id: string;
  readonly thin: ThinEvent;
}

/** Parallel reads: the number that one Stripe endpoint takes in half a second. */
const READS_AT_ONCE = 10;

/** Reads each object once. An unavailable object fails alone, with the events that follow it. */
export async function readThinEvents(
  deps: Pick<SyncDeps, 'database' | 'stripe' | 'clock'>,
  account: string,
  events: readonly WaitingEvent[],
): Promise<PromiseSettledResult<CompletedEvent>[]> {
  const waiting = events.map(toWaiting);
  const groups = new Map<string, Waiting[]>();
  for (const one of waiting) {
    const key = one.thin.about?.id ?? one.id;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const versions = await listVersions(deps, account, waiting);
  const outcomes = new Map<string, PromiseSettledResult<CompletedEvent>>();
  let failure: { reason: unknown } | undefined;
  for (const slice of inSlices([...groups.values()], READS_AT_ONCE))
    await Promise.all(
      slice.map(async (group) => {
        try {
          if (failure) throw failure.reason;
          for (const one of await readGroup(deps, { account, group, versions }))
            outcomes.set(one.id, { status: 'fulfilled', value: one });
        } catch (reason) {
          failure ??= { reason };
          for (const { id } of group) outcomes.set(id, { status: 'rejected', reason });
        }
      }),
    );
  return waiting.flatMap(({ id }) => outcomes.get(id) ?? []);
}

/** What nothing is done about is not read. */
function toWaiting({ id, payload }: WaitingEvent): Waiting {
  const thin = thinEvent().parse(JSON.parse(payload));
  return { id, thin: isHandled(thin.type) ? thin : { ...thin, about: undefined } };
}

/** Versions before the reads: later stored ones may be newer than the reads show. */
async function listVersions(
  { database }: Pick<SyncDeps, 'database'>,
  account: string,
  waiting: readonly Waiting[],
): Promise<ReadonlyMap<string, MirrorVersion>> {
  const found: [string, MirrorVersion][] = [];
  for (const [type, kind] of MIRRORED_TYPES) {
    const ids = waiting.flatMap(({ thin: { about } }) => (about && about.type === type ? [about.id] : []));
    found.push(...(await listMirrorVersions(database, { account, kind, ids: [...new Set(ids)] })));
  }
  return new Map(found);
}

/** Mirrored objects, by their name at Stripe. */
export const MIRRORED_TYPES: ReadonlyMap<unknown, MirroredKind> = new Map([
  ['subscription', 'subscriptions'],
  ['invoice', 'invoices'],
]);

interface Group {
  readonly account: string;
  readonly group: readonly Waiting[];
  readonly versions: ReadonlyMap<string, MirrorVersion>;
}

async function readGroup(
  { stripe, clock }: Pick<SyncDeps, 'stripe' | 'clock'>,
  { account, group, versions }: Group,
): Promise<CompletedEvent[]> {
  const at = clock.now();
  const about = group[0]?.thin.about;
  const object = about && (await findRelated(stripe, account, about));
  const completed: CompletedEvent[] = [];
  for (const { id, thin } of group) {
    const event = await complete(stripe, account, thin, object);
    // Neither the object is there nor the event that would tell of it.
    const isGone = about !== undefined && event === undefined;
    const seen = { at, stored: versions.get(about?.id ?? ''), isFirst: completed.length === 0, isGone };
    completed.push({
      id,
      seen,
      event: event ?? toEvent(stripe, thin, { id: about?.id, object: about?.type }),
    });
  }
  return completed;
}

/** A subscription with all its items and their prices, as the mapping needs it. */
async function findRelated(
  stripe: StripeClient,
  account: string,
  { id, type, url }: NonNullable<ThinEvent['about']>,
): Promise<object | undefined> {
  return type === 'subscription' ? stripe.findSubscription(account, id) : stripe.findAt(account, url);
}

/** Undefined where nothing is left of what it names. */
async function complete(
  stripe: StripeClient,
  account: string,
  thin: ThinEvent,
  object: object | undefined,
): Promise<Stripe.Event | undefined> {
  // The accompanying snapshot event reports a deleted object.
  const isGone = thin.about !== undefined && object === undefined;
  const form = rowOf(thin.type)?.thin;
  const found = isGone || form?.hasChanges ? await stripe.findThinEvent(account, thin.id) : undefined;
  const snapshot =
    isGone && found?.snapshot_event ? await stripe.findEvent(account, found.snapshot_event) : undefined;
  if (isGone && !snapshot) return undefined;
  const { before } = { before: undefined, ...found?.changes };
  const previous = form?.finer?.type === thin.type ? form.finer.before : before;
  const known = object ?? snapshot?.data.object ?? {};
  return toEvent(stripe, thin, known, { previous, version: snapshot?.api_version });
}

function toEvent(
  { apiVersion }: StripeClient,
  thin: ThinEvent,
  object: object,
  { previous, version }: { previous?: unknown; version?: string | null | undefined } = {},
): Stripe.Event {
  const event: object = {
    id: thin.id,
    object: 'event',
    type: handledTypeOf(thin.type),
    api_version: version ?? apiVersion,
    created: Math.floor(thin.createdAt.toSeconds()),
    livemode: thin.livemode,
    request: { id: null, idempotency_key: thin.idempotencyKey ?? null },
    data: { object, ...(isRecord(previous) ? { previous_attributes: previous } : {}) },
  };
  return event as Stripe.Event;
}
