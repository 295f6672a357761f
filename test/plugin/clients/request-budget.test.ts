/** Who may send a request to Stripe, on the databases that share the count. */
import { endpointOf } from '../../../src/plugin/clients/http/measured-http.ts';
import { createRequestBudget, type Urgency } from '../../../src/plugin/clients/request-budget.ts';
import { slowDown, takeTokens } from '../../../src/plugin/store/tables/request-budgets.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';

test.each([
  ['/v1/invoices/in_1/pay', '/v1/invoices/:id/pay'],
  ['/v1/invoices/in_1?expand[0]=customer', '/v1/invoices/:id'],
  ['/v1/invoice_payments?limit=1', '/v1/invoice_payments'],
])('%s counts for %s', (path, endpoint) => {
  expect(endpointOf(path)).toBe(endpoint);
});

describe.each(ENGINES)('the tokens on $engine', (engine) => {
  let test_: TestDatabase;
  beforeAll(async () => {
    test_ = await openTestDatabase(engine);
  });
  let beganMs: number;
  beforeEach(async () => {
    await test_.clear();
    beganMs = performance.now();
  });
  afterAll(() => test_.close());

  const take = (wanted: number, reserve = 0) =>
    takeTokens(test_.database, { key: 'own', rate: 100, wanted, reserve });
  const setBack = (seconds: number) =>
    test_.database.query(
      `update payment_retry.request_budgets set refilled_at = refilled_at - $1 * interval '1 second',
         slowed_at = slowed_at - $1 * interval '1 second'`,
      [seconds],
    );
  /** Besides those that came back while the test ran, which on a busy machine takes seconds. */
  const expectAbout = (given: number, expected: number) => {
    expect(given).toBeGreaterThanOrEqual(expected - 1);
    expect(given).toBeLessThanOrEqual(expected + 1 + (performance.now() - beganMs) / 10);
  };

  it('tokens for requests are a second’s worth at most, come back with time, and leave a reserve', async () => {
    expect(await take(60)).toBe(60);
    expectAbout(await take(100), 40);
    await setBack(0.5);
    expectAbout(await take(100, 20), 30);
    await setBack(3600);
    expect(await take(1_000)).toBe(100);
  });

  it('tokens for requests are given once, whoever asks at the same time', async () => {
    const given = await Promise.all(Array.from({ length: 20 }, () => take(10)));
    expectAbout(
      given.reduce((sum, one) => sum + one, 0),
      100,
    );
  });

  it('tokens for requests are fewer after a refusal, once for all refusals of a second, and come back within a minute', async () => {
    await take(1);
    await slowDown(test_.database, 'own', 100);
    // However long the next refusal takes to come here, it is one of the same second.
    await setBack(-60);
    await slowDown(test_.database, 'own', 100);
    await setBack(60);
    expectAbout(await take(100), 0);
    await setBack(1);
    expectAbout(await take(100), 50);
    await setBack(60);
    await take(100);
    await setBack(1);
    expect(await take(100)).toBe(100);
  });

  it('tokens for requests go to payments first, then to reads, then to a backfill, in two processes together', async () => {
    const source = {
      take: (request: Parameters<typeof takeTokens>[1]) => takeTokens(test_.database, request),
      slowDown: async () => {},
    };
    const processes = [1, 2].map(() => createRequestBudget(source, () => performance.now()));
    const done: Urgency[] = [];
    const urgencies = ['backfill', 'read', 'payment'] as const;
    const began = performance.now();
    await Promise.all(
      urgencies.flatMap((urgency) =>
        Array.from({ length: 20 }, async (_, index) => {
          await processes[index % 2]?.acquire('own', 20, urgency);
          done.push(urgency);
        }),
      ),
    );
    // 20 are there at once, and 40 take two seconds.
    expect(performance.now() - began).toBeGreaterThan(1_500);
    const lastOf = (urgency: Urgency) => done.lastIndexOf(urgency);
    expect(lastOf('payment')).toBeLessThan(lastOf('read'));
    expect(lastOf('read')).toBeLessThan(lastOf('backfill'));
  });

  it('tokens for requests cost no question for each request', async () => {
    let questions = 0;
    const source = {
      take: (request: Parameters<typeof takeTokens>[1]) => {
        questions += 1;
        return takeTokens(test_.database, request);
      },
      slowDown: async () => {},
    };
    const budget = createRequestBudget(source, () => 0);
    for (let request = 0; request < 50; request += 1) await budget.acquire('own', 80, 'read');
    expect(questions).toBeLessThanOrEqual(8);
  });
});
