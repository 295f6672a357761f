/** What `npm publish` would give a user: the package beside nothing but what it depends on. */
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { placeOf } from '../../src/plugin/settings/schema/setting-options.ts';
import { SETTING_NAMES, SETTINGS } from '../../src/plugin/settings/schema/settings.ts';
import { type InstalledPackage, installPackage, ROOT } from '../support/process/installed-package.ts';
import { hoverTexts } from '../support/process/language-server.ts';
import { firstOf } from '../support/runner/full-run.ts';

const run = promisify(execFile);
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

const manifest = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
const WRONG = [
  "mode: 'advisry'",
  'stripe: { key: true }',
  "server: { port: '8080' }",
  'recover: 1',
  'server: { trustProxy: true }',
  "modes: 'observe'",
  "email: { windw: '08:00-20:00' }",
  'limits: { newCardTotal: { multiple: true } }',
];
const RIGHT =
  "mode: 'advisory', stripe: { key: 'sk_test_1', webhookSecret: ['whsec_1'] }, server: { port: 8080, trustProxy: false }, email: { window: ['08:00', '20:00'], reminderDays: [0, 3] }, limits: { newCardTotal: { EUR: 50_000 } }";

/** What a host in TypeScript has of its own: `express` by the version of its types. */
const TYPES = [
  ...['body-parser', 'connect', 'express', 'express-serve-static-core', 'http-errors', 'mime', 'node', 'qs'],
  ...['range-parser', 'send', 'serve-static'],
].map((name) => `@types/${name}`);

function linkTypes(folder: string, names: readonly string[], from = (name: string) => name) {
  for (const name of names) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', from(name)), link, 'dir');
  }
}

const STRICT = ['--strict', '--skipLibCheck', 'false', '--target', 'es2023', '--checkers', '1'];

/** What the compiler says, line by line. */
async function compile(folder: string, flags: readonly string[]): Promise<string[]> {
  const { stdout } = await run(process.execPath, [TSC, ...STRICT, '--types', '', ...flags], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);
  return stdout.split('\n').filter((line) => line !== '');
}

let host: InstalledPackage;
let consumer: string;
beforeAll(async () => {
  host = await installPackage();
  consumer = host.folder;
  linkTypes(consumer, [...TYPES, 'undici-types']);
  writeFileSync(
    join(consumer, 'app.mts'),
    `import express from 'express';
     import { createPlugin, type Plugin, type RetryResult, settingsFromEnv } from 'stripe-payment-retry';
     const plugin: Plugin = createPlugin({ ...settingsFromEnv(process.env), mode: 'advisory', stripe: { key: 'sk_test_1' } });
     express().use(plugin.router);
     plugin.on('recovered', async ({ data }) => { const amount: number = data.amount; void amount; });
     const state = await plugin.customers.state('cus_1', { account: 'acct_1' });
     const since: string | null | undefined = state?.failingSince;
     const url: string | undefined = await plugin.customers.cardUpdateUrl('cus_1', { days: 2 });
     const done = await plugin.invoices.postpone('in_1', { until: new Date('2026-04-01'), by: 'grace', reason: 'asked' });
     if (done.code === 'postponed') void [since, url, done.moved.toFixed()];
     // @ts-expect-error: until when
     await plugin.invoices.postpone('in_1', { by: 'grace' });
     // @ts-expect-error: no such event
     plugin.on('recoverd', () => {});
     await plugin.operations.pause();`,
  );
  const calls = [...WRONG, RIGHT].map((options) => `createPlugin({ ${options} });`);
  writeFileSync(
    join(consumer, 'wrong.mts'),
    [...calls, "import { createPlugin } from 'stripe-payment-retry';"].join('\n'),
  );
});
afterAll(() => host.remove());

/** A host by the version of express that its types are of; its files stand in a folder of their own. */
const EXPRESS = ['express', 'express4'] as const;

function writeHost(version: string): void {
  const folder = join(consumer, `with-${version}`);
  linkTypes(folder, ['@types/express'], () => `@types/${version}`);
  const use = `const plugin = createPlugin({ mode: 'observe' });
    const app = express();
    app.use('/payment-retry', plugin.router);
    app.use(plugin.router);`;
  writeFileSync(
    join(folder, 'app.mts'),
    `import express from 'express';\nimport { createPlugin } from 'stripe-payment-retry';\n${use}`,
  );
  writeFileSync(
    join(folder, 'app.cts'),
    `import express = require('express');
     import { createPlugin } from 'stripe-payment-retry';
     import { createTestWorld } from 'stripe-payment-retry/testing';
     void createTestWorld({ plugin: { mode: 'observe' }, app: (plugin) => express().use(plugin.router) });
     ${use}`,
  );
}

