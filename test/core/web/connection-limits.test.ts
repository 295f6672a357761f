import { once } from 'node:events';
import { connect } from 'node:net';
import express from 'express';
import { closeServer, createTransport, mostConnections } from '../../../src/core/web/http-server.ts';
import { listenOnLoopback } from '../../support/http/loopback-server.ts';
import { captureLog } from '../../support/log-lines.ts';

test.each([
  ['1024', 337],
  ['4096', 1000],
  ['unlimited', 1000],
  [undefined, 337],
  ['256', 32],
])('with a limit of %s open files a port takes %d connections', (openFiles, most) => {
  expect(mostConnections(openFiles)).toBe(most);
});

test('connections beyond the limit are cut off and logged once, and those that were there go on', async () => {
  const { logger, lines } = captureLog();
  const server = createTransport(
    express().get('/', (_req, res) => void res.send('here')),
    {},
    logger,
  );
  expect(server.maxConnections).toBeLessThanOrEqual(1_000);
  expect(server.headersTimeout).toBeLessThan(30_000);
  server.maxConnections = 1;
  const url = new URL(await listenOnLoopback(server));
  const first = connect(Number(url.port), url.hostname);
  await once(first, 'connect');
  for (let count = 0; count < 3; count += 1)
    await once(
      connect(Number(url.port), url.hostname).on('error', () => {}),
      'close',
    );
  first.write(`GET / HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`);
  const [answer] = await once(first, 'data');
  expect(String(answer)).toContain('here');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('connections were refused');
  first.destroy();
  await closeServer(server);
});
