/**
 * A retry service written from its contract alone: it takes and sends what the contract names, refuses everything else, and
 * notes each departure. It uses nothing of this package's own reading or writing of messages.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import type { DateTime } from 'luxon';
import { closeServer, listenOnLoopback } from '../http/loopback-server.ts';
import { TLS_CERT, TLS_KEY } from '../http/tls-files.ts';
import { findDepartures } from './contract-departures.ts';

export const CONTRACT_KEY = 'key-of-the-contract-service';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
  readonly status: number;
}

export interface SentInstruction {
  readonly requestId: string;
  readonly invoiceId: string;
  readonly actionSuggestion: string;
  readonly idealRetryTime: string;
  readonly subscriptionId?: string;
}

export interface CallbackAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
}

export interface ContractService {
  readonly url: string;
  readonly received: readonly Received[];
  /** What a request had that the contract does not allow, a sentence each. */
  readonly departures: readonly string[];
  /** The newest record of each subscription. */
  readonly subscriptions: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** The most requests that were open together. */
  readonly mostTogether: number;
  /** Actions that the listing has. */
  readonly actions: Record<string, unknown>[];
  /** What it was told of its requests, the latest of each; only if it says that it wants to hear it. */
  readonly outcomes: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  instruct(callbackBase: string, token: string, instruction: SentInstruction): Promise<CallbackAnswer>;
  stop(): Promise<void>;
}

interface State {
  readonly received: Received[];
  readonly departures: string[];
  readonly subscriptions: Map<string, Record<string, unknown>>;
  readonly actions: Record<string, unknown>[];
  readonly outcomes: Map<string, Record<string, unknown>>;
  readonly hearsOutcomes: boolean;
  open: number;
  mostTogether: number;
}

export async function startContractService({
  isTls = false,
  hearsOutcomes = false,
} = {}): Promise<ContractService> {
  const state: State = {
    received: [],
    departures: [],
    subscriptions: new Map(),
    actions: [],
    outcomes: new Map(),
    hearsOutcomes,
    open: 0,
    mostTogether: 0,
  };
  const listener: RequestListener = (request, response) => void serve(state, request, response);
  const server = isTls
    ? createTlsServer({ cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) }, listener)
    : createServer(listener);
  const address = new URL(await listenOnLoopback(server));
  return {
    ...state,
    get mostTogether() {
      return state.mostTogether;
    },
    url: isTls ? `https://localhost:${address.port}` : address.origin,
    instruct: callBack,
    stop: () => closeServer(server),
  };
}

async function callBack(base: string, token: string, body: SentInstruction): Promise<CallbackAnswer> {
  const response = await fetch(`${base}/recovery_action`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, body: await response.json() };
}

async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  state.open += 1;
  state.mostTogether = Math.max(state.mostTogether, state.open);
  const { method = '', url = '', headers } = request;
  const { pathname: path, searchParams } = new URL(url, 'http://service.example');
  const query = Object.fromEntries(searchParams);
  const body = readJson(await text(request));
  const asked = { method, path, query, headers, body };
  const isExtension = state.hearsOutcomes && path === OUTCOMES;
  if (!isExtension) state.departures.push(...findDepartures(asked, CONTRACT_KEY));
  const { status, answer } = answerTo(state, asked);
  state.received.push({ ...asked, status });
  state.open -= 1;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

function readJson(body: string): unknown {
  if (body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

type Asked = Omit<Received, 'status'>;

function answerTo(
  state: State,
  { method, path, query, headers, body }: Asked,
): { status: number; answer: object } {
  if (headers.authorization !== `Bearer ${CONTRACT_KEY}`) return { status: 401, answer: {} };
  if (method === 'POST' && path === '/ingest/v1/subscriptions') return ingest(state, body);
  if (state.hearsOutcomes && path === '/v1/capabilities')
    return { status: 200, answer: { capabilities: ['request_outcomes'] } };
  if (state.hearsOutcomes && path === OUTCOMES) return hear(state, body);
  if (method === 'GET' && path === '/v1/recovery_actions') return list(state.actions, query);
  return { status: 404, answer: {} };
}

const OUTCOMES = '/ingest/v1/request_outcomes';

function hear(state: State, body: unknown): { status: number; answer: object } {
  for (const one of Object(body).requestOutcomes) state.outcomes.set(String(one.requestId), one);
  return { status: 200, answer: { requestId: `outcomes_${state.received.length}` } };
}

function ingest(state: State, body: unknown): { status: number; answer: object } {
  const records: unknown = Object(body).subscriptions;
  if (!Array.isArray(records)) return { status: 400, answer: {} };
  if (records.length > 200) return { status: 429, answer: {} };
  for (const record of records) state.subscriptions.set(String(record.id), record);
  return { status: 200, answer: { requestId: `ingest_${state.received.length}` } };
}

/** Page tokens carry the first request's parameters, as later requests may carry the token alone. */
function list(actions: State['actions'], query: Received['query']): { status: number; answer: object } {
  const first = query.pageToken === undefined ? { ...query, offset: '0' } : readToken(query.pageToken);
  if (first === undefined) return { status: 400, answer: {} };
  const { orderBy = 'created_at', orderDirection = 'asc', executedAfter, executedBefore } = first;
  const sign = orderDirection === 'desc' ? -1 : 1;
  const matching = actions
    .filter(
      ({ executed_at: at }) =>
        executedAfter === undefined || Date.parse(String(at)) > Date.parse(executedAfter),
    )
    .filter(
      ({ executed_at: at }) =>
        executedBefore === undefined || Date.parse(String(at)) < Date.parse(executedBefore),
    )
    .sort((one, other) => sign * String(one[orderBy]).localeCompare(String(other[orderBy])));
  const offset = Number(first.offset);
  const end = offset + Number(first.pageSize ?? 100);
  const nextPageToken = end < matching.length ? writeToken({ ...first, offset: String(end) }) : '';
  const recoveryActions = matching.slice(offset, end);
  return { status: 200, answer: { recoveryActions, nextPageToken, totalSize: matching.length } };
}

function writeToken(first: Record<string, string>): string {
  return Buffer.from(JSON.stringify(first)).toString('base64url');
}

function readToken(token: string): Record<string, string> | undefined {
  const read = readJson(Buffer.from(token, 'base64url').toString());
  return typeof read === 'object' && read !== null ? Object.fromEntries(Object.entries(read)) : undefined;
}

/** As the contract writes instants: ISO 8601 in UTC. */
export const instant = (at: DateTime): string =>
  at.toUTC().startOf('second').toISO({ suppressMilliseconds: true }) ?? '';