describe.each(
  firstOf(1, [
    // At once: Node's declarations are most of what the compiler reads.
    ['nodenext', 'nodenext', EXPRESS],
    ['esnext', 'bundler', []],
  ] as const),
)('with module %s, resolution %s', (module, moduleResolution, versions) => {
  let problems: string[];
  beforeAll(async () => {
    for (const version of versions) writeHost(version);
    const options = ['--module', module, '--moduleResolution', moduleResolution];
    const hosts = versions.flatMap((version) => [`with-${version}/app.mts`, `with-${version}/app.cts`]);
    problems = await compile(consumer, [
      ...['--noEmit', '--preserveSymlinks', ...options],
      ...['app.mts', 'wrong.mts', ...hosts],
    ]);
  });
  const isOfWrong = (line: string) => /^(wrong\.mts\(| )/.test(line);
  const isOfHost = (line: string, version = '\\w+') => new RegExp(`^with-${version}/`).test(line);

  test('an application compiles with every declaration checked', () => {
    expect(problems.filter((line) => !isOfWrong(line) && !isOfHost(line))).toEqual([]);
  });

  test('an option of the wrong type does not compile', () => {
    const lines = problems.flatMap((line) => /^wrong\.mts\((\d+),/.exec(line)?.[1] ?? []).map(Number);
    expect(lines).toEqual(WRONG.map((_, index) => index + 1));
  });

  if (versions.length > 0)
    test.each(versions)('a host with the types of %s compiles, as a module and without', (version) => {
      expect(problems.filter((line) => isOfHost(line, version))).toEqual([]);
    });
});

test('both entries are found by the resolution of Node 10', async () => {
  writeFileSync(
    join(consumer, 'old.ts'),
    `import { createPlugin } from 'stripe-payment-retry';
     import { createTestWorld } from 'stripe-payment-retry/testing';
     createPlugin({ mode: 'observe' }).start().finally(() => createTestWorld({ plugin: { mode: 'observe' } }));`,
  );
  const old = ['--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '6.0'];
  // Without a browser's declarations, which the other compiler reads.
  const flags = [
    ...['--strict', '--skipLibCheck', 'false', '--target', 'es2023', '--lib', 'es2023', '--types', 'node'],
  ];
  const tsc = join(ROOT, 'node_modules', 'typescript-6', 'bin', 'tsc');
  const { stdout } = await run(
    process.execPath,
    [tsc, '--noEmit', '--preserveSymlinks', ...flags, ...old, 'old.ts'],
    { cwd: consumer },
  ).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});

test('a host that writes declarations compiles where only its own packages can be named, as with pnpm', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payment-retry-pnpm-'));
  try {
    const place = join('node_modules', '.pnpm', 'stripe-payment-retry', 'node_modules');
    const installed = join(consumer, 'node_modules', 'stripe-payment-retry');
    cpSync(installed, join(folder, place, 'stripe-payment-retry'), { recursive: true });
    symlinkSync(
      join(folder, place, 'stripe-payment-retry'),
      join(folder, 'node_modules', 'stripe-payment-retry'),
    );
    linkTypes(folder, ['@types/node']);
    writeFileSync(
      join(folder, 'app.mts'),
      `import { createPlugin } from 'stripe-payment-retry';
       import { createTestWorld } from 'stripe-payment-retry/testing';
       export const plugin = createPlugin({ mode: 'observe' });
       export const { router, settings, health, customers, invoices, operations } = plugin;
       export const { retry, list } = invoices;
       export const state = () => customers.state('cus_1');
       export const world = createTestWorld({ plugin: { mode: 'observe' } });
       export const invoice = world.then(({ sandbox }) => sandbox.state.invoices.get('in_1'));`,
    );
    const flags = [
      '--types',
      'node',
      '--lib',
      'es2023',
      '--declaration',
      '--outDir',
      'out',
      '--module',
      'nodenext',
    ];
    expect(await compile(folder, [...flags, 'app.mts'])).toEqual([]);
    expect(readFileSync(join(folder, 'out', 'app.d.mts'), 'utf8')).toContain('export declare const retry:');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('declarations are one file an entry, and name Node alone', () => {
  const dist = join(consumer, 'node_modules', 'stripe-payment-retry', 'dist');
  const named = (text: string) => [...text.matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, name]) => name);
  const [index, testing] = ['index', 'testing'].map((name) =>
    readFileSync(join(dist, `${name}.d.ts`), 'utf8'),
  );
  expect(named(index ?? '')).toEqual(['node:http']);
  expect(named(testing ?? '')).toEqual(['./index.js', 'node:http']);
  expect(
    readdirSync(dist, { recursive: true }).filter((name) => /\.d\.[cm]?ts$/.test(String(name))),
  ).toHaveLength(4);
});

test('an editor shows what an option means', async () => {
  const options = SETTING_NAMES.map((name) => `options.${placeOf(name).replaceAll('.', '?.')};`);
  const source = [
    "import type { PluginOptions } from 'stripe-payment-retry';",
    'declare const options: PluginOptions;',
    ...options,
  ].join('\n');
  const positions = options.map((line, index) => ({ line: index + 2, character: line.lastIndexOf('.') + 1 }));
  const shown = await hoverTexts(join(consumer, 'hover.mts'), source, positions);
  const meanings = Object.values(SETTINGS).map((schema) => schema.description);
  expect(shown).toEqual(meanings.map((meaning) => expect.stringContaining(String(meaning))));
  expect(shown).toContainEqual(expect.stringContaining('Default: `8080` (0 to 65535).'));
});

test('every package whose code is in ours has a licence that asks for nothing but its own text', () => {
  const path = join(consumer, 'node_modules', 'stripe-payment-retry', 'dist', 'third-party-licenses.txt');
  const entries = readFileSync(path, 'utf8').split(/^-{80}$/m);
  expect(entries.length).toBeGreaterThan(20);
  for (const entry of entries) {
    expect(entry).toMatch(/^\s*\S+ \S+ \((MIT|ISC|BSD-3-Clause|Apache-2\.0)\)\n/);
    expect(entry).toMatch(/Permission (to use|is hereby granted)/);
  }
});

test('the program says its version', async () => {
  const program = join(consumer, 'node_modules', 'stripe-payment-retry', 'dist', 'cli.js');
  const { stdout } = await run(process.execPath, [program, '--version'], { cwd: consumer });
  expect(stdout.trim()).toBe(manifest.version);
});
