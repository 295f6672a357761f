/** The file of settings, as Node reads it. */
import { lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { readEnvFile, writeEnvFile } from '../../../src/cli/setup/env-file.ts';
import { makeSecret, QUESTIONS } from '../../../src/cli/setup/questions.ts';
import { renderSettings } from '../../../src/cli/setup/write-settings.ts';
import { runs } from '../../support/runner/full-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'env-file-'));
const path = join(folder, '.env');
afterAll(() => rmSync(folder, { recursive: true }));

test('a value is read as it was written, whatever it has in it', () => {
  const value = fc.string({ unit: 'grapheme-ascii' }).filter((text) => !/[\\\r\n]|['"`].*['"`]/.test(text));
  fc.assert(
    fc.property(value, (text) => {
      writeEnvFile(path, { STRIPE_SECRET_KEY: text, PUBLIC_URL: 'https://a.test' });
      expect(readEnvFile(path)).toMatchObject({ STRIPE_SECRET_KEY: text, PUBLIC_URL: 'https://a.test' });
    }),
    { numRuns: runs(300) },
  );
});

test('a new value takes the place of the old one, and the rest stays', () => {
  writeFileSync(path, '# a comment\n# STRIPE_WEBHOOK_SECRET=\nOTHER=1\n');
  writeEnvFile(path, { STRIPE_WEBHOOK_SECRET: 'whsec_new' });
  expect(readEnvFile(path)).toEqual({ STRIPE_WEBHOOK_SECRET: 'whsec_new', OTHER: '1' });
  writeEnvFile(path, { STRIPE_WEBHOOK_SECRET: 'whsec_newer' });
  expect(readEnvFile(path)).toEqual({ STRIPE_WEBHOOK_SECRET: 'whsec_newer', OTHER: '1' });
});

test('the file is for its owner alone, also where it was not', () => {
  writeFileSync(path, 'A=1\n', { mode: 0o644 });
  writeEnvFile(path, { B: '2' });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('what somebody has laid where the new file would come is neither followed nor written over', () => {
  const victim = join(folder, 'victim');
  const trap = `${path}.${process.pid}`;
  writeFileSync(victim, 'untouched');
  symlinkSync(victim, trap);
  writeEnvFile(path, { B: '3' });
  expect([readFileSync(victim, 'utf8'), lstatSync(trap).isSymbolicLink()]).toEqual(['untouched', true]);
});

test('what init writes has every value and comments for every question', () => {
  const values = { STRIPE_SECRET_KEY: 'sk_test_1', TIME_ZONE: 'Europe/Berlin', LOG_LEVEL: 'debug' };
  writeFileSync(path, renderSettings(values));
  expect(readEnvFile(path)).toEqual(values);
  const text = renderSettings(values);
  for (const { name } of QUESTIONS) expect(text).toMatch(new RegExp(`^# .+\\n(# .*\\n)*(# )?${name}=`, 'm'));
});

test.each([
  [{}, 8080],
  [{ PORT: '4242' }, 4242],
])('with %j it says how webhooks come to this machine', (values, port) => {
  expect(renderSettings(values)).toContain(`--forward-to localhost:${port}/webhooks/stripe`);
});

test('a secret has 32 characters, and is another each time', () => {
  expect(makeSecret()).toHaveLength(32);
  expect(makeSecret()).not.toBe(makeSecret());
});
