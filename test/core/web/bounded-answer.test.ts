import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { askWithin, LateAnswerError } from '../../../src/core/web/bounded-answer.ts';
import { createStripeClient } from '../../../src/plugin/clients/stripe-client.ts';
import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';

const MEGABYTE = 1024 * 1024;
let server: Server;
let url: URL;
let answer: RequestListener;
beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  url = new URL(await listenOnLoopback(server));
});
afterAll(() => closeServer(server));

const ask = (mostBytes: number, withinMs = 30_000) =>
  askWithin(fetch, url, { method: 'GET', headers: {}, redirect: 'manual' }, { withinMs, mostBytes });

/** A byte now and then, so that no idle connection is ever noticed. */
const drip: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 5);
  response.once('close', () => clearInterval(timer));
};

test('bytes are counted after unpacking, and no more are read', async () => {
  const packed = gzipSync(Buffer.alloc(50 * MEGABYTE, '{'));
  answer = (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
  const { text, isCut } = await ask(64 * 1024);
  expect([packed.length < MEGABYTE, text.length, isCut]).toEqual([true, 64 * 1024, true]);
});

test('an answer of exactly the allowed size is whole', async () => {
  answer = (_request, response) => response.end('x'.repeat(10));
  expect(await ask(10)).toMatchObject({ text: 'x'.repeat(10), isCut: false });
  expect(await ask(9)).toMatchObject({ text: 'x'.repeat(9), isCut: true });
});

test('an answer that drips ends with its deadline, and so does its connection', async () => {
  let closed: Promise<unknown> | undefined;
  answer = (request, response) => {
    closed = once(response, 'close');
    drip(request, response);
  };
  await expect(ask(MEGABYTE, 100)).rejects.toThrow(LateAnswerError);
  await closed;
});

test('where nothing is to be read, a body that never ends is not waited for', async () => {
  answer = drip;
  expect(await ask(0)).toMatchObject({ status: 200, text: '' });
});

describe('of Stripe', () => {
  const payment = { invoiceId: 'in_1', paymentMethod: undefined, idempotencyKey: 'key_1' };
  const stripe = () => createStripeClient({ stripe: { secretKey: 'sk_test_1', apiBase: url } });
  const invoices = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `in_${index}`, object: 'invoice' }));

  test('an answer that drips is an error of the connection', async () => {
    answer = drip;
    const trial = await stripe()
      .findPayableInvoice('own', 'in_1', { timeout: 100, maxNetworkRetries: 0 })
      .catch(String);
    expect(trial).toContain('timeout being reached (100ms)');
  });

  test('an answer of more than a listing is none', async () => {
    answer = (_request, response) => response.end(`{"object":"invoice","a":"${'x'.repeat(9 * MEGABYTE)}"}`);
    await expect(stripe().payInvoice('own', payment)).rejects.toThrow('Invalid JSON');
  });

  test('a page of more than that is read in smaller ones, and none is left out', async () => {
    const all = invoices(95);
    const asked: string[] = [];
    answer = ({ url: path = '' }, response) => {
      const { searchParams } = new URL(path, url);
      const [limit, after] = [Number(searchParams.get('limit')), searchParams.get('starting_after')];
      asked.push(`${limit} after ${after}`);
      const from = all.findIndex(({ id }) => id === after) + 1;
      const data = all.slice(from, from + limit).map((one) => ({ ...one, text: 'x'.repeat(100_000) }));
      response.end(JSON.stringify({ object: 'list', data, has_more: from + limit < all.length }));
    };
    const found = await stripe().listUnpaidInvoices('own', ['cus_1'], ['open']);
    expect(new Set(found.map(({ id }) => id)).size).toBe(95);
    expect(asked).toEqual([
      '100 after null',
      '10 after null',
      '100 after in_9',
      '10 after in_9',
      '100 after in_19',
    ]);
  });
});
