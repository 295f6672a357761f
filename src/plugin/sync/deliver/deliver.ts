import { DateTime } from 'luxon';
import { inSlices } from '../../../core/base/in-slices.ts';
import { INVOICE_VOID } from '../../../core/contract/contract-extensions.ts';
import { retryWhileDatabaseDown } from '../../../core/database/retry-while-database-down.ts';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import type { IngestResult } from '../../clients/service-client.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import {
  clearDeliveryPauses,
  type DeliveryPause,
  listDeliveryPauses,
  setDeliveryPause,
} from '../../store/tables/sync/cursors.ts';
import {
  claimDirty,
  markDelivered,
  markRefused,
  OUTBOX_KINDS,
  type OutboxRow,
  releaseClaims,
  renewClaims,
} from '../../store/tables/sync/outbox.ts';
import { findLeftOut, setAside } from '../../store/tables/sync/untaken.ts';
import { backoffMs, oddWaitMs, pauseMs } from './backoff.ts';
import type { DeliverDeps, Delivery, Setback } from './delivery.ts';
import { isLeftOut, isTakenWithoutPeriod, NO_PATH, toRecord } from './left-out.ts';

/** Outlives the slowest request. Rows of dead processes are freed sooner (`process-watch`). */
const CLAIM_SECONDS = 60;
/** A claim with less time left is renewed before a request; longer than the request's own limit. */
const REQUEST_SECONDS = 40;
const PARALLEL_BATCHES = 5;
/** The contract names 100 and 200 (stripe-facts 12.4); a service that keeps answering 429 may mean the size. */
const LARGEST_BATCH = 200;
const CAUTIOUS_BATCH = 100;
/** A size below it is not learned: a service that refuses so few records means something else. */
const SMALLEST_LEARNED = 25;
const FAILURES_UNTIL_CAUTIOUS = 2;

/** Ends a job well before it expires; the rest gets another job. */
const JOB_SECONDS = 60;

/**
 * Delivers an account's dirty rows: subscriptions, then invoices, then transactions. Rows that fail stay dirty; their kind waits for the
 * back-off, or the time the service requested. Other kinds continue, unless the service is down or throttles.
 */
export function createDeliverer(given: DeliverDeps): JobHandler<PluginQueues['deliver']> {
  const deps = { ...given, batchSizes: new Map<string, number>() };
  return {
    handle: async ({ account }) => {
      const now = deps.clock.now();
      // A service that gives no capabilities takes no records either; they stay as they are.
      const canBeExtended = await deps.serviceOf(account).can('extended_records');
      const isExtended = canBeExtended ?? false;
      if (canBeExtended === false) await setAside(deps.database, 'invoices', account, NO_STATE);
      const pauses = await listDeliveryPauses(deps.database, account, now);
      let isPaused = pauses.length > 0;
      const leftOut = await findLeftOut(deps.database, deps.config, account);
      const leavesOutShortPeriods = leftOut.includes('short_periods');
      for (const kind of OUTBOX_KINDS) {
        if (leftOut.includes(kind)) {
          await setAside(deps.database, kind, account, { answer: NO_PATH });
          continue;
        }
        const pause = pauses.find((one) => one.kind === kind);
        if (pause && pause.until > now) continue;
        const delivery = { kind, account, isExtended, leavesOutShortPeriods };
        const stopped = await deliverKind(deps, delivery, pause?.failures ?? 0);
        if (stopped?.kind === 'more') return enqueueNext(deps, account, deps.clock.now());
        if (stopped && (await isLeftOut(deps, delivery, stopped))) continue;
        if (stopped) await pauseDelivery(deps, delivery, pause, stopped);
        else if (pause) await clearDeliveryPauses(deps.database, account, [kind]);
        isPaused ||= stopped !== undefined;
        if (stopped && isAboutAll(stopped)) break;
      }
      if (isPaused) await enqueueAfterPauses(deps, account);
    },
  };
}

