/** Reads everything at Stripe, first to fill the database, later to repair what no event can (stripe-facts 1.9). */
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import { messageOf } from '../../../core/base/errors.ts';
import type { Transaction } from '../../../core/database/database.ts';
import type { JobHandler } from '../../../core/jobs/queue-table.ts';
import type { BackfillRequest, PluginQueues } from '../../jobs/queues.ts';
import type { Reason } from '../../reasons/reason.ts';
import { findLastReport } from '../../store/reports/backfill-report.ts';
import {
  type BackfillRange,
  insertRange,
  listOpenRanges,
  moveRange,
  type PageTally,
} from '../../store/tables/backfill/backfill-ranges.ts';
import {
  BACKFILL_LISTS,
  type BackfillList,
  type BackfillRun,
  clearRunFailures,
  findBackfilledFrom,
  findLastFinish,
  findOpenRun,
  finishRun,
  insertRun,
  recordRunFailure,
} from '../../store/tables/backfill/backfill-runs.ts';
import { findSecondLook } from '../../store/tables/backfill/drifts.ts';
import { backoffMs } from '../deliver/backoff.ts';
import { type SyncDeps, wakeDelivery } from '../events/event-step.ts';
import { createChargeReader, createPaymentReader, createWarningReader } from './charge-pages.ts';
import { createDriftReader, createOwnWorkReader, storeOrCompare } from './look-again.ts';
import { createInvoiceMirror, createMirrorReader, createSubscriptionMirror } from './mirror-pages.ts';
import { ContestedPageError, type PageReader, type ReadPage, tallyPage } from './read-page.ts';
import { type Step, shareRanges } from './share-ranges.ts';
import { createUnchargedReader } from './uncharged-invoices.ts';
import { createUnseenReader } from './unseen-invoices.ts';

export interface BackfillDeps extends SyncDeps {
  /** A number from 0 to 1, for jitter. */
  readonly random: () => number;
}

export interface Backfill extends JobHandler<PluginQueues['backfill']> {
  /** Ends the current slice after the pages being read. */
  stop(): void;
}

/** Enough to keep the pace at a third of a second a page; each holds a page in memory. */
const READERS = 8;
/** A job hands over to the next after this time, well before it expires. */
const SLICE_SECONDS = 240;
/** Stripe's clock may be ahead of ours by this. Objects created after the start arrive as events. */
const SKEW_SECONDS = 5;
const PAGE_TRIES = 5;

/**
 * Commits each page's rows, counts and position together, so that another process can continue after a crash. If Stripe refuses or
 * throttles, the run is recorded as incomplete and retried with growing pauses.
 */
export function createBackfill(deps: BackfillDeps): Backfill {
  const readers = createReaders(deps);
  let isStopping = false;
  return {
    handle: async (request) => {
      const run = await openRun(deps, request);
      if (run === undefined) return;
      let pages = 0;
      const noteProgress = async () => {
        pages += 1;
        if (pages === 1 && run.failures > 0) await clearRunFailures(deps.database, run.id);
      };
      try {
        const end = await readSlice({ deps, run, readers, noteProgress, shouldStop: () => isStopping });
        if (end === 'done') return await finish(deps, run);
        await enqueueNext(deps, { ...request, run: run.id }, end.goOnAt);
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeError)) throw error;
        await pause(deps, { run, request, error, failures: pages > 0 ? 0 : run.failures });
      }
    },

    onDead: async ({ account, kind }, error) => {
      const run = await findOpenRun(deps.database, account, kind);
      if (run) await recordRunFailure(deps.database, run.id, reasonOf(error));
    },

    stop: () => {
      isStopping = true;
    },
  };
}

function createReaders(deps: SyncDeps): Readonly<Record<BackfillList, PageReader>> {
  return {
    subscriptions: createMirrorReader(deps, createSubscriptionMirror(deps)),
    invoices: createMirrorReader(deps, createInvoiceMirror(deps)),
    invoice_payments: createPaymentReader(deps),
    charges: createChargeReader(deps),
    fraud_warnings: createWarningReader(deps),
    unseen_invoices: createUnseenReader(deps),
    uncharged_invoices: createUnchargedReader(deps),
    own_work: createOwnWorkReader(deps),
    drifts: createDriftReader(deps),
  };
}

