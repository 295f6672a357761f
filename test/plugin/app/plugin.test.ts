import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { inspect } from 'node:util';
import vm from 'node:vm';
import express, { type Express } from 'express';
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import request from 'supertest';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { lockDirectory } from '../../../src/core/database/directory-lock.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import * as library from '../../../src/index.ts';
import { createOwnPlugin, type OwnOptions, type OwnPlugin } from '../../../src/plugin/app/own-plugin.ts';
import {
  describeLocalAddress,
  REACHABLE_ADDRESS,
} from '../../../src/plugin/operator/checks/local-address.ts';
import { flattenOptions } from '../../../src/plugin/settings/options.ts';
import { EMBEDDED, MAIN, optionsOf, type TestLocation } from '../../support/database/databases.ts';
import { eventually } from '../../support/eventually.ts';
import { listenOnLoopback } from '../../support/http/loopback-server.ts';
import { captureLog } from '../../support/log-lines.ts';

const SECRET = 'whsec_for_tests';
const clock = createSimulatedClock(DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' }));
const places: TestLocation[] = [];

/** What a test needs besides what the example says. */
async function surroundings({ createMigrated } = MAIN) {
  const place = await createMigrated();
  places.push(place);
  return { ...beside(), ...optionsOf(place.location) };
}

/** For what is never started. */
const beside = () => ({
  businessEntity: 'Acme',
  servicePort: 0,
  logger: silentLogger,
  clock,
  environment: {},
});

const KEYS = { stripeSecretKey: 'sk_test_1', stripeWebhookSecret: SECRET };

function createTestPlugin(options: OwnOptions = beside()): OwnPlugin {
  return createOwnPlugin({ retryMode: 'advisory', ...KEYS, publicUrl: 'http://localhost:1', ...options });
}

afterAll(async () => {
  for (const { remove } of places) await remove();
});

/** A webhook as Stripe posts it. */
function postWebhook(target: Express | Server | string, id = 'evt_1') {
  const created = Math.floor(clock.now().toSeconds());
  const data = { object: { id: 'cus_1', object: 'customer' } };
  const payload = JSON.stringify({ id, object: 'event', type: 'customer.created', created, data });
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET, timestamp: created });
  return request(target)
    .post('/webhooks/stripe')
    .set({ 'stripe-signature': signature, 'content-type': 'application/json' })
    .send(payload);
}

function readmeExample(): string {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  return /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
}

const IMPORT = /^import (?:(\w+)|(\{.*\})) from ('.*');$/gm;

/** Gives an example the modules it names, as if they were installed. */
async function runExample(code: string, modules: Record<string, object>, globals: object): Promise<void> {
  const body = code.replaceAll(
    IMPORT,
    (_, all: string, some: string, from: string) =>
      `const ${some ?? `{ default: ${all} }`} = modules[${from}];`,
  );
  await vm.runInNewContext(`(async () => {${body}})()`, { ...globals, modules });
}

test('README example serves, and stops on SIGTERM', async () => {
  const plugins: OwnPlugin[] = [];
  const server = createServer();
  const url = await listenOnLoopback(server);
  const around = await surroundings(EMBEDDED);
  const ports: unknown[] = [];
  const signals = new Map<string, () => void>();
  // The example's port may be taken here: its application answers on one that is free.
  const createApp = () => {
    const app = express();
    return Object.assign(app, {
      listen: (port: unknown) => {
        ports.push(port);
        return server.on('request', app);
      },
    });
  };
  const createPlugin = (options: library.PluginOptions) => {
    const plugin = createOwnPlugin({ ...flattenOptions(options).own, ...around });
    plugins.push(plugin);
    return plugin;
  };
  await runExample(
    readmeExample(),
    {
      express: { default: Object.assign(createApp, express) },
      'stripe-payment-retry': { ...library, createPlugin },
    },
    {
      process: {
        env: { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: SECRET },
        once: (signal: string, listener: () => void) => signals.set(signal, listener),
      },
    },
  );
  const [plugin] = plugins;
  expect(ports).toEqual([8080]);
  await postWebhook(`${url}/payment-retry`).expect(200, { received: true });
  const rows = await plugin?.parts.database.query('select id, type from payment_retry.events');
  expect(rows).toEqual([{ id: 'evt_1', type: 'customer.created' }]);
  const closed = once(server, 'close');
  signals.get('SIGTERM')?.();
  await closed;
  await eventually(() => expect(() => plugin?.parts).toThrow('not started'));
  await plugin?.stop();
});

