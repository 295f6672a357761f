/** Options of `createPlugin` in their groups, and those of an environment. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPlugin } from '../../../src/plugin/app/own-plugin.ts';
import { loadConfig } from '../../../src/plugin/settings/config.ts';
import { flattenOptions, settingsFromEnv } from '../../../src/plugin/settings/options.ts';
import type { PluginSettings } from '../../../src/plugin/settings/schema/plugin-settings.ts';

const BASE = { mode: 'advisory', stripe: { key: 'sk_test_1', webhookSecret: 'whsec_1' } } as const;

function configOf(options: PluginSettings) {
  const { own, problems } = flattenOptions(options);
  const { environment, ...settings } = own;
  return loadConfig(settings, environment, { sendsEmail: false, problems });
}

test("JavaScript's own values say what the small texts say", () => {
  const natural = configOf({
    ...BASE,
    stripe: { key: 'sk_test_1', webhookSecret: ['whsec_1', 'whsec_2'] },
    email: { window: ['09:00', '17:30'], reminderDays: [0, 3, 7] },
    limits: { newCardTotal: { EUR: 50_000, USD: 60_000 } },
    recover: {
      plans: ['price_1'],
      countries: ['de', 'AT'],
      metadata: { recovery: 'on' },
      percent: 10,
      signUps: true,
    },
    experiment: { against: 'stripe', percent: 10 },
    cards: { backup: true },
    connect: { accounts: { acct_1: { businessEntity: 'Acme' } } },
    console: {
      exchangeRates: { EUR: 1, USD: 0.92 },
      openId: {
        issuer: 'https://id.example',
        clientId: 'id',
        clientSecret: 'secret',
        allowed: ['@a.test'],
        roles: { groups: { audit: 'reader', finance: 'operator' } },
      },
    },
    stripeApp: { roles: { analyst: 'operator' } },
  });
  const text = configOf({
    ...BASE,
    stripe: { key: 'sk_test_1', webhookSecret: 'whsec_1,whsec_2' },
    email: { window: '09:00-17:30', reminderDays: '0,3,7' },
    limits: { newCardTotal: 'EUR=50000,USD=60000' },
    recover: 'plan:price_1,country:DE,country:AT,metadata:recovery=on,percent:10,sign-ups',
    experiment: 'stripe:10',
    cards: { backup: 'on' },
    connect: { accounts: '{"acct_1":{"businessEntity":"Acme"}}' },
    console: {
      exchangeRates: 'EUR=1,USD=0.92',
      openId: {
        issuer: 'https://id.example',
        clientId: 'id',
        clientSecret: 'secret',
        allowed: '@a.test',
        roles: 'groups: audit=reader,finance=operator',
      },
    },
    stripeApp: { roles: 'analyst=operator' },
  });
  const { shownSettings: _n, ...naturalRest } = natural;
  const { shownSettings: _t, ...textRest } = text;
  expect(naturalRest).toEqual(textRest);
  expect(natural.scope.countries).toEqual(['DE', 'AT']);
  expect(natural.ceilings.cardChangeMaxTotal).toEqual({ kind: 'amounts', of: { eur: 50_000, usd: 60_000 } });
  expect(
    configOf({ ...BASE, limits: { newCardTotal: { multiple: 5 } } }).ceilings.cardChangeMaxTotal,
  ).toEqual({
    kind: 'times',
    times: 5,
  });
});

describe('options of an environment', () => {
  const env = {
    RETRY_MODE: 'observe',
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
    EMAIL_WINDOW: ' 09:00-17:30 ',
    LOG_LEVEL: '',
  };

  test('have the values at their places, and files are read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'payment-retry-options-'));
    try {
      const file = join(folder, 'key');
      writeFileSync(file, 'sk_test_2\n');
      const { STRIPE_SECRET_KEY: _, ...others } = env;
      const options = settingsFromEnv({ ...others, STRIPE_SECRET_KEY_FILE: file });
      expect(JSON.parse(JSON.stringify(options))).toEqual({
        mode: 'observe',
        stripe: { key: 'sk_test_2', webhookSecret: 'whsec_1' },
        email: { window: '09:00-17:30' },
      });
      expect(configOf(options).stripe.secretKey).toBe('sk_test_2');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('stand beneath options next to them, also in a group of both', () => {
    const config = configOf({ ...settingsFromEnv(env), mode: 'advisory', email: { reminderDays: [0] } });
    expect([config.mode, config.reminderDays, config.emailWindow.fromMinute]).toEqual(['advisory', [0], 540]);
    const sources = Object.fromEntries(config.shownSettings.map(({ name, source }) => [name, source]));
    expect(sources).toMatchObject({
      RETRY_MODE: 'option',
      EMAIL_WINDOW: 'environment',
      LOG_LEVEL: 'default',
    });
  });

  test('a problem names the place of an option, and the variable of what came from the environment', () => {
    const options = settingsFromEnv({
      ...env,
      TIME_ZONE: 'nowhere',
      RETRY_MOD: 'x',
      SMTP_URL: 'smtp://localhost:25',
    });
    const attempt = () => createPlugin({ ...options, email: { window: ['9', '17'] } });
    expect(attempt).toThrow(/^- TIME_ZONE must be/m);
    expect(attempt).toThrow(/^- email\.window must have the form/m);
    expect(attempt).toThrow(/^- EMAIL_FROM is required with SMTP_URL/m);
  });
});

test('an entry with a comma, which would be two, is refused', () => {
  expect(flattenOptions({ recover: { plans: ['a,b'] } }).problems).toEqual([
    expect.stringContaining('recover must be a text, or filters such as'),
  ]);
});
