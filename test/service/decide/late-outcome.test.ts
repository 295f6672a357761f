/** What became of an instruction whose callback never got through, told by what is ingested afterwards. */

import { toIsoSeconds } from '../../../src/core/base/clock.ts';
import type { TransactionMessage } from '../../../src/core/contract/contract.ts';
import { API_KEY, type Harness, startHarness } from '../service-harness.ts';
import {
  at,
  buildInvoiceMessage,
  buildTransactionMessage,
  failPayment,
  ingest,
} from '../service-messages.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
beforeEach(() => harness.clear());
afterAll(() => harness?.stop());

const DOWN = { status: 503, body: { success: false, message: 'later' } };
/** Its retry is due on 2026-03-09 at 08:54:33, days after the sender gives up. */
const DEBIT = { paymentMethodType: 'us_bank_account', paymentGatewayErrorCode: 'insufficient_funds' };
const PAID = 'TRANSACTION_STATE_PAID';

const rows = (invoiceId = 'in_1') =>
  harness.database.query<Record<string, unknown>>(
    `select status, status_reason, transaction_id, undeliverable_at from retry_service.recovery_actions
     where invoice_id = $1 order by position`,
    [invoiceId],
  );
const passUntil = (iso: string) => harness.pass(at(iso).diff(harness.clock.now()));
const tell = async (transaction: Partial<TransactionMessage>) => {
  const now = toIsoSeconds(harness.clock.now());
  await ingest(
    harness,
    'transactions',
    buildTransactionMessage({ createdAt: now, updatedAt: now, ...transaction }),
  );
  await harness.drain();
};

test.each([
  [PAID, 'SUCCEEDED'],
  ['TRANSACTION_STATE_FAILED', 'FAILED'],
])('given up, carried out from the listing: %s makes it %s', async (state, status) => {
  harness.receiver.behave(() => DOWN);
  await failPayment(harness, DEBIT);
  expect(await harness.listAll()).toMatchObject([{ status: 'RECOVERY_ACTION_STATUS_PENDING' }]);
  await harness.leap({ hours: 12 }, 8);
  expect(await rows()).toMatchObject([{ status: 'FAILED', transactionId: null }]);
  await passUntil('2026-03-09T09:05:00Z');
  await tell({ id: 'ch_2', ...DEBIT, state });
  const [action] = await rows();
  expect(action).toMatchObject({
    status,
    transactionId: 'ch_2',
    statusReason: null,
    undeliverableAt: null,
  });
  const listed = await harness.listAll();
  expect(listed[0]).toMatchObject({ transactionId: 'ch_2', executedAt: '2026-03-09T09:05:00Z' });
});

test('given up and refused: a payment that follows is nobody’s but the payer’s', async () => {
  harness.receiver.behave(() => ({ status: 400, body: { success: false, message: 'no' } }));
  await failPayment(harness, DEBIT);
  await passUntil('2026-03-09T09:05:00Z');
  await tell({ id: 'ch_2', ...DEBIT, state: PAID });
  expect(await rows()).toMatchObject([{ status: 'FAILED', transactionId: null }]);
});

describe('while its receiver is left alone, never sent', () => {
  beforeEach(async () => {
    harness.receiver.behave(() => DOWN);
    for (let index = 0; index < 5; index += 1)
      await failPayment(harness, { id: `ch_0${index}`, invoiceId: `in_0${index}` });
    await failPayment(harness);
    const [action] = await harness.database.query<{ attempts: number }>(
      `select send_attempts as attempts from retry_service.recovery_actions where invoice_id = 'in_1'`,
    );
    expect(action).toEqual({ attempts: 0 });
  });

  const payAtItsTime = async () => {
    // The jobs are put off, so that it stays unsent until its time: 2026-03-04 at 08:54:33.
    await harness.clock.set(at('2026-03-04T08:56:00Z'));
    const now = toIsoSeconds(harness.clock.now());
    const paid = buildTransactionMessage({ id: 'ch_2', state: PAID, createdAt: now, updatedAt: now });
    await ingest(harness, 'transactions', paid);
    await ingest(harness, 'invoices', buildInvoiceMessage({ state: 'INVOICE_STATE_PAID', updatedAt: now }));
    await harness.drain();
  };

  test('an action never sent while its receiver is left alone succeeds if it was read in the listing', async () => {
    await harness.listAll();
    await payAtItsTime();
    expect(await rows()).toMatchObject([{ status: 'SUCCEEDED', transactionId: 'ch_2' }]);
  });

  test('an action neither sent nor read in the listing is withdrawn, as nobody could carry it out', async () => {
    // Whoever asks for the headers sees no action.
    const authorization = `Bearer ${API_KEY}`;
    const head = await fetch(`${harness.url}/v1/recovery_actions`, {
      method: 'HEAD',
      headers: { authorization },
    });
    expect(head.status).toBe(200);
    await payAtItsTime();
    expect(await rows()).toMatchObject([{ status: 'CANCELED', transactionId: null }]);
  });
});

test('an outcome that is told after the next instruction was made still goes to its own', async () => {
  await failPayment(harness);
  await harness.pass({ days: 2, hours: 19 });
  expect(await rows()).toMatchObject([
    { status: 'FAILED', statusReason: { code: 'no_outcome_was_reported' } },
    { status: 'SENT' },
  ]);
  await tell({ id: 'ch_2', createdAt: '2026-03-04T08:56:00Z', state: PAID });
  expect(await rows()).toMatchObject([
    { status: 'SUCCEEDED', transactionId: 'ch_2', statusReason: null },
    { status: 'SENT', transactionId: null },
  ]);
});

test('what was paid meanwhile is not sent, although its case was not looked at yet', async () => {
  harness.receiver.behave(() => DOWN);
  await failPayment(harness);
  const updatedAt = toIsoSeconds(harness.clock.now().plus({ seconds: 1 }));
  await ingest(harness, 'invoices', buildInvoiceMessage({ state: 'INVOICE_STATE_PAID', updatedAt }));
  await harness.database.exec(`delete from retry_service_jobs.job where name = 'decide'`);
  const before = harness.receiver.count;
  harness.receiver.behave(undefined);
  await harness.pass({ hours: 1 });
  expect(harness.receiver.count).toBe(before);
  expect(await rows()).toMatchObject([{ status: 'CANCELED', statusReason: { code: 'invoice_paid' } }]);
});
