/** The examples of docs/how-to/your-own-pages.md, run as they stand there. */
import { readFileSync } from 'node:fs';
import express, { type Express, type Request } from 'express';
import type { Plugin } from '../../../src/plugin/app/plugin.ts';
import { createTestWorld, type TestWorld } from '../../../src/workbench/testing/test-world.ts';

const page = readFileSync(new URL('../../../docs/how-to/your-own-pages.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code);

const notes: string[] = [];
const crm = { note: async (customer: string, text: string) => void notes.push(`${customer}: ${text}`) };
let customer = 'cus_unknown';
let world: TestWorld;
beforeAll(async () => {
  world = await createTestWorld({
    plugin: { mode: 'advisory' },
    app: (plugin) => {
      const app = express().use('/payment-retry', plugin.router);
      app.use((req: Request & { customer?: string }, _res, next) => {
        req.customer = customer;
        next();
      });
      const run = new Function('app', 'plugin', 'crm', examples.join('\n')) as (
        app: Express,
        plugin: Plugin,
        notes: typeof crm,
      ) => void;
      run(app, plugin, crm);
      return app;
    },
  });
});
afterAll(() => world?.stop());

const read = async (path: string) => (await world.fetch(path)).text();

test('each example is ten lines or so', () => {
  expect(examples).toHaveLength(3);
  for (const code of examples) expect(code.trim().split('\n').length).toBeLessThanOrEqual(12);
});

test('the banner and the page follow a failure, a new card and the payment', async () => {
  expect(await read('/')).toBe('<h1>Your shop</h1>');
  expect(await read('/billing')).toContain('Everything is paid.');
  expect((await world.fetch('/billing/card', { redirect: 'manual' })).headers.get('location')).toBe(
    '/billing',
  );
  const failed = await world.failRenewal({ amount: 4900, currency: 'eur', declineCode: 'expired_card' });
  customer = failed.customer;
  expect(await read('/')).toContain(
    '<p role="alert">Your last payment failed. Your access may end on 2026-04-01. <a href="/billing">',
  );
  expect(await read('/billing')).toContain('49.00 EUR: please give another card');
  const card = await world.fetch('/billing/card');
  expect([card.status, await card.text()]).toEqual([200, expect.stringContaining('€49.00')]);
  await world.newCard(customer);
  await world.advance({ hours: 2 });
  expect(await read('/')).toBe('<h1>Your shop</h1>');
  expect(await read('/billing')).toContain('Everything is paid.');
  expect(notes).toEqual([`${customer}: ${failed.invoice} is paid`]);
});

test('a planned attempt is named with its day', async () => {
  const failed = await world.failRenewal({ amount: 4900, declines: 1 });
  customer = failed.customer;
  expect(await read('/billing')).toMatch(/49\.00 USD: we try again on 2026-03-\d\d/);
});
