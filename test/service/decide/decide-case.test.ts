import { DateTime } from 'luxon';
import { toIsoSeconds } from '../../../src/core/base/clock.ts';
import { type Harness, startHarness } from '../service-harness.ts';
import {
  buildInvoiceMessage,
  buildSubscriptionMessage,
  buildTransactionMessage,
  failPayment,
  ingest,
} from '../service-messages.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
beforeEach(() => harness.clear());
afterAll(() => harness.stop());

const now = () => toIsoSeconds(harness.clock.now());
const suggestions = () => harness.receiver.accepted.map((instruction) => instruction.actionSuggestion);
const times = () => harness.receiver.accepted.map((instruction) => instruction.idealRetryTime);

async function listCases(): Promise<object[]> {
  return harness.database.query('select invoice_id, state, reason from retry_service.cases');
}

describe('a failed payment', () => {
  test("a failed payment gives one instruction, for the invoice's own time of the customer's morning", async () => {
    await failPayment(harness);
    expect(harness.receiver.accepted).toEqual([
      {
        requestId: expect.any(String),
        invoiceId: 'in_1',
        subscriptionId: 'sub_1',
        actionSuggestion: 'ACTION_SUGGESTION_RETRY',
        idealRetryTime: '2026-03-04T08:54:33Z',
      },
    ]);
    expect(harness.receiver.authorizations).toEqual(['Bearer token_for_tests']);
    expect(await harness.listAll()).toMatchObject([
      { status: 'RECOVERY_ACTION_STATUS_SENT', type: 'RECOVERY_ACTION_TYPE_RETRY', customerId: 'cus_1' },
    ]);
  });

  test('a failed payment gives nothing without its invoice, and one instruction once the invoice comes', async () => {
    await ingest(harness, 'transactions', buildTransactionMessage());
    await harness.drain();
    expect(harness.receiver.accepted).toEqual([]);
    await ingest(harness, 'invoices', buildInvoiceMessage());
    await harness.drain();
    expect(harness.receiver.accepted).toHaveLength(1);
  });

  test('a payment that failed again gives a new instruction and settles the one before', async () => {
    await failPayment(harness);
    await harness.pass({ days: 1, hours: 19 });
    await failPayment(harness, { id: 'ch_2' });
    expect(times()).toEqual(['2026-03-04T08:54:33Z', '2026-03-06T08:54:33Z']);
    expect(await harness.listAll()).toMatchObject([
      { status: 'RECOVERY_ACTION_STATUS_FAILED', transactionId: 'ch_2', executedAt: now() },
      { status: 'RECOVERY_ACTION_STATUS_SENT' },
    ]);
  });

  test('a payment tried by somebody else that fails before the ideal time replaces the instruction', async () => {
    await failPayment(harness);
    await harness.pass({ days: 1 });
    await failPayment(harness, { id: 'ch_2' });
    const actions = await harness.listAll();
    expect(actions).toMatchObject([
      { status: 'RECOVERY_ACTION_STATUS_CANCELED', statusReason: 'superseded' },
      { status: 'RECOVERY_ACTION_STATUS_SENT' },
    ]);
    expect(actions[0]).not.toHaveProperty('executedAt');
  });

  test('a failed payment with a hard decline asks for another card at once', async () => {
    await failPayment(harness, { paymentGatewayErrorCode: 'stolen_card' });
    expect(suggestions()).toEqual(['ACTION_SUGGESTION_CARD_CHANGE']);
    expect(times()).toEqual([now()]);
    await harness.pass({ days: 2 });
    expect(await harness.listAll()).toMatchObject([{ status: 'RECOVERY_ACTION_STATUS_SENT' }]);
  });

  test('a failed payment that needs authentication asks for a confirmation', async () => {
    await failPayment(harness, { paymentGatewayErrorCode: 'authentication_required' });
    expect(suggestions()).toEqual(['ACTION_SUGGESTION_CARD_CONFIRMATION']);
  });

  test('a failed payment of an invoice without a subscription leads to an instruction without one', async () => {
    const invoice = buildInvoiceMessage();
    delete invoice.subscriptionId;
    await ingest(harness, 'invoices', invoice);
    await ingest(harness, 'transactions', buildTransactionMessage());
    await harness.drain();
    expect(harness.receiver.accepted[0]).not.toHaveProperty('subscriptionId');
  });
});

