/** How far the reading of the service's listing has come: one row of `cursors` for each pass, and two instants. */
import { DateTime } from 'luxon';
import { z } from 'zod';
import type { Queryable } from '../../../../core/database/database.ts';
import { beginCursor, type CursorPosition, findCursor, setCursor } from './cursors.ts';

/** Instants are ISO 8601 in UTC. */
const passState = z.object({
  /** What was finished reaches to here, by the service's own times. */
  mark: z.string().optional(),
  /** The form in which the service was last asked for it; none where it refused all. */
  form: z.string().optional(),
  /** When the forms were tried. */
  triedAt: z.string().optional(),
  /** What is being read. Its bounds stay until it is whole, however often it is begun again. */
  run: z
    .object({
      startedAt: z.string(),
      after: z.string().optional(),
      before: z.string().optional(),
      /** Of the next page, and when it was given; none before the first page. */
      pageToken: z.string().optional(),
      tokenAt: z.string().optional(),
      /** The latest instant that was seen. */
      latest: z.string().optional(),
      /** How many records were listed. */
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
 * Up to when each account's listing was read to its end: a run that was cut off reaches to its start. What was executed counts, or
 * what was created where the service does not list that.
 */
export async function listListingPositions(db: Queryable): Promise<CursorPosition[]> {
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

const START = 'listing-start';

/** From here on every listed instruction is ours to follow. A start that there is already stays. */
export async function beginListing(db: Queryable, account: string, now: DateTime): Promise<void> {
  await beginCursor(db, { account, name: START, value: now.toISO() }, now);
}

/** What was over before it is history. `now` where nothing has begun. */
export async function findListingStart(db: Queryable, account: string, now: DateTime): Promise<DateTime> {
  await beginListing(db, account, now);
  return (await findInstant(db, account, START)) ?? now;
}

/** The service asked not to be asked before then. */
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