test('a plugin that starts is alive and not ready, which probes learn without an error in the log; it says once that only this machine reaches it', async () => {
  const { logger, lines } = captureLog();
  const plugin = createOwnPlugin({ retryMode: 'advisory', ...KEYS, ...(await surroundings()), logger });
  const app = express().use('/retry', plugin.router);
  const starting = plugin.start();
  for (let probe = 0; probe < 5; probe += 1) {
    await request(app).get('/retry/healthz').expect(200, { status: 'ok' });
    const { body } = await request(app).get('/retry/readyz').expect(503).expect('retry-after', /\d/);
    expect(body).toMatchObject({ success: false, code: 'NOT_STARTED' });
    expect(await plugin.health()).toMatchObject({ status: 'unavailable', code: 'NOT_STARTED' });
  }
  await starting;
  await request(app).get('/retry/readyz').expect(200);
  expect(await plugin.health()).toEqual({ status: 'ready' });
  await plugin.stop();
  await request(app).get('/retry/healthz').expect(200);
  await request(app).get('/retry/readyz').expect(503);
  expect(await plugin.health()).toMatchObject({ status: 'unavailable', code: 'NOT_STARTED' });
  const said = lines.map((line): { level: number; code?: string; help?: string } => JSON.parse(line));
  expect(said.filter(({ code }) => code === 'NOT_STARTED')).toHaveLength(1);
  expect(said.filter(({ level }) => level >= 50)).toEqual([]);
  expect(said.filter(({ help }) => help === REACHABLE_ADDRESS)).toMatchObject([
    { level: 40, msg: describeLocalAddress(plugin.config) },
  ]);
});

describe('in an application that has more to do', () => {
  const { logger, lines } = captureLog();
  let plugin: OwnPlugin;
  const app = express();
  beforeAll(async () => {
    plugin = createTestPlugin({ ...(await surroundings()), logger });
    app.get('/before', (_req, res) => void res.send('before'));
    app.use(plugin.router);
    app.use(express.json());
    app.post('/orders', (req, res) => void res.json({ ordered: req.body.what }));
    app.use((_req, res) => void res.status(404).send('nothing of ours'));
  });

  test('the plugin answers 503 before the start, and leaves what is not its own alone', async () => {
    const { body } = await postWebhook(app).expect(503).expect('retry-after', /\d/);
    expect(body).toMatchObject({ success: false, code: 'NOT_STARTED' });
    await request(app).post('/accounts/acct_1/recovery_action').expect(503);
    await request(app).post('/accounts/acct_1/orders').expect(404, 'nothing of ours');
    await request(app).get('/before').expect(200, 'before');
    await request(app).post('/orders').send({ what: 'tea' }).expect(200, { ordered: 'tea' });
  });

  test('two starts of the plugin at once open one database', async () => {
    await Promise.all([plugin.start(), plugin.start()]);
    await plugin.start();
    await postWebhook(app).expect(200);
  });

  test("routes other than the plugin's are the host's, with its own parsers and its own 404", async () => {
    await request(app).post('/orders').send({ what: 'tea' }).expect(200, { ordered: 'tea' });
    await request(app).get('/unknown').expect(404, 'nothing of ours');
    await request(app).get('/webhooks/stripe').expect(404, 'nothing of ours');
  });

  test('a body that the host parsed before is refused, with what to do, unless the host kept its bytes', async () => {
    const { status, body } = await postWebhook(express().use(express.json()).use(plugin.router));
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'SIGNATURE_INVALID',
      message: expect.stringMatching(
        /parsed before it reached.*mount plugin\.router before express\.json\(\)/,
      ),
    });
    expect(lines.join('\n')).toContain('before express.json()');
    const keep = (req: object, _res: unknown, bytes: Buffer) => void Object.assign(req, { rawBody: bytes });
    await postWebhook(
      express()
        .use(express.json({ verify: keep }))
        .use(plugin.router),
    ).expect(200);
    const keepText = (req: object, _res: unknown, bytes: Buffer) =>
      void Object.assign(req, { rawBody: bytes.toString() });
    await postWebhook(
      express()
        .use(express.json({ verify: keepText }))
        .use(plugin.router),
    ).expect(200);
    const altered = express().use(express.json({ verify: keep }), (req, _res, next) => {
      Object.assign(req, { rawBody: Buffer.from('{}') });
      next();
    });
    await postWebhook(altered.use(plugin.router)).expect(400);
  });

  test('a signature whose parts a proxy has set apart is taken', async () => {
    const spaced = express().use((req, _res, next) => {
      const header = req.headers['stripe-signature'];
      req.headers['stripe-signature'] = String(header).replaceAll(',', ' , ');
      next();
    });
    await postWebhook(spaced.use(plugin.router), 'evt_spaced').expect(200);
  });

  test('the plugin stops as often as it is asked to, and starts again', async () => {
    await Promise.all([plugin.stop(), plugin.stop()]);
    await plugin.stop();
    await postWebhook(app).expect(503);
    expect(() => plugin.parts).toThrow('not started');
    await plugin.start();
    await postWebhook(app, 'evt_2').expect(200);
    const rows = await plugin.parts.database.query('select id from payment_retry.events order by id');
    expect(rows).toEqual([{ id: 'evt_1' }, { id: 'evt_2' }, { id: 'evt_spaced' }]);
    await plugin.stop();
  });
});

