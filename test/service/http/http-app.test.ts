import { connect } from 'node:net';
import { pino } from 'pino';
import request from 'supertest';
import { isLoopback } from '../../../src/core/base/loopback.ts';
import { createMeasures } from '../../../src/core/telemetry/measures.ts';
import { createHttpApp } from '../../../src/service/http/http-app.ts';
import { hashApiKey } from '../../../src/service/keys/api-keys.ts';
import { eventually } from '../../support/eventually.ts';
import { inOneSecond } from '../../support/in-one-second.ts';
import { API_KEY, type Harness, startHarness } from '../service-harness.ts';

let harness: Harness;
const lines: string[] = [];
const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });

beforeAll(async () => {
  harness = await startHarness({ logger });
});
afterAll(() => harness.stop());

const REFUSAL = { success: false, message: expect.any(String), requestId: expect.any(String) };

describe('the API', () => {
  test.each([
    ['no key', {}],
    ['a wrong key', { authorization: 'Bearer wrong' }],
    ['another scheme', { authorization: `Basic ${API_KEY}` }],
    ['an empty key', { authorization: 'Bearer ' }],
  ])('the API answers 401 to %s', async (_name, headers) => {
    for (const answer of [
      await harness.get('/v1/recovery_actions', headers),
      await harness.post('/v1/subscriptions', 'not even json', headers),
    ]) {
      expect(answer).toMatchObject({ status: 401, body: REFUSAL });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  test('the API answers 404 to an unknown path', async () => {
    const message = 'There is nothing at GET /v2/recovery_actions.';
    const refusal = { ...REFUSAL, message };
    expect(await harness.get('/v2/recovery_actions')).toMatchObject({ status: 404, body: refusal });
    expect(await harness.get('/v1/subscriptions')).toMatchObject({ status: 404, body: REFUSAL });
    expect(await harness.get('/%')).toMatchObject({ body: REFUSAL });
  });

  test('the API answers 413 to a body over 5 MiB, and takes one just below', async () => {
    const tooLarge = JSON.stringify({ subscriptions: [], filler: 'x'.repeat(5 * 1024 * 1024) });
    expect(await harness.post('/v1/subscriptions', tooLarge)).toMatchObject({ status: 413, body: REFUSAL });
    const fits = JSON.stringify({ subscriptions: [], filler: 'x'.repeat(5 * 1024 * 1024 - 100) });
    expect(await harness.post('/v1/subscriptions', fits)).toMatchObject({ status: 200 });
  });

  test('bodies read in parallel are bounded together, with any keys', async () => {
    const { hostname, port } = new URL(harness.url);
    const head = `POST /v1/subscriptions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_KEY}\r\n`;
    const sockets = Array.from({ length: 13 }, () => connect(Number(port), hostname));
    const answers: string[] = [];
    for (const socket of sockets) {
      socket.on('data', (part) => answers.push(String(part)));
      socket.write(`${head}Content-Length: ${5 * 1024 * 1024}\r\n\r\n{`);
      socket.write(' '.repeat(3 * 1024 * 1024));
    }
    await eventually(() => expect(answers.length).toBeGreaterThan(0));
    expect(answers[0]).toMatch(/^HTTP\/1\.1 503 /);
    for (const socket of sockets) socket.destroy();
    const fits = { subscriptions: [], filler: 'x'.repeat(4 * 1024 * 1024) };
    await eventually(async () => {
      expect(await harness.post('/v1/subscriptions', fits)).toMatchObject({ status: 200 });
    });
  });

  test('the API reports its health without a key', async () => {
    expect(await harness.get('/healthz', {})).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  test('the API gives each answer a request id, in its body and its log line, and never shows the key', async () => {
    const answer = await harness.get('/v1/recovery_actions?pageToken=secretpagetoken');
    const requestId = answer.headers.get('x-request-id');
    expect(answer.body).toMatchObject({ requestId });
    expect(lines.some((line) => line.includes(String(requestId)))).toBe(true);
    expect(lines.join('')).not.toContain(API_KEY);
    expect(lines.join('')).not.toContain('secretpagetoken');
  });

  test('the API answers in the usual form to what is not HTTP, with a request id too', async () => {
    const text = await sendRaw('BLAH\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    const { requestId, ...body } = JSON.parse(text.split('\r\n\r\n')[1] ?? '');
    expect(body).toEqual({ success: false, message: 'The request is not HTTP.' });
    expect(text).toContain(`X-Request-Id: ${requestId}`);
    expect(lines.some((line) => line.includes(requestId))).toBe(true);
    expect(await sendRaw(`GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
  });

  test('the API refuses two Host headers, of which a proxy may have read the other one', async () => {
    const text = await sendRaw('GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(text).toContain('"message":"The request has more than one Host header."');
  });

  test('the API has no short form for an answer that did not change', async () => {
    const before = await harness.get('/openapi.json', {});
    expect(before.headers.get('etag')).toBeNull();
    expect(await harness.get('/openapi.json', { 'if-none-match': '*' })).toMatchObject({ status: 200 });
  });

  test('the API keeps keys as hashes only, and forgets those taken away', async () => {
    const rows = await harness.database.query('select hash from retry_service.api_keys');
    expect(rows).toEqual([{ hash: hashApiKey(API_KEY) }]);
  });
});

/** All that the server says until it closes the connection. */
async function sendRaw(text: string): Promise<string> {
  const socket = connect(Number(new URL(harness.url).port), '127.0.0.1');
  socket.end(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

describe('an app of its own', () => {
  const caller = (keyId: string, requestsPerSecond?: number) => {
    const keyHash = hashApiKey(keyId);
    return [keyHash, { keyId, keyHash, organization: 'default', requestsPerSecond }] as const;
  };
  const CALLERS = new Map([caller(API_KEY), caller('second'), caller('generous', 1000)]);
  function createApp(overrides: Partial<Parameters<typeof createHttpApp>[0]> = {}) {
    return createHttpApp({
      database: harness.database,
      clock: harness.clock,
      logger,
      enqueue: async () => {},
      requestsPerSecond: 100,
      concurrentRequests: 5,
      trustProxy: false,
      measures: createMeasures(),
      findByKey: async (hash) => CALLERS.get(hash),
      ...overrides,
    });
  }

  test('the API answers 503 and nothing of the cause when the database is away', async () => {
    const gone = () => Promise.reject(new Error('connect ECONNREFUSED secret-host'));
    const app = createApp({ database: { ...harness.database, query: gone, transaction: gone } });
    const auth = { authorization: `Bearer ${API_KEY}` };
    const answers = [
      await request(app).get('/healthz'),
      await request(app).get('/v1/recovery_actions').set(auth),
      await request(app).post('/v1/subscriptions').set(auth).send({ subscriptions: [] }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(503);
      expect(answer.body).toEqual(REFUSAL);
      expect(answer.text).not.toContain('secret-host');
    }
  });

  test('the API answers 429 with Retry-After to one key over its rate, and goes on answering another', async () => {
    const app = createApp({ requestsPerSecond: 3, concurrentRequests: 100 });
    const ask = (key: string) =>
      request(app).get('/v1/recovery_actions').set('authorization', `Bearer ${key}`);
    const burst = (key: string) => inOneSecond(() => Promise.all(Array.from({ length: 8 }, () => ask(key))));
    const answers = await burst(API_KEY);
    const refused = answers.filter((answer) => answer.status === 429);
    expect(refused).toHaveLength(5);
    for (const { body, headers } of refused) {
      expect(body).toEqual(REFUSAL);
      expect(headers['retry-after']).toMatch(/^\d+$/);
    }
    expect((await ask('second')).status).toBe(200);
    expect((await burst('generous')).map(({ status }) => status)).toEqual(Array(8).fill(200));
  });

  test('the API answers 429 to more requests at once than it serves, and goes on when they are done', async () => {
    const waiting: (() => void)[] = [];
    let isOpen = false;
    const query: typeof harness.database.query = async (...given) => {
      const isListing = given[0].includes('from retry_service.recovery_actions');
      if (isListing && !isOpen) await new Promise<void>((resolve) => waiting.push(resolve));
      return harness.database.query(...given);
    };
    const app = createApp({ concurrentRequests: 2, database: { ...harness.database, query } });
    const ask = () => request(app).get('/v1/recovery_actions').set('authorization', `Bearer ${API_KEY}`);
    const served = [ask(), ask()].map(async (asked) => (await asked).status);
    await eventually(() => expect(waiting).toHaveLength(2));
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    isOpen = true;
    for (const release of waiting) release();
    expect(await Promise.all(served)).toEqual([200, 200]);
    expect((await ask()).status).toBe(200);
  });

  test('the API does not show an unforeseen error', async () => {
    const app = createApp({ findByKey: () => Promise.reject(new TypeError('inner detail')) });
    const answer = await request(app).get('/v1/recovery_actions').set('authorization', `Bearer ${API_KEY}`);
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual(REFUSAL);
    expect(answer.text).not.toContain('inner detail');
    const logged = lines.filter((line) => line.includes(answer.body.requestId));
    expect(logged.some((line) => line.includes('inner detail'))).toBe(true);
  });
});

test.each([
  ['127.0.0.1', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['[::1]', true],
  ['localhost', true],
  ['10.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['127.0.0.1.example.com', false],
  ['', false],
])('plain HTTP from %s: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});
