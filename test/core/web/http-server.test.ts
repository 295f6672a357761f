import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import express from 'express';
import { silentLogger } from '../../../src/core/base/logger.ts';
import {
  addressOf,
  closeServer,
  createTransport,
  explainListening,
  listen,
  tryToListen,
} from '../../../src/core/web/http-server.ts';
import { listenOnLoopback } from '../../support/http/loopback-server.ts';
import { TLS_CERT, TLS_KEY } from '../../support/http/tls-files.ts';

test('a port in use is named, with what to do', async () => {
  const taken = createServer();
  const port = Number(new URL(await listenOnLoopback(taken)).port);
  const place = { host: '127.0.0.1', port };
  for (const attempt of [listen(createServer(), place), tryToListen(place)])
    await expect(attempt).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: `Port ${port} (PORT) is in use by another process.`,
      help: 'End that process, or choose another PORT.',
      cause: { code: 'EADDRINUSE' },
    });
  await closeServer(taken);
});

test('an address of another machine is named, with what to do', async () => {
  await expect(tryToListen({ host: '203.0.113.1', port: 0 })).rejects.toMatchObject({
    code: 'LISTEN_FAILED',
    message: 'This machine has no address 203.0.113.1 to listen on.',
    help: expect.stringContaining('HOST'),
  });
});

test('address and port have the names under which a host gave them', () => {
  const names = { host: 'server.host', port: 'service.port' };
  const explain = (code: string) =>
    explainListening(Object.assign(new Error('listen'), { code }), { host: 'web', port: 80, names }).help;
  expect(explain('EADDRINUSE')).toContain('another service.port');
  expect(explain('ENOTFOUND')).toContain('Set server.host to');
});

test.each([
  ['EACCES', 'This user may not listen on port 80 (PORT).', 'above 1023'],
  ['ENOTFOUND', 'This machine has no address web to listen on.', 'HOST'],
  ['EODD', 'Nothing can listen on web, port 80: EODD', 'HOST or PORT'],
])('%s from the system becomes "%s"', (code, message, help) => {
  const cause = Object.assign(new Error('listen'), { code });
  const error = explainListening(cause, { host: 'web', port: 80 });
  expect(error).toMatchObject({ code: 'LISTEN_FAILED', message, help: expect.stringContaining(help), cause });
});

test('a port that was tried is free again', async () => {
  const probe = createServer();
  const port = Number(new URL(await listenOnLoopback(probe)).port);
  await closeServer(probe);
  const place = { host: '127.0.0.1', port };
  await tryToListen(place);
  const server = createServer();
  await listen(server, place);
  await closeServer(server);
});

test('a certificate and its key are served', async () => {
  const tls = { cert: readFileSync(TLS_CERT, 'utf8'), key: readFileSync(TLS_KEY, 'utf8') };
  const place = { host: '127.0.0.1', port: 0, tls };
  const app = express().get('/', (req, res) => void res.send(`secure: ${req.secure}`));
  const server = createTransport(app, place, silentLogger);
  await listen(server, place);
  const sent = request(addressOf(server, place), { ca: tls.cert, agent: false }).end();
  const [answer] = await once(sent, 'response');
  expect(await text(answer)).toBe('secure: true');
  await closeServer(server);
});
