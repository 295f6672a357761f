/** Commands and a stand-alone service on a machine whose clock is 40 minutes ahead: what they write is of the database's time. */

import { runOnStore } from '../../src/cli/process/run-on-store.ts';
import { openDatabase } from '../../src/core/database/open-database.ts';
import { onPostgres, type TestLocation, variablesOf } from '../support/database/databases.ts';
import { spawnCommand, toTerminal, untilSaid } from '../support/process/command-process.ts';

const AHEAD_MS = 2_400_000;
const AHEAD = `const real = Date.now; Date.now = () => real() + ${AHEAD_MS};`;
const KEY = 'key-of-the-stand-alone-service';

onPostgres('on PostgreSQL', (engine) => {
  let place: TestLocation;
  const settings = () => ({
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(AHEAD)}`,
    ...variablesOf(place.location),
  });
  beforeAll(async () => {
    place = await engine.createMigrated();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => place.remove());

  async function minutesAhead(column: string): Promise<number> {
    const database = await openDatabase(place.location);
    const [schema, table, name] = column.split('.');
    const [row] = await database.query<{ minutes: number }>(
      `select extract(epoch from max(${name}) - now())::float8 / 60 as minutes from ${schema}.${table}`,
    );
    await database.close();
    return Math.abs(row?.minutes ?? Number.NaN);
  }

  test('a command', async () => {
    const real = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => real() + AHEAD_MS);
    const said: string[] = [];
    const asked = { reason: 'a look', by: 'ada' };
    Object.assign(process.env, variablesOf(place.location));
    expect([await runOnStore('pause', [], asked, toTerminal(said)), said]).toEqual([0, [expect.any(String)]]);
    expect(await minutesAhead('payment_retry.audit.at')).toBeLessThan(5);
  });

  test('the service', async () => {
    const service = spawnCommand('service', {
      ...settings(),
      RETRY_SERVICE_API_KEY: KEY,
      RECOVERY_CALLBACK_TOKEN: 'callback-token-for-tests',
      PUBLIC_URL: 'http://127.0.0.1:9',
      SERVICE_PORT: '0',
    });
    try {
      await untilSaid(service, 'the retry service is listening');
      const [url = ''] = /http:\/\/[^"]*:\d+/.exec(service.output()) ?? [];
      const answer = await fetch(`${url}/v1/forgotten_customers`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: '{"customerId":"cus_1"}',
      });
      expect(answer.status).toBe(200);
      expect(await minutesAhead('retry_service.forgotten_customers.forgotten_at')).toBeLessThan(5);
    } finally {
      await service.kill();
    }
  });
});
