/** A start that cannot succeed: it says why and what to do, and nothing goes on running. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { runService } from '../../src/cli/service-command.ts';
import { ConfigError } from '../../src/core/base/errors.ts';
import { type Logger, silentLogger } from '../../src/core/base/logger.ts';
import { lockDirectory } from '../../src/core/database/directory-lock.ts';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { createOwnPlugin } from '../../src/plugin/app/own-plugin.ts';
import { startServer } from '../../src/plugin/app/server.ts';
import { newMigratedDirectory } from '../support/database/data-directory.ts';
import { MAIN, variablesOf } from '../support/database/databases.ts';
import { eventually } from '../support/eventually.ts';
import { startHttpStub } from '../support/http/http-stub.ts';
import { closeServer, listenOnLoopback } from '../support/http/loopback-server.ts';
import { captureLog } from '../support/log-lines.ts';
import { type CommandProcess, spawnCommand } from '../support/process/command-process.ts';
import { reportedFailure } from '../support/process/reported-failure.ts';
import { firstOf } from '../support/runner/full-run.ts';

let directory: string;
let dataDir: string;
let taken: Server;
let takenPort: string;
let command: CommandProcess | undefined;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'payment-retry-failed-start-'));
  dataDir = join(directory, 'data');
  taken = createServer();
  takenPort = new URL(await listenOnLoopback(taken)).port;
});
afterEach(async () => {
  await command?.kill();
  command = undefined;
  await closeServer(taken);
  rmSync(directory, { recursive: true, force: true });
});

/** What each of the two programs needs besides what is wrong. Stripe is an address that nobody answers at. */
const SETTINGS = {
  start: {
    RETRY_MODE: 'advisory',
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
    STRIPE_API_BASE: 'http://127.0.0.1:9',
    PORT: '0',
    SERVICE_PORT: '0',
  },
  service: {
    RETRY_SERVICE_API_KEY: 'key-for-tests-0123456789-abcdefgh',
    RECOVERY_CALLBACK_TOKEN: 'token-for-tests-0123456789-abcdefgh',
    PUBLIC_URL: 'http://127.0.0.1:9',
    SERVICE_PORT: '0',
  },
} as const;
type Program = keyof typeof SETTINGS;

/** What a program does, prints and ends with, without a process of its own. */
function run(program: Program, settings: Record<string, string>, logger: Logger = silentLogger) {
  const environment = { ...SETTINGS[program], DATA_DIR: dataDir, ...settings };
  if (program === 'start') return reportedFailure(() => startServer({ environment, logger }));
  const { env } = process;
  process.env = environment;
  return reportedFailure(runService).finally(() => {
    process.env = env;
  });
}

const isStack = /^ +at /m;
/** A user of no rights, by number: as systems have it. */
const NOBODY = 65_534;

test.each(
  firstOf<[Program, Record<string, string>, string[]]>(1, [
    [
      'start',
      { STRIPE_SECRET_KEY: 'pk_test_1', STRIPE_WEBHOOK_SECRET: 'abc' },
      ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'],
    ],
    [
      'start',
      { TRUST_PROXY: 'yes', PORT: '65536', TLS_CERT: '/nowhere/c', TLS_KEY: '/nowhere/k' },
      ['PORT', 'TLS_CERT', 'TLS_KEY', 'TRUST_PROXY'],
    ],
    [
      'service',
      { TRUST_PROXY: 'yes', SERVICE_PORT: '-1', TLS_CERT: '/nowhere/c', TLS_KEY: '/nowhere/k', HOST: ':' },
      ['HOST', 'SERVICE_PORT', 'TLS_CERT', 'TLS_KEY', 'TRUST_PROXY'],
    ],
  ]),
)('`%s` with %j names the settings and ends with 2', async (program, settings, names) => {
  const { code, text } = await run(program, settings);
  expect(code).toBe(2);
  expect(text.match(/(?<=^- )[A-Z_]+/gm)?.sort()).toEqual(names);
  expect(text).not.toMatch(isStack);
  expect(existsSync(dataDir)).toBe(false);
});

