import express from 'express';
import { readStart } from '../../../src/core/web/bounded-answer.ts';
import {
  createInProcessFetch,
  createRequestHandler,
  IN_PROCESS_URL,
  type OutgoingRequest,
} from '../../../src/core/web/in-process-fetch.ts';
import { requireHttps } from '../../../src/core/web/require-https.ts';

const app = express();
app.use(requireHttps);
app.post('/echo', express.json({ limit: '8mb' }), (req, res) => {
  res.status(202).set('x-mark', String(req.get('x-mark')));
  res.json({ body: req.body, ip: req.ip, query: req.query });
});
app.get('/nothing', (_req, res) => void res.status(204).end());
app.get('/elsewhere', (_req, res) => void res.redirect('https://elsewhere.example/'));
app.get('/broken', (req) => void req.socket.destroy());
const impatience = new AbortController();
let left: Promise<void> | undefined;
app.get('/silent', (_req, res) => {
  left = new Promise((resolve) => res.once('close', resolve));
  impatience.abort(new Error('enough'));
});

const fetchHere = createInProcessFetch(app);
const ask = async (path: string, asked: Partial<OutgoingRequest> = {}) => {
  const signal = AbortSignal.timeout(30_000);
  const request = { method: 'GET', headers: {}, signal, redirect: 'manual', ...asked } as const;
  const answer = await fetchHere(`${IN_PROCESS_URL}${path}`, request);
  return { ...answer, ...(await readStart(answer.body, 8_000_000, request.signal)) };
};

test('a request in the process has body, headers and query, and comes from this machine', async () => {
  const items = Array.from({ length: 100_000 }, (_, index) => `item ${index}`);
  const answer = await ask('/echo?page=2', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-mark': 'here' },
    body: JSON.stringify({ items }),
  });
  expect([answer.status, answer.headers.get('x-mark')]).toEqual([202, 'here']);
  expect(JSON.parse(answer.text)).toEqual({ body: { items }, ip: '127.0.0.1', query: { page: '2' } });
});

test('an answer in the process may be empty or a redirect, which is not followed', async () => {
  const empty = await ask('/nothing');
  expect([empty.status, empty.text]).toEqual([204, '']);
  const redirect = await ask('/elsewhere');
  expect([redirect.status, redirect.headers.get('location')]).toEqual([302, 'https://elsewhere.example/']);
});

test('a request in the process whose connection ends rejects', async () => {
  await expect(ask('/broken')).rejects.toThrow('socket hang up');
});

test('a request in the process ends with its signal, on both sides and with its reason', async () => {
  await expect(ask('/silent', { signal: impatience.signal })).rejects.toThrow('enough');
  expect(left).toBeDefined();
  await left;
});

test('many requests in the process go side by side', async () => {
  const answers = await Promise.all(Array.from({ length: 200 }, () => ask('/nothing')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
});

describe('of a host that has the Request of the platform', () => {
  const bytes = express().set('trust proxy', 'loopback').use(requireHttps);
  bytes.post('/bytes', express.raw({ type: '*/*' }), (req, res) => {
    res.append('set-cookie', 'one=1').append('set-cookie', 'two=2');
    res.json({ body: req.body.toString('hex'), ip: req.ip, host: req.host, query: req.query });
  });
  const handle = createRequestHandler(bytes);
  const post = (url: string, headers: Record<string, string> = {}) =>
    handle(
      new Request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', ...headers },
        body: new Uint8Array([0, 13, 10, 255]),
      }),
    );

  test('the body comes as it is, and each cookie goes back', async () => {
    const answer = await post('https://shop.example/bytes?a=b', { 'x-forwarded-for': '203.0.113.7' });
    expect(answer.headers.getSetCookie()).toEqual(['one=1', 'two=2']);
    expect(await answer.json()).toEqual({
      body: '000d0aff',
      ip: '203.0.113.7',
      host: 'shop.example',
      query: { a: 'b' },
    });
  });

  test('plain HTTP is for this machine, whoever says nothing about the caller', async () => {
    const status = async (url: string, headers = {}) => (await post(url, headers)).status;
    expect(await status('http://127.0.0.1:3000/bytes')).toBe(200);
    expect(await status('http://shop.example/bytes')).not.toBe(200);
    expect(await status('http://shop.example/bytes', { 'x-forwarded-for': '203.0.113.7' })).not.toBe(200);
    expect(await status('http://shop.example/bytes', { 'x-forwarded-proto': 'https' })).toBe(200);
  });
});
