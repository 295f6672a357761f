/** Two processes with one key: together they keep the contract's limits. */
import { systemClock } from '../../../src/core/base/clock.ts';
import { createServiceTurns } from '../../../src/plugin/app/service-turns.ts';
import { createServiceClients } from '../../../src/plugin/clients/service-client.ts';
import { takeSlot } from '../../../src/plugin/store/tables/request-budgets.ts';
import { openTestDatabase, POSTGRES, type TestDatabase } from '../../support/database/databases.ts';
import { type HttpStub, startHttpStub } from '../../support/http/http-stub.ts';

describe.each(POSTGRES)('turns on $engine', (engine) => {
  let test_: TestDatabase;
  let service: HttpStub;
  let open = 0;
  let most = 0;
  /** Answers what is open, in turn. */
  let waiting: (() => void)[] = [];
  let arrived: () => void = () => {};

  beforeAll(async () => {
    test_ = await openTestDatabase(engine);
    service = await startHttpStub(async () => {
      open += 1;
      most = Math.max(most, open);
      const answered = new Promise<void>((resolve) => waiting.push(resolve));
      arrived();
      await answered;
      open -= 1;
      return { status: 200, body: { requestId: 'r' } };
    });
  });
  afterAll(async () => {
    await service.stop();
    await test_.close();
  });

  const untilWaiting = (count: number) =>
    new Promise<void>((resolve) => {
      arrived = () => waiting.length >= count && resolve();
      arrived();
    });

  function startProcess() {
    const takeTurn = createServiceTurns(test_.database, systemClock);
    expect(takeTurn).toBeDefined();
    return createServiceClients(() => ({ baseUrl: service.url, apiKey: 'one key' }), { takeTurn });
  }

  test('five requests are open at once, whichever process and account they are of', async () => {
    const [one, other] = [startProcess(), startProcess()];
    const answers = Array.from({ length: 20 }, (_none, index) =>
      (index % 2 === 0 ? one : other)(`acct_${index % 4}`).ingest('subscriptions', [{ id: `sub_${index}` }]),
    );
    for (let answered = 0; answered < 20; answered += 5) {
      await untilWaiting(5);
      const slots = 'select cardinality(slots) as slots from payment_retry.request_budgets';
      expect(await test_.database.query(slots)).toEqual([{ slots: 5 }]);
      const all = waiting;
      waiting = [];
      for (const answer of all) answer();
    }
    expect((await Promise.all(answers)).map(({ kind }) => kind)).toEqual(Array(20).fill('accepted'));
    expect(most).toBe(5);
    const keys = await test_.database.query<{ key: string }>('select key from payment_retry.request_budgets');
    expect(keys).toEqual([{ key: expect.stringMatching(/^service [\w-]{43}$/) }]);
  });

  test('slots of a process that died run out', async () => {
    await test_.clear();
    const take = () => takeSlot(test_.database, 'service x', 2);
    expect([await take(), await take(), await take()]).toEqual([
      expect.any(String),
      expect.any(String),
      undefined,
    ]);
    await test_.database.query(
      `update payment_retry.request_budgets set slots = array(select slot - interval '45 seconds' from unnest(slots) slot)`,
    );
    expect(await take()).toEqual(expect.any(String));
  });
});
