/** A stand-in for a remote retry service: real HTTP, the contract's ingest, and a memory of every request. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import express, { type Request, type Response } from 'express';
import type { DateTime } from 'luxon';
import { z } from 'zod';
import type { Clock } from '../../../src/core/base/clock.ts';
import {
  type IngestKind,
  MAX_BATCH,
  subscriptionMessage,
  transactionMessage,
} from '../../../src/core/contract/contract.ts';
import { closeServer, listenOnLoopback } from './loopback-server.ts';

export const SERVICE_KEY = 'service-key-for-tests';

export interface IngestRequest {
  readonly at: DateTime;
  readonly kind: IngestKind;
  readonly records: readonly IngestedRecord[];
  status: number;
}

const record = z.looseObject({ id: z.string(), updatedAt: z.string() });
export type IngestedRecord = z.infer<typeof record>;

export interface ServiceAnswer {
  /** 200 does the work. */
  status: number;
  /** In place of the contract's; then nothing is done. */
  body?: object;
  headers?: Record<string, string>;
  /** The connection breaks instead of the answer. */
  isCut?: boolean;
  /** The work waits for it. */
  after?: Promise<unknown>;
}

export interface RecordingService {
  readonly url: string;
  /** Every request, refused ones too, in order of arrival. */
  readonly requests: IngestRequest[];
  /** What the service believes: the newest accepted record of each id. */
  readonly view: Map<string, IngestedRecord>;
  /** Decides about a request; undefined accepts it. */
  answer: (request: IngestRequest) => ServiceAnswer | undefined;
  /** Connections are cut without an answer. Such a request is recorded with status 0. */
  isDown: boolean;
  /** Every accepted version of one record, in order. */
  versionsOf(id: string): IngestedRecord[];
  reset(): void;
  stop(): Promise<void>;
}

/** Nothing but what the contract names, at most what it allows. */
const strictBodies = {
  subscriptions: z.strictObject({ subscriptions: z.array(subscriptionMessage.strict()).max(MAX_BATCH) }),
  invoices: z.strictObject({ invoices: z.array(record).max(MAX_BATCH) }),
  transactions: z.strictObject({ transactions: z.array(transactionMessage.strict()).max(MAX_BATCH) }),
};
const KINDS: readonly IngestKind[] = ['subscriptions', 'invoices', 'transactions'];

export async function startRecordingService(clock: Clock, key = SERVICE_KEY): Promise<RecordingService> {
  const app = express();
  const server = createServer((req: IncomingMessage, res: ServerResponse) => app(req, res));
  const service: RecordingService = {
    url: await listenOnLoopback(server),
    requests: [],
    view: new Map(),
    answer: () => undefined,
    isDown: false,
    versionsOf: (id) => accepted(service).filter((one) => one.id === id),
    reset: () => {
      service.requests.length = 0;
      service.view.clear();
      service.answer = () => undefined;
      service.isDown = false;
    },
    stop: () => closeServer(server),
  };
  for (const kind of KINDS) {
    app.post(`/ingest/v1/${kind}`, express.json({ limit: '5mb' }), (req, res) => {
      void ingest(service, { clock, kind, key }, req, res);
    });
  }
  // It gives its instructions by callback alone.
  app.get('/v1/recovery_actions', (_req, res) => {
    res.json({ recoveryActions: [], nextPageToken: '', totalSize: 0 });
  });
  return service;
}

async function ingest(
  service: RecordingService,
  { clock, kind, key }: { clock: Clock; kind: IngestKind; key: string },
  req: Request,
  res: Response,
): Promise<void> {
  if (req.get('authorization') !== `Bearer ${key}`) {
    res.status(401).json({ message: 'Unknown key.' });
    return;
  }
  const body = strictBodies[kind].safeParse(req.body);
  const request: IngestRequest = { at: clock.now(), kind, records: readRecords(req.body, kind), status: 0 };
  service.requests.push(request);
  if (service.isDown) {
    req.socket.destroy();
    return;
  }
  const answer: ServiceAnswer = (body.success ? service.answer(request) : { status: 400 }) ?? { status: 200 };
  await answer.after;
  request.status = answer.status;
  if (answer.status === 200 && !answer.body) for (const one of request.records) believe(service.view, one);
  if (answer.isCut) {
    req.socket.destroy();
    return;
  }
  res.status(answer.status).set(answer.headers ?? {});
  if (answer.body) {
    res.json(answer.body);
    return;
  }
  if (answer.status !== 200) {
    res.json({ message: body.success ? 'As the test asked.' : z.prettifyError(body.error) });
    return;
  }
  res.json({ requestId: `req_${service.requests.length}` });
}

/** A record that is not newer changes nothing, as the embedded service has it. */
function believe(view: RecordingService['view'], told: IngestedRecord): void {
  const known = view.get(told.id);
  if (!known || Date.parse(known.updatedAt) < Date.parse(told.updatedAt)) view.set(told.id, told);
}

function readRecords(body: unknown, kind: IngestKind): IngestedRecord[] {
  const parsed = z.looseObject({ [kind]: z.array(record) }).safeParse(body);
  return parsed.success ? (parsed.data[kind] ?? []) : [];
}

function accepted({ requests }: RecordingService): IngestedRecord[] {
  return requests.filter(({ status }) => status === 200).flatMap(({ records }) => records);
}
