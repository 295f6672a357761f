/** Wrong credentials from one address, at every path that takes some. */
import { createServer, type Server } from 'node:http';
import express from 'express';
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { createGuessTable } from '../../../src/core/database/guess-table.ts';
import { createGuessLimit } from '../../../src/core/web/guess-limit.ts';
import { answerErrors } from '../../../src/core/web/http-errors.ts';
import { hashApiKey, requireApiKey } from '../../../src/service/keys/api-keys.ts';
import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';
import { SECRETS, sign, startTestServer, type TestServer } from '../../support/http/test-server.ts';

const ALLOWED = 20;

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const OPERATOR_TOKEN = 'operator-token-0123456789';
const READ_TOKEN = 'operator-read-token-0123456789';
const CONNECTED = 'acct_connected1';
const CONNECTED_TOKEN = 'connected-token-0123456789';
const APP_SECRET = 'absec_0123456789abcdefghijkl';

/** It has guessed too often. */
const REFUSED = '203.0.113.200';

let served: TestServer;
beforeAll(async () => {
  served = await startTestServer({
    operatorToken: OPERATOR_TOKEN,
    operatorReadToken: READ_TOKEN,
    stripeAppSecret: APP_SECRET,
    connectedAccounts: JSON.stringify({ [CONNECTED]: { recoveryCallbackToken: CONNECTED_TOKEN } }),
    trustProxy: 1,
  });
  await exhaust(REFUSED);
});
afterAll(() => served?.stop());

/** Of addresses that no other test uses. */
const addresses = Array.from({ length: 100 }, (_, count) => `203.0.113.${count}`);
const newAddress = () => addresses.pop() ?? '';

const proxied = (from: string) => ({ 'x-forwarded-for': from, 'x-forwarded-proto': 'https' });

type Show = (credential: string, from: string) => Promise<number>;

const show =
  (method: 'GET' | 'POST', path: string, base = () => served.server.url): Show =>
  async (credential, from) => {
    const headers = { authorization: credential, ...proxied(from) };
    return (await fetch(`${base()}${path}`, { method, headers })).status;
  };
const showCallback = show('POST', '/recovery_action');
const showMetrics = show('GET', '/metrics');
const showKey = show('GET', '/v1/recovery_actions', () => served.server.plugin.parts.service?.url ?? '');
const showSignature: Show = async (signature, from) => {
  const headers = { 'stripe-signature': signature, ...proxied(from) };
  const body = JSON.stringify({ signed: '{}', parameters: '{}' });
  return (await fetch(`${served.server.url}/app/request`, { method: 'POST', headers, body })).status;
};

async function exhaust(from: string, guess = showCallback, beyond = 1): Promise<number[]> {
  const guesses = Array.from({ length: ALLOWED + beyond }, (_, count) => guess(`Bearer wrong${count}`, from));
  return Promise.all(guesses);
}

const basic = `Basic ${Buffer.from(`service:${SECRETS.password}`).toString('base64')}`;
const signed = () => sign('{}', { secret: APP_SECRET });

test.each<[string, Show, () => string, number]>([
  ['a callback token', showCallback, () => `Bearer ${SECRETS.newToken}`, 400],
  ['RECOVERY_CALLBACK_BASIC', showCallback, () => basic, 400],
  [
    'the token of a connected account',
    show('POST', `/accounts/${CONNECTED}/recovery_action`),
    () => `Bearer ${CONNECTED_TOKEN}`,
    400,
  ],
  ['METRICS_TOKEN', showMetrics, () => `Bearer ${SECRETS.metrics}`, 200],
  ['OPERATOR_TOKEN', show('GET', '/api/v1/status'), () => `Bearer ${OPERATOR_TOKEN}`, 200],
  ['OPERATOR_READ_TOKEN', show('GET', '/api/v1/status'), () => `Bearer ${READ_TOKEN}`, 200],
  ['a signature of the app', showSignature, signed, 400],
])('an address that is refused does not learn that it has %s', async (_name, ask, right, taken) => {
  const known = newAddress();
  expect(await ask(right(), known)).toBe(taken);
  await exhaust(known);
  expect([await ask('Bearer wrong', REFUSED), await ask(right(), REFUSED)]).toEqual([429, 429]);
  expect([await ask('Bearer wrong', known), await ask(right(), known)]).toEqual([429, taken]);
});

