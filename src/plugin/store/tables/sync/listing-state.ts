/** Progress of reading the service's listing: one row of `cursors` a pass, and two instants. */
import { DateTime } from 'luxon';
import { z } from 'zod';
import type { Queryable } from '../../../../core/database/database.ts';
import { beginCursor, type CursorPosition, findCursor, listEventsPositions, setCursor } from './cursors.ts';

const passState = z.object({
  /** Time up to which a finished run has read, by the service's clock. */
  mark: z.string().optional(),
  /** The request form that the service accepted last; none if it refused all. */
  form: z.string().optional(),
  triedAt: z.string().optional(),
  /** The current run. Its bounds stay until it is complete, across restarts. */
  run: z
    .object({
      startedAt: z.string(),
      after: z.string().optional(),
      before: z.string().optional(),
      /** Token of the next page, and its time; none before the first page. */
      pageToken: z.string().optional(),
      tokenAt: z.string().optional(),
      /** The latest instant seen. */
      latest: z.string().optional(),
      /** Listed records. */
      listed: z.int(),
    })
    .optional(),
});
export type PassState = z.infer<typeof passState>;
export type PassRun = NonNullable<PassState['run']>;
export type PassName = 'executed' | 'created';

/** Empty before the first run. */
export async function findPassState(db: Queryable, account: string, name: PassName): Promise<PassState> {
  const value = await findCursor(db, account, `listing-${name}`);
  return value === undefined ? {} : passState.parse(JSON.parse(value));
}

export async function setPassState(
  db: Queryable,
  account: string,
  pass: { name: PassName; state: PassState },
  now: DateTime,
): Promise<void> {
  await setCursor(db, { account, name: `listing-${pass.name}`, value: JSON.stringify(pass.state) }, now);
}

/**
 * Time up to which each account's listing was read completely; an interrupted run counts from its start. Executed records count, or
 * created ones if the service does not list those.
 */
async function listListingPositions(db: Queryable): Promise<CursorPosition[]> {
  const rows = await db.query<{ account: string; value: string; updatedAt: DateTime<true> }>(
    `select account, value, updated_at from payment_retry.cursors
     where name in ('listing-executed', 'listing-created') order by account, name`,
  );
  const positions = rows.flatMap(({ account, value, updatedAt }) => {
    const { run, form, triedAt } = passState.parse(JSON.parse(value));
    const at = run ? DateTime.fromISO(run.startedAt, { zone: 'utc' }) : updatedAt;
    const isRefused = triedAt !== undefined && form === undefined;
    return isRefused ? [] : [[account, { account, name: 'listing', at: at.toUTC() }] as const];
  });
  return [...new Map(positions).values()];
}

/** Progress of each account's reads: Stripe's events and the service's listing. */
export async function listCursorPositions(db: Queryable): Promise<CursorPosition[]> {
  return [...(await listEventsPositions(db)), ...(await listListingPositions(db))];
}

const START = 'listing-start';

/** Starts following listed instructions. An existing start stays. */
export async function beginListing(db: Queryable, account: string, now: DateTime): Promise<void> {
  await beginCursor(db, { account, name: START, value: now.toISO() }, now);
}

/** Records that ended before it are history. Starts at `now` if there is none. */
export async function findListingStart(db: Queryable, account: string, now: DateTime): Promise<DateTime> {
  await beginListing(db, account, now);
  return (await findInstant(db, account, START)) ?? now;
}

/** The service's requested pause. */
export function findListingPause(db: Queryable, account: string): Promise<DateTime | undefined> {
  return findInstant(db, account, 'listing-pause');
}

export async function setListingPause(
  db: Queryable,
  account: string,
  until: DateTime,
  now: DateTime,
): Promise<void> {
  await setCursor(db, { account, name: 'listing-pause', value: until.toISO() }, now);
}

async function findInstant(db: Queryable, account: string, name: string): Promise<DateTime | undefined> {
  const value = await findCursor(db, account, name);
  return value === undefined ? undefined : DateTime.fromISO(value, { zone: 'utc' });
}
