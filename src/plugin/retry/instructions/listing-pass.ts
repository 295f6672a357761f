/** The two ways in which the listing is read, and how far each reaches. Pure. */

import { DateTime, Duration } from 'luxon';
import { toIso } from '../../../core/base/clock.ts';
import type { ListedRecord } from '../../../core/contract/listed-record.ts';
import type { ListingRequest } from '../../clients/service-client.ts';
import type { PassName, PassRun, PassState } from '../../store/tables/sync/listing-state.ts';

/**
 * Read again in every run: whether the filters include their instant is not shown, records show up late, and some
 * services cut their times to seconds. What comes twice changes nothing.
 */
const OVERLAP = Duration.fromObject({ minutes: 10 });

export interface ListingPass {
  readonly name: PassName;
  begin(
    state: PassState,
    context: { now: DateTime; retryHorizonDays: number },
  ): Pick<PassRun, 'after' | 'before'>;
  toRequest(run: PassRun): ListingRequest;
  instantOf(record: ListedRecord): string | undefined;
  /** The records show that what follows them was read before. */
  isPast(records: readonly ListedRecord[], run: PassRun): boolean;
  /** The records are not in the order that was asked for. */
  isMisordered(records: readonly ListedRecord[]): boolean;
}

/** The contract's way (stripe-facts 12.2): first what was executed before, then what was after. */
const EXECUTED: ListingPass = {
  name: 'executed',
  begin: ({ mark }, { now }) =>
    mark === undefined ? { before: toIso(now) } : { after: overlapping(mark, now) },
  toRequest: ({ after, before }) => ({
    orderBy: 'executed_at',
    orderDirection: 'asc',
    executedAfter: after,
    executedBefore: before,
  }),
  instantOf: ({ executedAt }) => executedAt,
  isPast: () => false,
  isMisordered: () => false,
};

/**
 * The filters know only what was executed, so an instruction that waits is not among it. It is looked for from the
 * newest created back to the last one known; what is created meanwhile pushes entries to later pages, where they come
 * twice, and is itself seen by the next run.
 */
const CREATED: ListingPass = {
  name: 'created',
  begin: ({ mark }, { now, retryHorizonDays }) => ({
    after: mark === undefined ? toIso(now.minus({ days: retryHorizonDays })) : overlapping(mark, now),
  }),
  toRequest: () => ({ orderBy: 'created_at', orderDirection: 'desc' }),
  instantOf: ({ createdAt }) => createdAt,
  isPast: (records, { after }) => {
    const oldest = createdTimes(records).at(-1);
    return oldest !== undefined && after !== undefined && oldest < readInstant(after);
  },
  // Oldest first all along, by more than a service's cut-off seconds or one odd record can explain.
  isMisordered: (records) => {
    const times = createdTimes(records);
    const [first, last] = [times.at(0), times.at(-1)];
    const isAscending = times.every((time, index) => index === 0 || time >= (times[index - 1] ?? time));
    return first !== undefined && last !== undefined && isAscending && first.plus(OVERLAP) < last;
  },
};

export const LISTING_PASSES: readonly ListingPass[] = [EXECUTED, CREATED];

function createdTimes(records: readonly ListedRecord[]): DateTime[] {
  return records.flatMap(({ createdAt }) => (createdAt === undefined ? [] : [readInstant(createdAt)]));
}

/** A mark in the future, as after a clock was moved back, holds nothing back. */
function overlapping(mark: string, now: DateTime): string {
  return toIso(DateTime.min(readInstant(mark), now).minus(OVERLAP));
}

/** Counts a page's records, and remembers the latest of their instants. */
export function advance(pass: ListingPass, run: PassRun, records: readonly ListedRecord[]): PassRun {
  const seen = [run.latest, ...records.map(pass.instantOf)].flatMap((iso) => iso ?? []).map(readInstant);
  const listed = run.listed + records.length;
  const latest = DateTime.max(...seen);
  return latest === undefined ? { ...run, listed } : { ...run, listed, latest: toIso(latest) };
}

/**
 * Up to where a run that reached its end has read. By the service's own times, as its clock may be behind ours; a
 * record from the far future does not take the mark beyond our time. The time that the run took is taken off: what
 * showed up late in front of the page that was being read must still be within the overlap. Without any instant it is
 * the time at which the run began, and if nothing at all is listed the mark stays where it was.
 */
export function concludedMark(state: PassState, run: PassRun, now: DateTime): string | undefined {
  if (run.latest === undefined) return run.listed > 0 ? run.startedAt : state.mark;
  const took = Math.max(0, now.diff(readInstant(run.startedAt)).toMillis());
  return toIso(DateTime.min(readInstant(run.latest), now).minus(took));
}

function readInstant(iso: string): DateTime {
  return DateTime.fromISO(iso, { zone: 'utc' });
}