test.each(
  firstOf<[Program, string]>(1, [
    ['service', 'SERVICE_PORT'],
    ['start', 'PORT'],
    ['start', 'SERVICE_PORT'],
  ]),
)('`%s` ends with 1 when its %s is taken, before it opens the database', async (program, name) => {
  const { code, text } = await run(program, { [name]: takenPort });
  expect(code).toBe(1);
  expect(text).toEqual(
    expect.stringContaining(
      `Port ${takenPort} (${name}) is in use by another process.\nEnd that process, or choose another ${name}.\n`,
    ),
  );
  expect(existsSync(dataDir)).toBe(false);
});

test.each(firstOf<Program>(1, ['start', 'service']))(
  '`%s` ends with 1 where HOST is not of this machine, before it opens the database',
  async (program) => {
    const { code, text } = await run(program, { HOST: '203.0.113.1' });
    expect(code).toBe(1);
    expect(text).toMatch(/^This machine has no address 203\.0\.113\.1 to listen on\.\n.*\n$/);
    expect(existsSync(dataDir)).toBe(false);
  },
);

test.each(firstOf<Program>(1, ['start', 'service']))(
  '`%s` ends with 1 when its database cannot be opened, and leaves no lock',
  async (program) => {
    mkdirSync(join(dataDir, 'pg'), { recursive: true });
    writeFileSync(join(dataDir, 'pg', 'PG_VERSION'), 'none');
    const { code, text } = await run(program, {});
    expect(code).toBe(1);
    expect(text).toContain(`${join(dataDir, 'pg')} is neither empty nor a whole database: `);
    expect(text).not.toMatch(isStack);
    expect(readdirSync(dataDir)).toEqual(['pg']);
  },
);

test.each(firstOf(1, ['.', 'pg']))(
  '`start` as a user who may not write to %s of DATA_DIR says so, and whose it must be',
  async (part) => {
    const folder = join(dataDir, part);
    mkdirSync(folder, { recursive: true });
    for (const open of [directory, dataDir]) chmodSync(open, 0o777);
    chmodSync(folder, 0o555);
    // Root may write anywhere.
    const uid = process.getuid?.() === 0 ? NOBODY : undefined;
    command = spawnCommand('start', { ...SETTINGS.start, DATA_DIR: dataDir }, { uid });
    expect(await command.ended).toBe(1);
    chmodSync(folder, 0o777);
    const text = command.output();
    expect(text).toContain(
      `User ${uid ?? process.getuid?.()} cannot write to ${folder} (EACCES).\nGive the folder`,
    );
    expect(text).not.toMatch(isStack);
    expect(readdirSync(dataDir)).toEqual(part === '.' ? [] : ['pg']);
  },
);

