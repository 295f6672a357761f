/** The twin: a retry service that keeps the contract, and answers in whichever of its ways it is told to. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import type { DateTime } from 'luxon';
import { z } from 'zod';
import { tryJson } from '../../../src/core/base/try-json.ts';
import { describeIssue, MAX_BATCH, subscriptionMessage } from '../../../src/core/contract/contract.ts';
import { addressOf, closeServer, listen } from '../../../src/core/web/http-server.ts';
import type { Fault } from '../../../src/workbench/check-service/check-report.ts';
import type { Asked } from '../service/contract-departures.ts';
import { answerListing, type ListedAction, type ListingManner, PLAIN_LISTING } from './twin-listing.ts';
import { isWhole, type TwinAnswer, writeAnswer } from './write-answer.ts';

const told = subscriptionMessage.strict();
export type ToldSubscription = z.infer<typeof told>;
const body = z.strictObject({ subscriptions: z.array(told).max(MAX_BATCH) });

export interface Delivery {
  readonly at: DateTime;
  readonly records: readonly ToldSubscription[];
  /** In what it is not as the contract has it. */
  readonly fault: Fault;
  /** How many were under way with it. */
  readonly atOnce: number;
  /** The rest is known once it is answered. */
  answeredAt?: DateTime;
  /** How many had come by then. */
  comeByThen?: number;
  answer?: TwinAnswer;
}

export interface Twin {
  readonly url: string;
  /** All requests, of every way. */
  readonly asked: Asked[];
  /** In order of arrival; of this way. */
  deliveries: Delivery[];
  /** The queries of the list, in order; of this way. */
  queries: Readonly<Record<string, string>>[];
  /** What came to an address that it only named; with the key if that was sent along. */
  strangers: { readonly key: string | undefined }[];
  actions: ListedAction[];
  manner: ListingManner;
  /** Undefined takes it. */
  onDelivery: (delivery: Delivery) => Promise<TwinAnswer | undefined>;
  /** Undefined answers with the page. */
  onListing: (query: Readonly<Record<string, string>>) => TwinAnswer | undefined;
  /** All as at the start, for the next way. */
  reset(): void;
  close(): Promise<void>;
}

export interface TwinOptions {
  readonly key: string;
  readonly port?: number;
  readonly now: () => DateTime;
  /** Of addresses beyond the contract; false leaves it unanswered. */
  readonly beside?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
}

/** Answers are dated by the client's clock, which may be simulated. */
export async function startTwin({ key, port = 0, now, beside }: TwinOptions): Promise<Twin> {
  const place = { host: '127.0.0.1', port, names: { port: '--port' } };
  let underWay = 0;
  const server = createServer(async (request, response) => {
    underWay += 1;
    response.sendDate = false;
    response.setHeader('date', now().toHTTP() ?? '');
    response.on('error', () => {});
    await answer(request, response).catch(() => response.destroy());
    underWay -= 1;
  });
  // One that ends just as it is used again looks like a service that is away.
  server.keepAliveTimeout = 0;
  await listen(server, place);
  const twin: Twin = {
    url: addressOf(server, place),
    asked: [],
    ...blank(),
    reset: () => void Object.assign(twin, blank()),
    close: () => {
      server.closeAllConnections();
      return closeServer(server);
    },
  };
  return twin;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', twin.url);
    const { authorization } = request.headers;
    if (pathname.startsWith(ELSEWHERE)) {
      twin.strangers.push({ key: authorization });
      return writeAnswer(response, { status: 503 });
    }
    const isKnown = authorization === `Bearer ${key}`;
    if (isKnown && pathname.startsWith('/check/') && (await beside?.(request, response))) return;
    const { method = '', headers } = request;
    const query = Object.fromEntries(searchParams);
    const text = method === 'POST' ? await readText(request) : '';
    twin.asked.push({ method, path: pathname, query, headers, body: tryJson(text) });
    if (!isKnown) return writeAnswer(response, { status: 401 });
    if (request.method === 'GET' && pathname === '/v1/recovery_actions') {
      twin.queries.push(query);
      return writeAnswer(response, twin.onListing(query) ?? answerListing(twin.actions, twin.manner, query));
    }
    if (request.method !== 'POST' || pathname !== '/ingest/v1/subscriptions')
      return writeAnswer(response, { status: 404 });
    const read = readDelivery(text);
    const delivery: Delivery = { at: now(), atOnce: underWay, ...read };
    twin.deliveries.push(delivery);
    const given = delivery.fault === undefined ? await twin.onDelivery(delivery) : { status: 400 };
    delivery.answer = given ?? { body: { requestId: `req_${twin.deliveries.length}` } };
    delivery.answeredAt = now();
    delivery.comeByThen = twin.deliveries.length;
    await writeAnswer(response, delivery.answer);
  }
}

/** No part of the service: nobody is to send the key there. */
export const ELSEWHERE = '/elsewhere';

const blank = () => ({
  deliveries: [],
  queries: [],
  strangers: [],
  actions: [],
  manner: PLAIN_LISTING,
  onDelivery: async () => undefined,
  onListing: () => undefined,
});

function readDelivery(text: string): Pick<Delivery, 'records' | 'fault'> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { records: [], fault: 'the body is not JSON' };
  }
  const parsed = body.safeParse(json);
  if (parsed.success) return { records: parsed.data.subscriptions, fault: undefined };
  return { records: [], fault: describeIssue(parsed.error) };
}

/** Whether the service has done its work with it. */
export const isTaken = ({ answer }: Delivery): boolean =>
  answer !== undefined && (answer.isTaken ?? isSuccess(answer));

/** Whether the client can know that. */
export const isAcknowledged = ({ answer }: Delivery): boolean =>
  answer !== undefined && isSuccess(answer) && isWhole(answer) && !isOdd(answer);

/** A page for people, a list, or a word that it was not taken. */
function isOdd({ headers, body }: TwinAnswer): boolean {
  if (headers?.['content-type'] === 'text/html' || Array.isArray(body)) return true;
  const { success, error }: { success?: unknown; error?: unknown } = Object(body);
  return success === false || error !== undefined;
}

function isSuccess({ status = 200 }: TwinAnswer): boolean {
  return status >= 200 && status < 300;
}
