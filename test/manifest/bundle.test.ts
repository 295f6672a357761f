/** The views as Stripe's upload makes them: one script each. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import {
  formatMinute,
  formatMoment,
  formatMoney,
  formatMonth,
  inDays,
} from '../../manifest/private/src/format.ts';
import { formatMoney as formatOurs } from '../../src/plugin/mails/format-money.ts';

const MANIFEST = fileURLToPath(new URL('../../manifest', import.meta.url));
const VIEWS = ['private', 'restricted-key'].flatMap((app) =>
  readdirSync(`${MANIFEST}/${app}/src/views`).map((file) => `${app}/src/views/${file}`),
);

test.each(VIEWS)('the view %s is bundled for the browser, and holds no part of the server', async (file) => {
  const { outputFiles, metafile } = await build({
    entryPoints: [`${MANIFEST}/${file}`],
    bundle: true,
    write: false,
    metafile: true,
    format: 'iife',
    globalName: '__StripeExtExports',
    platform: 'browser',
    logLevel: 'silent',
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.filter((path) => path.startsWith('src/'))).toEqual([]);
  expect(inputs.filter((path) => /node_modules\/react\//.test(path)).length).toBeGreaterThan(0);
  const script = outputFiles[0]?.text ?? '';
  expect(script).toContain('__StripeExtExports');
  // More would be slow to open; the SDK and React are most of it.
  expect(script.length).toBeLessThan(1_500_000);
  const { default: view } = new Function(`${script}; return __StripeExtExports;`)();
  expect(typeof view).toBe('function');
});

test('money is written as in the emails, in every currency', () => {
  const currencies = Intl.supportedValuesOf('currency');
  const written = (format: (amount: number, currency: string) => string) =>
    [...currencies, 'isk'].flatMap((currency) =>
      [0, 99, 100, 123_456].map((amount) => format(amount, currency)),
    );
  for (const locale of ['en-US', 'de-DE', 'ja-JP']) {
    expect(written((amount, currency) => formatMoney(locale, amount, currency))).toEqual(
      written((amount, currency) => formatOurs(amount, currency, locale)),
    );
  }
});

test("times are the reader's: twelve hours for Americans, a day as Jan 3, 2021", () => {
  const plain = (text: string) => text.replace(/\u202f/g, ' ');
  const at = '2021-01-03T20:30:00Z';
  expect(plain(formatMoment('en-US', at, 'America/New_York'))).toBe('Jan 3, 2021, 3:30 PM');
  expect(formatMoment('de-DE', at, 'Europe/Berlin')).toBe('03.01.2021, 21:30');
  expect(plain(formatMinute('en-US', 1_200))).toBe('8:00 PM');
  expect(formatMinute('de-DE', 0)).toBe('00:00');
  expect(formatMonth('en-US', '2026-03')).toBe('March 2026');
  expect(inDays(3, new Date(2026, 2, 30, 22))).toBe(new Date(2026, 3, 2, 9).toISOString());
});