/** Returns the account's open run, of any origin: each reads everything. */
async function openRun(deps: BackfillDeps, request: BackfillRequest): Promise<BackfillRun | undefined> {
  const { database, clock } = deps;
  const { account, kind, months, perSecond } = request;
  const open = await findOpenRun(database, account, kind);
  if (open) return open;
  const startedAt = clock.now();
  if (isNeedless(request, await findLastFinish(database, account, kind), startedAt)) return undefined;
  const asked = startedAt.minus({ months });
  // Data never read before is no drift: the report names the gap.
  const stored = kind === 'verification' ? await findBackfilledFrom(database, account) : undefined;
  const ranges = rangesOf(deps, kind, { from: DateTime.max(asked, stored ?? asked), to: startedAt });
  const run = await database.transaction((tx) =>
    insertRun(tx, { account, kind, months, perSecond, startedAt, ranges }),
  );
  if (run) deps.logger.info({ account, run: run.id, kind, months }, 'a backfill began');
  return run ?? findOpenRun(database, account, kind);
}

/** Whether the job's run has ended, or another run did the work while it waited. */
function isNeedless(request: BackfillRequest, lastFinish: DateTime | undefined, now: DateTime): boolean {
  if (request.run !== undefined) return true;
  if (request.isScheduled) return lastFinish === undefined || lastFinish > now.minus({ days: 1 });
  const askedAt = request.askedAt === undefined ? now : DateTime.fromISO(request.askedAt, { zone: 'utc' });
  return lastFinish !== undefined && lastFinish > askedAt;
}

function rangesOf(
  { config }: SyncDeps,
  kind: BackfillRequest['kind'],
  time: { from: DateTime; to: DateTime },
) {
  const to = Math.floor(time.to.toSeconds()) + SKEW_SECONDS;
  const from = Math.floor(time.from.toSeconds());
  const { invoices, transactions } = config.forward;
  const lists: { list: BackfillList; from: number; to: number }[] = [{ list: 'subscriptions', from: 0, to }];
  // Transactions name their invoice's subscription and customer, so they need the invoices.
  if (invoices || transactions) lists.push({ list: 'invoices', from, to });
  if (transactions) lists.push({ list: 'invoice_payments', from, to }, { list: 'charges', from, to });
  lists.push({ list: 'unseen_invoices', from: 0, to: 0 });
  if (kind === 'verification') lists.push({ list: 'own_work', from, to }, { list: 'drifts', from: 0, to: 0 });
  // These refer to charges read before.
  else if (transactions)
    lists.push({ list: 'fraud_warnings', from, to }, { list: 'uncharged_invoices', from: 0, to: 0 });
  return lists;
}

interface Slice {
  readonly deps: BackfillDeps;
  readonly run: BackfillRun;
  readonly readers: Readonly<Record<BackfillList, PageReader>>;
  /** Called for each stored page. */
  readonly noteProgress: () => Promise<void>;
  readonly shouldStop: () => boolean;
}

/** Reads the lists in order. Returns when to continue, or `done`. */
async function readSlice(slice: Slice): Promise<'done' | { goOnAt: DateTime }> {
  const { deps, run, shouldStop } = slice;
  let budget = run.perSecond * SLICE_SECONDS;
  for (const list of BACKFILL_LISTS) {
    const ranges = await listOpenRanges(deps.database, run.id, list);
    if (ranges.length === 0) continue;
    const lookAgainAt = list === 'drifts' ? await findSecondLook(deps.database, run.id) : undefined;
    if (lookAgainAt && lookAgainAt > deps.clock.now()) return { goOnAt: lookAgainAt };
    const advance = (range: BackfillRange, isAskedToShare: boolean) => readOn(slice, range, isAskedToShare);
    const { isDone, steps } = await shareRanges(ranges, { readers: READERS, budget, shouldStop, advance });
    budget -= steps;
    if (!isDone) return { goOnAt: deps.clock.now() };
  }
  return 'done';
}

