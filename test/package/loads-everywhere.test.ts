/** A host's application and tests load the package in each way there is, and it works: from the import to a recorded webhook. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { systemClock } from '../../src/core/base/clock.ts';
import { newMigratedDirectory } from '../support/database/data-directory.ts';
import { MAIN, type TestLocation } from '../support/database/databases.ts';
import { eventually } from '../support/eventually.ts';
import { startListingService } from '../support/http/listing-service.ts';
import { spawnProgram, untilSaid } from '../support/process/command-process.ts';
import {
  describeWithRegistry,
  examplesOf,
  type InstalledPackage,
  installPackage,
  ROOT,
} from '../support/process/installed-package.ts';
import { firstOf, inFull } from '../support/runner/full-run.ts';

const run = promisify(execFile);
const JEST = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const KEYS = { mode: 'advisory', stripe: { key: 'sk_test_1', webhookSecret: 'whsec_1' } };

/** What the shop does with the package, however it got it. */
const CHECK = `
const { createHmac } = require('node:crypto');
const nothing = () => {};
const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const event = JSON.stringify({ id: 'evt_1', object: 'event', type: 'customer.created', created: 1, data: { object: { id: 'cus_1', object: 'customer' } } });
exports.check = async ({ createPlugin, ConfigError }, express) => {
  try { createPlugin({}); } catch (error) { if (!(error instanceof ConfigError)) throw error; }
  const plugin = createPlugin({ ...JSON.parse(process.env.SETTINGS), logger });
  const server = express().use('/payment-retry', plugin.router).listen(0, '127.0.0.1');
  try {
    await plugin.start();
    const at = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', 'whsec_1').update(at + '.' + event).digest('hex');
    const answer = await fetch('http://127.0.0.1:' + server.address().port + '/payment-retry/webhooks/stripe', {
      method: 'POST',
      headers: { 'stripe-signature': 't=' + at + ',v1=' + signature },
      body: event,
    });
    const { status } = await plugin.health();
    return status + ' ' + answer.status;
  } catch (error) {
    return error.message + ' ' + error.help;
  } finally {
    server.closeAllConnections();
    server.close();
    await plugin.stop();
  }
};`;
const WORKS = 'ready 200';

/** Everything of the process that a host may change, before it loads the package. */
const CHANGED = `
const { Settings } = require('luxon');
const { z } = require('zod');
const { createHmac } = require('node:crypto');
const { existsSync } = require('node:fs');
const http = require('node:http');
const express = require('express');
const real = globalThis.fetch;
Object.assign(Settings, {
  throwOnInvalid: true, defaultZone: 'Asia/Kathmandu', defaultLocale: 'ar-EG', defaultNumberingSystem: 'arab',
  defaultOutputCalendar: 'hebrew', defaultWeekSettings: { firstDay: 7, minimalDays: 1, weekend: [5, 6] },
  twoDigitCutoffYear: 10, now: () => 0,
});
Date.prototype.toJSON = () => 'changed';
z.config({ ...z.locales.de(), customError: () => 'changed by the host' });
globalThis.fetch = () => { throw new Error('The fetch of the host.'); };
const agent = new http.Agent();
agent.createConnection = () => { throw new Error('The agent of the host.'); };
http.globalAgent = agent;
const { createPlugin } = require('stripe-payment-retry');
const headers = { authorization: 'Bearer ' + process.env.TOKEN, 'content-type': 'application/json', connection: 'close' };
const words = { invoiceId: 'in_1', actionSuggestion: 'ACTION_SUGGESTION_RETRY' };
(async () => {
  const plugin = createPlugin(JSON.parse(process.env.SETTINGS));
  const server = express().use(plugin.router).listen(0, '127.0.0.1');
  await plugin.start();
  const url = 'http://127.0.0.1:' + server.address().port + '/recovery_action';
  const call = async (requestId, idealRetryTime) => {
    const body = JSON.stringify({ ...words, requestId, idealRetryTime });
    return (await real(url, { method: 'POST', headers, body })).status;
  };
  const wrong = await real(url, { method: 'POST', headers, body: '{}' });
  console.log(await wrong.text());
  const bad = await call('called_bad', '2026-02-30T10:00:00Z');
  const good = await call('called', new Date(Date.now() + 864e5).toISOString());
  await plugin.runOnce();
  while (!existsSync(process.env.LISTED)) await new Promise((resolve) => setTimeout(resolve, 50));
  console.log(bad + ' ' + good);
  server.closeAllConnections();
  server.close();
  await plugin.stop();
})();`;