describe('while collection is paused', () => {
  const tell = (fields: object) =>
    ingest(harness, 'subscriptions', { ...buildSubscriptionMessage({ updatedAt: now() }), ...fields });

  test('while collection is paused, what was asked is taken back, nothing is asked, and no attempt is used up', async () => {
    await tell({});
    await failPayment(harness);
    await harness.pass({ hours: 1 });
    await tell({ isCollectionPaused: true });
    await harness.pass({ days: 5 });
    expect(await listCases()).toEqual([{ invoiceId: 'in_1', state: 'open', reason: 'collection_is_paused' }]);
    expect(await harness.listAll()).toMatchObject([
      { status: 'RECOVERY_ACTION_STATUS_CANCELED', statusReason: 'collection_is_paused' },
    ]);
    await tell({});
    await harness.drain();
    expect(suggestions()).toEqual(['ACTION_SUGGESTION_RETRY', 'ACTION_SUGGESTION_RETRY']);
    const [row] = await harness.database.query<{ reasons: object[] }>(
      'select reasons from retry_service.cases',
    );
    expect(row?.reasons).toContainEqual({ code: 'retries_used', used: 0, max: 8 });
  });

  test('a failure that comes while collection is paused waits for the end of the pause', async () => {
    await tell({ isCollectionPaused: true, collectionResumesAt: '2026-03-12T00:00:00Z' });
    await failPayment(harness, { paymentGatewayErrorCode: 'stolen_card' });
    await harness.pass({ days: 7 });
    expect(suggestions()).toEqual([]);
    await tell({});
    await harness.drain();
    expect(suggestions()).toEqual(['ACTION_SUGGESTION_CARD_CHANGE']);
  });

  test('a subscription that is canceled while collection is paused closes the case', async () => {
    await tell({ isCollectionPaused: true });
    await failPayment(harness);
    await harness.pass({ hours: 1 });
    await tell({ state: 'SUBSCRIPTION_STATE_CANCELED' });
    await harness.drain();
    expect(await listCases()).toEqual([
      { invoiceId: 'in_1', state: 'closed', reason: 'subscription_canceled' },
    ]);
  });
});

describe('what a transaction says beyond the contract', () => {
  test.each([
    ['Stripe’s advice', { paymentGatewayAdviceCode: 'do_not_try_again' }],
    ['a code of Visa', { cardBrand: 'visa', networkDeclineCode: '14' }],
    ['Mastercard’s advice', { cardBrand: 'mastercard', networkAdviceCode: '03' }],
  ])('%s in a transaction reaches the policy', async (_name, fields) => {
    await failPayment(harness, fields);
    expect(suggestions()).toEqual(['ACTION_SUGGESTION_CARD_CHANGE']);
  });

  test('Mastercard’s wish to wait with the next attempt is met', async () => {
    await failPayment(harness, { cardBrand: 'mastercard', networkAdviceCode: '30' });
    expect(times()[0]?.slice(0, 10) ?? '').toMatch(/^2026-03-1[3-9]|^2026-03-[23]/);
  });

  test('a card that another invoice showed to be stolen is not tried', async () => {
    await failPayment(harness, { id: 'ch_0', invoiceId: 'in_0', paymentGatewayErrorCode: 'stolen_card' });
    await failPayment(harness);
    expect(suggestions()).toEqual(['ACTION_SUGGESTION_CARD_CHANGE', 'ACTION_SUGGESTION_CARD_CHANGE']);
  });
});

describe('nine declines without a reason', () => {
  test('nine declines without a reason end the retries with this card', async () => {
    const declined = { paymentGatewayErrorCode: 'do_not_honor', cardBrand: 'visa' };
    await failPayment(harness, declined);
    for (const id of ['ch_2', 'ch_3', 'ch_4', 'ch_5', 'ch_6', 'ch_7', 'ch_8', 'ch_9']) {
      const [next] = times().slice(-1);
      await harness.clock.set(DateTime.fromISO(next ?? '').plus({ minutes: 1 }));
      await failPayment(harness, { id, ...declined });
    }
    expect(suggestions().slice(0, 4)).toEqual(Array.from({ length: 4 }, () => 'ACTION_SUGGESTION_RETRY'));
    expect(suggestions().at(-1)).toBe('ACTION_SUGGESTION_CARD_CHANGE');
    expect((await harness.listAll()).at(-1)).toMatchObject({
      reasons: ['All 8 retries were made or requested.', expect.anything()],
    });
  });
});

