/** Progress of reading the service's listing: one row of `cursors` a pass, and two instants. */
import type { DateTime } from 'luxon';
import { z } from 'zod';
import type { Queryable } from '../../../../core/database/database.ts';
import { eventsCursor, keptInstant, keptJson, toInstant } from './cursors.ts';

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
      latest: z.string().optional(),
      listed: z.int(),
    })
    .optional(),
});
export type PassState = z.infer<typeof passState>;
export type PassRun = NonNullable<PassState['run']>;

export const PASS_STATES = {
  executed: keptJson('listing-executed', passState),
  created: keptJson('listing-created', passState),
};
export type PassName = keyof typeof PASS_STATES;

/**
 * Time up to which each account's listing was read completely; an interrupted run counts from its start. Executed records count, or
 * created ones if the service does not list those.
 */
async function listListingPositions(db: Queryable): Promise<CursorPosition[]> {
  const states = [...(await PASS_STATES.created.list(db)), ...(await PASS_STATES.executed.list(db))];
  const positions = states.flatMap(({ account, value: { run, form, triedAt }, updatedAt }) => {
    const at = run ? toInstant(run.startedAt) : updatedAt;
    const isRefused = triedAt !== undefined && form === undefined;
    return isRefused ? [] : [[account, { account, name: 'listing', at }] as const];
  });
  return [...new Map(positions).values()];
}

export interface CursorPosition {
  account: string;
  name: string;
  /** Everything before it was processed. */
  at: DateTime;
}

/** Progress of each account's reads: Stripe's events and the service's listing. */
export async function listCursorPositions(db: Queryable): Promise<CursorPosition[]> {
  const events = await eventsCursor.list(db);
  return [
    ...events.map(({ account, value: at }) => ({ account, name: 'events', at })),
    ...(await listListingPositions(db)),
  ];
}

/** When the listing began to be followed. Records that ended before it are history. */
export const listingStart = keptInstant('listing-start');

/** Longest pause that a service may ask for; a later end is one of a wrong clock. */
const LONGEST_PAUSE_MS = 60 * 60_000;

function keptPause(name: string) {
  const end = keptInstant(name);
  return {
    /** Its end, while it lasts. */
    find: async (db: Queryable, account: string, now: DateTime) => {
      const until = await end.find(db, account);
      return until && until > now && until <= now.plus(LONGEST_PAUSE_MS) ? until : undefined;
    },
    begin: async (db: Queryable, account: string, now: DateTime, waitMs = 0) => {
      if (waitMs > 0) await end.set(db, account, now.plus(Math.min(waitMs, LONGEST_PAUSE_MS)), now);
    },
  };
}

/** Pauses that the service asked for. */
export const listingPause = keptPause('listing-pause');
export const outcomesPause = keptPause('outcomes-pause');
