/** A retry service's listing over real HTTP, by the contract's rules, with the freedoms that the contract leaves. */
import { DateTime } from 'luxon';
import type { Clock } from '../../../src/core/base/clock.ts';
import { type HttpStub, type StubAnswer, startHttpStub } from './http-stub.ts';

/** A record as the service keeps it; what else it has is listed as it is. */
export interface ServiceRecord extends Record<string, unknown> {
  createdAt: string;
  executedAt?: string | undefined;
}

export interface ListingBehaviour {
  /** Whether the time filters include their instant. */
  isInclusive: boolean;
  tokens: 'offset' | 'keyset';
  /** Records on a page, whatever was asked for. */
  pageLimit: number;
  /** Whether `orderBy=created_at` is taken; if it is not heeded, the oldest come first whatever was asked. */
  hasCreatedOrder: boolean | 'unheeded';
  tokenMinutes: number;
  /** What the listing of planned actions takes; most services have none. */
  planned: 'missing' | 'spelled' | 'unordered';
  /** How the listing of executed actions wants its order. */
  executed: 'contract' | 'spelled' | 'missing';
}

export interface ListingService {
  readonly url: URL;
  readonly records: ServiceRecord[];
  /** Of the listing of planned actions. */
  readonly planned: ServiceRecord[];
  readonly plannedQueries: Record<string, string>[];
  /** The query of every request, in order of arrival. */
  readonly queries: Record<string, string>[];
  behaviour: ListingBehaviour;
  /** Looks at a request before it is answered; an answer of its own stands instead. */
  intervene: (query: Record<string, string>) => StubAnswer | undefined;
  /** Tokens given until now are no longer taken. */
  expireTokens(): void;
  reset(): void;
  stop(): Promise<void>;
}

const BEHAVIOUR: ListingBehaviour = {
  isInclusive: false,
  tokens: 'keyset',
  pageLimit: 100,
  hasCreatedOrder: true,
  tokenMinutes: 24 * 60,
  planned: 'missing',
  executed: 'contract',
};

const FIRST_PARAMETERS = ['executedAfter', 'executedBefore', 'orderBy', 'orderDirection', 'pageSize'];

interface Position {
  query: Record<string, string>;
  offset: number;
  /** Sort key of the last record that was given. */
  key: string;
  at: number;
  generation: number;
}

export async function startListingService(clock: Clock): Promise<ListingService> {
  let generation = 0;
  let stub: HttpStub;
  const service: ListingService = {
    get url() {
      return stub.url;
    },
    records: [],
    planned: [],
    queries: [],
    plannedQueries: [],
    behaviour: { ...BEHAVIOUR },
    intervene: () => undefined,
    expireTokens: () => {
      generation += 1;
    },
    reset: () => {
      service.records.length = 0;
      service.planned.length = 0;
      service.plannedQueries.length = 0;
      service.queries.length = 0;
      service.behaviour = { ...BEHAVIOUR };
      service.intervene = () => undefined;
    },
    stop: () => stub.stop(),
  };
  const now = () => clock.now().toMillis();
  stub = await startHttpStub(({ path }) => {
    const url = new URL(path, 'http://service.example');
    const query = Object.fromEntries(url.searchParams);
    if (url.pathname === '/ingest/v1/recovery_actions') {
      service.plannedQueries.push(query);
      return answerPlanned(service, query);
    }
    service.queries.push(query);
    if (!url.pathname.endsWith('/v1/recovery_actions')) return { status: 404 };
    return service.intervene(query) ?? answer(service, query, { at: now(), generation });
  });
  return service;
}

/** Its order is by the ideal time unless one is asked for that it knows, and it knows no bounds. */
function answerPlanned({ planned, behaviour }: ListingService, query: Record<string, string>): StubAnswer {
  if (behaviour.planned === 'missing') return { status: 404 };
  const known = behaviour.planned === 'spelled' ? ['orderBy', 'orderDirection', 'pageSize'] : ['pageSize'];
  const isKnown = Object.keys(query).every((name) => known.includes(name));
  const isSpelled = query.orderBy === undefined || query.orderBy === 'RECOVERY_ACTION_ORDER_BY_CREATED_AT';
  if (!isKnown || !isSpelled) return { status: 400, body: { message: 'orderBy: is not known' } };
  const sorted = [...planned].sort((a, b) => ms(b.createdAt) - ms(a.createdAt));
  const recoveryActions = query.orderBy === undefined ? planned : sorted;
  return { status: 200, body: { recoveryActions, nextPageToken: '', totalSize: planned.length } };
}