describe('a lost outcome', () => {
  test('a lost outcome leads to the next instruction a day after the ideal time', async () => {
    await failPayment(harness);
    await harness.pass({ days: 2, hours: 18 });
    expect(harness.receiver.accepted).toHaveLength(1);
    await harness.pass({ hours: 1 });
    expect(times()).toEqual(['2026-03-04T08:54:33Z', '2026-03-06T08:54:33Z']);
    expect(await harness.listAll()).toMatchObject([
      { status: 'RECOVERY_ACTION_STATUS_FAILED', statusReason: 'no_outcome_was_reported' },
      { status: 'RECOVERY_ACTION_STATUS_SENT' },
    ]);
  });

  test('outcomes lost again and again end with requests for a card, and the case is given up with its reason', async () => {
    await failPayment(harness);
    await harness.pass({ days: 60 });
    const asked = suggestions();
    expect(asked.at(-1)).toBe('ACTION_SUGGESTION_CARD_CHANGE');
    expect(asked.filter((one) => one !== 'ACTION_SUGGESTION_RETRY')).toHaveLength(2);
    expect(asked.length).toBeLessThanOrEqual(11);
    expect(await listCases()).toEqual([{ invoiceId: 'in_1', state: 'closed', reason: 'attempts_used_up' }]);
    expect(await harness.drain()).toBe(0);
  });

  test('a lost outcome is noticed at the next start when its job is gone', async () => {
    await failPayment(harness);
    await harness.database.exec('delete from retry_service_jobs.job');
    await harness.pass({ days: 4 });
    expect(harness.receiver.accepted).toHaveLength(1);
    await harness.restart();
    await harness.drain();
    expect(harness.receiver.accepted).toHaveLength(2);
  });

  test('a lost outcome of requests for a card leaves the case open until the window ends', async () => {
    await failPayment(harness, { paymentGatewayErrorCode: 'expired_card' });
    await harness.pass({ days: 27 });
    expect(suggestions()).toEqual(Array(4).fill('ACTION_SUGGESTION_CARD_CHANGE'));
    const days = times().map((time) => Number(time.slice(8, 10)));
    expect(days.map((day) => day - (days[0] ?? 0))).toEqual([0, 3, 7, 14]);
    expect(await listCases()).toMatchObject([{ state: 'open', reason: 'waiting_for_the_customer' }]);
    await harness.pass({ days: 4 });
    expect(await listCases()).toMatchObject([{ state: 'closed', reason: 'the_customer_did_not_act' }]);
    const unanswered = { status: 'RECOVERY_ACTION_STATUS_EXPIRED', statusReason: 'superseded' };
    expect(await harness.listAll()).toMatchObject(Array(4).fill(unanswered));
  });

  test('a request for a card is not failed by a charge that is declined after it', async () => {
    await failPayment(harness, { paymentGatewayErrorCode: 'expired_card' });
    await harness.pass({ days: 1 });
    await failPayment(harness, { id: 'ch_2', paymentGatewayErrorCode: 'expired_card' });
    const [asked] = await harness.listAll();
    expect(asked).toMatchObject({ status: 'RECOVERY_ACTION_STATUS_EXPIRED', transactionId: 'ch_2' });
    expect(asked).not.toHaveProperty('executedAt');
  });
});

