/** The two passes over the service's listings, their request forms and bounds. Pure. */

import { DateTime, Duration } from 'luxon';
import { toIso } from '../../../core/base/clock.ts';
import type { ListedRecord } from '../../../core/contract/listed-record.ts';
import type { ListingPath, ListingRequest } from '../../clients/service-client.ts';
import type { PassName, PassRun, PassState } from '../../store/tables/sync/listing-state.ts';
import { HORIZON_DAYS } from '../guards/shared-guards.ts';

/** Read again in each run: bounds may be exclusive, records may appear late, and some services truncate times. Repeats change nothing. */
const OVERLAP = Duration.fromObject({ minutes: 10 });

/** A way of requesting a listing: services differ. */
export interface ListingForm {
  readonly name: string;
  readonly path: ListingPath;
  readonly orderBy?: string;
  readonly orderDirection?: string;
  /** Newest first, so that a known record ends the pass. */
  readonly isDescending?: true;
}

export interface ListingPass {
  readonly name: PassName;
  /** Tried in this order, the contract's form first. */
  readonly forms: readonly ListingForm[];
  /** Hours until all forms are tried again. */
  readonly triesAgainHours: number;
  begin(state: PassState, now: DateTime): Pick<PassRun, 'after' | 'before'>;
  /** Whether time bounds are sent. */
  readonly hasFilters: boolean;
  instantOf(record: ListedRecord): string | undefined;
  /** The records belong to another listing. */
  isOther(records: readonly ListedRecord[]): boolean;
}

const CONTRACT = 'v1/recovery_actions';
const PLANNED = 'ingest/v1/recovery_actions';
const ORDER = 'RECOVERY_ACTION_ORDER_BY';
const DIRECTION = 'RECOVERY_ACTION_ORDER_DIRECTION';

/** The contract's order (stripe-facts 12.2): first everything executed, then news. */
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
 * Filters cover executed records only, so waiting instructions are searched from the newest created back to the last known one. Records
 * created meanwhile shift pages, cause repeats and are seen by the next run. Some services list planned ones separately.
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

/** Planned records first: without callbacks nothing else brings them. */
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

/** Whether the following records were read before. */
export function isPast(
  { isDescending }: ListingForm,
  records: readonly ListedRecord[],
  { after }: PassRun,
): boolean {
  const oldest = isDescending ? createdTimes(records).at(-1) : undefined;
  return oldest !== undefined && after !== undefined && oldest < readInstant(after);
}

/** Whether records are ascending although newest first was requested, beyond truncated times or a single outlier. */
export function isMisordered({ isDescending }: ListingForm, records: readonly ListedRecord[]): boolean {
  const times = isDescending ? createdTimes(records) : [];
  const [first, last] = [times.at(0), times.at(-1)];
  const isAscending = times.every((time, index) => index === 0 || time >= (times[index - 1] ?? time));
  return first !== undefined && last !== undefined && isAscending && first.plus(OVERLAP) < last;
}

function createdTimes(records: readonly ListedRecord[]): DateTime[] {
  return records.flatMap(({ createdAt }) => (createdAt === undefined ? [] : [readInstant(createdAt)]));
}

/** A mark in the future, after a clock was set back, is ignored. */
function overlapping(mark: string, now: DateTime): string {
  return toIso(DateTime.min(readInstant(mark), now).minus(OVERLAP));
}

/** Counts a page's records and keeps their latest instant. */
export function advance(pass: ListingPass, run: PassRun, records: readonly ListedRecord[]): PassRun {
  const seen = [run.latest, ...records.map(pass.instantOf)].flatMap((iso) => iso ?? []).map(readInstant);
  const listed = run.listed + records.length;
  const latest = DateTime.max(...seen);
  return latest === undefined ? { ...run, listed } : { ...run, listed, latest: toIso(latest) };
}

/**
 * Mark of a complete run, by the service's times, since its clock may be behind ours, but never after now. The run's duration is subtracted,
 * so that records that appeared late before the current page stay within the overlap. Without instants the mark is the start of the
 * run; without records it stays.
 */
export function concludedMark(state: PassState, run: PassRun, now: DateTime): string | undefined {
  if (run.latest === undefined) return run.listed > 0 ? run.startedAt : state.mark;
  const took = Math.max(0, now.diff(readInstant(run.startedAt)).toMillis());
  return toIso(DateTime.min(readInstant(run.latest), now).minus(took));
}

function readInstant(iso: string): DateTime {
  return DateTime.fromISO(iso, { zone: 'utc' });
}
