import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import express from 'express';
import { limitBodiesInFlight } from '../../src/http/bodies-in-flight.ts';
import { answerErrors } from '../../src/http/http-errors.ts';
import { silentLogger } from '../../src/logger.ts';
import { closeServer, listenOnLoopback } from '../support/loopback-server.ts';

test('bodies that are read at once are bounded together, and room comes back with the end of each', async () => {
  const app = express();
  app.post(
    '/',
    limitBodiesInFlight(1_000, 1_500),
    express.raw({ type: () => true }),
    (_req, res) => void res.send('read'),
  );
  app.use(answerErrors(silentLogger));
  const server = createServer(app);
  const url = new URL(await listenOnLoopback(server));
  const begin = (headers: string, body: string) => {
    const socket = connect(Number(url.port), url.hostname);
    socket.write(`POST / HTTP/1.1\r\nHost: ${url.host}\r\n${headers}\r\n\r\n${body}`);
    return socket;
  };
  const answerOf = async (socket: ReturnType<typeof connect>) => String((await once(socket, 'data'))[0]);
  const first = begin('Content-Length: 1000', 'x');
  // It has arrived when another that fits beside it is answered.
  expect(await answerOf(begin('Content-Length: 400', 'x'.repeat(400)))).toContain('200 OK');
  expect(await answerOf(begin('Content-Length: 600', 'x'))).toContain('503');
  expect(await answerOf(begin('Transfer-Encoding: chunked', ''))).toContain('503');
  expect(await answerOf(begin('Content-Length: 400\r\nContent-Encoding: gzip', ''))).toContain('503');
  expect(await answerOf(begin('Content-Length: 1001', ''))).toContain('413');
  first.write('x'.repeat(999));
  expect(await answerOf(first)).toContain('200 OK');
  expect(await answerOf(begin('Content-Length: 1000', 'x'.repeat(1000)))).toContain('200 OK');
  server.closeAllConnections();
  await closeServer(server);
});
