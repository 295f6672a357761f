/** Whoever has the address of a card-update page can use it, so no log line may hold one, however it came to us. */
import { createServer } from 'node:http';
import express, { type RequestHandler } from 'express';
import { DateTime } from 'luxon';
import { createOwnPlugin } from '../../../src/plugin/app/own-plugin.ts';
import { createLinkToken } from '../../../src/plugin/retry/mail/card-update-link.ts';
import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';
import { requestRaw } from '../../support/http/raw-request.ts';
import { startTestServer, type TestServer } from '../../support/http/test-server.ts';
import { captureLog } from '../../support/log-lines.ts';
import { LINK_SECRET } from '../../support/world.ts';

const TOKEN = createLinkToken(
  {
    account: 'own',
    customerId: 'cus_1',
    invoiceId: 'in_1',
    expiresAt: DateTime.fromISO('2030-01-01T00:00:00Z', { zone: 'utc' }),
  },
  LINK_SECRET,
);

/** Each way in which a link was seen to arrive, or could. */
const PATHS = [
  `/card-update/${TOKEN}`,
  `/card-update/${TOKEN}/`,
  `/card-update/${TOKEN}x`,
  `/card-update/${TOKEN}/x`,
  `/card-update/${TOKEN}?done=1`,
  `/card-update/${TOKEN}%E0%A4%A`,
  `/card-update/${TOKEN}%0A`,
  `/card-update/?token=${TOKEN}`,
  `/Card-Update/${TOKEN}`,
  `/card-update//${TOKEN}`,
  `//card-update/${TOKEN}`,
  `/card-update%2F${TOKEN}`,
  `/%E0%A4%A/card-update/${TOKEN}`,
  `/billing/card-update/${TOKEN}`,
  `/${TOKEN}`,
  `/${TOKEN}?${TOKEN}`,
  `/webhooks/stripe/${TOKEN}`,
  `/webhooks/stripe?${TOKEN}`,
  `/recovery_action/${TOKEN}`,
  `/accounts/${TOKEN}/recovery_action`,
  `/accounts/${TOKEN}%E0%A4%A/recovery_action`,
  `/healthz/${TOKEN}`,
  `/console/${TOKEN}`,
  `/console/invoices/${TOKEN}`,
  `/console/login?to=${TOKEN}`,
  `/v1/recovery_actions/${TOKEN}`,
  `/v1/recovery_actions?pageToken=${TOKEN}`,
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS'];

const SETTINGS = {
  linkSecret: LINK_SECRET,
  consolePassword: 'correct horse battery staple',
  // Nobody answers there: the portal session fails.
  stripeApiBase: 'http://127.0.0.1:9',
};

async function askAll(url: string): Promise<number[]> {
  const statuses = new Set<number>();
  for (const path of PATHS)
    for (const method of METHODS) {
      const { status = 0 } = await requestRaw(url, path, { method });
      statuses.add(status);
    }
  return [...statuses].sort();
}

function expectNoLink(lines: readonly string[]): void {
  expect(lines.length).toBeGreaterThan(0);
  const [, payload = '', signature = ''] = TOKEN.split('.');
  for (const line of lines) for (const part of [payload, signature]) expect(line).not.toContain(part);
}

let served: TestServer;
beforeAll(async () => {
  served = await startTestServer(SETTINGS);
});
afterAll(() => served?.stop().catch(() => undefined));

test('by any path and method', async () => {
  const statuses = await askAll(served.server.url);
  expect(statuses).toEqual(expect.arrayContaining([200, 400, 401, 404]));
  expectNoLink(served.logLines);
  expect(served.logLines.join('')).toContain('"path":"/*/card-update/*"');
});

test('when it comes to the embedded service instead', async () => {
  const { service } = served.server.plugin.parts;
  expect(await askAll(service?.url ?? '')).toEqual(expect.arrayContaining([401, 404]));
  expectNoLink(served.logLines);
});

test('when it comes over plain HTTP, to the plugin in an application', async () => {
  const app = express();
  const fromElsewhere: RequestHandler = (req, _res, next) => {
    Object.defineProperty(req.socket, 'remoteAddress', { value: '203.0.113.7', configurable: true });
    next();
  };
  app.use(fromElsewhere, served.server.plugin.router);
  app.use('/billing', served.server.plugin.router);
  app.use((_req, res) => void res.sendStatus(404));
  const host = createServer(app);
  const before = served.logLines.length;
  expect(await askAll(await listenOnLoopback(host))).toEqual(expect.arrayContaining([403, 404]));
  await closeServer(host);
  const lines = served.logLines.slice(before);
  expectNoLink(lines);
  expect(lines.join('')).toContain('"code":"HTTPS_REQUIRED","method":"PUT","path":"/card-update/*"');
});

test('while the plugin is stopped', async () => {
  const { logger, lines } = captureLog();
  const plugin = createOwnPlugin({
    ...SETTINGS,
    retryMode: 'advisory',
    stripeSecretKey: 'sk_test_1',
    stripeWebhookSecret: 'whsec_1',
    logger,
  });
  const host = createServer(express().use(plugin.router));
  expect(await askAll(await listenOnLoopback(host))).toEqual(expect.arrayContaining([503]));
  await closeServer(host);
  expectNoLink(lines);
});

test('while the database and Stripe are away', async () => {
  await served.server.plugin.parts.database.close();
  const before = served.logLines.length;
  await askAll(served.server.url);
  await askAll(served.server.plugin.parts.service?.url ?? '');
  const lines = served.logLines.slice(before);
  expectNoLink(lines);
  expect(lines.join('')).toContain('card-update page failed');
});
