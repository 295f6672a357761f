import { DateTime } from 'luxon';
import { reportInvoice, reportStatus } from '../../../../src/plugin/app/commands/status-command.ts';
import { exactMoment } from '../../../../src/plugin/operator/text/exact-moment.ts';
import { keptCallbacks } from '../../../../src/plugin/store/reports/kept-cases.ts';
import { insertAction } from '../../../../src/plugin/store/tables/retry/actions.ts';
import {
  recordInstruction,
  settleInstruction,
} from '../../../../src/plugin/store/tables/retry/instructions.ts';
import { eventsCursor, setDeliveryPause } from '../../../../src/plugin/store/tables/sync/cursors.ts';
import { buryEvent, recordEvents } from '../../../../src/plugin/store/tables/sync/events.ts';
import { PASS_STATES } from '../../../../src/plugin/store/tables/sync/listing-state.ts';
import { declinesTimes } from '../../../../src/workbench/sandbox/payment-behaviour.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { failingInvoice, instruct } from '../../../support/scenario.ts';
import { createWorld, type World } from '../../../support/world.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const ACCOUNT = 'own';

describe('status', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(MAIN);
  });
  beforeEach(() => test.clear());
  afterAll(() => test.close());

  const status = (now = NOW) => reportStatus(test.database, {}, now);

  async function insertDirty(version: DateTime): Promise<void> {
    await test.database.query(
      `insert into payment_retry.subscriptions (account, id, customer_id, status, message, version, version_source)
       values ($1, 'sub_1', 'cus_1', 'active', '{"id":"sub_1"}', $2, 'event')`,
      [ACCOUNT, version.toISO()],
    );
  }

  async function insertFailedInstruction(): Promise<void> {
    const key = { account: ACCOUNT, requestId: 'request_1' };
    await recordInstruction(test.database, {
      ...key,
      source: 'callback',
      receivedAt: NOW,
      type: 'retry',
      invoiceId: 'in_1',
      subscriptionId: undefined,
      suggestion: 'ACTION_SUGGESTION_RETRY',
      idealRetryAt: NOW,
      body: '{}',
    });
    await settleInstruction(
      test.database,
      key,
      { state: 'failed', reason: { code: 'failed', error: 'Stripe was away' } },
      NOW,
    );
  }

  it('status has nothing to say of an empty database', async () => {
    expect(await status()).toEqual({ code: 0, text: 'Undelivered changes: none\nNo action required.' });
  });

  it('status lists a dead event with the first line of its error', async () => {
    const key = { account: ACCOUNT, id: 'evt_1' };
    await recordEvents(test.database, [
      { ...key, type: 'invoice.paid', createdAt: NOW, receivedAt: NOW, payload: '{}' },
    ]);
    await buryEvent(test.database, key, 'Error: no\n    at somewhere', NOW);
    const { code, text } = await status();
    expect(code).toBe(1);
    expect(text).toContain('  events dead: 1');
    expect(text).toMatch(/ {2}evt_1 invoice\.paid: Error: no$/m);
    const json = JSON.parse((await reportStatus(test.database, { json: true }, NOW)).text);
    expect(json).toMatchObject({ concerns: ['deadEvents'], needsPerson: true });
  });

  it.each([
    [30, 0],
    [61, 1],
  ])(
    'deliveries that have failed for %d minutes give the status command exit code %d',
    async (minutes, code) => {
      const since = NOW.minus({ minutes });
      await insertDirty(since);
      expect((await status()).code).toBe(0);
      const until = NOW.plus({ minutes: 5 });
      await setDeliveryPause(
        test.database,
        ACCOUNT,
        { kind: 'subscriptions', until, failures: 3, since },
        NOW,
      );
      const paused = await status();
      expect(paused.code).toBe(code);
      expect(paused.text).toContain(`Undelivered changes: 1, the oldest for ${minutes} min`);
      expect(paused.text).toContain(
        'subscriptions: until 2026-03-02 10:05:00 UTC, after 3 failure(s) in a row since 2026-03-02',
      );
    },
  );

  it.each([
    [{ minutes: 4 }, 240, 0, '4 min'],
    [{ hours: 25 }, 90_000, 1, '25 h'],
  ])(
    'a cursor that stands %j behind is %d seconds late and gives the status command exit code %d',
    async (behind, lagSeconds, code, lag) => {
      await eventsCursor.set(test.database, ACCOUNT, NOW.minus(behind), NOW);
      const { text } = await status();
      expect(text).toContain(`Stripe's events, account own: ${exactMoment(NOW.minus(behind))}`);
      expect(text).toContain(`${lag} behind`);
      const json = await reportStatus(test.database, { json: true }, NOW);
      expect(json.code).toBe(code);
      expect(JSON.parse(json.text).cursors).toEqual([
        expect.objectContaining({ account: ACCOUNT, name: 'events', lagSeconds, isStuck: code === 1 }),
      ]);
    },
  );

  it('status names a failed instruction until a newer one was planned', async () => {
    await insertFailedInstruction();
    expect(await status()).toMatchObject({
      code: 1,
      text: expect.stringContaining('request_1 for in_1: Stripe was away'),
    });
    await test.database.query(
      `insert into payment_retry.instructions (account, request_id, source, received_at, issued_at,
         type, invoice_id, body, state)
       values ($1, 'request_2', 'callback', $2, $2, 'retry', 'in_1', '{}', 'scheduled')`,
      [ACCOUNT, NOW.toISO()],
    );
    expect((await status()).code).toBe(0);
  });

  it('status names an action that is overdue, and wants a person after an hour', async () => {
    await insertAction(test.database, {
      id: '00000000-0000-8000-a000-000000000001',
      account: ACCOUNT,
      cause: 'instruction',
      reference: 'request_1',
      kind: 'pay',
      invoiceId: 'in_1',
      customerId: undefined,
      subscriptionId: undefined,
      requestId: undefined,
      paymentMethod: undefined,
      dueAt: NOW,
      createdAt: NOW,
    });
    expect((await status()).text).not.toContain('Overdue');
    expect((await status(NOW.plus({ minutes: 6 }))).text).toContain(
      'Overdue actions (is a process running?):\n  payment of in_1: due 2026-03-02 10:00:00 UTC, scheduled',
    );
    expect((await status(NOW.plus({ minutes: 59 }))).code).toBe(0);
    expect((await status(NOW.plus({ minutes: 61 }))).code).toBe(1);
  });

  it("status shows up to when the service's listing was read, to the start of a run that was cut off", async () => {
    const cutOff = { startedAt: NOW.minus({ hours: 25 }).toISO() ?? '', listed: 100 };
    await PASS_STATES.executed.set(test.database, ACCOUNT, {}, NOW.minus({ minutes: 3 }));
    expect(await status()).toMatchObject({
      code: 0,
      text: expect.stringContaining('own: 2026-03-02 09:57:00'),
    });
    await PASS_STATES.executed.set(test.database, ACCOUNT, { run: cutOff }, NOW);
    expect(await status()).toMatchObject({
      code: 1,
      text: expect.stringContaining('GET /v1/recovery_actions?'),
    });
  });

  it.each([
    [{ waiting: 0, undelivered: 0 }, undefined],
    [{ waiting: 3, waitingSince: '2026-03-02T09:46:00Z', undelivered: 0 }, undefined],
    [
      { waiting: 3, waitingSince: '2026-03-02T09:45:00Z', undelivered: 0 },
      '3 waiting, the oldest since 2026-03-02 09:45:00 UTC',
    ],
    [
      { waiting: 1, waitingSince: '2026-03-02T09:46:00Z', undelivered: 2 },
      '2 given up, sent again by `queue callbacks resend` once the cause is fixed',
    ],
  ])('status with the callbacks %j tells %s', async (counts, told) => {
    await keptCallbacks.set(test.database, ACCOUNT, counts, NOW);
    const { text } = await status();
    const line = text.split('\n').find((one) => one.startsWith('  account own, '));
    expect(line).toBe(told && `  account own, 2026-03-02 10:00:00 UTC: ${told}`);
    expect(text.includes('its list delivers them within minutes')).toBe(told !== undefined);
  });

  it('status knows nothing about an unknown invoice', async () => {
    const message = 'nothing is known about in_x';
    expect(await reportInvoice(test.database, 'in_x', {})).toEqual({ code: 1, text: message });
    const json = await reportInvoice(test.database, 'in_x', { json: true });
    expect([json.code, JSON.parse(json.text)]).toEqual([1, { id: 'in_x', message }]);
  });
});