test('the console is its own only with a password', async () => {
  const statuses: number[] = [];
  for (const consolePassword of [undefined, 'correct horse battery staple']) {
    const plugin = createOwnPlugin({ retryMode: 'advisory', ...KEYS, ...beside(), consolePassword });
    const app = express().use(plugin.router);
    app.use((_req, res) => void res.status(404).send('nothing of ours'));
    for (const path of ['/console', '/console/timing', '/consoles'])
      statuses.push((await request(app).get(path)).status);
  }
  expect(statuses).toEqual([404, 404, 404, 503, 503, 404]);
});

test('a start that fails leaves no port open and the data directory free', async () => {
  // A socket is listed for a moment after it was closed, those of the tests before too.
  const allAreClosed = () =>
    eventually(() => expect(process.getActiveResourcesInfo()).not.toContain('TCPServerWrap'));
  await allAreClosed();
  const around = await surroundings(EMBEDDED);
  const directory = around.dataDir ?? '';
  const earlier = await openDatabase({ kind: 'embedded', directory });
  await earlier.exec(
    'drop table payment_retry_jobs.version; create table payment_retry_jobs.version (odd text)',
  );
  await earlier.close();

  await expect(createTestPlugin(around).start()).rejects.toThrow();
  await allAreClosed();
  const { release } = await lockDirectory(directory);
  release();
});

test('nothing is opened before the start, and bad settings are told at once', () => {
  expect(() => library.createPlugin({})).toThrow(library.ConfigError);
  expect(createTestPlugin().config.mode).toBe('advisory');
});