const NO_STATE = { answer: 'the contract has no state for it', only: { state: INVOICE_VOID } };

/** Whether other kinds would fail, too: the service is down or throttles. */
function isAboutAll(setback: Setback): boolean {
  return setback.kind === 'throttled' || setback.status === undefined;
}

/** The largest batch that each account's service takes, where it was seen to refuse larger ones for their size alone. */
interface SizedDeps extends DeliverDeps {
  readonly batchSizes: Map<string, number>;
}

function batchLimit({ batchSizes }: SizedDeps, account: string, failures: number): number {
  const size = batchSizes.get(account) ?? LARGEST_BATCH;
  return failures >= FAILURES_UNTIL_CAUTIOUS ? Math.min(size, CAUTIOUS_BATCH) : size;
}

/** Undefined once the kind is delivered. */
async function deliverKind(
  deps: SizedDeps,
  delivery: Delivery,
  failures: number,
): Promise<Setback | { kind: 'more' } | undefined> {
  const { kind, account } = delivery;
  const end = deps.clock.now().plus({ seconds: JOB_SECONDS });
  while (deps.clock.now() < end) {
    const limit = batchLimit(deps, account, failures);
    const claim = { ...newClaim(deps, account), limit: limit * PARALLEL_BATCHES };
    const rows = await claimDirty(deps.database, kind, claim);
    if (rows.length === 0) return undefined;
    const batches = inBatches(rows, limit);
    const results = await Promise.all(batches.map((batch) => deliverOrRelease(deps, delivery, batch)));
    const setback = results.find((one) => one.setback !== undefined)?.setback;
    if (setback) return setback;
  }
  return { kind: 'more' };
}

/** Rows with odd answers go in ever smaller batches apart from others, until the faulty ones are alone. */
function inBatches(rows: readonly OutboxRow[], limit: number): OutboxRow[][] {
  const counts = new Set(rows.map(({ oddAnswers }) => oddAnswers));
  return [...counts].flatMap((count) =>
    inSlices(
      rows.filter(({ oddAnswers }) => oddAnswers === count),
      Math.max(1, Math.floor(limit / 2 ** count)),
    ),
  );
}

/** Releases the rows of a failed batch, after a database outage as soon as it is back. */
async function deliverOrRelease(
  deps: SizedDeps,
  delivery: Delivery,
  claimed: OutboxRow[],
): Promise<Delivered> {
  try {
    return await deliverBatch(deps, delivery, claimed);
  } catch (error) {
    await retryWhileDatabaseDown(() =>
      releaseClaims(deps.database, delivery.kind, delivery.account, claimed),
    );
    throw error;
  }
}

interface Delivered {
  /** Records that the service took. */
  readonly taken: number;
  readonly setback?: Setback | undefined;
}

/** Halves a refused batch until the faulty records are alone; the rest is delivered. */
async function deliverBatch(deps: SizedDeps, delivery: Delivery, claimed: OutboxRow[]): Promise<Delivered> {
  const { kind, account } = delivery;
  const rows = await keepClaims(deps, delivery, claimed);
  if (rows.length === 0) return { taken: 0 };
  const result = await deps.serviceOf(account).ingest(
    kind,
    rows.map((row) => toRecord(delivery, row)),
  );
  switch (result.kind) {
    case 'accepted':
      await markDelivered(deps.database, kind, account, rows, result.requestId);
      return { taken: rows.length };
    case 'odd':
      await putOff(deps, delivery, rows, result.answer);
      return { taken: 0 };
    case 'refused':
      return refuse(deps, delivery, rows, result);
    default:
      await releaseClaims(deps.database, kind, account, rows);
      return { taken: 0, setback: result };
  }
}

