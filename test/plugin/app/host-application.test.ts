/** The plugin in an application that other machines reach over plain HTTP: what is its own, and what it leaves alone. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { isIPv6 } from 'node:net';
import express, { type Express } from 'express';
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import { createOwnPlugin, type OwnOptions, toPlugin } from '../../../src/plugin/app/own-plugin.ts';
import type { Plugin } from '../../../src/plugin/app/plugin.ts';
import { newMigratedDirectory } from '../../support/database/data-directory.ts';
import { findInterfaceAddress, hasIpv6 } from '../../support/http/interface-address.ts';
import { closeServer } from '../../support/http/loopback-server.ts';
import { type RawAnswer, type RawRequest, requestRaw } from '../../support/http/raw-request.ts';
import { captureLog } from '../../support/log-lines.ts';

const interfaceAddress = findInterfaceAddress();
const METRICS_TOKEN = 'metrics-token-for-tests-0123456789-abcdefgh';
const OPERATOR_TOKEN = 'operator-token-for-tests-0123456789-abcdefgh';

const { logger, lines } = captureLog();
const dataDir = newMigratedDirectory();
const settings: OwnOptions = {
  retryMode: 'advisory',
  stripeSecretKey: 'sk_test_1',
  stripeWebhookSecret: 'whsec_1',
  recoveryCallbackToken: 'callback-token-for-tests',
  consolePassword: 'correct horse battery staple',
  metricsToken: METRICS_TOKEN,
  operatorToken: OPERATOR_TOKEN,
  businessEntity: 'Acme',
  servicePort: 0,
  dataDir,
  environment: {},
  logger,
  clock: createSimulatedClock(DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' })),
};
const plugin = toPlugin(createOwnPlugin(settings));
const servers: Server[] = [];

beforeAll(() => plugin.start());
beforeEach(() => {
  lines.length = 0;
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map(closeServer));
});
afterAll(async () => {
  await plugin.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function listenAt(address: string, app: Express): Promise<string> {
  const server = createServer(app).listen(0, address);
  await once(server, 'listening');
  servers.push(server);
  const place = server.address();
  const port = typeof place === 'object' && place !== null ? place.port : 0;
  return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`;
}

const PREFIX = '/payment-retry';

/** An application with routes, a 404 and an answer to errors of its own, with or without the plugin in front. */
function createHost(...mounted: Plugin[]): Express {
  const app = express();
  for (const { router } of mounted) app.use(PREFIX, router);
  app.use(express.json());
  app.get(
    ['/', '/shop', '/healthz', '/api/v1/invoices', `${PREFIX}/card-update`, `${PREFIX}/consoles`],
    (_req, res) => void res.send('shop'),
  );
  app.post('/orders', (req, res) => void res.status(201).json({ ordered: req.body }));
  app.get('/broken', () => {
    throw new Error('of the shop');
  });
  app.use((req, res) => void res.status(404).send(`the shop has no ${req.originalUrl}`));
  const answerErrors: express.ErrorRequestHandler = (error, _req, res, _next) => {
    res.status(error.status ?? 500).send('the shop failed');
  };
  return app.use(answerErrors);
}

const HOSTS: readonly (readonly [string, string, RawRequest?])[] = [
  ['GET', '/'],
  ['GET', '/shop?page=2'],
  ['HEAD', '/shop'],
  ['OPTIONS', '/shop'],
  ['GET', '/healthz'],
  ['GET', '/readyz'],
  ['GET', '/metrics'],
  ['GET', '/api/v1/invoices'],
  ['GET', '/api/v1/orders', { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } }],
  ['POST', '/webhooks/stripe'],
  ['POST', '/recovery_action'],
  ['GET', '/card-update/v1.a.b'],
  ['GET', '/console'],
  ['GET', PREFIX],
  ['GET', `${PREFIX}x/console`],
  ['GET', `${PREFIX}/card-update`],
  ['GET', `${PREFIX}/card-update/`],
  ['GET', `${PREFIX}/consoles`],
  ['GET', `${PREFIX}/webhooks/other`],
  ['POST', `${PREFIX}/webhooks`],
  ['POST', `${PREFIX}/accounts/acct_1/orders`],
  ['POST', '/orders', { headers: { 'content-type': 'application/json' }, body: '{"what":"tea"}' }],
  ['POST', '/orders', { headers: { 'content-type': 'application/json' }, body: '{"what":' }],
  ['GET', '/broken'],
  ['GET', '/nowhere'],
  ['DELETE', '/nowhere'],
  ['GET', `${PREFIX}//recovery_action`],
  ['GET', '/%E0%A4%A'],
];