const REQUIRED = `const express = require('express');
const { check } = require('./check.cjs');
const plugin = require('stripe-payment-retry');`;
const IMPORTED = `import express from 'express';
import { check } from './check.cjs';
import * as plugin from 'stripe-payment-retry';`;
const TEST = "test('works', async () => expect(await check(plugin, express)).toBe('ready 200'), 200_000);";
const NODE_TEST = `test('works', async () => equal(await check(plugin, express), 'ready 200'));`;

const EXAMPLES = examplesOf('test-your-integration.md');

let host: InstalledPackage;
let place: TestLocation;
beforeAll(async () => {
  [host, place] = await Promise.all([installPackage(), MAIN.createMigrated()]);
  host.write({
    'check.cjs': CHECK,
    'app.cjs': `${REQUIRED}\ncheck(plugin, express).then(console.log);`,
    'app.mjs': `import { createRequire } from 'node:module';
${IMPORTED}
const required = createRequire(import.meta.filename)('stripe-payment-retry');
const isSame = required.createPlugin === plugin.createPlugin && required.ConfigError === plugin.ConfigError;
console.log(await check(plugin, express) + (isSame ? '' : ', in another copy'));`,
    'app.ts': `${IMPORTED}\nvoid check(plugin, express).then(console.log);`,
    'common.test.cjs': `${REQUIRED}\n${TEST}`,
    'module.test.mjs': `${IMPORTED}\n${TEST}`,
    'by-node.mjs': `import { test } from 'node:test';\nimport { equal } from 'node:assert/strict';\n${IMPORTED}\n${NODE_TEST}`,
  });
});
afterAll(async () => {
  host.remove();
  await place.remove();
});

const settings = (options: object) => ({ SETTINGS: JSON.stringify({ ...KEYS, ...options }) });
const stripe = { ...KEYS.stripe, apiBase: 'http://127.0.0.1:9' };
const databaseOf = (location: TestLocation['location']) =>
  location.kind === 'postgres' ? { url: location.url } : { directory: location.directory };
const onMain = () => settings({ database: databaseOf(place.location), stripe });
const jest = (file: string, ...flags: string[]) => [
  ...[...flags, JEST, '--rootDir', host.folder, '--no-cache', '--testMatch', `**/${file}`],
];

test.each(
  firstOf(2, [
    ['require', ['app.cjs']],
    ['import, which gives what require does', ['app.mjs']],
    ['TypeScript by tsx', ['--import', TSX, 'app.ts']],
  ]),
)('a host works with %s', async (_way, args) => {
  expect((await host.node(args, onMain())).trim()).toBe(WORKS);
});

test('the program of the package opens the playground, with what it depends on alone', async () => {
  const dist = join(host.folder, 'node_modules', 'stripe-payment-retry', 'dist');
  const installed = join(dist, 'cli.js');
  const playground = spawnProgram([installed, 'playground', '--port', '0'], {}, { cwd: host.folder });
  try {
    await untilSaid(playground, 'Ctrl+C ends it.');
    const [address = ''] = /http:\/\/\S+/.exec(playground.output()) ?? [];
    expect(await (await fetch(address)).text()).toContain('Northwind Tea, a simulated shop');
    expect((await fetch(`${address}/playground.js`)).status).toBe(200);
    // The first start keeps the empty database for the next.
    const kept = readdirSync(join(dist, 'core/database/pglite'));
    expect(kept.filter((name) => /^empty-database-.*\.br$/.test(name))).toHaveLength(1);
    expect(await playground.terminate()).toBe(0);
  } finally {
    await playground.kill();
  }
});

