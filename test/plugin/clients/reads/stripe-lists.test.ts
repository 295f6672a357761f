/** Stripe's lists by time of creation, asked of the sandbox and of a server that has forgotten a cursor. */

import { createServer } from 'node:http';
import { createStripeClient } from '../../../../src/plugin/clients/stripe-client.ts';
import { accepts } from '../../../../src/workbench/sandbox/payment-behaviour.ts';
import { closeServer, listenOnLoopback } from '../../../support/http/loopback-server.ts';
import { startTestSandbox, type TestSandbox } from '../../../workbench/sandbox/start-test-sandbox.ts';

function clientOf(url: string, secretKey = 'sk_test_lists') {
  return createStripeClient({ stripe: { secretKey, apiBase: new URL(url) } });
}

const everything = { account: 'own', from: 0, to: 4_000_000_000, after: null, perSecond: 1_000 };

describe('the lists of an account', () => {
  let stripe: TestSandbox;
  beforeAll(async () => {
    stripe = await startTestSandbox();
  });
  afterAll(() => stripe?.stop());

  test('the lists of an account go on after a cursor, keep to both ends of their range, and show what is canceled', async () => {
    const { sandbox, clock } = stripe;
    const client = clientOf(sandbox.url, sandbox.secretKey);
    const { id: price } = sandbox.createPrice();
    const ids: string[] = [];
    for (let index = 0; index < 130; index += 1) {
      const { id: customer } = sandbox.createCustomer({ paymentMethod: accepts() });
      ids.unshift(sandbox.importSubscription({ customer, items: [{ price }] }).id);
      if (index % 50 === 49) await clock.set(clock.now().plus({ seconds: 1 }));
    }
    sandbox.cancelSubscription(ids[0] ?? '');
    const first = await client.listSubscriptions(everything);
    expect(first.hasMore).toBe(true);
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 100));
    const rest = await client.listSubscriptions({ ...everything, after: ids[99] ?? '' });
    expect(rest.hasMore).toBe(false);
    expect(rest.data.map(({ id }) => id)).toEqual(ids.slice(100));

    const second = first.data[40]?.created ?? 0;
    const middle = await client.listSubscriptions({ ...everything, from: second, to: second });
    expect(middle.data.map(({ id }) => id)).toEqual(ids.slice(30, 80));
  });

  test('the lists of an account show which invoice a charge is for by way of its payment', async () => {
    const { sandbox } = stripe;
    const client = clientOf(sandbox.url, sandbox.secretKey);
    const { id: customer } = sandbox.createCustomer({ paymentMethod: accepts() });
    const { id: price } = sandbox.createPrice();
    sandbox.createSubscription({ customer, items: [{ price, quantity: 1 }] });
    const [invoice] = (await client.listInvoices(everything)).data;
    const [payment] = (await client.listInvoicePayments(everything)).data;
    const [charge] = (await client.listChargesPage(everything)).data;
    expect(invoice?.id).toBeDefined();
    expect(payment?.invoice).toBe(invoice?.id);
    expect(payment?.payment.payment_intent).toBe(charge?.payment_intent);
  });
});

test('a cursor that Stripe no longer knows is done without, from the second at which it stood', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    asked.push(searchParams.get('starting_after') ?? 'none');
    response.setHeader('content-type', 'application/json');
    response.statusCode = searchParams.has('starting_after') ? 400 : 200;
    const error = {
      type: 'invalid_request_error',
      code: 'resource_missing',
      param: 'starting_after',
      message: 'No such invoice',
    };
    const page = { object: 'list', has_more: false, data: [{ id: 'in_1', object: 'invoice', created: 5 }] };
    response.end(JSON.stringify(response.statusCode === 400 ? { error } : page));
  });
  const url = await listenOnLoopback(server);
  try {
    const page = await clientOf(url).listInvoices({ ...everything, to: 5, after: 'in_gone' });
    expect(page.data.map(({ id }) => id)).toEqual(['in_1']);
    expect(asked).toEqual(['in_gone', 'none']);
  } finally {
    await closeServer(server);
  }
});

test('requests are spread evenly, at no more than the pace', async () => {
  const times: number[] = [];
  const { atPace } = clientOf('http://127.0.0.1:9');
  const ask = async () => {
    times.push(performance.now());
  };
  await Promise.all(Array.from({ length: 12 }, () => atPace('invoices', 20, ask)));
  for (const [index, time] of times.entries()) {
    const inWindow = times.filter((other) => other >= time && other < time + 95).length;
    expect({ index, inWindow: inWindow <= 4 }).toEqual({ index, inWindow: true });
  }
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(400);
});
