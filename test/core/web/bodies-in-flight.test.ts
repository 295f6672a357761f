import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import express from 'express';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { BODY_LIMITS, type BodyLimits, readWithinLimits } from '../../../src/core/web/bodies-in-flight.ts';
import { answerErrors } from '../../../src/core/web/http-errors.ts';
import { eventually } from '../../support/eventually.ts';
import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';
import { eventBody, sign, startTestServer } from '../../support/http/test-server.ts';

const KIB = 1024;
const LIMIT = 200 * KIB;
const LARGE = 100 * KIB;
/** Nobody is slow within the time of a test. */
const PATIENT: BodyLimits = {
  small: { mostBytes: 100 * KIB, mostOfOne: 96 * KIB },
  large: { mostBytes: 150 * KIB, mostOfOne: Number.POSITIVE_INFINITY },
  pace: { ...BODY_LIMITS.pace, lookMs: 600_000 },
};

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await closeServer(server);
  }
});

/** Sends the headers and the beginning of a body. */
async function startReader(limits: BodyLimits): Promise<(headers: string, body: string | Buffer) => Socket> {
  const app = express();
  const read = readWithinLimits(LIMIT, express.raw({ type: () => true, limit: LIMIT }), limits);
  app.post('/', read, (_req, res) => void res.send('read'));
  app.use(answerErrors(silentLogger));
  const server = createServer(app);
  const url = new URL(await listenOnLoopback(server));
  servers.push(server);
  return (headers, body) => beginPost(url, { path: '/', headers, body });
}

function beginPost(url: URL, request: { path: string; headers: string; body: string | Buffer }): Socket {
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => {});
  socket.write(`POST ${request.path} HTTP/1.1\r\nHost: ${url.host}\r\n${request.headers}\r\n\r\n`);
  socket.write(request.body);
  return socket;
}

const answerOf = async (socket: Socket) => String((await once(socket, 'data'))[0]);
const announce = (bytes: number) => `Content-Length: ${bytes}`;

test('bodies read in parallel are bounded together, and room comes back with the end of each', async () => {
  const begin = await startReader(PATIENT);
  const whole = () => begin(announce(LARGE), Buffer.alloc(LARGE));
  const first = begin(announce(LARGE), Buffer.alloc(LARGE - 1));
  // It has arrived when there is no room for another one.
  await eventually(async () => expect(await answerOf(whole())).toContain('503'));
  const refused = await answerOf(begin('Transfer-Encoding: chunked', piecesOf(60, KIB)));
  expect(refused).toContain('503');
  expect(refused).toContain('Connection: close');
  expect(await answerOf(begin(announce(LIMIT + 1), ''))).toContain('413');
  expect(await answerOf(begin(announce(64 * KIB), Buffer.alloc(64 * KIB)))).toContain('200 OK');
  first.write('x');
  expect(await answerOf(first)).toContain('200 OK');
  expect(await answerOf(whole())).toContain('200 OK');
});

test('a body counts as what has arrived of it, and what is packed as what it may become', async () => {
  const begin = await startReader(PATIENT);
  for (const headers of [
    announce(LIMIT),
    'Transfer-Encoding: chunked',
    `${announce(9)}\r\nContent-Encoding: gzip`,
  ])
    for (let count = 0; count < 10; count += 1) begin(headers, 'x');
  const packed = gzipSync(Buffer.alloc(LARGE));
  const gzip = `${announce(packed.length)}\r\nContent-Encoding: gzip`;
  expect(await answerOf(begin(announce(LARGE), Buffer.alloc(LARGE)))).toContain('200 OK');
  begin(gzip, packed.subarray(0, -1));
  await eventually(async () => expect(await answerOf(begin(gzip, packed))).toContain('503'));
});

test('a body of tiny pieces counts as the memory that they take', async () => {
  const begin = await startReader(PATIENT);
  expect(await answerOf(begin('Transfer-Encoding: chunked', piecesOf(1_000, 1)))).toContain('503');
  expect(await answerOf(begin('Transfer-Encoding: chunked', piecesOf(10, 1)))).toContain('200 OK');
});

/** Of a chunked body, to its end. */
const piecesOf = (count: number, bytes: number) =>
  `${`${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`.repeat(count)}0\r\n\r\n`;

test('a body that stands still is let go, and one that keeps pace is read', async () => {
  const begin = await startReader({ ...PATIENT, pace: { lookMs: 50, slowBytes: 2, slowLooks: 3 } });
  const [still, steady] = [begin(announce(64 * KIB), 'x'), begin('Transfer-Encoding: chunked', '1\r\nx\r\n')];
  const feeding = setInterval(() => steady.write('4\r\nxxxx\r\n'), 10);
  const refused = await answerOf(still);
  expect(refused).toContain('503');
  expect(refused).toContain('too slowly');
  clearInterval(feeding);
  steady.write('0\r\n\r\n');
  expect(await answerOf(steady)).toContain('200 OK');
});

describe('with a process that serves', () => {
  let served: Awaited<ReturnType<typeof startTestServer>>;
  beforeAll(async () => {
    served = await startTestServer();
  });
  afterAll(() => served?.stop());

  test.each([
    ['64 bodies of 1 MB', 64, announce(1_048_576)],
    ['64 bodies in chunks', 64, 'Transfer-Encoding: chunked'],
    ['64 packed bodies', 64, 'Transfer-Encoding: chunked\r\nContent-Encoding: br'],
    ['600 bodies of 1 MB', 600, announce(1_048_576)],
    ['300 bodies of 60 kB', 300, announce(60_000)],
  ])('webhooks are taken next to %s of which one byte comes', async (name, count, headers) => {
    const url = new URL(served.server.url);
    const unsigned = `Stripe-Signature: t=1,v1=0\r\n${headers}`;
    const body = headers.includes('chunked') ? '1\r\nx\r\n' : 'x';
    const slow = Array.from({ length: count }, () =>
      beginPost(url, { path: '/webhooks/stripe', headers: unsigned, body }),
    );
    await Promise.all(slow.map((socket) => once(socket, 'connect')));
    for (const size of [10, 500_000]) {
      const event = eventBody(`evt_${name.replaceAll(' ', '_')}_${size}`, { filler: 'x'.repeat(size) });
      // Whoever finds every connection of the port taken comes again.
      const post = () => served.postWebhook(event, sign(event));
      await eventually(async () => expect(await post()).toMatchObject({ status: 200 }), 10_000);
    }
    for (const socket of slow) socket.destroy();
  });
});
