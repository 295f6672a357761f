/** Reads one pass over a listing into the history, page by page. */

import type { DateTime } from 'luxon';
import { toIso } from '../../../core/base/clock.ts';
import type { ListedRecord } from '../../../core/contract/listed-record.ts';
import type { ListingResult, ServiceClient } from '../../clients/service-client.ts';
import type { PluginDeps } from '../../jobs/queues.ts';
import type { Reason } from '../../reasons/reason.ts';
import { recordListed } from '../../store/tables/retry/listed-actions.ts';
import {
  PASS_STATES,
  type PassName,
  type PassRun,
  type PassState,
} from '../../store/tables/sync/listing-state.ts';
import { judgeListedRecord } from './judge-listed-record.ts';
import {
  advance,
  concludedMark,
  isMisordered,
  isPast,
  type ListingForm,
  type ListingPass,
  toRequest,
} from './listing-pass.ts';

export interface ListingDeps extends PluginDeps {
  readonly service: Pick<ServiceClient, 'listRecoveryActions'>;
  /** No callbacks bring planned instructions. */
  readonly isPolled?: boolean;
}

export interface ReadContext {
  readonly account: string;
  /** Start of the connection: earlier records are history. */
  readonly startedAt: DateTime;
  /** Counts of records. */
  readonly found: { listed: number; fresh: number; unreadable: number };
}

/** `whole`: read completely. `refused`: not listed in this way. `setback`: interrupted, to be continued. */
export type PassEnd =
  | { kind: 'whole' | 'refused' }
  /** `retryAfterMs`: the service asked to wait. */
  | { kind: 'setback'; reason: Reason; retryAfterMs: number | undefined };

/** A token is probably a position, and rows before it change. */
const TOKEN_HOURS = 1;

/** Continues at the stored page token, or starts with the stored bounds. Page and next token are stored together, so an interruption costs one page at most. */
export async function readListing(
  deps: ListingDeps,
  context: ReadContext,
  pass: ListingPass,
): Promise<PassEnd> {
  const { account } = context;
  const now = deps.clock.now();
  const stored = (await PASS_STATES[pass.name].find(deps.database, account)) ?? {};
  const isKnown = isRecent(stored.triedAt, now, pass.triesAgainHours);
  if (isKnown && stored.form === undefined) return { kind: 'refused' };
  let state = stored;
  let run: PassRun = resume(stored.run, now) ?? begin(pass, state, now);
  let known = pass.forms.find(({ name }) => name === state.form);
  if (!isKnown && run.pageToken === undefined) known = undefined;
  let hasRestarted = false;
  for (;;) {
    const { form, result } = await ask(deps, pass, run, known);
    if (form === undefined) return refuse(deps, context, { pass, state, result });
    if (form !== known) {
      known = form;
      state = { ...state, form: form.name, triedAt: toIso(now) };
    }
    if (result.kind === 'token_expired' && !hasRestarted) {
      hasRestarted = true;
      run = { ...run, pageToken: undefined };
      await PASS_STATES[pass.name].set(deps.database, account, { ...state, run }, deps.clock.now());
      continue;
    }
    if (result.kind !== 'page') return toSetback(result);
    const next = await recordPage(deps, context, { pass, form, state, run, result });
    if (next === undefined) return { kind: 'whole' };
    if (next === 'circling') return setback({ code: 'listing_repeats_page' });
    run = next;
  }
}

/** The next page; the first one in the `known` form, else each form once. Without a form: none is accepted. */
async function ask(
  { service }: ListingDeps,
  pass: ListingPass,
  run: PassRun,
  known: ListingForm | undefined,
): Promise<{ form: ListingForm | undefined; result: ListingResult }> {
  const { pageToken } = run;
  if (known && pageToken !== undefined)
    return { form: known, result: await service.listRecoveryActions({ pageToken }, known.path) };
  const forms = known ? [known, ...pass.forms.filter((form) => form !== known)] : pass.forms;
  let second: { form: ListingForm | undefined; result: ListingResult } | undefined;
  let refused: ListingResult = { kind: 'refused', answer: '' };
  const missing = new Set<string>();
  for (const form of forms) {
    if (missing.has(form.path)) continue;
    const result = await service.listRecoveryActions(toRequest(pass, form, run), form.path);
    const isTaken =
      result.kind !== 'refused' && !(result.kind === 'page' && isMisordered(form, result.records));
    if (result.kind === 'refused' && result.isMissing) missing.add(form.path);
    if (!isTaken) refused = result;
    else if (form === known || result.kind !== 'page' || !pass.isOther(result.records))
      return { form, result };
    else second ??= { form, result };
  }
  return second ?? { form: undefined, result: refused };
}

/** The interrupted run, without an outdated token. */
function resume(run: PassRun | undefined, now: DateTime): PassRun | undefined {
  return run && (isRecent(run.tokenAt, now, TOKEN_HOURS) ? run : { ...run, pageToken: undefined });
}

function begin(pass: ListingPass, state: PassState, now: DateTime<true>): PassRun {
  return { ...pass.begin(state, now), startedAt: now.toISO(), listed: 0 };
}

type Page = Extract<ListingResult, { kind: 'page' }>;
interface Reading {
  pass: ListingPass;
  form: ListingForm;
  state: PassState;
  run: PassRun;
  result: Page;
}

/** Commits the page's rows with the next token. Undefined after the last page. */
async function recordPage(
  deps: ListingDeps,
  context: ReadContext,
  { pass, form, state, run, result }: Reading,
): Promise<PassRun | 'circling' | undefined> {
  const { account, startedAt, found } = context;
  const { records, nextPageToken } = result;
  const now = deps.clock.now();
  const isLast = nextPageToken === undefined || isPast(form, records, run);
  const advanced = advance(pass, run, records);
  const next = isLast ? undefined : { ...advanced, pageToken: nextPageToken, tokenAt: toIso(now) };
  const mark = isLast ? concludedMark(state, advanced, now) : state.mark;
  const judged = withoutRepeats(records).map((record) => judgeListedRecord(record, startedAt));
  const written = await deps.database.transaction(async (tx) => {
    const rows = await recordListed(tx, account, judged, now);
    await PASS_STATES[pass.name].set(tx, account, { ...state, mark, run: next }, now);
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

/** A statement cannot write a row twice; the last one in a page counts. */
function withoutRepeats(records: readonly ListedRecord[]): ListedRecord[] {
  return [...new Map(records.map((record) => [record.id, record])).values()];
}

/** Logged once until the form changes. */
async function refuse(
  deps: ListingDeps,
  { account }: ReadContext,
  { pass, state, result }: Pick<Reading, 'pass' | 'state'> & { result: ListingResult },
): Promise<PassEnd> {
  const now = deps.clock.now();
  const answer = result.kind === 'refused' ? result.answer : undefined;
  const reason = { code: 'listing_refused_parameters', answer } as const;
  if (state.triedAt === undefined || state.form !== undefined)
    deps.logger.warn({ account, reason }, UNLISTED[pass.name]);
  const refused = { mark: state.mark, triedAt: toIso(now) };
  await PASS_STATES[pass.name].set(deps.database, account, refused, now);
  return { kind: 'refused' };
}

const UNLISTED: Readonly<Record<PassName, string>> = {
  executed: 'the service does not list what was executed',
  created:
    'the service does not list what was created last: an instruction is found only once it is listed as executed',
};

function isRecent(iso: string | undefined, now: DateTime, hours: number): boolean {
  return iso !== undefined && iso > toIso(now.minus({ hours }));
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
