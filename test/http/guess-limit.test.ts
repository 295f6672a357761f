/** Wrong tokens from one address, at every path that takes one. */
import { DateTime } from 'luxon';
import { createGuessTable } from '../../src/store/engine/guess-table.ts';
import { INSTRUCTION, SECRETS, startTestServer, type TestServer } from '../support/test-server.ts';

const ALLOWED = 20;

let served: TestServer;
beforeAll(async () => {
  served = await startTestServer();
});
afterAll(() => served?.stop());
beforeEach(async () => {
  await served.server.plugin.parts.database.exec(
    'delete from payment_retry.guesses; delete from retry_service.guesses',
  );
});

const askService = async (authorization?: string) => {
  const { service } = served.server.plugin.parts;
  const headers = authorization === undefined ? {} : { authorization };
  return (await fetch(`${service?.url}/v1/recovery_actions`, { headers })).status;
};

test('wrong tokens from one address are refused after some, logged with it, and right ones pass', async () => {
  // Without credentials nobody guesses.
  for (let count = 0; count < ALLOWED + 5; count += 1)
    expect((await served.get('/metrics')).status).toBe(401);
  const wrong = async (count: number) =>
    (await served.postInstruction(INSTRUCTION, count % 2 ? 'Bearer wrong' : 'Basic d3Jvbmc6d3Jvbmc=')).status;
  const statuses: number[] = [];
  for (let count = 0; count < ALLOWED; count += 1) statuses.push(await wrong(count));
  expect(new Set(statuses)).toEqual(new Set([401]));
  const refused = await served.postInstruction(INSTRUCTION, 'Bearer wrong');
  expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([
    429,
    'TOO_MANY_GUESSES',
    '300',
  ]);
  expect((await served.get('/metrics', { authorization: 'Bearer wrong' })).status).toBe(429);
  expect((await served.postInstruction(INSTRUCTION)).status).toBe(200);
  const metrics = await served.get('/metrics', { authorization: `Bearer ${SECRETS.metrics}` });
  expect(metrics.status).toBe(200);
  const logged = served.logLines.filter((line) => line.includes('"ip":'));
  expect(logged).toHaveLength(ALLOWED + 1);
  expect(logged[0]).toMatch(/"ip":"(::ffff:)?127\.0\.0\.1","path":"\/recovery_action"/);
});

test('wrong keys of the embedded service are refused after some, and requests without one are not counted', async () => {
  for (let count = 0; count < ALLOWED + 5; count += 1) expect(await askService()).toBe(401);
  for (let count = 0; count < ALLOWED; count += 1) expect(await askService('Bearer wrong')).toBe(401);
  expect(await askService('Bearer wrong')).toBe(429);
});

test('counts are for all processes, begin anew after their time, and those that are over are removed', async () => {
  const { database } = served.server.plugin.parts;
  const tables = [createGuessTable(database, 'payment_retry'), createGuessTable(database, 'payment_retry')];
  const now = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
  const until = now.plus({ minutes: 5 });
  const counts: number[] = [];
  for (const table of tables) counts.push((await table.add('one', now, until)).failures);
  await tables[0]?.add('other', now, until);
  expect(counts).toEqual([1, 2]);
  const later = now.plus({ minutes: 6 });
  expect(await tables[1]?.add('one', later, later.plus({ minutes: 5 }))).toMatchObject({ failures: 1 });
  expect(await database.query('select key from payment_retry.guesses')).toEqual([{ key: 'one' }]);
});
