/** How an answer goes over the wire: all of it is HTTP, and little of it is usual. */
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

export interface TwinAnswer {
  /** 200 without it. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is no text is written as JSON. */
  readonly body?: unknown;
  readonly form?: Form;
  /** Whether the service has done its work; without it, as the status says. */
  readonly isTaken?: boolean;
  /** What the client is asked to wait. */
  readonly waitMs?: number;
}

/** Each begins when status and headers are set. */
const FORMS = {
  plain: async (response, text) => void response.end(text),
  /** The client says that it reads it, or is not given it. */
  gzip: async (response, text) => {
    if (!/\bgzip\b/.test(String(response.req.headers['accept-encoding']))) return void response.end(text);
    response.setHeader('content-encoding', 'gzip');
    response.end(gzipSync(text));
  },
  chunks: async (response, text) => {
    for (const byte of Buffer.from(text)) {
      response.write(Buffer.of(byte));
      await nextTurn();
    }
    response.end();
  },
  trailers: async (response, text) => {
    response.setHeader('trailer', 'x-served-by');
    response.write(text);
    response.addTrailers({ 'x-served-by': 'twin' });
    response.end();
  },
  slow: async (response, text) => {
    response.flushHeaders();
    await wait(SLOW_MS);
    response.write(text.slice(0, text.length / 2));
    await wait(SLOW_MS);
    response.end(text.slice(text.length / 2));
  },
  hints: async (response, text) => {
    response.writeProcessing();
    response.end(text);
  },
  close: async (response, text) => {
    response.setHeader('connection', 'close');
    response.end(text);
  },
  /** Without a word that it would. */
  'close-unannounced': async (response, text) => {
    response.end(text, () => response.socket?.end());
  },
  'cut-before': async (response) => void response.socket?.destroy(),
  'cut-within': async (response, text) => {
    response.setHeader('content-length', Buffer.byteLength(text));
    response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
  },
} satisfies Readonly<Record<string, (response: ServerResponse, text: string) => Promise<void>>>;
export type Form = keyof typeof FORMS;

const SLOW_MS = 60;

export const isWhole = ({ form }: TwinAnswer): boolean => form !== 'cut-before' && form !== 'cut-within';

export async function writeAnswer(
  response: ServerResponse,
  { status = 200, headers = {}, body = {}, form = 'plain' }: TwinAnswer,
): Promise<void> {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const isBare = status === 204 || status === 304;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  await FORMS[form](response, isBare ? '' : text);
}
