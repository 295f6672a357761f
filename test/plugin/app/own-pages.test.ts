/** The examples of docs/how-to/access.md and your-own-pages.md, run as they are written there, in one shop. */
import { readFileSync } from 'node:fs';
import express, { type Request } from 'express';
import { Hono } from 'hono';
import { type Plugin, requireAccess } from '../../../src/index.ts';
import { ACCESS_REASONS } from '../../../src/plugin/operator/lists/access.ts';
import { createTestWorld, type TestWorld } from '../../../src/workbench/testing/test-world.ts';
import { MAIN, type TestLocation } from '../../support/database/databases.ts';

const read = (name: string) =>
  readFileSync(new URL(`../../../docs/how-to/${name}.md`, import.meta.url), 'utf8');
const access = read('access');
const codeUnder = (title: string): string =>
  new RegExp(`^## ${title}$.*?\`\`\`js\\n(.*?)\`\`\``, 'ms').exec(access)?.[1] ?? '';
const examples = [...read('your-own-pages').matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code);

/** Runs an example with what it names, and returns what `result` says. */
function play<Result>(code: string, names: object, result = 'undefined'): Result {
  const run = new Function(...Object.keys(names), `${code}\nreturn ${result};`);
  return run(...Object.values(names)) as Result;
}

const heard: string[] = [];
const boxes = {
  hold: async (customer: string, reason: string) => void heard.push(`${customer} held: ${reason}`),
  ship: async (customer: string) => void heard.push(`${customer} shipped`),
};
const notes: string[] = [];
const crm = { note: async (customer: string, text: string) => void notes.push(`${customer}: ${text}`) };
const hono = new Hono<{ Variables: { customer: string } }>();
let customer: string;
let handler: (request: object) => Promise<Response>;
let place: TestLocation;
let world: TestWorld;
beforeAll(async () => {
  place = await MAIN.createMigrated();
  const { location } = place;
  const database = location.kind === 'postgres' ? { url: location.url } : { directory: location.directory };
  world = await createTestWorld({
    plugin: { mode: 'advisory', access: { graceDays: 2, plans: { price_other: 60 } }, database },
    app: (plugin: Plugin) => {
      const app = express().use('/payment-retry', plugin.router);
      app.use((req: Request & { customer?: string }, _res, next) => {
        req.customer = customer;
        next();
      });
      hono.use(async (c, next) => {
        c.set('customer', customer);
        await next();
      });
      play(examples.join('\n'), { app, plugin, crm });
      play(codeUnder('Express'), { app, plugin, requireAccess });
      play(codeUnder('Hono'), { hono, plugin, requireAccess });
      play(codeUnder('When access ends'), { plugin, boxes });
      // A session as better-auth has it: the user of the request's cookie.
      const getSession = async ({ headers }: { headers: Headers }) =>
        headers.get('cookie') === null ? null : { user: { stripeCustomerId: headers.get('cookie') } };
      const auth = { api: { getSession } };
      const customerOf = play<(request: object) => Promise<string>>(
        codeUnder('better-auth'),
        { auth },
        'customerOf',
      );
      const route = codeUnder('Next.js').replace('export ', '');
      handler = play(route, { plugin, customerOf }, 'GET');
      return app;
    },
  });
});
afterAll(async () => {
  await world?.stop();
  await place?.remove();
});
beforeEach(() => {
  customer = 'cus_unknown';
});

const textAt = async (path: string) => (await world.fetch(path)).text();

/** Each framework's answer: whether the customer gets in. */
async function ask() {
  const shop = await world.fetch('/app', { redirect: 'manual' });
  const next = await handler(new Request('https://shop.example/app', { headers: { cookie: customer } }));
  const places = [shop.headers.get('location'), next.headers.get('location')];
  return [shop.status, (await hono.request('/app/boxes')).status, next.status, ...places.filter(Boolean)];
}

const DENIED = (reason: string) => [
  303,
  303,
  303,
  '/billing',
  `https://shop.example/billing?reason=${reason}`,
];

test('a customer gets in while paying, in the days of grace, and again after the payment', async () => {
  expect(await ask()).toEqual(DENIED('unknown_customer'));
  ({ customer } = await world.failRenewal({ amount: 4900, declineCode: 'expired_card' }));
  expect(await ask()).toEqual([200, 200, 200]);
  const until = new Date(world.now().getTime() + 2 * 86_400_000).toISOString().slice(0, 10);
  expect(await textAt('/app')).toContain(`Your last payment failed. Pay by ${until}.`);
  await world.advance({ days: 3 });
  expect(await ask()).toEqual(DENIED('payment_failed'));
  expect(heard).toEqual([`${customer} held: payment_failed`]);
  await world.newCard(customer);
  await world.advance({ hours: 2 });
  expect(await ask()).toEqual([200, 200, 200]);
  expect(await textAt('/app')).toContain('<p></p><h1>Your boxes</h1>');
  expect(heard).toEqual([`${customer} held: payment_failed`, `${customer} shipped`]);
});

test('the settings of the page are options, and its reasons are those that there are', () => {
  const options = play<object>(
    `let given; const createPlugin = (options) => { given = options; };\n${codeUnder('Days of grace')}`,
    { settings: {} },
    'given',
  );
  expect(options).toEqual({ access: { graceDays: 7, plans: { price_gold: 21, prod_trial_box: 0 } } });
  const reasons = [...access.matchAll(/^\| `(\w+)` \| (?:yes|no) \|/gm)].map(([, reason]) => reason);
  expect(reasons).toEqual(Object.keys(ACCESS_REASONS));
});

test('each example of your own pages is ten lines or so', () => {
  expect(examples).toHaveLength(3);
  for (const code of examples) expect(code.trim().split('\n').length).toBeLessThanOrEqual(12);
});

test('the banner and the page follow a failure, a new card and the payment', async () => {
  expect(await textAt('/')).toBe('<h1>Your shop</h1>');
  expect(await textAt('/billing')).toContain('Everything is paid.');
  expect((await world.fetch('/billing/card', { redirect: 'manual' })).headers.get('location')).toBe(
    '/billing',
  );
  const failed = await world.failRenewal({ amount: 4900, currency: 'eur', declineCode: 'expired_card' });
  customer = failed.customer;
  const ends = new Date(world.now().getTime() + 2 * 86_400_000).toISOString().slice(0, 10);
  expect(await textAt('/')).toContain(
    `<p role="alert">Your last payment failed. Your access may end on ${ends}. <a href="/billing">`,
  );
  expect(await textAt('/billing')).toContain('49.00 EUR: please give another card');
  const card = await world.fetch('/billing/card');
  expect([card.status, await card.text()]).toEqual([200, expect.stringContaining('€49.00')]);
  await world.newCard(customer);
  await world.advance({ hours: 2 });
  expect(await textAt('/')).toBe('<h1>Your shop</h1>');
  expect(await textAt('/billing')).toContain('Everything is paid.');
  expect(notes.filter((note) => note.startsWith(customer))).toEqual([
    `${customer}: ${failed.invoice} is paid`,
  ]);
});

test('a planned attempt is named with its day', async () => {
  ({ customer } = await world.failRenewal({ amount: 4900, declines: 1 }));
  const day = world.now().toISOString().slice(0, 8);
  expect(await textAt('/billing')).toMatch(new RegExp(`49\\.00 USD: we try again on ${day}\\d\\d`));
});
