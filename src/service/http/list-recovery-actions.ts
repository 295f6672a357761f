/** GET /v1/recovery_actions: the service's actions, a page at a time. */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { DateTime } from 'luxon';
import { z } from 'zod';
import { toIsoSeconds } from '../../core/base/clock.ts';
import { InvalidRequestError, orUnavailable } from '../../core/base/errors.ts';
import type { RecoveryActionRecord, RecoveryActionsPage } from '../../core/contract/contract.ts';
import type { BaseDeps } from '../../core/jobs/work-deps.ts';
import { type Caller, callerOf } from '../keys/api-keys.ts';
import { describeStatusReason } from '../reasons/status-reason.ts';
import {
  countRecoveryActions,
  type ListedAction,
  listRecoveryActions,
  ORDERINGS,
} from '../store/recovery-action-pages.ts';
import { markListed } from '../store/recovery-actions.ts';
import { describeDecisionReason } from './describe-decision-reason.ts';
import { type ListingQuery, MAX_PAGE_SIZE, parseListingQuery } from './listing-query.ts';

type ListingDeps = Pick<BaseDeps, 'database' | 'clock'>;

/** A first page has no position yet, and nobody has counted. */
type Page = Omit<PageState, 'after' | 'total'> & {
  after: PageState['after'] | undefined;
  total: number | undefined;
};

export function createListingHandler(deps: ListingDeps): RequestHandler {
  return async (request, response) => {
    const caller = callerOf(response);
    const page = resolvePage(caller.keyHash, deps.clock.now(), request.query);
    const { rows, answer } = await orUnavailable(readPage(deps, caller, page));
    // The answer to HEAD has no body: nothing was read.
    if (request.method === 'GET') await orUnavailable(noteListed(deps, rows));
    response.json(answer);
  };
}

/** Oldest created first is what continuous reading needs (stripe-facts 12.2). Throws InvalidRequestError. */
function resolvePage(keyHash: string, now: DateTime, query: unknown): Page {
  const given = parseListingQuery(query);
  const { pageToken, orderBy = 'created_at', direction = 'asc', filters } = given;
  if (pageToken === undefined) {
    const { pageSize = MAX_PAGE_SIZE } = given;
    return { orderBy, direction, filters, after: undefined, total: undefined, pageSize };
  }
  const state = readPageToken(keyHash, pageToken, now);
  const changed = findChanged(given, state);
  if (changed)
    throw new InvalidRequestError(`${changed}: is not what the pageToken was made with; leave it out`);
  return { ...state, pageSize: given.pageSize ?? state.pageSize };
}

/** A page token carries ordering and filters. Repeated ones must agree with it; ignoring others would answer wrongly. */
function findChanged(given: ListingQuery, { orderBy, direction, filters }: PageState): string | undefined {
  if (given.orderBy !== undefined && given.orderBy !== orderBy) return 'orderBy';
  if (given.direction !== undefined && given.direction !== direction) return 'orderDirection';
  return Object.entries(given.filters).find(([name, value]) => filters[name] !== value)?.[0];
}

/** One row more than asked for shows whether another page follows. */
async function readPage(
  { database, clock }: ListingDeps,
  { organization, keyHash }: Caller,
  page: Page,
): Promise<{ rows: readonly ListedAction[]; answer: RecoveryActionsPage }> {
  const rows = await listRecoveryActions(database, organization, { ...page, limit: page.pageSize + 1 });
  const shown = rows.slice(0, page.pageSize);
  const last = shown.at(-1);
  const hasMore = rows.length > shown.length;
  const after = last && { key: last.key, position: last.position };
  // Counting reads every action of the organization: the first page does it for all that follow.
  const total = page.total ?? (await countRecoveryActions(database, organization, page.filters));
  const answer = {
    recoveryActions: shown.map(toRecord),
    nextPageToken: hasMore && after ? writePageToken(keyHash, { ...page, after, total }, clock.now()) : '',
    totalSize: total,
  };
  return { rows: shown, answer };
}

const OUTSTANDING: ReadonlySet<string> = new Set(['PENDING', 'SENT']);