test('guesses that come together are counted before any is answered', async () => {
  const statuses = await exhaust(newAddress(), showCallback, ALLOWED);
  expect(statuses.filter((status) => status === 401).length).toBe(ALLOWED);
  expect(statuses.filter((status) => status === 429).length).toBe(ALLOWED);
});

test('wrong signatures of the app are counted', async () => {
  const from = newAddress();
  const statuses = await exhaust(from, () => showSignature('t=1,v1=0', from));
  expect(statuses.filter((status) => status === 400).length).toBe(ALLOWED);
});

test('a refused address is logged, and requests without credentials are not counted', async () => {
  const from = newAddress();
  for (let count = 0; count < ALLOWED + 5; count += 1) expect(await showMetrics('', from)).toBe(401);
  await exhaust(from);
  const answer = await fetch(`${served.server.url}/metrics`, {
    headers: { authorization: 'Bearer wrong', ...proxied(from) },
  });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '300']);
  expect(await answer.json()).toMatchObject({ code: 'TOO_MANY_GUESSES' });
  const logged = served.logLines.filter((line) => line.includes(`"ip":"${from}"`));
  expect(logged).toHaveLength(ALLOWED + 1);
  expect(logged[0]).toContain('"path":"/recovery_action"');
});

test('wrong keys of the embedded service are counted', async () => {
  const statuses = await exhaust('127.0.0.1', showKey);
  expect(statuses.filter((status) => status === 401).length).toBe(ALLOWED);
  expect(await showKey('Bearer wrong', '127.0.0.1')).toBe(429);
});

/** The check of API keys, in another process each time. */
async function startDoor(): Promise<{ ask: Show; server: Server }> {
  const guesses = createGuessTable(served.server.plugin.parts.database, 'retry_service');
  const limit = createGuessLimit({ guesses, clock: createSimulatedClock(NOW), logger: silentLogger });
  const caller = { keyId: 'key', keyHash: 'hash', organization: 'one', requestsPerSecond: undefined };
  const find = async (hash: string) => (hash === hashApiKey('right') ? caller : undefined);
  const app = express().set('trust proxy', 1);
  app.get('/', requireApiKey(find, limit), (_request, response) => void response.send('in'));
  const server = createServer(app.use(answerErrors(silentLogger)));
  const url = await listenOnLoopback(server);
  return { ask: show('GET', '/', () => url), server };
}

test('who was let in before a restart is let in after it, from the same address alone', async () => {
  const [known, other] = [newAddress(), newAddress()];
  const before = await startDoor();
  expect(await before.ask('Bearer right', known)).toBe(200);
  for (const from of [known, other]) await exhaust(from, before.ask);
  await closeServer(before.server);
  const after = await startDoor();
  expect([await after.ask('Bearer right', known), await after.ask('Bearer right', other)]).toEqual([
    200, 429,
  ]);
  await closeServer(after.server);
});

test('counts are for all processes, begin anew after their time, and those that are over are removed', async () => {
  const { database } = served.server.plugin.parts;
  const tables = [createGuessTable(database, 'payment_retry'), createGuessTable(database, 'payment_retry')];
  const now = NOW;
  const until = now.plus({ minutes: 5 });
  const counts: number[] = [];
  await database.exec('delete from payment_retry.guesses');
  for (const table of tables) counts.push((await table.add('one', now, until)).failures);
  await tables[0]?.add('other', now, until);
  expect(counts).toEqual([1, 2]);
  const later = now.plus({ minutes: 6 });
  expect(await tables[1]?.add('one', later, later.plus({ minutes: 5 }))).toMatchObject({ failures: 1 });
  expect(await database.query('select key from payment_retry.guesses')).toEqual([{ key: 'one' }]);
});
