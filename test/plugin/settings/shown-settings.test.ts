/** What an operator sees of the settings. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../src/plugin/settings/config.ts';
import { describeSettings } from '../../../src/plugin/settings/schema/shown-settings.ts';

const REQUIRED = {
  RETRY_MODE: 'advisory',
  STRIPE_SECRET_KEY: 'sk_test_marked',
  STRIPE_WEBHOOK_SECRET: 'whsec_marked',
};

const shown = (environment: Record<string, string>, options = {}) =>
  new Map(
    loadConfig(options, { ...REQUIRED, ...environment }).shownSettings.map(({ name, source, value }) => [
      name as string,
      [source, value],
    ]),
  );

test('each setting is shown with the source of the value that counts', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'settings-')), 'zone');
  writeFileSync(file, 'Europe/Berlin\n');
  const settings = shown(
    { TIME_ZONE_FILE: file, PORT: '9000', RETRY_MODE: 'observe' },
    { retryMode: 'exclusive', afterGivingUp: 'leave' },
  );
  expect(settings.size).toBe(describeSettings().length);
  expect(settings.get('TIME_ZONE')).toEqual(['file', 'Europe/Berlin']);
  expect(settings.get('PORT')).toEqual(['environment', '9000']);
  expect(settings.get('RETRY_MODE')).toEqual(['option', 'exclusive']);
  expect(settings.get('EMAIL_WINDOW')).toEqual(['default', '08:00-20:00']);
  expect(settings.get('EMAIL_FROM')).toEqual(['none', undefined]);
  expect(settings.get('PUBLIC_URL')).toEqual(['default', 'http://localhost:PORT']);
});

test('no secret is shown among the settings, and of addresses no login', () => {
  const settings = shown({
    DATABASE_URL: 'postgres://anna:marked@db.example:5432/shop?password=marked',
    SMTP_URL: 'smtps://anna:marked@mail.example',
    EMAIL_FROM: 'billing@shop.example',
    LINK_SECRET: 'marked'.repeat(8),
    METRICS_TOKEN: 'marked'.repeat(8),
    CONSOLE_PASSWORD: 'marked'.repeat(8),
    OPERATOR_TOKEN: 'marked'.repeat(8),
    EVENTS_URL: 'https://hooks.example/marked',
    EVENTS_SECRET: `whsec_${'marked00'.repeat(4)}`,
  });
  expect(settings.get('DATABASE_URL')).toEqual(['environment', 'postgres://db.example:5432/shop']);
  expect(settings.get('SMTP_URL')).toEqual(['environment', 'smtps://mail.example']);
  expect(settings.get('STRIPE_SECRET_KEY')).toEqual(['environment', 'hidden']);
  expect(JSON.stringify([...settings])).not.toContain('marked');
});