/** A reader of a pending action may carry it out, with or without a callback. Recorded at the first read only. */
async function noteListed({ database, clock }: ListingDeps, rows: readonly ListedAction[]): Promise<void> {
  const fresh = rows.filter(({ listedAt, status }) => listedAt === null && OUTSTANDING.has(status));
  const ids = fresh.map(({ id }) => id);
  if (ids.length > 0) await markListed(database, ids, clock.now());
}

function toRecord(row: ListedAction): RecoveryActionRecord {
  return {
    id: row.id,
    requestId: row.requestId,
    invoiceId: row.invoiceId,
    ...(row.subscriptionId === null ? {} : { subscriptionId: row.subscriptionId }),
    customerId: row.customerId,
    ...(row.transactionId === null ? {} : { transactionId: row.transactionId }),
    ...(row.paymentMethodType === null ? {} : { paymentMethodType: row.paymentMethodType }),
    ...(row.cardCountry === null ? {} : { cardCountry: row.cardCountry }),
    currency: row.currency,
    type: row.suggestion.replace('ACTION_SUGGESTION', 'RECOVERY_ACTION_TYPE'),
    status: `RECOVERY_ACTION_STATUS_${row.status}`,
    ...(row.statusReason === null ? {} : { statusReason: describeStatusReason(row.statusReason) }),
    actionSuggestion: row.suggestion,
    idealRetryTime: toIsoSeconds(row.idealRetryAt),
    reason: row.reason,
    ...(row.reasons.length === 0 ? {} : { reasons: row.reasons.flatMap(describeDecisionReason) }),
    createdAt: toIsoSeconds(row.createdAt),
    created_at: toIsoSeconds(row.createdAt),
    updatedAt: toIsoSeconds(row.updatedAt),
    ...(row.executedAt === null ? {} : inBothSpellings(toIsoSeconds(row.executedAt))),
  };
}

/** The contract writes `executed_at`, services in the field `executedAt` (stripe-facts 12.2). */
function inBothSpellings(executedAt: string) {
  return { executedAt, executed_at: executedAt };
}

/** The opaque `nextPageToken`: ordering, filters, position and the first page's count, signed for the API key, and good for a day. */
const TOKEN_HOURS = 24;

const pageState = z.object({
  orderBy: z.enum(ORDERINGS),
  direction: z.enum(['asc', 'desc']),
  pageSize: z.int(),
  filters: z.record(z.string(), z.string()),
  after: z.object({ key: z.string(), position: z.int() }),
  total: z.int(),
});
type PageState = z.infer<typeof pageState>;

const tokenContent = pageState.extend({ expires: z.int() });

export function writePageToken(keyHash: string, state: PageState, now: DateTime): string {
  const expires = Math.floor(now.plus({ hours: TOKEN_HOURS }).toSeconds());
  const content = Buffer.from(JSON.stringify({ ...state, expires }), 'utf8').toString('base64url');
  return `${content}.${sign(keyHash, content).toString('base64url')}`;
}

/** Throws InvalidRequestError. */
export function readPageToken(keyHash: string, token: string, now: DateTime): PageState {
  const [, content = '', signature = ''] = /^([\w-]+)\.([\w-]+)$/.exec(token) ?? [];
  // One of ours that does not fit was written by another version of the service.
  const known = isSigned(keyHash, content, signature)
    ? tokenContent.safeParse(decode(content)).data
    : undefined;
  if (!known) throw new InvalidRequestError('pageToken: is not valid; start again from the first page');
  const { expires, ...state } = known;
  if (now >= DateTime.fromSeconds(expires))
    throw new InvalidRequestError('pageToken: has expired; start again from the first page');
  return state;
}

function isSigned(keyHash: string, content: string, signature: string): boolean {
  const expected = sign(keyHash, content);
  const presented = Buffer.from(signature, 'base64url');
  return presented.length === expected.length && timingSafeEqual(presented, expected);
}

function decode(content: string): unknown {
  return JSON.parse(Buffer.from(content, 'base64url').toString());
}

function sign(keyHash: string, content: string): Buffer {
  return createHmac('sha256', keyHash).update(content).digest();
}
