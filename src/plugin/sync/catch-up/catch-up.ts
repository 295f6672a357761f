import { DateTime, Duration } from 'luxon';
import Stripe from 'stripe';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import { isRowRefused, messageOf, UpstreamError } from '../../../core/base/errors.ts';
import type { Transaction } from '../../../core/database/database.ts';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import type { StripeClient } from '../../clients/stripe-client.ts';
import type { PluginDeps, PluginQueues } from '../../jobs/queues.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import { eventsCursor } from '../../store/tables/sync/cursors.ts';
import { type EventForm, learnEventForm } from '../../store/tables/sync/event-form.ts';
import {
  buryEvent,
  type EventKey,
  findFirstEventAt,
  findLastWebhookAt,
  type NewEvent,
  recordEvents,
} from '../../store/tables/sync/events.ts';
import { noteReading } from '../../store/tables/sync/missed-webhooks.ts';
import { BACKFILL_MONTHS, toBackfillJob } from '../backfill/backfill-request.ts';
import { EVENT_HANDLERS, THIN_TYPES } from '../events/handlers.ts';
import { toInboxJob } from '../events/inbox-job.ts';
import { personOf } from '../receive/plan-events.ts';

export interface CatchUpDeps extends PluginDeps {
  readonly stripe: Pick<StripeClient, 'listEvents' | 'listThinEvents'>;
}

/** Read again in each run: events may appear late, and Stripe's clock differs from ours. */
const OVERLAP = Duration.fromObject({ minutes: 10 });
/** Time a webhook may take before its event counts as missed. */
const ON_ITS_WAY = Duration.fromObject({ minutes: 2 });
/** Stripe lists events for 30 days (stripe-facts 1.9). */
const RETENTION = Duration.fromObject({ days: 30 });
const NEARLY_TOO_LATE = Duration.fromObject({ days: 25 });

const TYPES = Object.keys(EVENT_HANDLERS);

/**
 * Records events in Stripe's list that no webhook brought. The cursor moves only over completely read windows, so an
 * interrupted run fails and the next one continues there.
 */
export function createCatchUp(deps: CatchUpDeps): JobHandler<PluginQueues['catch-up']> {
  return {
    handle: async ({ account }) => {
      const now = deps.clock.now();
      const cursor = await eventsCursor.find(deps.database, account);
      // Events before the installation are not processed.
      if (cursor === undefined) return eventsCursor.set(deps.database, account, now, now);
      const start = await findStart(deps, { account, cursor, now });
      const form = await learnEventForm(deps.database, { account, since: start, now });
      const found = await readWindows(deps, account, { from: start, to: now, form });
      await noteReading(deps.database, { account, at: now, ...found });
    },
  };
}

interface Position {
  account: string;
  cursor: DateTime;
  now: DateTime;
}

async function findStart(deps: CatchUpDeps, { account, cursor, now }: Position): Promise<DateTime> {
  const oldest = now.minus(RETENTION);
  if (cursor < oldest) {
    await recordGap(deps, { account, cursor, now });
    return oldest;
  }
  const fields = { account, cursor: cursor.toISO() };
  if (cursor < now.minus(NEARLY_TOO_LATE))
    deps.logger.warn(fields, 'the last catch-up is over 25 days ago: Stripe keeps events for 30 days only');
  if (cursor <= now.plus(OVERLAP)) return DateTime.max(DateTime.min(cursor, now).minus(OVERLAP), oldest);

  deps.logger.warn(fields, 'the clock was moved back: every event since the first one is looked for again');
  await requestReconciliation(deps, account);
  const first = await findFirstEventAt(deps.database, account);
  const since = first ?? now;
  return DateTime.max(DateTime.min(since, now).minus(OVERLAP), oldest);
}

/** Recorded in one transaction with the cursor, so that a gap is reported once. */
async function recordGap(deps: CatchUpDeps, { account, cursor, now }: Position): Promise<void> {
  const to = now.minus(RETENTION);
  const gap = { from: cursor.toISO(), to: to.toISO() };
  await deps.database.transaction(async (tx) => {
    await recordAudit(tx, { account, at: now, invoiceId: undefined, kind: 'catch_up.gap', detail: gap });
    await eventsCursor.set(tx, account, to, now);
    await requestReconciliation(deps, account, tx);
  });
  deps.logger.error(
    { account, ...gap },
    'Stripe no longer lists the events of this time (30 days): a reconciliation (backfill) is needed and begins',
  );
}

async function requestReconciliation(deps: CatchUpDeps, account: string, tx?: Transaction): Promise<void> {
  const request = { account, kind: 'reconciliation', months: BACKFILL_MONTHS } as const;
  await deps.enqueue('backfill', [toBackfillJob(request, deps.clock.now())], tx);
}

interface Window {
  from: DateTime;
  to: DateTime;
  form: EventForm;
}

/** Reads oldest first, so that the record has no holes. Busy windows are narrow: a window is the most to be read twice. */
async function readWindows(
  deps: CatchUpDeps,
  account: string,
  { from: start, to: end, form }: Window,
): Promise<Found> {
  const found: Found[] = [];
  let from = start;
  let minutes = 60;
  do {
    const to = DateTime.min(from.plus({ minutes }), end);
    const pages = await recordWindow(deps, account, { from, to, form });
    await eventsCursor.set(deps.database, account, to, deps.clock.now());
    minutes = nextWidth(minutes, add(pages).listed);
    found.push(...pages);
    from = to;
  } while (from < end);
  return add(found);
}