test.each([
  [{ modes: 'observe' }, 'there is no option modes; did you mean mode?'],
  [{ email: { windw: '08:00-20:00' } }, 'there is no option email.windw; did you mean email.window?'],
  [{ retryMode: 'observe' }, 'there is no option retryMode'],
  [{ email: 'smtp://mail.example' }, 'email must be an object with options such as email.cardExpiryDays'],
  [{ email: { window: ['08:00'] } }, "email.window must be a text, or two times such as ['08:00', '20:00']"],
  [{ email: { window: ['8', '20'] } }, 'email.window must have the form 08:00-20:00'],
  [{ limits: { newCardTotal: { multiple: 0 } } }, /^limits.newCardTotal must be a multiple such as 3x/],
  [{ stripe: { key: 'pk_test_1' } }, /^stripe.key must start with sk_/],
  [{ email: { smtpUrl: 'smtp://mail.example' } }, /^email.from is required with email.smtpUrl;/],
  [{ mode: 'advisory', afterGivingUp: 'cancel' }, /^afterGivingUp has no effect with mode: 'advisory'/],
  [{ on: { recoverd: () => {} } }, 'there is no event recoverd; did you mean recovered?'],
  [{ on: { recovered: 'notify' } }, 'on.recovered must be a function'],
  [{ on: () => {} }, 'on must be an object with a function for each event'],
  [{ email: { send: 'smtp' } }, 'email.send must be a function'],
])('an option that cannot be meant is refused: %p', (options: object, problem: string | RegExp) => {
  const keys = { stripe: { key: 'sk_test_1', webhookSecret: SECRET }, links: { secret: 'x'.repeat(4) } };
  const problems = problemsOf(() => library.createPlugin({ mode: 'observe', ...keys, ...options }));
  expect(problems).toContainEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
});

test('a handler for an event that there is not is refused when it is added, too', () => {
  const on = createTestPlugin().on as (type: string, handler: unknown) => void;
  expect(problemsOf(() => on('recoverd', () => {}))).toEqual([
    'there is no event recoverd; did you mean recovered?',
  ]);
  expect(problemsOf(() => on('recovered', undefined))).toEqual(['on.recovered must be a function']);
});

function problemsOf(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof library.ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('who looks at the plugin, or logs it, sees its settings and no secret', () => {
  const secrets = {
    stripe: { key: 'sk_test_marked', webhookSecret: 'whsec_marked' },
    links: { secret: 'marked-Aa0123456789-Bb0123456789-Cc01' },
    database: { url: 'postgres://shop:marked@db.example/shop' },
    console: { password: 'marked horse battery staple' },
    email: { smtpUrl: 'smtp://user:marked@mail.example', from: 'billing@shop.example' },
  };
  const plugin = library.createPlugin({ mode: 'observe', ...secrets });
  const options = { depth: 20, showHidden: true, getters: true, maxArrayLength: null } as const;
  for (const seen of [
    JSON.stringify(plugin),
    inspect(plugin, options),
    JSON.stringify(Object.values(plugin.settings)),
  ])
    expect(seen).not.toMatch(/marked/);
  expect(plugin).not.toHaveProperty('config');
  expect(plugin).not.toHaveProperty('parts');
  const { settings } = JSON.parse(JSON.stringify(plugin)) as { settings: unknown };
  expect(settings).toContainEqual(expect.objectContaining({ name: 'RETRY_MODE', value: 'observe' }));
  expect(settings).toContainEqual(expect.objectContaining({ name: 'STRIPE_SECRET_KEY', value: 'hidden' }));
});

describe("beside an application's own environment", () => {
  const OF_THE_HOST = {
    DATABASE_URL: 'postgres://shop@db.example/shop',
    LOG_LEVEL: 'loud',
    TRUST_PROXY: 'true',
    PORT: '8090',
    RETRY_MODE: 'of the shop',
  };
  const before = { ...process.env };
  beforeEach(() => void Object.assign(process.env, OF_THE_HOST));
  afterEach(() => {
    process.env = { ...before };
  });

  test('nothing of it is read', () => {
    const { config } = createOwnPlugin({ retryMode: 'advisory', ...KEYS });
    expect(config.database).toEqual({ kind: 'embedded', directory: './data' });
    expect([config.port, config.logLevel, config.mode]).toEqual([8080, 'info', 'advisory']);
    expect(config.unknownSettings).toEqual([]);
  });

  test('a missing setting names the option, and how to read the environment', () => {
    expect(() => library.createPlugin({})).toThrow(/stripe\.key is required.*settingsFromEnv/s);
  });

  test('handed over, it counts', () => {
    process.env.RETRY_MODE = 'observe';
    process.env.LOG_LEVEL = 'debug';
    delete process.env.TRUST_PROXY;
    const { config } = createOwnPlugin({ ...KEYS, servicePort: 0, environment: process.env });
    expect([config.database.kind, config.mode, config.logLevel]).toEqual(['postgres', 'observe', 'debug']);
  });
});
