/** The pace of payments, which all processes on a database share. */
import { systemClock } from '../../../src/core/base/clock.ts';
import { openStripe } from '../../../src/plugin/app/open-stripe.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';

let stored: TestDatabase;
beforeAll(async () => {
  stored = await openTestDatabase(MAIN);
});
afterAll(() => stored.close());

/** Beyond those of the first second. */
const MORE = 24;

test.each([
  ['of one account', () => 'own', 20],
  ['of a platform', (turn: number) => `acct_${turn % 24}`, 60],
])('payments %s keep one pace, however many processes make them', async (_, accountOf, perSecond) => {
  await stored.clear();
  const config = {
    stripe: { secretKey: 'sk_test_1', apiBase: new URL('http://127.0.0.1:1'), webhookSecrets: [] },
    requestsPerSecond: 80,
  };
  const processes = [1, 2, 3].map(() =>
    openStripe(config, { database: stored.database, clock: systemClock }),
  );
  const began = performance.now();
  const turns = perSecond + MORE;
  await Promise.all(
    Array.from({ length: turns }, (_, turn) => processes[turn % 3]?.awaitPaymentTurn(accountOf(turn))),
  );
  // A second's worth is there at once.
  expect(performance.now() - began).toBeGreaterThan(((turns - perSecond - 1) / perSecond) * 1000);
});