async function readOn(
  slice: Slice,
  range: BackfillRange,
  isAskedToShare: boolean,
): Promise<Step<BackfillRange>> {
  const { run, readers, noteProgress } = slice;
  const page = await readers[range.list](run, range);
  const move = { page, range, ...divide(range, page.last, isAskedToShare) };
  const step = await storePage(slice, move);
  await noteProgress();
  return step;
}

/**
 * Splits the rest of a range. The older half is given away; both halves end at whole seconds, and the newer one keeps the second in
 * which the page ended, where its cursor applies.
 */
function divide(range: BackfillRange, last: ReadPage['last'], isAskedToShare: boolean) {
  if (last === undefined) return { rest: undefined, given: undefined };
  const rest = { ...range, to: last.created, after: last.id };
  const middle = Math.floor((rest.from + rest.to) / 2);
  if (!isAskedToShare || middle >= rest.to) return { rest, given: undefined };
  return { rest: { ...rest, from: middle + 1 }, given: { list: range.list, from: rest.from, to: middle } };
}

interface PageMove {
  page: ReadPage;
  range: BackfillRange;
  rest: BackfillRange | undefined;
  given: Pick<BackfillRange, 'list' | 'from' | 'to'> | undefined;
}

async function storePage(slice: Slice, move: PageMove, tries = PAGE_TRIES): Promise<Step<BackfillRange>> {
  try {
    return await slice.deps.database.transaction((tx) => applyMove(slice, move, tx));
  } catch (error) {
    if (!(error instanceof ContestedPageError) || tries <= 1) throw error;
    await move.page.reread?.(error.ids);
    return storePage(slice, move, tries - 1);
  }
}

async function applyMove(
  { deps, run }: Slice,
  { page, range, rest, given }: PageMove,
  tx: Transaction,
): Promise<Step<BackfillRange>> {
  const now = deps.clock.now();
  await page.note?.(tx);
  const tally = tallyPage(page.size, await storeOrCompare(page, { run, list: range.list, now }, tx));
  if (!(await moveRange(tx, range, { tally, rest, now })))
    throw new Error(`Another process reads this part of run ${run.id} as well; this one gives way to it.`);
  const inserted = given && (await insertRange(tx, run.id, given, now));
  if (run.kind !== 'verification' && hasNews(tally)) await wakeDelivery(deps, tx, run.account);
  return { rest, given: inserted };
}

function hasNews({ added, repaired, silent }: PageTally): boolean {
  return added + repaired > silent;
}

async function finish(deps: BackfillDeps, run: BackfillRun): Promise<void> {
  await deps.database.transaction((tx) => finishRun(tx, run.id, deps.clock.now()));
  const report = await findLastReport(deps.database, run.account, run.kind);
  deps.logger.info(
    { account: run.account, run: run.id, kind: run.kind, kinds: report?.kinds },
    'the backfill is complete',
  );
}

interface Setback {
  run: BackfillRun;
  request: BackfillRequest;
  error: InstanceType<typeof Stripe.errors.StripeError>;
  /** Earlier setbacks without a page between them. */
  failures: number;
}

async function pause(deps: BackfillDeps, { run, request, error, failures }: Setback): Promise<void> {
  const waitMs = backoffMs(failures, deps.random());
  const reason = reasonOf(error);
  await recordRunFailure(deps.database, run.id, reason);
  deps.logger.warn(
    { account: run.account, run: run.id, failures, waitMs, reason },
    'the backfill is incomplete; it resumes automatically',
  );
  await enqueueNext(deps, { ...request, run: run.id }, deps.clock.now().plus({ milliseconds: waitMs }));
}

async function enqueueNext(
  deps: BackfillDeps,
  request: BackfillRequest,
  startAfter: DateTime,
): Promise<void> {
  const queue = request.kind === 'verification' ? 'verify' : 'backfill';
  await deps.enqueue(queue, [{ data: request, key: request.account, startAfter }]);
}

function reasonOf(error: unknown): Reason {
  if (!(error instanceof Stripe.errors.StripeError)) return { code: 'failed', error: messageOf(error) };
  const { statusCode: status, message } = error;
  if (status === undefined) return { code: 'stripe_gave_no_answer', message };
  return {
    code: status === 401 || status === 403 ? 'stripe_refuses_key' : 'stripe_answered',
    status,
    message,
  };
}