test('`start` ends with 2 when Stripe does not take the key, before any work begins', async () => {
  const stripe = await startHttpStub(() => ({
    status: 401,
    body: {
      error: { type: 'invalid_request_error', code: 'api_key_expired', message: 'Expired: sk_test_***1' },
    },
  }));
  const place = await MAIN.createMigrated();
  const { logger, lines } = captureLog();
  const settings = { STRIPE_API_BASE: stripe.url.href, ...variablesOf(place.location) };
  const { code, text } = await run('start', settings, logger);
  await place.remove();
  await stripe.stop();
  expect(code).toBe(2);
  expect(text).toContain(
    '- STRIPE_SECRET_KEY is not accepted by Stripe (api_key_expired): take the key from',
  );
  expect(text).not.toMatch(isStack);
  expect(lines.join('')).not.toContain('listening"');
  expect(stripe.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/events?limit=1']);
});

test('`start` ends with 1 when PostgreSQL is away', async () => {
  const { code, text } = await run('start', { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' });
  expect(code).toBe(1);
  expect(text).toMatch(/^The database cannot be reached: .*ECONNREFUSED.*\n.*DATABASE_URL.*\n$/);
});

describe('in an application', () => {
  const options = (): OwnOptions => ({
    retryMode: 'advisory',
    stripeSecretKey: 'sk_test_1',
    stripeWebhookSecret: 'whsec_1',
    stripeApiBase: 'http://127.0.0.1:9',
    servicePort: 0,
    port: 0,
    dataDir,
    environment: {},
    logger: silentLogger,
  });
  const countServers = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

  test.each<[OwnOptions, string]>([
    [{ stripeSecretKey: 'pk_test_1' }, 'stripe.key'],
    [{ trustProxy: 'yes' }, 'server.trustProxy'],
    [{ port: 9000, servicePort: 9000 }, 'service.port must be another port than server.port'],
  ])('createPlugin throws with %j', (wrong, name) => {
    const create = () => createOwnPlugin({ ...options(), ...wrong });
    expect(create).toThrow(ConfigError);
    expect(create).toThrow(name);
  });

  test("start() of the plugin rejects when the service's port is taken, and opens nothing", async () => {
    const plugin = createOwnPlugin({ ...options(), servicePort: Number(takenPort) });
    const rejected = { name: 'PluginError', code: 'LISTEN_FAILED' };
    await expect(plugin.start({ wait: false })).rejects.toMatchObject(rejected);
    expect(existsSync(dataDir)).toBe(false);
  });

  test('an application that serves on after a failed start answers with its code, and the log has the rest', async () => {
    const { logger, lines } = captureLog();
    const plugin = createOwnPlugin({ ...options(), servicePort: Number(takenPort), logger });
    const server = createServer(express().use(plugin.router));
    const url = await listenOnLoopback(server);
    await plugin.start({ wait: false }).catch(() => undefined);
    const answer = await fetch(`${url}/webhooks/stripe`, { method: 'POST' });
    const message = 'The plugin could not start (LISTEN_FAILED). Its log says why, and what to do.';
    expect([answer.status, await answer.json()]).toEqual([503, expect.objectContaining({ message })]);
    const words = [`Port ${takenPort} (service.port) is in use`, 'choose another service.port'];
    for (const word of words) expect(lines.join('')).toContain(word);
    await closeServer(server);
  });

  test('start() keeps trying while PostgreSQL is away, says so once, and ends with stop()', async () => {
    const { logger, lines } = captureLog();
    const databaseUrl = 'postgres://nobody@127.0.0.1:9/none';
    const plugin = createOwnPlugin({ ...options(), databaseUrl, logger });
    const server = createServer(plugin.router);
    const url = await listenOnLoopback(server);
    const started = plugin.start();
    await eventually(async () =>
      expect(await plugin.health()).toMatchObject({ status: 'unavailable', code: 'STORE_UNAVAILABLE' }),
    );
    const answer = await fetch(`${url}/webhooks/stripe`, { method: 'POST' });
    const message = expect.stringContaining('could not start (STORE_UNAVAILABLE)');
    expect([answer.status, await answer.json()]).toEqual([503, expect.objectContaining({ message })]);
    expect((await fetch(`${url}/of-the-shop`)).status).toBe(404);
    await plugin.stop();
    await started;
    expect(lines.filter((line) => line.includes('it keeps trying'))).toHaveLength(1);
    await expect(plugin.start({ wait: false })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await closeServer(server);
  });

  test('start() resolves when the process that had the folder has ended', async () => {
    const prepared = newMigratedDirectory();
    const { release } = await lockDirectory(prepared);
    const plugin = createOwnPlugin({ ...options(), dataDir: prepared });
    const started = plugin.start();
    await eventually(async () => expect(await plugin.health()).toMatchObject({ code: 'DATA_DIR_LOCKED' }));
    release();
    await started;
    expect(await plugin.health()).toEqual({ status: 'ready' });
    await plugin.stop();
    rmSync(prepared, { recursive: true });
  });

  test("start() of the plugin rejects when the mail server's address is of no use, and opens nothing", async () => {
    const smtpUrl = 'smtp://user:%@mail.example';
    const linkSecret = 'a-link-secret-for-tests-only-0123456789';
    const plugin = createOwnPlugin({ ...options(), smtpUrl, emailFrom: 'a@merchant.example', linkSecret });
    await expect(plugin.start()).rejects.toThrow(ConfigError);
    expect(existsSync(dataDir)).toBe(false);
  });

  test('a server whose plugin does not start gives its port back', async () => {
    mkdirSync(dataDir);
    const { release } = await lockDirectory(dataDir);
    await expect(startServer(options())).rejects.toMatchObject({ code: 'DATA_DIR_LOCKED' });
    release();
    // A socket is listed for a moment after it was closed. The one that stays is the test's own.
    await eventually(() => expect(countServers()).toBe(1));
  });
});