test('a host that changes luxon, dates, fetch and the agent of its process changes nothing here', async () => {
  for (const name of ['luxon', 'zod'])
    symlinkSync(join(ROOT, 'node_modules', name), join(host.folder, 'node_modules', name), 'dir');
  const service = await startListingService(systemClock);
  const own = await MAIN.createMigrated();
  try {
    const now = systemClock.now();
    const record = (requestId: string, idealRetryTime: string | null) => ({
      requestId,
      ...{ invoiceId: 'in_2', subscriptionId: 'sub_1', actionSuggestion: 'ACTION_SUGGESTION_RETRY' },
      ...{ idealRetryTime, createdAt: now.minus({ minutes: 1 }).toISO() },
    });
    service.behaviour.pageLimit = 1;
    service.records.push(
      record('listed_bad', '2026-02-30T10:00:00Z'),
      record('listed', now.plus({ days: 1 }).toISO()),
    );
    host.write({ 'changed.cjs': CHANGED });
    const listed = join(host.folder, 'listed');
    const ended = host.node(['changed.cjs'], {
      LISTED: listed,
      TOKEN: 'callback-token-for-tests',
      ...settings({
        database: databaseOf(own.location),
        stripe,
        service: {
          url: service.url.href,
          key: 'service-key-that-is-long-enough',
          callbackToken: 'callback-token-for-tests',
        },
        businessEntity: 'Acme',
        logLevel: 'warn',
      }),
    });
    const whole = eventually(() => expect(service.queries).toContainEqual({ pageToken: expect.any(String) }));
    await Promise.race([whole, ended]).finally(() => writeFileSync(listed, ''));
    const said = await ended;
    expect(said).toContain('Invalid input: expected string');
    expect(said).toContain('\n400 200\n');
    expect(said).toContain('"id":"listed_bad","problem":"idealRetryTime: must be an ISO 8601 date and time');
    expect(said).not.toMatch(/(of|by) the host|not read to its end/);
  } finally {
    await service.stop();
    await own.remove();
  }
});

/** Slow, or a measurement. */

inFull("a host's jest loads it as it comes, with the embedded database", async () => {
  const embedded = { database: { directory: newMigratedDirectory() }, stripe };
  expect(await host.node(jest('common.test.cjs'), settings(embedded))).toContain('1 passed');
});

test('`mcp` says what to install beside the package, and works with it', async () => {
  const program = join(host.folder, 'node_modules', 'stripe-payment-retry', 'dist', 'cli.js');
  const open = () =>
    spawnProgram(
      [program, 'mcp'],
      { OPERATOR_READ_TOKEN: 'a-reader-token-for-tests-too' },
      { cwd: host.folder },
    );
  const without = open();
  expect([await without.ended, without.output()]).toEqual([
    2,
    '`mcp` needs a package that is not installed: npm install @modelcontextprotocol/sdk\n',
  ]);
  symlinkSync(
    join(ROOT, 'node_modules', '@modelcontextprotocol'),
    join(host.folder, 'node_modules', '@modelcontextprotocol'),
  );
  const beside = open();
  expect([await beside.ended, beside.output()]).toEqual([0, '']);
});

inFull("a host's jest loads it as a module", async () => {
  expect(await host.node(jest('module.test.mjs', '--experimental-vm-modules'), onMain())).toContain(
    '1 passed',
  );
});

inFull("Node's own test runner loads it", async () => {
  expect(await host.node(['--test', '--test-reporter=tap', 'by-node.mjs'], onMain())).toContain('# pass 1');
});

inFull('its import costs at most twice what express and stripe cost', async () => {
  const cost = async (...names: string[]) => {
    const load = names.map((name) => `require('${name}');`).join('');
    const code = `const before = process.cpuUsage(); ${load} const { user, system } = process.cpuUsage(before); console.log(user + system)`;
    const said = await host.node(['-e', code]);
    return Number(said);
  };
  // The quickest of several: what else the machine does only adds.
  const [both, ours] = [[], []] as number[][];
  for (let round = 0; round < 4; round += 1) {
    both?.push(await cost('express', 'stripe'));
    ours?.push(await cost('stripe-payment-retry'));
  }
  expect(Math.min(...(ours ?? [])) / Math.min(...(both ?? []))).toBeLessThan(2);
});

describe("the page on testing has an example that a host's", () => {
  test('jest runs', async () => {
    host.write({ 'jest.test.cjs': EXAMPLES['jest.test.cjs'] ?? '' });
    expect(await host.node(jest('jest.test.cjs'))).toContain('1 passed');
  });

  inFull('node --test runs', async () => {
    host.write({ 'node.test.mjs': EXAMPLES['node.test.mjs'] ?? '' });
    expect(await host.node(['--test', '--test-reporter=tap', 'node.test.mjs'])).toContain('# pass 1');
  });
});

