/** The twin's list of recovery actions, page by page, with the freedoms that the contract leaves. Pure. */
import { DateTime } from 'luxon';
import { isRecord } from '../../../src/core/contract/contract.ts';
import type { TwinAnswer } from './write-answer.ts';

export interface ListedAction extends Record<string, unknown> {
  readonly id: string;
  readonly createdAt: string;
  readonly executedAt?: string;
}

export interface ListingManner {
  /** Records on a page, whatever was asked for. */
  readonly pageLimit: number;
  /** `offset`: what is new in front pushes others to the next page. */
  readonly tokens: 'keyset' | 'offset';
  /** Whether the time filters include their instant. */
  readonly isInclusive: boolean;
  /** A page as it is written. */
  readonly write: (page: TwinPage) => unknown;
}

export interface TwinPage {
  readonly recoveryActions: readonly Record<string, unknown>[];
  readonly nextPageToken: string;
  readonly totalSize: number;
}

export const PLAIN_LISTING: ListingManner = {
  pageLimit: 100,
  tokens: 'keyset',
  isInclusive: false,
  write: (page) => page,
};

type Query = Readonly<Record<string, string>>;
interface Position {
  readonly query: Query;
  readonly offset: number;
  readonly key: string;
}

export function answerListing(
  actions: readonly ListedAction[],
  manner: ListingManner,
  query: Query,
): TwinAnswer {
  const position = query.pageToken === undefined ? undefined : readToken(query.pageToken);
  if (query.pageToken !== undefined && !position) return refused('pageToken: is none of this service');
  const asked = position?.query ?? query;
  const { pageSize = '100' } = asked;
  if (!(Number(pageSize) >= 1 && Number(pageSize) <= 100)) return refused('pageSize: is 1 to 100');
  const matching = select(actions, manner, asked);
  const rest = position ? matching.slice(startOf(matching, manner, position)) : matching;
  const shown = rest.slice(0, Math.min(manner.pageLimit, Number(pageSize)));
  const last = shown.at(-1);
  const isMore = rest.length > shown.length;
  const offset = (position?.offset ?? 0) + shown.length;
  const next: Position | undefined =
    last && isMore ? { query: asked, offset, key: keyOf(last, asked) } : undefined;
  const nextPageToken = next ? Buffer.from(JSON.stringify(next)).toString('base64') : '';
  return { body: manner.write({ recoveryActions: shown, nextPageToken, totalSize: matching.length }) };
}

const refused = (message: string): TwinAnswer => ({ status: 400, body: { success: false, message } });

function readToken(token: string): Position | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(token, 'base64').toString());
    if (!isRecord(read) || !isRecord(read.query)) return undefined;
    const query = Object.fromEntries(
      Object.entries(read.query).map(([name, value]) => [name, String(value)]),
    );
    return { query, offset: Number(read.offset), key: String(read.key) };
  } catch {
    return undefined;
  }
}

function select(
  actions: readonly ListedAction[],
  { isInclusive }: ListingManner,
  query: Query,
): ListedAction[] {
  const { executedAfter, executedBefore, orderDirection } = query;
  const isAsked = ({ executedAt }: ListedAction) => {
    if (executedAfter === undefined && executedBefore === undefined) return true;
    if (executedAt === undefined) return false;
    const at = millis(executedAt);
    const [from, to] = [executedAfter, executedBefore].map((edge) => edge && millis(edge));
    if (at === from || at === to) return isInclusive;
    return (from === undefined || from === '' || at > from) && (to === undefined || to === '' || at < to);
  };
  const sorted = actions.filter(isAsked).sort((a, b) => (keyOf(a, query) < keyOf(b, query) ? -1 : 1));
  return orderDirection === 'desc' ? sorted.reverse() : sorted;
}

function startOf(
  actions: readonly ListedAction[],
  { tokens }: ListingManner,
  { query, offset, key }: Position,
): number {
  if (tokens === 'offset') return offset;
  const isBeyond = (action: ListedAction) =>
    query.orderDirection === 'desc' ? keyOf(action, query) < key : keyOf(action, query) > key;
  const index = actions.findIndex(isBeyond);
  return index === -1 ? actions.length : index;
}

/** Instant, then id; what was not executed comes last in ascending order. */
function keyOf({ id, createdAt, executedAt }: ListedAction, { orderBy }: Query): string {
  const instant = orderBy === 'executed_at' ? executedAt : createdAt;
  const at = instant === undefined ? Number.MAX_SAFE_INTEGER : millis(instant);
  return `${String(at).padStart(20, '0')} ${id}`;
}

const millis = (iso: string): number => DateTime.fromISO(iso, { zone: 'utc' }).toMillis();
