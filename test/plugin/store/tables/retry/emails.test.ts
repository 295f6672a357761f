import { DateTime } from 'luxon';
import { insertAction } from '../../../../../src/plugin/store/tables/retry/actions.ts';
import {
  finishEmail,
  readCampaign,
  reserveEmail,
} from '../../../../../src/plugin/store/tables/retry/emails.ts';
import { listUnannounced } from '../../../../../src/plugin/store/tables/retry/unannounced.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../../support/database/databases.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const KEY = { account: 'own', invoiceId: 'in_1', template: 'card_update', step: 'action-1' };
const COPY = { subject: 'Please update your card', text: 'Hello Jo', html: '<p>Hello Jo</p>' };
const EMAIL = { ...KEY, recipient: 'jo@example.com', messageId: '<1@merchant.example>', copy: COPY };

describe.each(ENGINES)('emails on $engine', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(engine);
  });
  beforeEach(() => test.clear());
  afterAll(() => test.close());

  it('the store reserves an email once and gives the first reservation back ever after', async () => {
    const reserved = {
      recipient: 'jo@example.com',
      messageId: '<1@merchant.example>',
      state: 'sending',
      copies: {},
    };
    expect(await reserveEmail(test.database, EMAIL, NOW)).toEqual(reserved);
    const other = { ...EMAIL, recipient: 'other@example.com', messageId: '<2@merchant.example>' };
    expect(await reserveEmail(test.database, other, NOW)).toEqual(reserved);
    await finishEmail(test.database, KEY, { state: 'sent', detail: '250 ok' }, NOW);
    expect(await reserveEmail(test.database, other, NOW)).toEqual({ ...reserved, state: 'sent' });
  });

  it('the store keeps what an email says now until it has gone out', async () => {
    const told = async (subject: string) => {
      await reserveEmail(test.database, { ...EMAIL, copy: { ...COPY, subject } }, NOW);
      const [row] = await test.database.query<object>(`select subject, body_html from payment_retry.emails`);
      return row;
    };
    expect(await told('first')).toEqual({ subject: 'first', bodyHtml: COPY.html });
    expect(await told('after a crash')).toMatchObject({ subject: 'after a crash' });
    await finishEmail(test.database, KEY, { state: 'sent', detail: '250 ok' }, NOW);
    expect(await told('too late')).toMatchObject({ subject: 'after a crash' });
  });

  it('the store keeps nothing of an email whose customer was forgotten while it was on its way', async () => {
    await reserveEmail(test.database, { ...EMAIL, invoiceId: null, subscriptionId: 'sub_1' }, NOW);
    await test.database.query(
      `insert into payment_retry.subscriptions (account, id, customer_id, status, version, version_source)
       values ('own', 'sub_1', 'cus_1', 'active', now(), 'event')`,
    );
    await test.database.query(`insert into payment_retry.forgotten values ('own', 'cus_1', now())`);
    await finishEmail(test.database, KEY, { state: 'sent', detail: '250 ok jo@example.com' }, NOW);
    expect(
      await test.database.query(
        `select recipient, state, detail, subject, body_text, body_html from payment_retry.emails`,
      ),
    ).toEqual([
      { recipient: '', state: 'sent', detail: null, subject: null, bodyText: null, bodyHtml: null },
    ]);
  });

  it('the store gives one message id to all who reserve an email at once', async () => {
    const emails = Array.from({ length: 8 }, (_, index) => ({
      ...EMAIL,
      messageId: `<${index}@merchant.example>`,
    }));
    const reserved = await Promise.all(emails.map((email) => reserveEmail(test.database, email, NOW)));
    const ids = [...new Set(reserved.map((one) => one?.messageId))];
    expect(ids).toEqual([expect.stringContaining('@merchant.example')]);
  });

  it('the store gives an address one email of its series when several are reserved at once', async () => {
    const emails = ['a@example.com', 'A@example.com', 'a@Example.com'].map((recipient, index) => ({
      ...EMAIL,
      recipient,
      step: `of customer ${index}`,
      aloneSince: NOW.minus({ minutes: 1 }),
    }));
    const reserve = (email: (typeof emails)[number]) =>
      test.database.transaction((tx) => reserveEmail(tx, email, NOW));
    const reserved = await Promise.all(emails.map(reserve));
    expect(reserved.filter((one) => one !== undefined)).toHaveLength(1);
    // The reserved one is found again by whoever goes on with it.
    expect(await Promise.all(emails.map(reserve))).toEqual(reserved);
    const [first] = emails;
    const later = {
      ...EMAIL,
      recipient: first?.recipient ?? '',
      step: 'later',
      aloneSince: NOW.plus({ minutes: 1 }),
    };
    expect(await test.database.transaction((tx) => reserveEmail(tx, later, NOW))).toBeDefined();
  });

  it('the store knows the emails that asked for the same debts, whichever they were asked for', async () => {
    const other = { ...KEY, invoiceId: 'in_2', step: 'action-2' };
    const of = (key: typeof KEY, ...ids: string[]) =>
      readCampaign(test.database, key, {
        invoiceIds: ids,
        recipient: undefined,
        method: undefined,
        now: NOW,
      });
    await reserveEmail(test.database, { ...EMAIL, named: ['in_1', 'in_2'] }, NOW);
    expect(await of(other, 'in_2')).toMatchObject({ id: null, count: 0, lastAt: null });
    await finishEmail(test.database, KEY, { state: 'sent', detail: '250 ok' }, NOW);
    const first = { id: 'action-1', count: 1, lastAt: NOW, lastFor: 'in_1' };
    expect(await of(other, 'in_2', 'in_3')).toMatchObject({ ...first, lastNamed: ['in_1', 'in_2'] });
    expect(await of(other, 'in_3')).toMatchObject({ id: null, count: 0 });
    expect(await of(KEY, 'in_1')).toMatchObject({ count: 0 });
    const later = NOW.plus({ days: 3 });
    const joined = { ...EMAIL, ...other, named: ['in_2', 'in_3'], campaign: 'action-1' };
    await reserveEmail(test.database, joined, later);
    await finishEmail(test.database, other, { state: 'sent', detail: '250 ok' }, later);
    const both = { id: 'action-1', count: 2, firstAt: NOW, lastAt: later };
    expect(await of({ ...KEY, step: 'action-3' }, 'in_3')).toMatchObject(both);
  });

  it('the store keeps the series of two sellers to one address apart', async () => {
    await reserveEmail(test.database, { ...EMAIL, seller: 'acct_seller' }, NOW);
    await finishEmail(test.database, KEY, { state: 'sent', detail: '250 ok' }, NOW);
    await test.database.query(
      `insert into payment_retry.invoices (account, id, customer_id, status, amount_remaining, currency, attempt_count, version, version_source)
       values ('own', 'in_1', 'cus_1', 'open', 500, 'usd', 1, now(), 'event')`,
    );
    const countOf = async (seller: string | undefined) => {
      const asked = {
        invoiceIds: ['in_2'],
        recipient: 'Jo@example.com',
        seller,
        method: undefined,
        now: NOW,
      };
      return (await readCampaign(test.database, { ...KEY, step: 'action-2' }, asked)).count;
    };
    expect([await countOf('acct_seller'), await countOf('acct_other'), await countOf(undefined)]).toEqual([
      1, 0, 0,
    ]);
  });

  it('the store knows that a campaign about the card was in vain though its debts are closed, until the card pays', async () => {
    const { database } = test;
    const tryCard = (id: number, invoice: string, outcome: string, at: DateTime) =>
      database.query(
        `insert into payment_retry.attempts (id, account, invoice_id, source, fingerprint, started_at, outcome)
         values (md5($1::text)::uuid, 'own', $2, 'stripe', 'fp_1', $3, $4)`,
        [id, invoice, at, outcome],
      );
    await tryCard(1, 'in_1', 'declined', NOW);
    await reserveEmail(database, { ...EMAIL, notice: 'last' }, NOW);
    await finishEmail(database, KEY, { state: 'sent', detail: '250 ok' }, NOW);
    const inDays = async (days: number, fingerprint = 'fp_1') => {
      const method = { id: 'pm_9', fingerprint };
      const asked = { invoiceIds: ['in_9'], recipient: undefined, method, now: NOW.plus({ days }) };
      return (await readCampaign(database, { ...KEY, step: 'action-2' }, asked)).isFollowUp;
    };
    await tryCard(2, 'in_9', 'declined', NOW.plus({ days: 8 }));
    expect([await inDays(6), await inDays(9), await inDays(9, 'fp_2')]).toEqual([false, true, false]);
    await tryCard(3, 'in_5', 'paid', NOW.plus({ days: 8 }));
    expect(await inDays(9)).toBe(false);
  });

  it('the store knows whether funds were missing by the latest answer, and whether the last email went out', async () => {
    const { database } = test;
    const answered = (id: number, outcome: string | null, code: string | null, method = 'pm_1') =>
      database.query(
        `insert into payment_retry.attempts (id, account, invoice_id, source, decline_code, started_at, outcome, payment_method)
         values (md5($1::text)::uuid, 'own', 'in_1', 'stripe', $2, $3, $4, $5)`,
        [id, code, NOW.plus({ minutes: id }), outcome, method],
      );
    const read = async () => {
      const method = { id: 'pm_1', fingerprint: undefined };
      const asked = { invoiceIds: ['in_1'], recipient: undefined, method, now: NOW };
      const found = await readCampaign(database, { ...KEY, step: 'action-2' }, asked);
      return [found.lacksFunds, found.hasLast];
    };
    expect(await read()).toEqual([false, false]);
    await answered(1, 'declined', 'insufficient_funds');
    await reserveEmail(database, { ...EMAIL, notice: 'last' }, NOW);
    expect(await read()).toEqual([true, false]);
    await finishEmail(database, KEY, { state: 'sent', detail: '250 ok' }, NOW);
    await answered(2, null, null);
    await answered(3, 'not_executed', null);
    expect(await read()).toEqual([true, true]);
    await answered(4, 'requires_action', 'authentication_required');
    expect(await read()).toEqual([false, true]);
  });

  it('the store knows for whom a payment is due first, on whichever of the invoices', async () => {
    const fail = (invoiceId: string, customerId: string) =>
      test.database.query(
        `insert into payment_retry.failures (account, invoice_id, customer_id, currency, amount, state, failed_at, attempts, words)
         values ('own', $1, $2, 'usd', 2000, 'open', $3, 1, '')`,
        [invoiceId, customerId, NOW.minus({ days: 7 })],
      );
    const pay = (id: string, customerId: string, dueAt: DateTime) =>
      insertAction(test.database, {
        id: `00000000-0000-4000-8000-00000000000${id}`,
        account: 'own',
        cause: 'instruction',
        reference: id,
        kind: 'pay',
        invoiceId: `in_other_${id}`,
        customerId,
        dueAt,
        createdAt: NOW,
      });
    await fail('in_1', 'cus_due');
    await fail('in_2', 'cus_later');
    await fail('in_3', 'cus_none');
    await pay('1', 'cus_due', NOW.plus({ minutes: 1 }));
    await pay('2', 'cus_later', NOW.plus({ minutes: 3 }));
    const found = await listUnannounced(test.database, {
      from: NOW.minus({ days: 30 }),
      to: NOW,
      paymentsUntil: NOW.plus({ minutes: 2 }),
      limit: 10,
    });
    expect(found.map(({ invoiceId, isPaymentDue }) => [invoiceId, isPaymentDue])).toEqual([
      ['in_1', true],
      ['in_2', false],
      ['in_3', false],
    ]);
  });
});