describe('a case ends', () => {
  test('a case ends when the invoice is paid after the ideal time: the action succeeded', async () => {
    await failPayment(harness);
    await harness.pass({ days: 2 });
    const paid = { state: 'INVOICE_STATE_PAID', updatedAt: now() };
    await ingest(harness, 'invoices', buildInvoiceMessage(paid));
    const payment = { id: 'ch_2', state: 'TRANSACTION_STATE_PAID', createdAt: now(), updatedAt: now() };
    await ingest(harness, 'transactions', buildTransactionMessage(payment));
    await harness.drain();
    expect(await harness.listAll()).toMatchObject([
      { status: 'RECOVERY_ACTION_STATUS_SUCCEEDED', executedAt: now(), transactionId: 'ch_2' },
    ]);
    expect(await listCases()).toMatchObject([{ state: 'closed', reason: 'invoice_paid' }]);
  });

  test('a case ends when the invoice is paid before the ideal time: the action is canceled', async () => {
    await failPayment(harness);
    await harness.pass({ hours: 5 });
    const paid = { state: 'INVOICE_STATE_PAID', updatedAt: now() };
    await ingest(harness, 'invoices', buildInvoiceMessage(paid));
    await harness.pass({ days: 30 });
    expect(await harness.listAll()).toMatchObject([
      { status: 'RECOVERY_ACTION_STATUS_CANCELED', statusReason: 'invoice_paid' },
    ]);
    expect(harness.receiver.accepted).toHaveLength(1);
  });

  test('a case ends when the subscription is canceled: an instruction not yet sent is withdrawn', async () => {
    harness.receiver.behave(() => ({ status: 503, body: {} }));
    await failPayment(harness);
    const canceled = buildSubscriptionMessage({ state: 'SUBSCRIPTION_STATE_CANCELED' });
    await ingest(harness, 'subscriptions', canceled);
    await harness.drain();
    harness.receiver.behave(undefined);
    await harness.pass({ days: 5 });
    expect(harness.receiver.accepted).toEqual([]);
    expect(await harness.listAll()).toMatchObject([
      { status: 'RECOVERY_ACTION_STATUS_CANCELED', statusReason: 'subscription_canceled' },
    ]);
    expect(await listCases()).toMatchObject([{ state: 'closed', reason: 'subscription_canceled' }]);
  });

  test('a case ends before it begins when history is older than the window', async () => {
    const old = toIsoSeconds(harness.clock.now().minus({ days: 90 }));
    await failPayment(harness, { createdAt: old });
    expect(harness.receiver.accepted).toEqual([]);
    expect(await listCases()).toMatchObject([{ reason: 'older_than_the_retry_window_when_first_seen' }]);
  });
});

test('a decision made twice gives one instruction', async () => {
  await failPayment(harness);
  const same = buildTransactionMessage({ updatedAt: toIsoSeconds(harness.clock.now().plus({ seconds: 5 })) });
  await ingest(harness, 'transactions', same);
  await ingest(harness, 'invoices', buildInvoiceMessage({ updatedAt: same.updatedAt }));
  await harness.drain();
  expect(harness.receiver.accepted).toHaveLength(1);
});

test('a refusal of the payer’s other invoice that changes nothing sends no instruction anew', async () => {
  await failPayment(harness);
  await harness.pass({ hours: 1 });
  await failPayment(harness, { id: 'ch_2', invoiceId: 'in_2', amount: 500 });
  expect(harness.receiver.accepted.map(({ invoiceId }) => invoiceId)).toEqual(['in_1', 'in_2']);
});

test('a bank debit is given days to come back before the next decision', async () => {
  const debit = { paymentMethodType: 'us_bank_account', paymentGatewayErrorCode: 'insufficient_funds' };
  await failPayment(harness, debit);
  await harness.pass({ days: 20 });
  expect(times()).toEqual(['2026-03-09T08:54:33Z']);
});

describe('the policy', () => {
  test('the policy writes down why it chose', async () => {
    await failPayment(harness);
    const [action] = await harness.database.query<Record<string, unknown>>(
      'select reasons from retry_service.recovery_actions',
    );
    expect(action?.reasons).toEqual([
      expect.objectContaining({ zone: 'Europe/Berlin', percent: expect.any(Number) }),
      { code: 'retries_used', used: 0, max: 8 },
    ]);
  });

  test('the policy counts the attempts of the customer’s other invoices', async () => {
    const old = toIsoSeconds(harness.clock.now().minus({ days: 5 }));
    await ingest(harness, 'invoices', buildInvoiceMessage({ id: 'in_0', state: 'INVOICE_STATE_PAID' }));
    const declines = Array.from({ length: 8 }, (_, index) =>
      buildTransactionMessage({ id: `ch_0${index}`, invoiceId: 'in_0', createdAt: old, updatedAt: old }),
    );
    await ingest(harness, 'transactions', ...declines);
    await harness.drain();
    harness.receiver.reset();
    // The brand is not known: eight declines in 30 days are the cap, and they are younger for 25 days.
    await failPayment(harness);
    expect(times().every((time) => time > '2026-03-27')).toBe(true);
    expect(harness.receiver.accepted).toHaveLength(1);
  });
});
