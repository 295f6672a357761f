import type { DateTime } from 'luxon';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { timingReport } from '../../../src/core/contract/timing-report.ts';
import { buildTimingReport } from '../../../src/service/http/report-timing.ts';
import { createRetryService } from '../../../src/service/service.ts';
import { sumHoldoutMoney } from '../../../src/service/store/holdout-cases.ts';
import { inFull } from '../../support/runner/full-run.ts';
import { API_KEY, type Harness, START, startHarness } from '../service-harness.ts';
import { failPayment } from '../service-messages.ts';

const count = (isHeldOut: boolean, cases: number, recovered: number) => ({
  isHeldOut,
  percent: 10,
  cases,
  recovered,
});

describe('in words', () => {
  test.each([
    [
      [],
      0,
      'No case keeps a static schedule, so what the timing is worth is not known (TIMING_HOLDOUT_PERCENT).',
    ],
    [
      [],
      10,
      '10 % of the cases keep a static schedule; none of those that closed began 35 days ago or earlier.',
    ],
    [
      [count(false, 400, 250), count(true, 29, 12)],
      10,
      'Of 429 closed cases that began 35 days ago or earlier, 29 on the static schedule (1, 3, 5, 7 days; drawn with 10 %): too few to compare, at least 30 on each side are needed.',
    ],
    [
      [count(false, 900, 600), count(true, 100, 50)],
      10,
      'Of 1000 closed cases that began 35 days ago or earlier, 100 on the static schedule (1, 3, 5, 7 days; drawn with 10 %): recovered 66.7 % (600 of 900) with timing, 50.0 % (50 of 100) without; difference +16.7 points, 95 % interval +6.5 to +26.7.',
    ],
  ])('the timing report sums up the counts %j in words', (counts, percent, summary) => {
    expect(buildTimingReport(counts, percent).summary).toBe(summary);
  });
});

describe('GET /v1/timing_report', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({ holdoutPercent: 50 });
  });
  beforeEach(() => harness.clear());
  afterAll(() => harness.stop());

  const report = async () => timingReport.parse((await harness.get('/v1/timing_report')).body);
  const COUNT = 12;

  async function failMany(): Promise<void> {
    for (let index = 0; index < COUNT; index += 1) {
      const of = { id: `ch_${index}`, invoiceId: `in_${index}`, cardFingerprint: `print_${index}` };
      await failPayment(harness, of, { customerId: `cus_${index}` });
    }
  }

  /** Of the cases that are not paid. */
  async function pay(held: boolean, most: number): Promise<number> {
    const rows = await harness.database.query<{ id: string }>(
      `select invoice_id as id from retry_service.cases
       where is_held_out = $1 and reason <> 'invoice_paid' order by 1 limit $2`,
      [held, most],
    );
    for (const { id } of rows) {
      const updatedAt = harness.clock.now().toISO();
      const of = { customerId: id.replace('in', 'cus'), updatedAt, state: 'INVOICE_STATE_PAID' };
      await harness.post('/ingest/v1/invoices', {
        invoices: [{ id, amount: 2000, currency: 'USD', createdAt: START.toISO(), ...of }],
      });
    }
    return rows.length;
  }

  test('the timing report asks for the key, and names only the caller’s own cases', async () => {
    expect((await harness.get('/v1/timing_report', {})).status).toBe(401);
    expect((await harness.get('/v1/timing_report', { authorization: `Bearer ${API_KEY}x` })).status).toBe(
      401,
    );
    expect(await report()).toMatchObject({ holdoutPercent: 50, timed: { cases: 0 }, static: { cases: 0 } });
  });

  inFull('the timing report counts closed cases of either side once they have had their time', async () => {
    await failMany();
    await harness.clock.set(START.plus({ hours: 1 }));
    const kept = await pay(true, 1);
    const timed = await pay(false, 2);
    await harness.drain();
    expect(await report()).toMatchObject({ timed: { cases: 0 }, static: { cases: 0 } });
    await harness.pass({ days: 60 });
    const found = await report();
    expect(found.timed.cases + found.static.cases).toBe(COUNT);
    expect(found.static.cases).toBeGreaterThan(0);
    expect(found).toMatchObject({
      timed: { recovered: timed },
      static: { recovered: kept },
      drawnPercent: 50,
    });
    const money = (cases: number, recovered: number) => ({
      cases,
      amount: 2000 * cases,
      recovered: 2000 * recovered,
    });
    expect(found.money).toEqual([
      {
        currency: 'USD',
        timed: money(found.timed.cases, timed),
        static: money(found.static.cases, kept),
      },
    ]);
    expect(found.difference).toBeUndefined();
    expect(found.summary).toContain('too few to compare');
    // Given up, and paid after all.
    await pay(false, 1);
    await harness.drain();
    expect(await report()).toMatchObject({ timed: { recovered: timed + 1 }, static: { recovered: kept } });
  });

  test('in money a case counts while invoices of its age are kept, whatever else its message holds', async () => {
    const { database, clock } = harness;
    const message = JSON.stringify({ businessEntity: 'a\u0000b"\\u0000', amount: 4_000_000_000 });
    await database.exec(`
      insert into retry_service.invoices (organization, id, customer_id, state, currency, updated_at, message)
        select 'default', 'in_' || age, 'cus', 'INVOICE_STATE_PAID', 'EUR', now(), '${message}'
        from unnest(array[40, 364, 366]) as age;
      insert into retry_service.cases
        (organization, invoice_id, state, reason, opened_at, updated_at, is_held_out, holdout_percent)
        select 'default', 'in_' || age, 'closed', 'invoice_paid', at, at, age = 40, 10
        from (select age, timestamptz '${clock.now().toISO()}' - make_interval(days => age) as at
              from unnest(array[40, 364, 366]) as age) as aged`);
    const begunBefore = clock.now().minus({ days: 35 });
    const keptSince = clock.now().minus({ days: 365 });
    const sums = { cases: 1, amount: 4e9, squares: 1.6e19, recovered: 4e9, recoveredSquares: 1.6e19 };
    expect(await sumHoldoutMoney(database, 'default', { begunBefore, keptSince })).toEqual([
      { isHeldOut: false, currency: 'EUR', ...sums },
      { isHeldOut: true, currency: 'EUR', ...sums },
    ]);
  });

  test('a case keeps its side of the timing report, and its times follow from it', async () => {
    await failMany();
    const rows = await harness.database.query<{ kept: boolean; at: DateTime<true> }>(
      `select c.is_held_out as kept, a.ideal_retry_at as at
       from retry_service.cases c join retry_service.recovery_actions a using (organization, invoice_id)`,
    );
    expect(rows).toHaveLength(COUNT);
    for (const { kept, at } of rows) expect(at.toMillis() === START.plus({ days: 1 }).toMillis()).toBe(kept);
  });

  test.each([51, -1, 2.5])('a holdout share of %d is refused with the settings', async (holdoutPercent) => {
    const { database, clock } = harness;
    const of = { database, clock, logger: silentLogger, host: '127.0.0.1', port: 0, organizations: [] };
    const service = createRetryService({ ...of, defaultTimeZone: 'UTC', holdoutPercent });
    await expect(service).rejects.toThrow('holdoutPercent: must be a whole number from 0 to 50.');
  });
});
