import { toIsoSeconds } from '../../../src/core/base/clock.ts';
import { inFull } from '../../support/runner/full-run.ts';
import { type Harness, startHarness } from '../service-harness.ts';
import { buildInvoiceMessage, failPayment, ingest } from '../service-messages.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
beforeEach(() => harness.clear());
afterAll(() => harness.stop());

const UNAVAILABLE = { status: 503, body: { success: false, message: 'later' } };

test('a receiver that is down for an hour gets the instruction once it is back', async () => {
  harness.receiver.behave(() => undefined);
  await failPayment(harness);
  await harness.pass({ hours: 1 });
  expect(harness.receiver.count).toBeGreaterThan(4);
  expect(harness.receiver.count).toBeLessThan(12);
  harness.receiver.behave(undefined);
  await harness.pass({ hours: 2 });
  expect(harness.receiver.accepted).toHaveLength(1);
  expect(await harness.listAll()).toMatchObject([{ status: 'RECOVERY_ACTION_STATUS_SENT' }]);
});

test('an acknowledgement that got lost leads to the same request id again', async () => {
  harness.receiver.behave(() => ({ status: 200, body: { message: 'no success field' } }));
  await failPayment(harness);
  harness.receiver.behave(undefined);
  await harness.pass({ minutes: 5 });
  const ids = harness.receiver.accepted.map((instruction) => instruction.requestId);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
});

test.each([
  ['401', { status: 401, body: { success: false, message: 'bad token' } }],
  ['429', { status: 429, body: { success: false, message: 'slow down' } }],
  ['500', { status: 500, body: { success: false, message: 'oops' } }],
  ['a 200 without success', { status: 200, body: { success: false, message: 'no' } }],
  ['a redirect', { status: 302, body: {}, headers: { location: 'http://127.0.0.1:9/' } }],
])('%s is tried again', async (_name, answer) => {
  harness.receiver.behave((count) =>
    count === 1 ? answer : { status: 200, body: { success: true, message: '' } },
  );
  await failPayment(harness);
  expect(await harness.listAll()).toMatchObject([
    {
      status: 'RECOVERY_ACTION_STATUS_PENDING',
      statusReason: expect.stringContaining(String(answer.status)),
    },
  ]);
  await harness.pass({ minutes: 5 });
  const [action] = await harness.listAll();
  expect(action).toMatchObject({ status: 'RECOVERY_ACTION_STATUS_SENT' });
  expect(action).not.toHaveProperty('statusReason');
});

test('a 400 is final, and kept with what the receiver said', async () => {
  const body = { success: false, message: 'invoiceId: unknown' };
  harness.receiver.behave(() => ({ status: 400, body }));
  await failPayment(harness);
  await harness.pass({ days: 1 });
  expect(harness.receiver.count).toBe(1);
  expect(await harness.listAll()).toMatchObject([
    { status: 'RECOVERY_ACTION_STATUS_FAILED', statusReason: 'refused: 400: invoiceId: unknown' },
  ]);
});

test('Retry-After is honoured', async () => {
  harness.receiver.behave(() => ({ ...UNAVAILABLE, headers: { 'retry-after': '7200' } }));
  await failPayment(harness);
  await harness.pass({ minutes: 119 });
  expect(harness.receiver.count).toBe(1);
  harness.receiver.behave(undefined);
  await harness.pass({ minutes: 1 });
  expect(harness.receiver.accepted).toHaveLength(1);
});

test('an instruction that waits for the receiver is dropped when a newer one is decided', async () => {
  harness.receiver.behave(() => UNAVAILABLE);
  await failPayment(harness);
  await harness.pass({ hours: 20 });
  await failPayment(harness, { id: 'ch_2', paymentGatewayErrorCode: 'lost_card' });
  harness.receiver.behave(undefined);
  await harness.pass({ hours: 2 });
  expect(harness.receiver.accepted).toMatchObject([{ actionSuggestion: 'ACTION_SUGGESTION_CARD_CHANGE' }]);
  expect(await harness.listAll()).toMatchObject([
    { status: 'RECOVERY_ACTION_STATUS_CANCELED', statusReason: 'superseded' },
    { status: 'RECOVERY_ACTION_STATUS_SENT' },
  ]);
});

inFull('a customer who was never asked is asked again', async () => {
  harness.receiver.behave(() => UNAVAILABLE);
  await failPayment(harness, { paymentGatewayErrorCode: 'lost_card' });
  await harness.pass({ days: 7 });
  harness.receiver.behave(undefined);
  await harness.pass({ days: 1 });
  expect(harness.receiver.accepted).toMatchObject([{ actionSuggestion: 'ACTION_SUGGESTION_CARD_CHANGE' }]);
  const statuses = (await harness.listAll()).map(({ status }) => status);
  expect(statuses).toEqual(['RECOVERY_ACTION_STATUS_FAILED', 'RECOVERY_ACTION_STATUS_SENT']);
});

inFull('a receiver that never comes back is given up with the case', async () => {
  harness.receiver.behave(() => UNAVAILABLE);
  await failPayment(harness, { paymentGatewayErrorCode: 'lost_card' });
  await harness.pass({ days: 60 });
  expect(await harness.listAll()).toHaveLength(4);
  expect(await harness.database.query('select state, reason from retry_service.cases')).toEqual([
    { state: 'closed', reason: 'the_customer_did_not_act' },
  ]);
});

test('a receiver that stays away for three days makes the instruction a failed one, which uses up none of the reminders', async () => {
  harness.receiver.behave(() => UNAVAILABLE);
  await failPayment(harness, { paymentGatewayErrorCode: 'lost_card' });
  await harness.pass({ days: 3, hours: 2 });
  expect(await harness.listAll()).toMatchObject([
    { status: 'RECOVERY_ACTION_STATUS_FAILED', statusReason: 'not acknowledged: 503: later' },
  ]);
  expect(harness.receiver.count).toBeLessThan(120);
  await harness.pass({ hours: 22 });
  harness.receiver.behave(undefined);
  await harness.pass({ days: 26 });
  expect(harness.receiver.accepted).toHaveLength(4);
});

test('a claim left by a process that died is respected, and taken over when its lease ends', async () => {
  harness.receiver.behave((count) =>
    count === 1 ? UNAVAILABLE : { status: 200, body: { success: true, message: '' } },
  );
  await failPayment(harness);
  const until = harness.clock.now().plus({ minutes: 15 }).toISO();
  await harness.database.query('update retry_service.recovery_actions set claimed_until = $1', [until]);
  await harness.pass({ minutes: 14 });
  expect(harness.receiver.count).toBe(1);
  await harness.pass({ hours: 1, minutes: 30 });
  expect(harness.receiver.accepted).toHaveLength(1);
});

test('nothing is sent once the invoice is paid', async () => {
  harness.receiver.behave(() => UNAVAILABLE);
  await failPayment(harness);
  const updatedAt = toIsoSeconds(harness.clock.now().plus({ seconds: 1 }));
  await ingest(harness, 'invoices', buildInvoiceMessage({ state: 'INVOICE_STATE_PAID', updatedAt }));
  await harness.drain();
  harness.receiver.behave(undefined);
  await harness.pass({ days: 1 });
  expect(harness.receiver.accepted).toEqual([]);
});