const OWN: readonly [string, string][] = [
  ['POST', '/webhooks/stripe'],
  ['POST', '/Webhooks/Stripe/'],
  ['POST', '/recovery_action'],
  ['POST', '/accounts/acct_1/recovery_action'],
  ['GET', '/card-update/v1.a.b'],
  ['POST', '/card-update/v1.a.b'],
  ['PUT', '/card-update/v1.a.b/x'],
  ['GET', '/console'],
  ['POST', '/console/login'],
  ['GET', '/api/v1/invoices'],
];

const codeOf = ({ status, body }: RawAnswer) => [status, /"code":"(\w+)"/.exec(body)?.[1]];

/** Sockets have no address that a test could choose, so this needs a machine that has one besides loopback. */
const testFromElsewhere = interfaceAddress === undefined ? test.skip : test;
if (interfaceAddress === undefined)
  process.stderr.write('tests from another address skipped: this machine has no address but loopback\n');

describe('over plain HTTP from another address', () => {
  const place = interfaceAddress ?? '127.0.0.1';

  // A row without its last part would have jest wait for a callback in its place.
  testFromElsewhere.each(HOSTS.map(([method, path, more = {}]) => [method, path, more] as const))(
    '%s %s is answered as by the application alone',
    async (method, path, more) => {
      const ask = async (app: Express) => {
        const { headers, ...answer } = await requestRaw(await listenAt(place, app), path, {
          method,
          ...more,
        });
        return { ...answer, headers: { ...headers, date: undefined } };
      };
      expect(await ask(createHost(plugin))).toEqual(await ask(createHost()));
      expect(lines).toEqual([]);
    },
  );

  testFromElsewhere.each(OWN)('%s %s is refused', async (method, path) => {
    const answer = await requestRaw(await listenAt(place, createHost(plugin)), PREFIX + path, { method });
    expect(codeOf(answer)).toEqual([403, 'HTTPS_REQUIRED']);
  });

  testFromElsewhere('a load balancer and a monitor are answered', async () => {
    const url = await listenAt(place, createHost(plugin));
    expect(await requestRaw(url, `${PREFIX}/healthz`)).toMatchObject({
      status: 200,
      body: '{"status":"ok"}',
    });
    expect(await requestRaw(url, `${PREFIX}/readyz`)).toMatchObject({
      status: 200,
      body: '{"status":"ready"}',
    });
    const authorization = `Bearer ${METRICS_TOKEN}`;
    const metrics = await requestRaw(url, `${PREFIX}/metrics`, { headers: { authorization } });
    expect(metrics).toMatchObject({ status: 200 });
  });

  testFromElsewhere('the proxies that the application trusts count, and only these', async () => {
    const app = createHost(plugin);
    const url = await listenAt(place, app);
    const ask = async (protocol: string) =>
      (await requestRaw(url, `${PREFIX}/card-update/v1.a.b`, { headers: { 'x-forwarded-proto': protocol } }))
        .status;
    expect(await ask('https')).toBe(403);
    app.set('trust proxy', place);
    expect([await ask('https'), await ask('http')]).toEqual([404, 403]);
    app.set('trust proxy', '203.0.113.1');
    expect(await ask('https')).toBe(403);
  });

  (interfaceAddress !== undefined && hasIpv6() ? test : test.skip)(
    'an IPv4 address in IPv6 form is told from loopback',
    async () => {
      const { port } = new URL(await listenAt('::', createHost(plugin)));
      const statusAt = async (host: string) =>
        (await requestRaw(`http://${host}:${port}`, `${PREFIX}/card-update/v1.a.b`)).status;
      expect([await statusAt('127.0.0.1'), await statusAt('[::1]'), await statusAt(place)]).toEqual([
        404, 404, 403,
      ]);
    },
  );
});

