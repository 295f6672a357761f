import Stripe from 'stripe';
import { createLimitedHttp } from '../../../../src/plugin/clients/http/measured-http.ts';
import type { RequestBudget } from '../../../../src/plugin/clients/request-budget.ts';
import { asBackfill } from '../../../../src/plugin/clients/request-budget.ts';
import { createStripeClient } from '../../../../src/plugin/clients/stripe-client.ts';
import { type HttpStub, type StubAnswer, startHttpStub } from '../../../support/http/http-stub.ts';

let answers: StubAnswer[] = [];
let stub: HttpStub;
beforeAll(async () => {
  stub = await startHttpStub(
    () => answers.shift() ?? { status: 200, body: { id: 'in_1', object: 'invoice' } },
  );
});
afterAll(() => stub.stop());

const said: string[] = [];
const budget: RequestBudget = {
  acquire: async (key, rate, urgency) => {
    said.push(`${urgency} ${key} ${rate}`);
  },
  slowDown: async (key) => {
    said.push(`slower ${key}`);
  },
};
beforeEach(() => {
  said.length = 0;
});
const client = () =>
  createStripeClient(
    { stripe: { secretKey: 'sk_test_1', apiBase: stub.url } },
    undefined,
    createLimitedHttp(budget, 80),
  );
const refusal = (headers: Record<string, string> = {}) => ({
  status: 429,
  headers,
  body: { error: { type: 'invalid_request_error', message: 'slower' } },
});

test('every request asks for its account and its endpoint, with its urgency', async () => {
  await client().findInvoice('own', 'in_1');
  await asBackfill(() => client().findInvoice('acct_1', 'in_1'));
  await client().payInvoice('own', { invoiceId: 'in_1', paymentMethod: undefined, idempotencyKey: 'key_1' });
  expect(said).toEqual([
    ...['read own GET /v1/invoices/:id 20', 'read own 80'],
    ...['backfill acct_1 GET /v1/invoices/:id 20', 'backfill acct_1 80'],
    ...['payment own POST /v1/invoices/:id/pay 20', 'payment own 80'],
  ]);
});

test('a refusal for too many lowers the pace, one about a single object does not', async () => {
  const request = { invoiceId: 'in_1', paymentMethod: undefined, idempotencyKey: 'key_1' };
  answers = [refusal({ 'stripe-rate-limited-reason': 'endpoint-rate' })];
  await expect(client().payInvoice('own', request)).rejects.toThrow(Stripe.errors.StripeRateLimitError);
  expect(said.slice(2)).toEqual(['slower own POST /v1/invoices/:id/pay', 'slower own']);
  said.length = 0;
  answers = [refusal({ 'stripe-rate-limited-reason': 'resource-specific' })];
  await expect(client().payInvoice('own', request)).rejects.toThrow(Stripe.errors.StripeRateLimitError);
  expect(said).toHaveLength(2);
});
