/** Reads one pass over the listing, page by page, into the history. */

import type { DateTime } from 'luxon';
import { toIso } from '../../../core/base/clock.ts';
import type { ListedRecord } from '../../../core/contract/listed-record.ts';
import type { ListingResult, ServiceClient } from '../../clients/service-client.ts';
import type { Reason } from '../../reasons/reason.ts';
import { recordListed } from '../../store/tables/retry/listed-actions.ts';
import {
  findPassState,
  type PassRun,
  type PassState,
  setPassState,
} from '../../store/tables/sync/listing-state.ts';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { judgeListedRecord } from './judge-listed-record.ts';
import { advance, concludedMark, type ListingPass } from './listing-pass.ts';

export type ListingDeps = Pick<RetryDeps, 'database' | 'clock' | 'logger' | 'enqueue'> & {
  readonly config: Pick<RetryDeps['config'], 'retryHorizonDays'>;
  readonly service: Pick<ServiceClient, 'listRecoveryActions'>;
};

export interface ReadContext {
  readonly account: string;
  /** When the account was taken up. */
  readonly startedAt: DateTime;
  /** Counts what is found. */
  readonly found: { listed: number; fresh: number; unreadable: number };
}

/** `whole`: read to its end. `refused`: the service does not list in this way. `setback`: cut off, to go on later. */
export type PassEnd =
  | { kind: 'whole' | 'refused' }
  /** With `retryAfterMs` the service asked to be left alone. */
  | { kind: 'setback'; reason: Reason; retryAfterMs: number | undefined };

/** A way that the service refused is tried again after this long. */
const REFUSED_HOURS = 24;

/**
 * Goes on from the stored page token, or begins with the stored bounds. The token of the next page is stored together
 * with the page, so that whatever cuts this off costs at most one page, read twice.
 */
export async function readListing(
  deps: ListingDeps,
  context: ReadContext,
  pass: ListingPass,
): Promise<PassEnd> {
  const { account } = context;
  const now = deps.clock.now();
  const state = await findPassState(deps.database, account, pass.name);
  if (state.refusedAt !== undefined && isRecent(state.refusedAt, now)) return { kind: 'refused' };
  let run: PassRun = state.run ?? begin(deps, pass, state, now);
  let hasRestarted = false;
  for (;;) {
    const { pageToken } = run;
    const result = await deps.service.listRecoveryActions(
      pageToken === undefined ? pass.toRequest(run) : { pageToken },
    );
    if (result.kind === 'refused' || (result.kind === 'page' && pass.isMisordered(result.records)))
      return refuse(deps, context, { pass, state, result });
    if (result.kind === 'token_expired' && !hasRestarted) {
      hasRestarted = true;
      run = { ...run, pageToken: undefined };
      await setPassState(
        deps.database,
        account,
        { name: pass.name, state: { ...state, run } },
        deps.clock.now(),
      );
      continue;
    }
    if (result.kind !== 'page') return toSetback(result);
    const next = await recordPage(deps, context, { pass, state, run, result });
    if (next === undefined) return { kind: 'whole' };
    if (next === 'circling') return setback({ code: 'listing_repeats_page' });
    run = next;
  }
}

function begin({ config }: ListingDeps, pass: ListingPass, state: PassState, now: DateTime<true>): PassRun {
  const { retryHorizonDays } = config;
  return { ...pass.begin(state, { now, retryHorizonDays }), startedAt: now.toISO(), listed: 0 };
}

type Page = Extract<ListingResult, { kind: 'page' }>;
interface Reading {
  pass: ListingPass;
  state: PassState;
  run: PassRun;
  result: Page;
}

/** The page's rows and the token behind it commit together. Undefined after the last page. */
async function recordPage(
  deps: ListingDeps,
  context: ReadContext,
  { pass, state, run, result }: Reading,
): Promise<PassRun | 'circling' | undefined> {
  const { account, startedAt, found } = context;
  const { records, nextPageToken } = result;
  const now = deps.clock.now();
  const isLast = nextPageToken === undefined || pass.isPast(records, run);
  const advanced = advance(pass, run, records);
  const next = isLast ? undefined : { ...advanced, pageToken: nextPageToken };
  const mark = isLast ? concludedMark(state, advanced, now) : state.mark;
  const judged = withoutRepeats(records).map((record) => judgeListedRecord(record, startedAt));
  const written = await deps.database.transaction(async (tx) => {
    const rows = await recordListed(tx, account, judged, now);
    await setPassState(tx, account, { name: pass.name, state: { mark, run: next } }, now);
    return rows;
  });
  const fresh = new Set(written.filter(({ isNew }) => isNew).map(({ id }) => id));
  found.listed += records.length;
  found.fresh += fresh.size;
  for (const { id, problem } of judged.filter(
    (record) => record.problem !== undefined && fresh.has(record.id),
  )) {
    found.unreadable += 1;
    deps.logger.warn(
      { account, id, problem },
      'a listed recovery action is not understood; it is kept as it came',
    );
  }
  const isCircling = next !== undefined && nextPageToken === run.pageToken && written.length === 0;
  return isCircling ? 'circling' : next;
}

/** One statement cannot write a row twice; what comes last in a page stands. */
function withoutRepeats(records: readonly ListedRecord[]): ListedRecord[] {
  return [...new Map(records.map((record) => [record.id, record])).values()];
}

interface Refusal {
  pass: ListingPass;
  state: PassState;
  result: ListingResult;
}

/** The contract's own way cannot be refused for good; the other is logged once. */
async function refuse(
  deps: ListingDeps,
  { account }: ReadContext,
  { pass, state, result }: Refusal,
): Promise<PassEnd> {
  const reason = {
    code: 'listing_refused_parameters',
    answer: result.kind === 'refused' ? result.answer : undefined,
  } as const;
  if (pass.name === 'executed') return setback(reason);
  const now = deps.clock.now();
  if (state.refusedAt === undefined)
    deps.logger.warn(
      { account, reason },
      'the service does not list what was created last: an instruction is found only once it is listed as executed',
    );
  const refused = { mark: state.mark, refusedAt: now.toISO() };
  await setPassState(deps.database, account, { name: pass.name, state: refused }, now);
  return { kind: 'refused' };
}

function isRecent(iso: string, now: DateTime): boolean {
  const at = toIso(now.minus({ hours: REFUSED_HOURS }));
  return iso > at;
}

function toSetback(result: Exclude<ListingResult, Page>): PassEnd {
  switch (result.kind) {
    case 'throttled':
      return setback({ code: 'listing_throttled', answer: result.answer }, result.retryAfterMs ?? 0);
    case 'failed':
      return setback({ code: 'failed', error: result.reason }, result.retryAfterMs);
    default:
      return setback({ code: 'listing_refused_token', answer: result.answer });
  }
}

function setback(reason: Reason, retryAfterMs?: number): PassEnd {
  return { kind: 'setback', reason, retryAfterMs };
}
