/** The middleware in front of what only paying customers may use, in Express and in Hono. */

import { createServer } from 'node:http';
import express, { type Request } from 'express';
import { Hono } from 'hono';
import { requireAccess } from '../../../src/index.ts';
import type { Access } from '../../../src/plugin/operator/lists/access.ts';
import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';

const GOOD: Access = { allowed: true, until: null, reason: 'good', next: null };
const ENDED: Access = { ...GOOD, allowed: false, reason: 'payment_failed' };
const plugin = {
  customers: {
    access: async (id: string) => {
      if (id === 'cus_away') throw new Error('the database is away');
      return id === 'cus_good' ? GOOD : ENDED;
    },
  },
};

type Ask = (path: string, customer?: string) => Promise<Response>;
const headersOf = (customer: string | undefined) =>
  customer === undefined ? {} : { 'x-customer': customer };

let server: ReturnType<typeof createServer>;
let url: string;
beforeAll(async () => {
  const customerOf = (req: Request) => req.get('x-customer');
  const app = express();
  app.get('/app', requireAccess({ plugin, customerOf }), (_req, res) => {
    res.json(res.locals.access);
  });
  app.get('/paid', requireAccess({ plugin, customerOf, deniedTo: '/billing' }), (_req, res) => {
    res.json({});
  });
  app.use(((_error, _req, res, _next) => res.status(503).end()) as express.ErrorRequestHandler);
  server = createServer(app);
  url = await listenOnLoopback(server);
});
afterAll(() => closeServer(server));

const inExpress: Ask = (path, customer) =>
  fetch(`${url}${path}`, { headers: headersOf(customer), redirect: 'manual' });

const customerOf = (c: { req: { header(name: string): string | undefined } }) => c.req.header('x-customer');
const hono = new Hono<{ Variables: { access: Access } }>();
hono.use('/app', requireAccess({ plugin, customerOf }));
hono.get('/app', (c) => c.json(c.get('access')));
hono.use('/paid', requireAccess({ plugin, customerOf, deniedTo: '/billing' }));
hono.onError((_error, c) => c.body(null, 503));
const inHono: Ask = async (path, customer) => hono.request(path, { headers: headersOf(customer) });

test.each([
  ['Express', inExpress],
  ['Hono', inHono],
])('%s lets customers with access pass, and answers the others', async (_framework, ask) => {
  const good = await ask('/app', 'cus_good');
  expect([good.status, await good.json()]).toEqual([200, GOOD]);
  const ended = await ask('/app', 'cus_ended');
  expect([ended.status, await ended.json()]).toEqual([402, ENDED]);
  expect((await ask('/app')).status).toBe(402);
  const sent = await ask('/paid', 'cus_ended');
  expect([sent.status, sent.headers.get('location')]).toEqual([303, '/billing']);
  expect((await ask('/app', 'cus_away')).status).toBe(503);
});
