import type { CommandContext } from '../../../../src/plugin/app/commands/store-command.ts';
import { reportEvaluation, timing } from '../../../../src/plugin/app/commands/timing-command.ts';
import { type Harness, START, startHarness } from '../../../service/service-harness.ts';
import { ENGINES } from '../../../support/database/databases.ts';

describe.each(ENGINES)('on $engine', (engine) => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({}, engine);
  });
  beforeEach(() => harness.clear());
  afterAll(() => harness?.stop());

  const report = (policy: string, json = false) =>
    reportEvaluation(harness.database, { organization: 'default', policy, json }, START);

  /** One retry each, drawn evenly between two mornings; the later one is paid in three of four cases, the first in one. */
  async function insertCases(count: number, { days = 40, arm = 'engine' } = {}): Promise<void> {
    const begun = START.minus({ days });
    const [first, last] = [1, 2].map((day) => begun.plus({ days: day }).toMillis());
    const options = [first, last].map((ms) => ({
      ms,
      hour: 'morning',
      believed: 0.4,
      by: { engine: 0.5 },
    }));
    const choices = JSON.stringify({ arms: { engine: 0.9, spread: 0.1, static: 0 }, options });
    await harness.database.exec(`
      insert into retry_service.cases (organization, invoice_id, state, reason, opened_at, updated_at)
        select 'default', '${arm}_${days}_' || n, 'closed',
               case when n % 8 in (0, 2, 4, 1) then 'invoice_paid' else 'retry_window_closed' end, '${begun.toISO()}', now()
        from generate_series(1, ${count}) as n;
      insert into retry_service.recovery_actions (id, organization, request_id, invoice_id, customer_id, decided_for,
             currency, suggestion, ideal_retry_at, reason, arm, choices, status, created_at, updated_at)
        select gen_random_uuid(), 'default', gen_random_uuid(), '${arm}_${days}_' || n, 'cus_' || n, 'ch_1', 'EUR',
               'ACTION_SUGGESTION_RETRY', to_timestamp((case when n % 2 = 1 then ${first} else ${last} end) / 1000.0), 'soft_decline',
               '${arm}', '${choices}', 'FAILED', now(), now()
        from generate_series(1, ${count}) as n`);
  }

  test('a policy is judged by what was drawn, and by mature cases of the engine alone', async () => {
    await insertCases(2_000);
    await insertCases(50, { days: 20 });
    await insertCases(50, { arm: 'spread' });
    const { code, text } = await report('latest', true);
    expect(code).toBe(0);
    const { cases, effective, recovered, estimates } = JSON.parse(text);
    expect(cases).toBe(2_000);
    expect(effective).toBeCloseTo(1_000, 0);
    expect(recovered.percent).toBeCloseTo(50);
    expect(estimates.weighted.percent).toBeCloseTo(75);
    expect(estimates.robust.low).toBeLessThan(estimates.weighted.percent);
    const words = (await report('soonest')).text;
    expect(words).toContain('soonest: of the times about as good, the first');
    expect(words).toMatch(/would have recovered: \d+\.\d %, 95 % interval .* \(doubly robust\)/);
  });

  test('payments by a retry, after a request and without either are told apart, and from cancellations', async () => {
    await insertCases(80);
    const end = (of: string, changes: string, where: string) =>
      harness.database.exec(`update retry_service.${of} set ${changes} where invoice_id in (${where})`);
    const ids = (...numbers: number[]) => numbers.map((number) => `'engine_40_${number}'`).join();
    // Of the forty that were paid.
    await end('recovery_actions', `status = 'SUCCEEDED'`, ids(2, 4, 8, 10));
    const asked = `suggestion = 'ACTION_SUGGESTION_CARD_CHANGE', status`;
    await end('recovery_actions', `${asked} = 'SENT'`, ids(12, 16));
    await end('recovery_actions', `${asked} = 'CANCELED'`, ids(18));
    await end('cases', `reason = 'subscription_canceled'`, ids(3));
    await end('cases', `reason = 'customer_forgotten'`, ids(5));
    const { ends } = JSON.parse((await report('best', true)).text);
    expect(ends).toEqual({ retry: 4, request: 2, otherwise: 34, canceled: 1, given_up: 38 });
    expect((await report('best')).text).toContain(`How all 79 closed cases of that age ended:
    5.1 % paid by a retry of ours (4)
    2.5 % paid after a request to the customer (2)
   43.0 % paid without either (34)`);
  });

  test('too few cases are said to be too few, and so are none', async () => {
    expect(await report('best')).toMatchObject({ code: 1, text: expect.stringContaining('No closed case') });
    await insertCases(200);
    const { code, text } = await report('best');
    expect(code).toBe(1);
    expect(text).toContain('Closed cases of the engine that began 35 days ago or earlier: 200');
    expect(text).toContain('Too little to say: 300 effective cases');
  });
});

test('an unknown policy is refused with those that there are', async () => {
  await expect(async () => timing({} as CommandContext, ['evaluate', 'luck'], {})).rejects.toThrow(
    /timing evaluate best \(always the time/,
  );
});
