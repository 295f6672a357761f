import { type RecoveryCasesPage, recoveryCasesPage } from '../../../src/core/contract/recovery-cases.ts';
import { ENGINES } from '../../support/database/databases.ts';
import { API_KEY, type Harness, startHarness } from '../service-harness.ts';
import {
  buildInvoiceMessage,
  buildSubscriptionMessage,
  buildTransactionMessage,
  failPayment,
  ingest,
  START,
} from '../service-messages.ts';

const ids = (n: number) => ({ id: `ch_${n}`, invoiceId: `in_${n}` });
const NO_CALLBACKS = { waiting: 0, undelivered: 0 };
const EMPTY = { recoveryCases: [], hasMore: false, callbacks: NO_CALLBACKS };
const BENS = { authorization: 'Bearer key_of_ben' };

describe.each(ENGINES)('on $engine', (engine) => {
  let harness: Harness;
  beforeAll(async () => {
    const callback = { baseUrl: 'http://127.0.0.1:1/', token: 'token_for_tests' };
    const organizations = [
      { name: 'default', apiKeys: [API_KEY], callback },
      { name: 'ben', apiKeys: ['key_of_ben'], callback },
    ];
    harness = await startHarness({ organizations }, engine);
  });
  beforeEach(() => harness.clear());
  afterAll(() => harness?.stop());

  async function read(query = '', headers?: Record<string, string>): Promise<RecoveryCasesPage> {
    const answer = await harness.get(`/v1/recovery_cases?${query}`, headers);
    expect(answer.status).toBe(200);
    return recoveryCasesPage.parse(answer.body);
  }

  async function fail(...numbers: number[]): Promise<void> {
    for (const n of numbers) await failPayment(harness, ids(n));
  }

  const invoicesOf = ({ recoveryCases }: RecoveryCasesPage) =>
    recoveryCases.map(({ invoiceId }) => invoiceId);
  const lastOf = ({ recoveryCases }: RecoveryCasesPage) => recoveryCases.at(-1)?.revision ?? 0;
  const pause = (isCollectionPaused: boolean, updatedAt: string) =>
    ingest(harness, 'subscriptions', { ...buildSubscriptionMessage({ updatedAt }), isCollectionPaused });

  test('the listing of cases shows why a case waits, and when it is looked at again', async () => {
    await pause(true, '2026-03-02T14:00:00Z');
    await fail(1);
    expect(await read()).toEqual({
      recoveryCases: [
        {
          invoiceId: 'in_1',
          revision: 1,
          state: 'open',
          reason: 'collection_is_paused',
          reasons: ['The merchant has paused collection; neither a retry nor an email goes out meanwhile.'],
          reviewAt: '2026-04-01T14:30:00Z',
          isOnStaticSchedule: false,
          openedAt: '2026-03-02T14:30:00Z',
          updatedAt: '2026-03-02T14:30:00Z',
        },
      ],
      hasMore: false,
      callbacks: NO_CALLBACKS,
    });
  });

  test('the listing of cases shows why a case was given up, and that nothing is owed any more', async () => {
    const blocked = { paymentGatewayErrorCode: 'merchant_blacklist', cardFingerprint: 'print_2' };
    await failPayment(harness, { ...ids(1), ...blocked });
    await fail(2, 3);
    await ingest(
      harness,
      'invoices',
      buildInvoiceMessage({ id: 'in_2', state: 'INVOICE_STATE_PAID', updatedAt: '2026-03-03T00:00:00Z' }),
    );
    await harness.drain();
    const { recoveryCases } = await read();
    expect(recoveryCases).toMatchObject([
      {
        invoiceId: 'in_1',
        state: 'closed',
        reason: 'blocked_by_the_merchant_or_final',
        reasons: ['The merchant blocked it, or nobody is left to pay: neither a retry nor an email.'],
      },
      { invoiceId: 'in_3', state: 'open', reason: 'soft_decline' },
      { invoiceId: 'in_2', state: 'closed', reason: 'invoice_paid', reasons: ['The invoice is paid.'] },
    ]);
    expect(recoveryCases.map((one) => 'reviewAt' in one)).toEqual([false, true, false]);
  });

  test('the listing of cases follows the order of their decisions; what changes meanwhile comes once more', async () => {
    await fail(1, 2, 3);
    const first = await read('pageSize=2');
    expect([invoicesOf(first), first.hasMore]).toEqual([['in_1', 'in_2'], true]);
    expect(first).not.toHaveProperty('callbacks');
    await failPayment(harness, { ...ids(1), id: 'ch_1_again' });
    await fail(4);
    const second = await read(`pageSize=2&afterRevision=${lastOf(first)}`);
    expect([invoicesOf(second), second.hasMore]).toEqual([['in_3', 'in_1'], true]);
    const third = await read(`pageSize=2&afterRevision=${lastOf(second)}`);
    expect([invoicesOf(third), third.hasMore]).toEqual([['in_4'], false]);
    expect((await read(`afterRevision=${lastOf(third)}`)).recoveryCases).toEqual([]);
  });

  test('the listing of cases has a decision made after the clock was moved back behind those before', async () => {
    await fail(1);
    await harness.clock.set(START.minus({ hours: 2 }));
    await fail(2);
    const { recoveryCases } = await read();
    expect(recoveryCases).toMatchObject([{ invoiceId: 'in_1' }, { invoiceId: 'in_2' }]);
    expect(recoveryCases[1]?.updatedAt).toBe('2026-03-02T12:30:00Z');
  });

  test('the listing of cases shows how many callbacks wait, since when, and how many were given up', async () => {
    await fail(1);
    await harness.pass({ minutes: 30 });
    await fail(2);
    const callbacks = { waiting: 2, waitingSince: '2026-03-02T14:30:00Z', undelivered: 0 };
    expect(await read()).toMatchObject({ callbacks });
    expect(await read('', BENS)).toEqual(EMPTY);
    await harness.database.query(
      `update retry_service.recovery_actions set status = 'FAILED', undeliverable_at = created_at
       where invoice_id = 'in_1'`,
    );
    expect(await read()).toMatchObject({
      callbacks: { waiting: 1, waitingSince: '2026-03-02T15:00:00Z', undelivered: 1 },
    });
  });

  test('the listing of cases is of one invoice, if asked', async () => {
    await fail(1, 2);
    expect(invoicesOf(await read('invoiceId=in_2'))).toEqual(['in_2']);
    expect(invoicesOf(await read('invoiceId=in_2&afterRevision=2'))).toEqual([]);
  });

  test('the listing of cases is of the caller’s organization alone, each with revisions of its own', async () => {
    await fail(1, 2);
    expect(await read('', BENS)).toEqual(EMPTY);
    expect(await read('invoiceId=in_1', BENS)).toEqual(EMPTY);
    await harness.post('/ingest/v1/invoices', { invoices: [buildInvoiceMessage({ id: 'in_1' })] }, BENS);
    await harness.post('/ingest/v1/transactions', { transactions: [buildTransactionMessage()] }, BENS);
    await harness.drain();
    expect(await read('', BENS)).toMatchObject({ recoveryCases: [{ invoiceId: 'in_1', revision: 1 }] });
    expect((await read()).recoveryCases).toHaveLength(2);
  });

  test.each([
    ['afterRevision=-1', 'afterRevision: '],
    ['afterRevision=x', 'afterRevision: '],
    ['afterRevision=1.5', 'afterRevision: '],
    ['afterRevision=9999999999999999', 'afterRevision: '],
    ['afterRevision=1&afterRevision=2', 'afterRevision: '],
    ['pageSize=0', 'pageSize: '],
    ['pageSize=101', 'pageSize: '],
    ['invoiceId=a%00b', 'invoiceId: '],
    ['pageToken=x', 'pageToken: '],
    ['state=open', 'state: '],
  ])('the listing of cases refuses %s with 400 and the name of the parameter', async (query, message) => {
    const answer = await harness.get(`/v1/recovery_cases?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ success: false, message: expect.stringContaining(message) });
  });

  test('the listing of cases asks for the key', async () => {
    expect((await harness.get('/v1/recovery_cases', {})).status).toBe(401);
  });
});