/** Waits with these rows; a later sweep sends them again, and others continue. */
async function putOff(
  { database, clock, logger }: DeliverDeps,
  { kind, account }: Delivery,
  rows: readonly OutboxRow[],
  answer: string,
): Promise<void> {
  const times = Math.max(...rows.map(({ oddAnswers }) => oddAnswers));
  const waitMs = oddWaitMs(times);
  logger.warn(
    { account, kind, records: rows.length, times: times + 1, waitMs, answer },
    'the service answered a delivery oddly: nothing counts as delivered, and it will be sent again',
  );
  await releaseClaims(database, kind, account, rows, { answer, until: clock.now().plus(waitMs) });
}

function newClaim(deps: DeliverDeps, account: string) {
  const now = deps.clock.now();
  return { account, now, until: now.plus({ seconds: CLAIM_SECONDS }), by: deps.processId() };
}

/** Repeated halving takes time: leaves out rows taken over by another process. */
async function keepClaims(
  deps: DeliverDeps,
  { kind, account }: Delivery,
  rows: OutboxRow[],
): Promise<OutboxRow[]> {
  const needed = deps.clock.now().plus({ seconds: REQUEST_SECONDS });
  if (rows.every((row) => row.claimedUntil >= needed)) return rows;
  return renewClaims(deps.database, kind, rows, newClaim(deps, account));
}

async function refuse(
  deps: SizedDeps,
  delivery: Delivery,
  rows: OutboxRow[],
  result: Extract<IngestResult, { kind: 'refused' }>,
): Promise<Delivered> {
  const { kind, account } = delivery;
  const [first, ...others] = rows;
  if (first === undefined) return { taken: 0 };
  if (others.length === 0) {
    if (await isTakenWithoutPeriod(deps, delivery, first)) return { taken: 1 };
    await markRefused(deps.database, kind, account, first, `${result.status} ${result.answer}`);
    deps.logger.error(
      { kind, id: first.message.id, answer: result.answer },
      'the service refused a record; it is in quarantine',
    );
    return { taken: 0 };
  }
  const middle = Math.ceil(rows.length / 2);
  const left = await deliverBatch(deps, delivery, rows.slice(0, middle));
  const right = await deliverBatch(deps, delivery, rows.slice(middle));
  const taken = left.taken + right.taken;
  // No record was at fault, so the size was.
  if (taken === rows.length) learnSize(deps, account, middle);
  return { taken, setback: left.setback ?? right.setback };
}

function learnSize({ batchSizes }: SizedDeps, account: string, size: number): void {
  batchSizes.set(
    account,
    Math.min(batchSizes.get(account) ?? LARGEST_BATCH, Math.max(SMALLEST_LEARNED, size)),
  );
}

async function pauseDelivery(
  deps: DeliverDeps,
  { kind, account }: Delivery,
  before: DeliveryPause | undefined,
  setback: Setback,
): Promise<void> {
  const now = deps.clock.now();
  const { failures = 0, since = now } = before ?? {};
  const waitMs = pauseMs(setback.retryAfterMs, backoffMs(failures, deps.random()));
  const reason = setback.kind === 'throttled' ? `throttled: ${setback.answer}` : setback.reason;
  deps.logger.warn(
    { account, kind, failures, waitMs, reason },
    'the service took no delivery; it will be tried again',
  );
  const until = now.plus(waitMs);
  for (const paused of isAboutAll(setback) ? OUTBOX_KINDS : [kind])
    await setDeliveryPause(
      deps.database,
      account,
      { kind: paused, until, failures: failures + 1, since },
      now,
    );
}

async function enqueueAfterPauses(deps: DeliverDeps, account: string): Promise<void> {
  const pauses = await listDeliveryPauses(deps.database, account, deps.clock.now());
  const next = DateTime.min(...pauses.map(({ until }) => until));
  if (next) await enqueueNext(deps, account, next);
}

async function enqueueNext(deps: DeliverDeps, account: string, startAfter: DateTime): Promise<void> {
  await deps.enqueue('deliver', [{ data: { account }, key: account, startAfter }]);
}