describe('in a bundle', () => {
  const ESBUILD = join(ROOT, 'node_modules', 'esbuild', 'bin', 'esbuild');
  const flags = ['app.cjs', '--bundle', '--platform=node', '--log-level=error'];

  test('of esbuild, it starts on PostgreSQL, and the embedded database says what to leave out', async () => {
    mkdirSync(join(host.folder, 'alone'), { recursive: true });
    await run(ESBUILD, [...flags, '--outfile=alone/app.cjs'], { cwd: host.folder });
    if (MAIN.engine === 'postgres') expect((await host.node(['alone/app.cjs'], onMain())).trim()).toBe(WORKS);
    const embedded = { database: { directory: join(host.folder, 'data') }, stripe };
    expect(await host.node(['alone/app.cjs'], settings(embedded))).toMatch(
      /cannot start from inside a bundle.*--external:stripe-payment-retry/s,
    );
  });

  inFull('that leaves it out, it works', async () => {
    const external = ['--external:stripe-payment-retry', '--outfile=app-beside.cjs'];
    await run(ESBUILD, [...flags, ...external], { cwd: host.folder });
    expect((await host.node(['app-beside.cjs'], onMain())).trim()).toBe(WORKS);
  });
});

/** In an empty folder, by npm: what a merchant's machine gets, and tools of hosts that are none of ours. */
describeWithRegistry('installed from the registry', () => {
  const TOOLS = [
    ...['vitest', 'webpack', 'webpack-cli', 'ts-node', 'typescript@5', '@types/node', 'rollup'],
    ...['@rollup/plugin-commonjs', '@rollup/plugin-json', '@rollup/plugin-node-resolve'],
  ];
  const WEBPACK = `module.exports = { mode: 'production', target: 'node', entry: './app.cjs', output: { filename: 'webpack.cjs' } };`;
  const ROLLUP = `import commonjs from '@rollup/plugin-commonjs';
import json from '@rollup/plugin-json';
import resolve from '@rollup/plugin-node-resolve';
export default {
  input: 'app.cjs',
  output: { file: 'dist/rollup.cjs', format: 'cjs', inlineDynamicImports: true },
  plugins: [resolve({ preferBuiltins: true, exportConditions: ['node'] }), commonjs({ strictRequires: true }), json()],
};`;
  let fresh: InstalledPackage;
  const npm = (...args: string[]) => run('npm', [...args, '--no-audit', '--no-fund'], { cwd: fresh.folder });
  const bin = (name: string) => join('node_modules', '.bin', name);
  beforeAll(async () => {
    fresh = await installPackage('npm');
    fresh.write({
      'check.cjs': CHECK,
      'app.cjs': `${REQUIRED}\ncheck(plugin, express).then(console.log);`,
      'app.ts': `${IMPORTED}\nvoid check(plugin as never, express).then(console.log);`,
      'tsconfig.json':
        '{ "compilerOptions": { "module": "commonjs", "esModuleInterop": true, "allowJs": true } }',
      'vitest.test.mjs': EXAMPLES['vitest.test.mjs'] ?? '',
      'loads.test.mjs': `import { expect, test } from 'vitest';\n${IMPORTED}\n${TEST}`,
      'webpack.config.js': WEBPACK,
      'rollup.config.mjs': ROLLUP,
    });
  });
  afterAll(() => fresh.remove());

  test('production takes at most 140 packages and 100 MB', async () => {
    const { stdout } = await npm('ls', '--all', '--parseable');
    expect(stdout.trim().split('\n').length - 1).toBeLessThanOrEqual(140);
    const { stdout: size } = await run('du', ['-sm', 'node_modules'], { cwd: fresh.folder });
    expect(Number.parseInt(size, 10)).toBeLessThanOrEqual(100);
  });

  test('vitest, ts-node, webpack and rollup load it', async () => {
    await npm('install', '--save-dev', ...TOOLS);
    expect(await fresh.node([bin('vitest'), 'run'], onMain())).toMatch(/Tests +2 passed/);
    expect((await fresh.node([bin('ts-node'), 'app.ts'], onMain())).trim()).toBe(WORKS);
    if (MAIN.engine !== 'postgres') return;
    await fresh.node([bin('webpack')]);
    expect((await fresh.node(['dist/webpack.cjs'], onMain())).trim()).toBe(WORKS);
    await fresh.node([bin('rollup'), '--config', 'rollup.config.mjs']);
    expect((await fresh.node(['dist/rollup.cjs'], onMain())).trim()).toBe(WORKS);
  });
});
