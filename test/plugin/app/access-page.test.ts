/** The examples of docs/how-to/access.md, run as they stand there, in the tutorial's shop. */
import { readFileSync } from 'node:fs';
import express, { type Express, type Request } from 'express';
import { Hono } from 'hono';
import { type Plugin, requireAccess } from '../../../src/index.ts';
import { ACCESS_REASONS } from '../../../src/plugin/operator/lists/access.ts';
import { createTestWorld, type TestWorld } from '../../../src/workbench/testing/test-world.ts';

const page = readFileSync(new URL('../../../docs/how-to/access.md', import.meta.url), 'utf8');
const codeUnder = (title: string): string =>
  new RegExp(`^## ${title}$.*?\`\`\`js\\n(.*?)\`\`\``, 'ms').exec(page)?.[1] ?? '';

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
const hono = new Hono<{ Variables: { customer: string } }>();
let customer = 'cus_unknown';
let handler: (request: object) => Promise<Response>;
let world: TestWorld;
beforeAll(async () => {
  world = await createTestWorld({
    plugin: { mode: 'advisory', access: { graceDays: 7, plans: { price_other: 60 } } },
    app: (plugin: Plugin) => {
      const app: Express = express().use('/payment-retry', plugin.router);
      app.use((req: Request & { customer?: string }, _res, next) => {
        req.customer = customer;
        next();
      });
      hono.use(async (c, next) => {
        c.set('customer', customer);
        await next();
      });
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
afterAll(() => world?.stop());

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
  const until = new Date(world.now().getTime() + 7 * 86_400_000).toISOString().slice(0, 10);
  expect(await (await world.fetch('/app')).text()).toContain(`Your last payment failed. Pay by ${until}.`);
  await world.advance({ days: 8 });
  expect(await ask()).toEqual(DENIED('payment_failed'));
  expect(heard).toEqual([`${customer} held: payment_failed`]);
  await world.newCard(customer);
  await world.advance({ hours: 2 });
  expect(await ask()).toEqual([200, 200, 200]);
  expect(await (await world.fetch('/app')).text()).toContain('<p></p><h1>Your boxes</h1>');
  expect(heard).toEqual([`${customer} held: payment_failed`, `${customer} shipped`]);
});

test('the settings of the page are options, and its reasons are those that there are', () => {
  const options = play<object>(
    `let given; const createPlugin = (options) => { given = options; };\n${codeUnder('Days of grace')}`,
    { settings: {} },
    'given',
  );
  expect(options).toEqual({ access: { graceDays: 7, plans: { price_gold: 21, prod_trial_box: 0 } } });
  const reasons = [...page.matchAll(/^\| `(\w+)` \| (?:yes|no) \|/gm)].map(([, reason]) => reason);
  expect(reasons).toEqual(Object.keys(ACCESS_REASONS));
});
