/** The two passes over the service's listings, the forms in which each may be asked for, and how far it reaches. Pure. */

import { DateTime, Duration } from 'luxon';
import { toIso } from '../../../core/base/clock.ts';
import type { ListedRecord } from '../../../core/contract/listed-record.ts';
import type { ListingPath, ListingRequest } from '../../clients/service-client.ts';
import type { PassName, PassRun, PassState } from '../../store/tables/sync/listing-state.ts';
import { HORIZON_DAYS } from '../guards/shared-guards.ts';

/**
 * Read again in every run: whether the filters include their instant is not shown, records show up late, and some
 * services cut their times to seconds. What comes twice changes nothing.
 */
const OVERLAP = Duration.fromObject({ minutes: 10 });

/** One way of asking for a listing: services differ in what they take. */
export interface ListingForm {
  readonly name: string;
  readonly path: ListingPath;
  readonly orderBy?: string;
  readonly orderDirection?: string;
  /** Asked for the newest first, so that what was read before ends the pass. */
  readonly isDescending?: true;
}

export interface ListingPass {
  readonly name: PassName;
  /** In the order in which they are tried; the contract's own stands before those of the field. */
  readonly forms: readonly ListingForm[];
  /** After so many hours all are tried again. */
  readonly triesAgainHours: number;
  begin(state: PassState, now: DateTime): Pick<PassRun, 'after' | 'before'>;
  /** Whether bounds of time are sent. */
  readonly hasFilters: boolean;
  instantOf(record: ListedRecord): string | undefined;
  /** The records are not those of this pass: it is another listing's. */
  isOther(records: readonly ListedRecord[]): boolean;
}

const CONTRACT = 'v1/recovery_actions';
const PLANNED = 'ingest/v1/recovery_actions';
const ORDER = 'RECOVERY_ACTION_ORDER_BY';
const DIRECTION = 'RECOVERY_ACTION_ORDER_DIRECTION';

/** The contract's way (stripe-facts 12.2): first what was executed before, then what was after. */
const EXECUTED: ListingPass = {
  name: 'executed',
  forms: [
    { name: 'contract', path: CONTRACT, orderBy: 'executed_at', orderDirection: 'asc' },
    { name: 'spelled', path: CONTRACT, orderBy: `${ORDER}_EXECUTED_AT`, orderDirection: `${DIRECTION}_ASC` },
    { name: 'unordered', path: CONTRACT },
  ],
  triesAgainHours: 1,
  begin: ({ mark }, now) => (mark === undefined ? { before: toIso(now) } : { after: overlapping(mark, now) }),
  hasFilters: true,
  instantOf: ({ executedAt }) => executedAt,
  isOther: () => false,
};

/**
 * The filters know only what was executed, so an instruction that waits is not among it. It is looked for from the
 * newest created back to the last one known; what is created meanwhile pushes entries to later pages, where they come
 * twice, and is itself seen by the next run. Some services have a listing of its own for what is planned.
 */
const CREATED: ListingPass = {
  name: 'created',
  forms: [
    {
      name: 'contract',
      path: CONTRACT,
      orderBy: 'created_at',
      orderDirection: 'desc',
      isDescending: true,
    },
    {
      name: 'planned',
      path: PLANNED,
      orderBy: `${ORDER}_CREATED_AT`,
      orderDirection: `${DIRECTION}_DESC`,
      isDescending: true,
    },
    { name: 'planned unordered', path: PLANNED },
  ],
  triesAgainHours: 24,
  begin: ({ mark }, now) => ({
    after: mark === undefined ? toIso(now.minus({ days: HORIZON_DAYS })) : overlapping(mark, now),
  }),
  hasFilters: false,
  instantOf: ({ createdAt }) => createdAt,
  isOther: (records) =>
    records.length > 0 &&
    records.every(
      ({ suggestion, idealRetryTime }) => suggestion === undefined || idealRetryTime === undefined,
    ),
};

export const LISTING_PASSES: readonly ListingPass[] = [EXECUTED, CREATED];

/** The same with what is planned looked for first: no callback brings it. */
export const POLLED_PASSES: readonly ListingPass[] = [
  EXECUTED,
  {
    ...CREATED,
    forms: [...CREATED.forms].sort((a, b) => Number(b.path === PLANNED) - Number(a.path === PLANNED)),
  },
];

export function toRequest({ hasFilters }: ListingPass, form: ListingForm, run: PassRun): ListingRequest {
  const { orderBy, orderDirection } = form;
  const filters = hasFilters ? { executedAfter: run.after, executedBefore: run.before } : {};
  return { orderBy, orderDirection, ...filters };
}

/** The records show that what follows them was read before. */
export function isPast(
  { isDescending }: ListingForm,
  records: readonly ListedRecord[],
  { after }: PassRun,
): boolean {
  const oldest = isDescending ? createdTimes(records).at(-1) : undefined;
  return oldest !== undefined && after !== undefined && oldest < readInstant(after);
}

/** The oldest came first all along though the newest were asked for, by more than a service's cut-off seconds or one odd record can explain. */
export function isMisordered({ isDescending }: ListingForm, records: readonly ListedRecord[]): boolean {
  const times = isDescending ? createdTimes(records) : [];
  const [first, last] = [times.at(0), times.at(-1)];
  const isAscending = times.every((time, index) => index === 0 || time >= (times[index - 1] ?? time));
  return first !== undefined && last !== undefined && isAscending && first.plus(OVERLAP) < last;
}

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
