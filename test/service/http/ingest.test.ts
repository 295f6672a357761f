import { MAX_BATCH } from '../../../src/core/contract/contract.ts';
import { captureLog } from '../../support/log-lines.ts';
import { API_KEY, type Harness, startHarness } from '../service-harness.ts';
import {
  buildInvoiceMessage,
  buildSubscriptionMessage,
  buildTransactionMessage,
  ingest,
} from '../service-messages.ts';

let harness: Harness;
const log = captureLog();
beforeAll(async () => {
  harness = await startHarness({ logger: log.logger });
});
beforeEach(() => harness.clear());
afterAll(() => harness.stop());

async function listSubscriptions(): Promise<object[]> {
  return harness.database.query('select id, state from retry_service.subscriptions order by id');
}

const EARLY = '2026-03-02T10:00:00Z';
const LATE = '2026-03-02T12:00:00Z';
const CANCELED = 'SUBSCRIPTION_STATE_CANCELED';
const ACTIVE = 'SUBSCRIPTION_STATE_ACTIVE';

describe('ingest', () => {
  test.each(['/v1/subscriptions', '/ingest/v1/subscriptions'])('ingest takes a batch at %s', async (path) => {
    const subscriptions = Array.from({ length: MAX_BATCH }, (_, index) =>
      buildSubscriptionMessage({ id: `sub_${index}`, businessEntity: 'x'.repeat(255) }),
    );
    const answer = await harness.post(path, { subscriptions });
    expect(answer).toMatchObject({
      status: 200,
      body: { requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    expect(await listSubscriptions()).toHaveLength(MAX_BATCH);
  });

  test('ingest changes nothing when the same message comes twice', async () => {
    await ingest(harness, 'invoices', buildInvoiceMessage());
    await ingest(harness, 'transactions', buildTransactionMessage());
    await harness.drain();
    await ingest(harness, 'transactions', buildTransactionMessage());
    await ingest(harness, 'invoices', buildInvoiceMessage());
    expect(await harness.drain()).toBe(0);
    expect(harness.receiver.accepted).toHaveLength(1);
  });

  test('ingest keeps the newer state when an older one comes later', async () => {
    await ingest(harness, 'subscriptions', buildSubscriptionMessage({ state: CANCELED, updatedAt: LATE }));
    await ingest(harness, 'subscriptions', buildSubscriptionMessage({ state: ACTIVE, updatedAt: EARLY }));
    await ingest(harness, 'subscriptions', buildSubscriptionMessage({ state: ACTIVE, updatedAt: LATE }));
    expect(await listSubscriptions()).toEqual([{ id: 'sub_1', state: CANCELED }]);
  });

  test('an invoice paid within the millisecond in which it was unpaid is paid, and no retry stays planned', async () => {
    await ingest(harness, 'invoices', buildInvoiceMessage({ updatedAt: '2026-03-02T10:00:00.123100Z' }));
    await ingest(harness, 'transactions', buildTransactionMessage());
    await harness.drain();
    const paid = {
      state: 'INVOICE_STATE_PAID',
      updatedAt: '2026-03-02T10:00:00.123900Z',
    };
    await ingest(harness, 'invoices', buildInvoiceMessage(paid));
    await harness.drain();
    expect(await harness.database.query('select state from retry_service.invoices')).toEqual([
      { state: 'INVOICE_STATE_PAID' },
    ]);
    expect((await harness.listAll()).map(({ status }) => status)).toEqual([
      'RECOVERY_ACTION_STATUS_CANCELED',
    ]);
  });

  /** Later, by the last digit alone. Where PostgreSQL's microseconds end, the text is compared. */
  test.each([
    ['2026-03-02T10:00:00Z', '2026-03-02T10:00:00.001Z'],
    ['2026-03-02T10:00:00.123Z', '2026-03-02T10:00:00.1231Z'],
    ['2026-03-02T10:00:00.123100Z', '2026-03-02T10:00:00.123900Z'],
    ['2026-03-02T10:00:00.123456789Z', '2026-03-02T11:00:00.12345679+01:00'],
    ['2026-03-02T10:00:00.9999999Z', '2026-03-02T10:00:01Z'],
    ['2026-03-02T10:00:00.000000000000000000001Z', '2026-03-02T10:00:00.000000000000000000002Z'],
  ])('of %s and %s ingest keeps the later, in each order, alone and in one batch', async (early, late) => {
    const older = buildSubscriptionMessage({ state: ACTIVE, updatedAt: early });
    const newer = buildSubscriptionMessage({ state: CANCELED, updatedAt: late });
    const sent = [[[older], [newer]], [[newer], [older], [newer]], [[older, newer]], [[newer, older]]];
    for (const [index, batches] of sent.entries()) {
      const id = `sub_${index}`;
      for (const batch of batches) {
        const messages = batch.map((message) => ({ ...message, id }));
        await ingest(harness, 'subscriptions', ...messages);
      }
    }
    expect(await listSubscriptions()).toEqual(
      sent.map((_, index) => ({ id: `sub_${index}`, state: CANCELED })),
    );
  });

  test('ingest keeps the newest of one batch, whatever their order and their offset', async () => {
    await ingest(
      harness,
      'subscriptions',
      buildSubscriptionMessage({ state: CANCELED, updatedAt: '2026-03-02T13:00:00+01:00' }),
      buildSubscriptionMessage({ state: ACTIVE, updatedAt: '2026-03-02T11:59:59Z' }),
    );
    expect(await listSubscriptions()).toEqual([{ id: 'sub_1', state: CANCELED }]);
  });

  test.each([
    ['an id', { id: 'sub_\ud83d' }, 'id'],
    ['any other field', { planId: '\ude00 plan' }, 'planId'],
  ])('ingest refuses half a character in %s, which no database can keep', async (_name, field, name) => {
    const subscriptions = [
      buildSubscriptionMessage({ id: 'sub_\ud83d\ude00' }),
      buildSubscriptionMessage(field),
    ];
    const answer = await harness.post('/ingest/v1/subscriptions', { subscriptions });
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(`subscriptions.1.${name}: `) },
    });
    expect(await listSubscriptions()).toEqual([{ id: 'sub_😀', state: ACTIVE }]);
  });

  test('ingest refuses bytes that are not UTF-8: two ids would become one', async () => {
    const body = Buffer.from(
      JSON.stringify({ subscriptions: [buildSubscriptionMessage({ id: 'sub_\xff' })] }),
      'latin1',
    );
    const answer = await fetch(`${harness.url}/ingest/v1/subscriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body,
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining('UTF-8') });
    expect(await listSubscriptions()).toEqual([]);
  });

  test('ingest refuses more than 200 records with 429 and Retry-After', async () => {
    const subscriptions = Array.from({ length: MAX_BATCH + 1 }, () => buildSubscriptionMessage());
    const answer = await harness.post('/ingest/v1/subscriptions', { subscriptions });
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  test('ingest takes an empty batch', async () => {
    expect(await harness.post('/ingest/v1/invoices', { invoices: [] })).toMatchObject({ status: 200 });
  });

  test('ingest keeps fields and states it does not know', async () => {
    const message = { ...buildSubscriptionMessage({ state: 'SUBSCRIPTION_STATE_DORMANT' }), extra: 1 };
    expect(await harness.post('/v1/subscriptions', { subscriptions: [message] })).toMatchObject({
      status: 200,
    });
  });
});

test('a request can be traced through the log to the instruction that it led to', async () => {
  await ingest(harness, 'invoices', buildInvoiceMessage());
  const { body } = await harness.post('/ingest/v1/transactions', {
    transactions: [buildTransactionMessage()],
  });
  await harness.drain();
  const { requestId } = Object(body);
  const entries = log.lines.map((line) => JSON.parse(line));
  expect(entries.filter((entry) => entry.requestId === requestId)).toMatchObject([
    { msg: 'records were taken', organization: 'default', transactions: 1, cases: 1 },
    { msg: 'request answered', method: 'POST', path: '/ingest/v1/transactions', status: 200 },
  ]);
  expect(entries.filter((entry) => entry.causedBy === requestId)).toMatchObject([
    { msg: 'a suggestion was made', invoiceId: 'in_1', requestId: harness.receiver.accepted[0]?.requestId },
  ]);
});

test('one bad record refuses no other: what is good is stored, and the answer names what is not', async () => {
  const good = Array.from({ length: 199 }, (_, index) => buildInvoiceMessage({ id: `in_${index}` }));
  const bad = { ...buildInvoiceMessage({ id: 'in_bad' }), amount: 'many' };
  const invoices = [...good.slice(0, 7), bad, ...good.slice(7)];
  for (let time = 0; time < 2; time += 1) {
    const answer = await harness.post('/ingest/v1/invoices', { invoices });
    expect(answer.status).toBe(400);
    const message = expect.stringMatching(
      /^invoices\.7\.amount: .* \(id in_bad\); of 200 records, 199 were taken$/,
    );
    expect(answer.body).toMatchObject({ success: false, message });
    expect(await harness.database.query('select id from retry_service.invoices')).toHaveLength(199);
  }
});

describe('a bad body is refused with 400 and the place', () => {
  test.each<[string, unknown, string]>([
    ['/v1/subscriptions', '{"subscriptions": [', 'The body is not a JSON object.'],
    ['/v1/subscriptions', 'null', 'The body is not a JSON object.'],
    ['/v1/subscriptions', '', 'subscriptions: must be an array'],
    ['/v1/subscriptions', [], 'The body must be a JSON object with subscriptions.'],
    ['/v1/subscriptions', { subscriptions: {} }, 'subscriptions: must be an array'],
    ['/v1/subscriptions', { invoices: [] }, 'subscriptions: must be an array'],
    ['/v1/subscriptions', { subscriptions: [null] }, 'subscriptions.0: '],
    [
      '/v1/subscriptions',
      { subscriptions: [{ ...buildSubscriptionMessage(), id: '' }] },
      'subscriptions.0.id: ',
    ],
    [
      '/v1/subscriptions',
      { subscriptions: [{ ...buildSubscriptionMessage(), planId: 'a\u0000b' }] },
      'subscriptions.0.planId: must not contain a NUL',
    ],
    [
      '/v1/subscriptions',
      { subscriptions: [{ ...buildSubscriptionMessage(), updatedAt: 'soon' }] },
      'subscriptions.0.updatedAt: ',
    ],
    [
      '/v1/subscriptions',
      { subscriptions: [{ ...buildSubscriptionMessage(), updatedAt: '+099999-01-01' }] },
      'subscriptions.0.updatedAt: ',
    ],
    [
      '/v1/subscriptions',
      { subscriptions: [{ ...buildSubscriptionMessage(), currency: 'us' }] },
      'subscriptions.0.currency: ',
    ],
    [
      '/ingest/v1/invoices',
      { invoices: [buildInvoiceMessage(), { ...buildInvoiceMessage({ id: 'in_7' }), amount: 1.5 }] },
      '(id in_7)',
    ],
    [
      '/ingest/v1/transactions',
      { transactions: [{ ...buildTransactionMessage(), invoiceId: undefined }] },
      'transactions.0.invoiceId: ',
    ],
  ])('ingest at %s refuses the bad body %j with 400 and the place', async (path, body, message) => {
    const answer = await harness.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      success: false,
      message: expect.stringContaining(message),
      requestId: expect.any(String),
    });
  });

  test('ingest refuses a body that is not packed as its header says with 400', async () => {
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-encoding': 'gzip' };
    const answer = await harness.post('/v1/subscriptions', { subscriptions: [] }, headers);
    expect(answer).toMatchObject({
      status: 400,
      body: { message: 'The body cannot be unpacked as its Content-Encoding says.' },
    });
  });
});