describe('status of an invoice', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ isRemote: true });
  });
  afterAll(() => world?.stop());

  it('status of an invoice shows what was asked, tried, postponed, emailed and paid, oldest first', async () => {
    const { invoiceId } = await failingInvoice(world, declinesTimes(2, 'insufficient_funds'));
    await instruct(world, invoiceId, 'CARD_CHANGE', world.clock.now(), 'request_email');
    await instruct(world, invoiceId, 'RETRY', world.clock.now(), 'request_early');
    await world.advance({ hours: 30 });
    await instruct(world, invoiceId, 'RETRY', world.clock.now().plus({ hours: 24 }), 'request_late');
    await world.advance({ hours: 25 });

    const { database } = world.plugin.parts;
    const { code, text } = await reportInvoice(database, invoiceId, {});
    expect(code).toBe(0);
    const steps = [
      `${invoiceId}: paid, $0.00 remaining`,
      'Payment failed: insufficient funds. Charged by Stripe ($20.00, Visa) (a later attempt may succeed) (code card_declined, decline code insufficient_funds, ',
      ', class retryable)\n',
      'Email sent: Please update your card. To ada@example.com. Planned 2026-03-02 ',
      'Retry 1 declined: insufficient funds. Planned 2026-03-02 ',
      ' (request request_early) ',
      'Payment postponed. To 2026-03-02 11:00:00 UTC. 1 hour between attempts',
      'Retry 2 paid. Planned 2026-03-03 16:00:00 UTC by the service ($20.00, Visa) (request request_late)',
      'paid by: retry 2, 2026-03-04 16:00:00 UTC',
    ];
    const places = steps.map((step) => text.indexOf(step));
    expect(steps.filter((_step, index) => places[index] === -1)).toEqual([]);
    expect(places).toEqual([...places].sort((a, b) => a - b));

    const json = JSON.parse((await reportInvoice(database, invoiceId, { json: true })).text);
    expect(json).toMatchObject({ id: invoiceId, invoice: { status: 'paid', amountRemaining: 0 } });
    const lines = text.split('\n').filter((line) => line.startsWith('  '));
    const told = json.history.map((entry: { text: string }) => entry.text);
    for (const line of lines) expect(told).toContain(line.slice('  2026-03-02 10:00:00 UTC  '.length));
    expect(json.summary).toEqual([text.split('\n').at(-1)]);
    // A request, its attempt and the answer are one line.
    expect(lines.filter((line) => line.includes('request request_late'))).toHaveLength(1);
    expect(lines).toHaveLength(4);
  });
});