function answer(
  service: ListingService,
  query: Record<string, string>,
  { at, generation }: Pick<Position, 'at' | 'generation'>,
): StubAnswer {
  const { behaviour } = service;
  if (behaviour.executed === 'missing') return { status: 404 };
  const position = query.pageToken === undefined ? undefined : readToken(query.pageToken);
  const isStale =
    position && (position.generation < generation || at - position.at > behaviour.tokenMinutes * 60_000);
  if (isStale) return { status: 400, body: { message: 'pageToken: has expired' } };
  const problem = position ? undefined : problemOf(query, behaviour);
  if (problem) return { status: 400, body: { message: problem } };
  const first = position?.query ?? query;
  const matching = select(service.records, first, behaviour);
  const rest = position ? matching.slice(startOf(matching, first, position, behaviour)) : matching;
  const shown = rest.slice(0, Math.min(behaviour.pageLimit, Number(first.pageSize)));
  const last = shown.at(-1);
  const next: Position | undefined =
    last && rest.length > shown.length
      ? {
          query: first,
          offset: (position?.offset ?? 0) + shown.length,
          key: keyOf(last, first),
          at,
          generation,
        }
      : undefined;
  return {
    status: 200,
    body: {
      recoveryActions: shown,
      nextPageToken: next ? Buffer.from(JSON.stringify(next)).toString('base64url') : '',
      totalSize: matching.length,
    },
  };
}

function readToken(token: string): Position {
  return JSON.parse(Buffer.from(token, 'base64url').toString());
}

function problemOf(
  query: Record<string, string>,
  { hasCreatedOrder, executed }: ListingBehaviour,
): string | undefined {
  const unknown = Object.keys(query).find((name) => !FIRST_PARAMETERS.includes(name));
  if (unknown) return `${unknown}: is not a parameter`;
  const byExecution = executed === 'spelled' ? 'RECOVERY_ACTION_ORDER_BY_EXECUTED_AT' : 'executed_at';
  const orders = hasCreatedOrder ? [byExecution, 'created_at'] : [byExecution];
  if (!orders.includes(query.orderBy ?? '')) return 'orderBy: is not known';
  return query.pageSize === '100' ? undefined : 'pageSize: must be sent';
}

function select(
  records: readonly ServiceRecord[],
  query: Record<string, string>,
  { isInclusive, hasCreatedOrder }: ListingBehaviour,
): ServiceRecord[] {
  const { executedAfter, executedBefore, orderDirection } = query;
  const isIn = ({ executedAt }: ServiceRecord) => {
    if (executedAfter === undefined && executedBefore === undefined) return true;
    if (executedAt === undefined) return false;
    const at = ms(executedAt);
    const edges = [executedAfter, executedBefore].flatMap((edge) => (edge === undefined ? [] : [ms(edge)]));
    if (edges.includes(at)) return isInclusive;
    return !(executedAfter && at < ms(executedAfter)) && !(executedBefore && at > ms(executedBefore));
  };
  const sorted = records.filter(isIn).sort((a, b) => (keyOf(a, query) < keyOf(b, query) ? -1 : 1));
  return orderDirection === 'desc' && hasCreatedOrder !== 'unheeded' ? sorted.reverse() : sorted;
}

function startOf(
  records: readonly ServiceRecord[],
  query: Record<string, string>,
  { key, offset }: Position,
  { tokens }: ListingBehaviour,
): number {
  if (tokens === 'offset') return offset;
  const isBeyond = (record: ServiceRecord) =>
    query.orderDirection === 'desc' ? keyOf(record, query) < key : keyOf(record, query) > key;
  const index = records.findIndex(isBeyond);
  return index === -1 ? records.length : index;
}

/** Instant, then id; what has no instant comes last in ascending order. */
function keyOf(record: ServiceRecord, { orderBy }: Record<string, string>): string {
  const instant = orderBy === 'created_at' ? record.createdAt : record.executedAt;
  const at = instant === undefined ? Number.MAX_SAFE_INTEGER : ms(instant);
  return `${String(at).padStart(20, '0')} ${record.id ?? record.requestId}`;
}

function ms(iso: string): number {
  return DateTime.fromISO(iso, { zone: 'utc' }).toMillis();
}
