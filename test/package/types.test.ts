/** What `npm publish` would give a user: the package beside nothing but what it depends on. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { optionName } from '../../src/plugin/settings/schema/setting-options.ts';
import { SETTINGS } from '../../src/plugin/settings/schema/settings.ts';
import { type InstalledPackage, installPackage, ROOT } from '../support/process/installed-package.ts';
import { hoverTexts } from '../support/process/language-server.ts';
import { firstOf } from '../support/runner/full-run.ts';

const run = promisify(execFile);
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

const manifest = z
  .object({ version: z.string(), files: z.array(z.string()) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
const WRONG = [
  "retryMode: 'advisry'",
  'stripeSecretKey: true',
  "port: '8080'",
  'recoverSignUps: 1',
  'trustProxy: true',
  "retryMod: 'observe'",
];
const RIGHT = "retryMode: 'advisory', stripeSecretKey: 'sk_test_1', port: 8080, trustProxy: false";

let host: InstalledPackage;
let consumer: string;
beforeAll(async () => {
  host = await installPackage();
  consumer = host.folder;
  writeFileSync(
    join(consumer, 'app.mts'),
    `import express from 'express';
     import { createPlugin, type Plugin } from 'stripe-payment-retry';
     const plugin: Plugin = createPlugin({ retryMode: 'advisory', stripeSecretKey: 'sk_test_1', stripeWebhookSecret: 'whsec_1' });
     express().use(plugin.router);
     plugin.on('recovered', async ({ data }) => { const amount: number = data.amount; void amount; });
     const state = await plugin.customers.state('cus_1', { account: 'acct_1' });
     const since: string | null | undefined = state?.failingSince;
     const url: string | undefined = await plugin.customers.cardUpdateUrl('cus_1', { days: 2 });
     const done = await plugin.invoices.postpone('in_1', { until: '2026-04-01', by: 'grace', why: 'asked' });
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

describe.each(
  firstOf(1, [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ] as const),
)('with module %s, resolution %s', (module, moduleResolution) => {
  let problems: string[];
  beforeAll(async () => {
    const flags = [
      '--strict',
      '--noEmit',
      '--skipLibCheck',
      'false',
      '--preserveSymlinks',
      '--types',
      '',
      '--checkers',
      '1',
    ];
    const options = [
      ...flags,
      '--target',
      'es2023',
      '--module',
      module,
      '--moduleResolution',
      moduleResolution,
    ];
    const files = ['app.mts', 'wrong.mts'];
    const { stdout } = await run(process.execPath, [TSC, ...options, ...files], { cwd: consumer }).catch(
      (error: { stdout: string }) => error,
    );
    problems = stdout.split('\n').filter((line) => line !== '');
  });
  const isOfWrong = (line: string) => /^(wrong\.mts\(| )/.test(line);

  test('an application compiles with every declaration checked', () => {
    expect(problems.filter((line) => !isOfWrong(line))).toEqual([]);
  });

  test('an option of the wrong type does not compile', () => {
    const lines = problems.flatMap((line) => /^wrong\.mts\((\d+),/.exec(line)?.[1] ?? []).map(Number);
    expect(lines).toEqual(WRONG.map((_, index) => index + 1));
  });
});

test('an editor shows what an option means', async () => {
  const options = Object.keys(SETTINGS).map((name) => `options.${optionName(name)};`);
  const source = [
    "import type { PluginOptions } from 'stripe-payment-retry';",
    'declare const options: PluginOptions;',
    ...options,
  ].join('\n');
  const positions = options.map((_, index) => ({ line: index + 2, character: 'options.'.length }));
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

test('README links to nothing that the package leaves out', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const shipped = [...manifest.files, 'LICENSE', 'README.md'];
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => path);
  expect(links.length).toBeGreaterThan(5);
  expect(
    links.filter((path) => !shipped.some((name) => path === name || path.startsWith(`${name}/`))),
  ).toEqual([]);
});