describe('behind a proxy on the same machine', () => {
  const CUSTOMER = { 'x-forwarded-for': '203.0.113.7' };

  test('callers behind a proxy on the same machine count as remote once the application trusts the proxy', async () => {
    const app = createHost(plugin);
    const url = await listenAt('127.0.0.1', app);
    const ask = async (headers: Record<string, string>) =>
      (await requestRaw(url, `${PREFIX}/card-update/v1.a.b`, { headers })).status;
    expect(await ask(CUSTOMER)).toBe(404);
    app.set('trust proxy', 'loopback');
    expect(await ask(CUSTOMER)).toBe(403);
    expect(await ask({ ...CUSTOMER, 'x-forwarded-proto': 'http' })).toBe(403);
    expect(await ask({ ...CUSTOMER, 'x-forwarded-proto': 'https' })).toBe(404);
    expect(await ask({})).toBe(404);
  });

  test("the application's own routes are left alone behind a trusted proxy on the same machine", async () => {
    const app = createHost(plugin).set('trust proxy', true);
    const url = await listenAt('127.0.0.1', app);
    const answer = await requestRaw(url, '/shop', { headers: CUSTOMER });
    expect(answer).toMatchObject({ status: 200, body: 'shop' });
  });

  test('whoever guesses at the console behind a proxy is known by the address that the proxy forwards', async () => {
    const url = await listenAt('127.0.0.1', createHost(plugin).set('trust proxy', 'loopback'));
    const headers = { ...CUSTOMER, 'x-forwarded-proto': 'https' };
    await requestRaw(url, `${PREFIX}/console/login`, { method: 'POST', headers });
    expect(lines.join('')).toContain('"ip":"203.0.113.7"');
  });
});

test("without a token /metrics is the application's", async () => {
  const other = toPlugin(createOwnPlugin({ ...settings, metricsToken: undefined }));
  const url = await listenAt('127.0.0.1', createHost(other));
  const body = `the shop has no ${PREFIX}/metrics`;
  expect(await requestRaw(url, `${PREFIX}/metrics`)).toMatchObject({ status: 404, body });
});

test("mounted without a prefix, health, metrics and the API stay the application's", async () => {
  const app = express().use(plugin.router);
  app.use((req, res) => void res.send(`the shop's ${req.path}`));
  const url = await listenAt('127.0.0.1', app);
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  for (const path of ['/healthz', '/readyz', '/metrics', '/api/v1/orders', '/api/v1/invoices'])
    expect(await requestRaw(url, path, { headers })).toMatchObject({
      status: 200,
      body: `the shop's ${path}`,
    });
  expect((await requestRaw(url, '/recovery_action', { method: 'POST' })).status).toBe(401);
});

describe.each([
  ['webhooks/stripe', { method: 'POST', headers: { 'stripe-signature': 't=1,v1=0' }, body: '{}' }, 400],
  ['recovery_action', { method: 'POST' }, 401],
])('/%s', (path, request, status) => {
  const broken = () => {
    throw new Error('no room is left');
  };
  afterEach(() => jest.restoreAllMocks());

  test('answers as usual with a logger that throws', async () => {
    const url = await listenAt('127.0.0.1', createHost(plugin));
    const warn = jest.spyOn(logger, 'warn').mockImplementation(broken);
    jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
    expect((await requestRaw(url, `${PREFIX}/${path}`, request)).status).toBe(status);
    expect(warn).toHaveBeenCalled();
  });

  test('hands an error that nobody expects to the application, and does not end it', async () => {
    const app = express().use((_req, res, next) => {
      res.json = broken;
      next();
    });
    const url = await listenAt('127.0.0.1', app.use(createHost(plugin)));
    const answer = await requestRaw(url, `${PREFIX}/${path}`, request);
    expect(answer).toMatchObject({ status: 500, body: 'the shop failed' });
  });
});