interface Found {
  readonly listed: number;
  /** Events that a webhook should have brought by now. */
  readonly missed: number;
  readonly lastWebhookAt: DateTime | undefined;
}

function add(found: readonly Found[]): Found {
  const arrivals = found.flatMap(({ lastWebhookAt }) => lastWebhookAt ?? []);
  return {
    listed: found.reduce((sum, { listed }) => sum + listed, 0),
    missed: found.reduce((sum, { missed }) => sum + missed, 0),
    lastWebhookAt: DateTime.max(...arrivals),
  };
}

const WIDEST_MINUTES = 24 * 60;
/** One page; `MANY_EVENTS` are ten. */
const FEW_EVENTS = 100;
const MANY_EVENTS = 1_000;

function nextWidth(minutes: number, count: number): number {
  if (count < FEW_EVENTS) return Math.min(minutes * 2, WIDEST_MINUTES);
  return count > MANY_EVENTS ? Math.max(minutes / 2, 1) : minutes;
}

/** Returns the findings of each page. */
async function recordWindow(deps: CatchUpDeps, account: string, window: Window): Promise<Found[]> {
  const found: Found[] = [];
  try {
    for await (const page of listRows(deps, account, window))
      found.push(await recordPage(deps, account, page.toReversed()));
    return found;
  } catch (error) {
    throw error instanceof Stripe.errors.StripeError ? toIncomplete(account, window, error) : error;
  }
}

/** Lists events in the form of the webhooks: thin events have other ids. */
async function* listRows(
  { stripe, clock }: CatchUpDeps,
  account: string,
  { form, ...window }: Window,
): AsyncGenerator<NewEvent[]> {
  const toRow = (event: { id: string; type: string }, person: string, createdAt: DateTime) => {
    const { id, type } = event;
    return { account, id, type, receivedAt: clock.now(), person, createdAt, payload: JSON.stringify(event) };
  };
  if (form === 'thin') {
    for await (const page of stripe.listThinEvents(account, { ...window, types: THIN_TYPES }))
      yield page.map(({ changes: _, ...event }) =>
        toRow(event, '', DateTime.fromISO(event.created, { zone: 'utc' })),
      );
    return;
  }
  for await (const page of stripe.listEvents(account, { ...window, types: TYPES }))
    yield page.map((event) => toRow(event, personOf(event), fromUnixSeconds(event.created)));
}

async function recordPage(deps: CatchUpDeps, account: string, rows: readonly NewEvent[]): Promise<Found> {
  const receivedAt = deps.clock.now();
  const fresh = new Set((await recordRows(deps, rows)).map(({ id }) => id));
  if (fresh.size > 0) {
    deps.logger.info({ account, events: fresh.size }, 'recorded events that no webhook had brought');
    await deps.enqueue('take-events', [toInboxJob(account)]);
  }
  const ids = rows.map(({ id }) => id);
  const isLate = ({ createdAt, id }: NewEvent) => fresh.has(id) && createdAt < receivedAt.minus(ON_ITS_WAY);
  return {
    listed: rows.length,
    missed: rows.filter(isLate).length,
    lastWebhookAt: await findLastWebhookAt(deps.database, account, ids),
  };
}

/** Returns the new ones. A refused batch is halved until the faulty event is alone. */
async function recordRows(deps: CatchUpDeps, rows: readonly NewEvent[]): Promise<EventKey[]> {
  try {
    return await recordEvents(deps.database, rows, 'list');
  } catch (error) {
    const [row, ...others] = rows;
    if (row === undefined || !isRowRefused(error)) throw error;
    if (others.length === 0) return buryRefused(deps, row, error);
    const middle = Math.ceil(rows.length / 2);
    const first = await recordRows(deps, rows.slice(0, middle));
    return [...first, ...(await recordRows(deps, rows.slice(middle)))];
  }
}

/** Keeps the event's name as a dead event, so that `status` shows it and the rest continues. */
async function buryRefused(deps: CatchUpDeps, row: NewEvent, cause: unknown): Promise<EventKey[]> {
  const { account, id, type } = row;
  deps.logger.error(
    { err: cause, account, event: id },
    'the database refuses an event of Stripe’s list: it is kept without its body, as a dead event',
  );
  await deps.database.transaction(async (tx) => {
    await recordEvents(tx, [{ ...row, payload: JSON.stringify({ id, type }) }], 'list');
    await buryEvent(tx, row, messageOf(cause), deps.clock.now());
  });
  return [];
}

function toIncomplete(account: string, { from }: Window, cause: Stripe.errors.StripeError): UpstreamError {
  return new UpstreamError(
    `The catch-up of events of account ${account} is incomplete: Stripe broke off after ${from.toISO()}.`,
    {
      retryable: true,
      help: 'It continues there automatically. If Stripe refuses the key, allow it to read events.',
      cause,
    },
  );
}
