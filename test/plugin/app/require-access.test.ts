/** The middleware in front of what only paying customers may use, in Express and in Hono. */

import express, { type Request } from 'express';
import { Hono } from 'hono';
import request from 'supertest';
import { requireAccess } from '../../../src/index.ts';
import type { Access } from '../../../src/plugin/operator/lists/access.ts';

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

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly location: string | undefined;
}
type Ask = (path: string, customer?: string) => Promise<Answer>;
const headersOf = (customer: string | undefined): Record<string, string> =>
  customer === undefined ? {} : { 'x-customer': customer };

const app = express();
const customerOfRequest = (req: Request) => req.get('x-customer');
app.get('/app', requireAccess({ plugin, customerOf: customerOfRequest }), (_req, res) => {
  res.json(res.locals.access);
});
app.get(
  '/paid',
  requireAccess({ plugin, customerOf: customerOfRequest, deniedTo: '/billing' }),
  (_req, res) => {
    res.json({});
  },
);
app.use(((_error, _req, res, _next) => res.status(503).end()) as express.ErrorRequestHandler);
const inExpress: Ask = async (path, customer) => {
  const { status, body, headers } = await request(app).get(path).set(headersOf(customer));
  return { status, body, location: headers.location };
};

const customerOf = (c: { req: { header(name: string): string | undefined } }) => c.req.header('x-customer');
const hono = new Hono<{ Variables: { access: Access } }>();
hono.use('/app', requireAccess({ plugin, customerOf }));
hono.get('/app', (c) => c.json(c.get('access')));
hono.use('/paid', requireAccess({ plugin, customerOf, deniedTo: '/billing' }));
hono.onError((_error, c) => c.body(null, 503));
const inHono: Ask = async (path, customer) => {
  const answer = await hono.request(path, { headers: headersOf(customer) });
  const { status, headers } = answer;
  const body = headers.get('content-type')?.includes('json') ? await answer.json() : undefined;
  return { status, body, location: headers.get('location') ?? undefined };
};

test.each([
  ['Express', inExpress],
  ['Hono', inHono],
])('%s lets customers with access pass, and answers the others', async (_framework, ask) => {
  expect(await ask('/app', 'cus_good')).toMatchObject({ status: 200, body: GOOD });
  expect(await ask('/app', 'cus_ended')).toMatchObject({ status: 402, body: ENDED });
  expect(await ask('/app')).toMatchObject({ status: 402 });
  expect(await ask('/paid', 'cus_ended')).toMatchObject({ status: 303, location: '/billing' });
  expect(await ask('/app', 'cus_away')).toMatchObject({ status: 503 });
});
