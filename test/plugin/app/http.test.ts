/** The HTTP surface of the stand-alone server as a whole, and what it never gives away. */
import express from 'express';
import fc from 'fast-check';
import request from 'supertest';
import { anyCharacter } from '../../support/any-character.ts';
import {
  eventBody,
  INSTRUCTION,
  SECRETS,
  sign,
  startTestServer,
  type TestServer,
} from '../../support/http/test-server.ts';
import { runs } from '../../support/runner/full-run.ts';

let served: TestServer;
beforeAll(async () => {
  served = await startTestServer();
});
afterAll(() => served?.stop());

describe('the other paths', () => {
  test('health and readiness need no token', async () => {
    expect(await served.get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await served.get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
  });

  test('metrics need their own token', async () => {
    await served.postInstruction(INSTRUCTION);
    await served.server.plugin.runOnce();
    expect((await served.get('/metrics')).status).toBe(401);
    expect((await served.get('/metrics', { authorization: `Bearer ${SECRETS.newToken}` })).status).toBe(401);
    const metrics = await served.get('/metrics', { authorization: `Bearer ${SECRETS.metrics}` });
    expect(metrics.status).toBe(200);
    expect(metrics.text).toMatch(/payment_retry_rows\{table="instructions",state="\w+"\} \d/);
    expect(metrics.text).toMatch(/payment_retry_cursor_lag_seconds\{account="own",cursor="events"\} \d/);
    expect(metrics.text).toMatch(/payment_retry_oldest_undelivered_seconds \d/);
  });

  test.each(['/', '/nothing', '/webhooks', '/webhooks/stripe', '/recovery_action', '/%E0%A4%A', '/console'])(
    'GET %s is 404',
    async (path) => {
      const answer = await served.get(path);
      expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
    },
  );

  test('answers carry the usual protective headers and do not name the framework', async () => {
    const { headers } = await served.get('/healthz');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
    expect(headers).not.toHaveProperty('x-powered-by');
  });
});

test('plain HTTP from another machine is refused, unless a trusted proxy took it over HTTPS', async () => {
  const host = express();
  host.use((req, _res, next) => {
    const at = req.get('x-test-comes-from');
    if (at) Object.defineProperty(req.socket, 'remoteAddress', { value: at, configurable: true });
    next();
  });
  host.use(served.server.plugin.router);
  const from = (headers: Record<string, string>) =>
    served.keep(request(host).post('/recovery_action').set(headers).send(JSON.stringify(INSTRUCTION)));
  const remote = { 'x-test-comes-from': '203.0.113.7', authorization: `Bearer ${SECRETS.newToken}` };
  const refused = await from(remote);
  expect([refused.status, refused.body.code]).toEqual([403, 'HTTPS_REQUIRED']);
  expect((await from({ ...remote, 'x-forwarded-proto': 'https' })).status).toBe(403);
  host.set('trust proxy', 1);
  expect((await from({ ...remote, 'x-forwarded-proto': 'https' })).status).toBe(200);
  expect((await from({ ...remote, 'x-forwarded-proto': 'http' })).status).toBe(403);
});

describe('whatever arrives, the answer is never a 5xx', () => {
  const anything = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 200 }),
    fc.json(),
    fc
      .record({
        requestId: fc.oneof(fc.string({ unit: anyCharacter }), fc.jsonValue()),
        invoiceId: fc.oneof(fc.string({ unit: anyCharacter }), fc.jsonValue()),
        actionSuggestion: fc.oneof(fc.constant('ACTION_SUGGESTION_RETRY'), fc.string({ unit: anyCharacter })),
        idealRetryTime: fc.oneof(fc.date().map(String), fc.string(), fc.constant('+275760-09-13T00:00:00Z')),
      })
      .map((body) => JSON.stringify(body)),
    fc
      .record({ id: fc.jsonValue(), type: fc.jsonValue(), data: fc.jsonValue() })
      .map((body) => JSON.stringify(body)),
    fc
      .record({
        id: fc.string({ unit: anyCharacter }),
        type: fc.jsonValue(),
        created: fc.oneof(fc.maxSafeInteger(), fc.jsonValue()),
      })
      .map((fields) => eventBody('evt_fuzz', fields)),
  );

  test('whatever arrives at the callback, the answer is never a 5xx', async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (body) => {
        expect((await served.postInstruction(body)).status).toBeLessThan(500);
      }),
      { numRuns: runs(250) },
    );
  });

  test('whatever arrives at the webhook, even signed, the answer is never a 5xx', async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (body) => {
        expect((await served.postWebhook(body, sign(body))).status).toBeLessThan(500);
      }),
      { numRuns: runs(250) },
    );
  });
});

test('without a metrics token the path does not exist; without a database senders are asked to come again', async () => {
  const broken = await startTestServer({ metricsToken: undefined });
  expect((await broken.get('/metrics')).status).toBe(404);
  await broken.server.plugin.parts.database.close();

  const body = eventBody('evt_unstored');
  const refusals = [
    await broken.postWebhook(body, sign(body)),
    await broken.postInstruction(INSTRUCTION),
    await broken.get('/readyz'),
  ];
  for (const { status, headers, body: answer } of refusals) {
    expect([status, answer.code]).toEqual([503, 'STORE_UNAVAILABLE']);
    expect(headers['retry-after']).toBe('5');
  }
  expect((await broken.get('/healthz')).status).toBe(200);
  // A database objects to being closed a second time; everything else is closed all the same.
  const { service } = broken.server.plugin.parts;
  const health = () => fetch(`${service?.url}/healthz`);
  expect((await health()).status).toBe(503);
  await expect(broken.stop()).rejects.toThrow('Not everything could be closed');
  await expect(health()).rejects.toThrow('fetch failed');
});

test('no answer holds a stack trace, and neither answers nor log lines hold a secret', () => {
  expect(served.answers.length).toBeGreaterThan(2 * runs(250));
  const told = served.answers.map(({ text, headers }) => `${text}\n${JSON.stringify(headers)}`).join('\n');
  expect(told).not.toMatch(/ {4}at |node_modules|\.ts:\d/);
  const logged = served.logLines.join('\n');
  expect(served.logLines.length).toBeGreaterThan(runs(250));
  const refusals = served.logLines.filter((line) => line.includes('a request was refused'));
  expect(refusals.length).toBeGreaterThan(runs(250));
  expect(refusals.join('\n')).not.toMatch(/ {4}at /);
  for (const secret of Object.values(SECRETS)) {
    expect(told).not.toContain(secret);
    expect(logged).not.toContain(secret);
  }
});
