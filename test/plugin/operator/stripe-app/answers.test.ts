/** The answers of the views, from rows as the plugin writes them. */
import { z } from 'zod';
import { toIso } from '../../../../src/core/base/clock.ts';
import { reserveEmail } from '../../../../src/plugin/store/tables/retry/emails.ts';
import { holdInvoice } from '../../../../src/plugin/store/tables/retry/holds.ts';
import { pauseEffects } from '../../../../src/plugin/store/tables/retry/pauses.ts';
import { recordEvents } from '../../../../src/plugin/store/tables/sync/events.ts';
import { keepPayer } from '../../../../src/plugin/store/tables/sync/payers.ts';
import { insertFailedInvoice, insertSentEmail } from '../console/failure-rows.ts';
import { type AppHarness, CONNECTED_ID, NOW, startApp } from './app-harness.ts';
import {
  insertAttempt,
  insertInstruction,
  insertInvoice,
  insertPlanned,
  type StoredCase,
} from './stored-case.ts';

let app: AppHarness;
beforeAll(async () => {
  app = await startApp();
});
beforeEach(() => app.clear());
afterAll(() => app?.stop());

const ID = 'in_1';
const READER = { locale: 'en-US', timeZone: 'America/New_York' };
const readInvoice = () => app.answer('invoice', { id: ID, ...READER });

describe('an invoice', () => {
  test('an invoice that was never heard of is not known', async () => {
    expect(await readInvoice()).toEqual({ id: ID, isKnown: false });
  });

  test('an invoice of another account is not known, and nothing of it is shown', async () => {
    await insertInvoice(app.database, { id: ID, account: CONNECTED_ID });
    expect(await readInvoice()).toEqual({ id: ID, isKnown: false });
  });

  test('what another account has for the same id is not shown', async () => {
    await insertInvoice(app.database, { id: ID });
    await insertInstruction(app.database, { id: ID, account: CONNECTED_ID }, 'request_foreign');
    await insertPlanned(app.database, { id: ID, account: CONNECTED_ID });
    const answer = await readInvoice();
    expect(answer).toMatchObject({ isKnown: true, timeline: [] });
    expect(JSON.stringify(answer.status)).toContain('No action scheduled');
  });

  test.each<[string, () => Promise<unknown>, object]>([
    [
      'waiting',
      async () => undefined,
      { about: 'Next', text: expect.stringContaining('No action scheduled') },
    ],
    [
      'planned',
      () => insertPlanned(app.database, { id: ID }),
      { about: 'Next', text: expect.stringMatching(/^Payment at Mar 3, 2026, 1:00\sAM$/) },
    ],
    [
      'stopped',
      () => holdInvoice(app.database, { account: 'own', invoiceId: ID, reason: 'she called', at: NOW }),
      { about: 'Held', text: expect.stringContaining('A person stopped it (she called)') },
    ],
    [
      'paused',
      () => pauseEffects(app.database, { account: '*', reason: 'new release', by: 'ann', at: NOW }),
      { about: 'Held', text: expect.stringContaining('new release') },
    ],
    [
      'needing a decision',
      async () => {
        await insertPlanned(app.database, { id: ID });
        const reason = { code: 'invoice_too_old', issuedAt: '2025-01-01T00:00:00Z', days: 90 };
        await app.database.query(`update payment_retry.actions set state = 'undecided', reason = $1::jsonb`, [
          JSON.stringify(reason),
        ]);
      },
      {
        about: 'Held',
        text: expect.stringMatching(/needs a decision.*Dec 31, 2024, 7:00\sPM, more than 90 days old/),
      },
    ],
    [
      'retried by Stripe',
      () => app.database.query(`update payment_retry.invoices set next_attempt_at = $1`, [NOW.toISO()]),
      { about: 'Stripe itself', text: expect.stringMatching(/^Means to try at Mar 2, 2026, 5:00\sAM$/) },
    ],
    [
      'paid',
      () => app.database.query(`update payment_retry.invoices set status = 'paid'`),
      { about: 'Paid by', text: expect.any(String) },
    ],
    [
      'over',
      () => app.database.query(`update payment_retry.invoices set status = 'void'`),
      { about: 'Over', text: 'The invoice is void' },
    ],
  ])("an invoice that is %s has the console's status line for it", async (_, arrange, line) => {
    await insertInvoice(app.database, { id: ID });
    await arrange();
    const { status } = await readInvoice();
    expect(status).toContainEqual(line);
    expect(JSON.stringify(status)).not.toContain('`');
  });

  test("the timeline shows what happened, newest first, in the reader's time", async () => {
    await insertInvoice(app.database, { id: ID });
    await insertAttempt(app.database, { id: ID }, { outcome: 'declined', declineCode: 'insufficient_funds' });
    await insertInstruction(app.database, { id: ID }, 'request_1');
    const { timeline } = await readInvoice();
    expect(timeline).toEqual([
      {
        at: '2026-03-02T09:00:00.000Z',
        text: 'The service asked: retry at Mar 3, 2026, 1:00 AM. Not planned yet',
      },
      {
        at: '2026-03-02T05:00:00.000Z',
        text: expect.stringContaining('insufficient funds'),
      },
    ]);
  });

  test.each([
    ['admin', 'builtIn', true],
    ['analyst', 'builtIn', true],
    ['view_only', 'builtIn', false],
  ])('the role %s (%s) may operate: %s', async (id, type, mayOperate) => {
    await insertInvoice(app.database, { id: ID });
    const roles = [{ id, name: 'Administrator', type }];
    expect(await app.answer('invoice', { id: ID }, { stripe_roles: roles })).toMatchObject({ mayOperate });
  });

  test.each<[string, () => Promise<unknown>, string[]]>([
    ['waits', async () => undefined, ['Retry now', 'Postpone', 'Stop collection']],
    [
      'has an email',
      () => insertPlanned(app.database, { id: ID }, NOW, 'card_update_email'),
      ['Retry now', 'Postpone', 'Send the email again', 'Stop collection'],
    ],
    [
      'is stopped',
      () => holdInvoice(app.database, { account: 'own', invoiceId: ID, reason: 'x', at: NOW }),
      ['Resume collection', 'Retry now', 'Postpone'],
    ],
    [
      'has a payment to be decided on',
      async () => {
        await insertPlanned(app.database, { id: ID });
        await app.database.query(`update payment_retry.actions set state = 'undecided'`);
      },
      ['Approve', 'Retry now', 'Postpone', 'Stop collection'],
    ],
    ['is paid', () => app.database.query(`update payment_retry.invoices set status = 'paid'`), []],
  ])("an invoice that %s offers the console's operations, what helps first", async (_, arrange, titles) => {
    await insertFailed({ id: ID });
    await arrange();
    const { operations } = z.object({ operations: z.array(offered) }).parse(await readInvoice());
    expect(operations.map(({ title }) => title)).toEqual(titles);
    expect(operations.filter(({ will, refusal }) => will === null && refusal === null)).toEqual([]);
    const release = operations.find(({ request }) => request === 'release');
    if (release?.title === 'Approve')
      expect(release.will).toContain('Make the payment of €12.50 that waits for you');
  });

  test('an invoice that came back is told with what came back, and a paused one not as planned', async () => {
    await insertInvoice(app.database, { id: ID, status: 'paid', amount: 0 });
    await insertAttempt(app.database, { id: ID }, FAILED);
    await insertAttempt(app.database, { id: ID }, { outcome: 'paid', hoursAgo: 1 });
    const back = { label: 'Recovered', tone: 'good' };
    expect(await readInvoice()).toMatchObject({
      amount: 1_250,
      currency: 'eur',
      standing: back,
    });
    await insertFailed({ id: 'in_2' });
    await pauseEffects(app.database, { account: '*', reason: 'new release', by: 'ann', at: NOW });
    const paused = await app.answer('invoice', { id: 'in_2', ...READER });
    expect(paused).toMatchObject({ standing: { label: 'Paused' } });
    expect(JSON.stringify(paused.operations)).toContain('Resume payments first');
  });

  test('who may not operate is offered nothing', async () => {
    await insertFailed({ id: ID });
    const roles = [{ id: 'view_only', name: 'x', type: 'builtIn' }];
    expect(await app.answer('invoice', { id: ID }, { stripe_roles: roles })).toMatchObject({
      operations: [],
    });
  });

  test('a reader whose language and zone nobody knows reads English in UTC', async () => {
    await insertInvoice(app.database, { id: ID });
    await insertInstruction(app.database, { id: ID }, 'request_1');
    const { timeline } = await app.answer('invoice', { id: ID, locale: '!', timeZone: 'Nowhere/At_All' });
    expect(JSON.stringify(timeline)).toMatch(/Mar 3, 2026, 6:00\sAM/);
  });
});

const FAILED = { outcome: 'declined', declineCode: 'insufficient_funds' };

async function insertFailed(stored: StoredCase): Promise<void> {
  await insertInvoice(app.database, stored);
  await insertAttempt(app.database, stored, FAILED);
}

describe('a customer', () => {
  test("a customer's unpaid invoices, access, emails and cards are answered, and nothing of another account's", async () => {
    await insertFailed({ id: 'in_1' });
    await insertFailed({ id: 'in_2', account: CONNECTED_ID, amount: 9_900 });
    await insertPlanned(app.database, { id: 'in_1' });
    const lost = { outcome: 'declined', declineCode: 'stolen_card', fingerprint: 'fp_2', hoursAgo: 2 };
    await insertAttempt(app.database, { id: 'in_1' }, lost);
    const email = { account: 'own', invoiceId: 'in_1', template: 'card_update', step: '1' };
    const copy = { subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' };
    await reserveEmail(app.database, { ...email, recipient: 'a@b.example', messageId: '<1>', copy }, NOW);
    const answer = await app.answer('customer', { id: 'cus_1' });
    expect(answer).toMatchObject({
      isKnown: true,
      standing: expect.stringMatching(/^In recovery since Mar 2, 2026/),
      access: 'None, no subscription',
      controlGroup: null,
      isPaused: false,
      invoices: [{ invoice: 'in_1', amount: 1_250, currency: 'eur', attempts: 2, next: { what: 'Payment' } }],
      emails: [{ what: 'Please update your card', state: 'sending' }],
      cards: [
        { brand: 'visa', attempts: 1, health: 'needs_new_card', reason: 'stolen_card' },
        { brand: 'visa', attempts: 1, reason: 'insufficient_funds' },
      ],
    });
    expect(JSON.stringify(answer)).not.toContain('a@b.example');
  });

  test('a customer that nothing is known about is not known', async () => {
    await insertFailed({ id: 'in_1', account: CONNECTED_ID });
    expect(await app.answer('customer', { id: 'cus_1' })).toMatchObject({ isKnown: false, invoices: [] });
  });
});

test('the months add up: failed is recovered, in recovery and lost, by currency and for one account', async () => {
  await insertFailed({ id: 'in_1' });
  await insertFailed({ id: 'in_2', amount: 2_000 });
  await insertFailed({ id: 'in_3', amount: 0, status: 'paid', currency: 'usd' });
  await insertAttempt(
    app.database,
    { id: 'in_3', amount: 700, currency: 'usd' },
    { outcome: 'paid', hoursAgo: 1 },
  );
  await insertFailed({ id: 'in_4', account: CONNECTED_ID, amount: 50_000 });
  await insertFailedInvoice(app.database, {
    id: 'in_5',
    at: NOW.minus({ days: 20 }),
    reason: 'expired_card',
  });
  const [eur, usd] = [
    { invoices: 2, amount: 3_250 },
    { invoices: 1, amount: 700 },
  ];
  const none = { invoices: 0, amount: 0 };
  const { months, unpaid } = await app.answer('work');
  expect(months).toMatchObject([
    {
      month: '2026-03',
      sums: [
        { currency: 'eur', failed: eur, recovered: none, inRecovery: eur, lost: none },
        { currency: 'usd', failed: usd, recovered: usd, inRecovery: none, lost: none },
      ],
    },
    { month: '2026-02', sums: [{ failed: { invoices: 1 }, inRecovery: { invoices: 1 } }] },
  ]);
  const counts = z.array(z.object({ invoices: z.int() })).parse(unpaid);
  expect(counts.reduce((all, { invoices }) => all + invoices, 0)).toBe(3);
});

test('the work list has each cause with its sum, what helps and whose invoices they are', async () => {
  for (const id of ['in_1', 'in_2', 'in_3']) await insertFailed({ id, customerId: `cus_${id}` });
  await keepPayer(app.database, 'own', {
    customer: { id: 'cus_in_1', name: 'Ada Example', email: 'ada@example.com' },
    plans: [],
  });
  await insertFailed({ id: 'in_4', account: CONNECTED_ID });
  await insertPlanned(app.database, { id: 'in_1' });
  await app.database.query(`update payment_retry.actions set state = 'undecided'`);
  const held = { account: 'own', reason: 'she called', at: NOW };
  for (const invoiceId of ['in_2', 'in_4'])
    await holdInvoice(app.database, {
      ...held,
      invoiceId,
      account: invoiceId === 'in_4' ? CONNECTED_ID : 'own',
    });
  expect(await app.answer('work')).toMatchObject({
    mayOperate: true,
    causes: [
      {
        code: 'undecided',
        words: 'Approve this payment',
        title: 'Approve',
        inStripe: null,
        count: 1,
        money: [{ currency: 'eur', amount: 1_250 }],
        invoices: [{ invoiceId: 'in_1', customer: 'Ada Example', amount: 1_250, currency: 'eur' }],
      },
    ],
  });
});

test('who was emailed hours ago is not to be asked again, on the work list and in the panel of the invoice', async () => {
  await insertFailedInvoice(app.database, { id: ID, at: NOW.minus({ days: 20 }), reason: 'expired_card' });
  for (const hours of [240, 120, 7]) await insertSentEmail(app.database, ID, NOW.minus({ hours }));
  const waitUntil = toIso(NOW.minus({ hours: 7 }).plus({ days: 3 }));
  expect(await app.answer('work')).toMatchObject({
    causes: [{ code: 'unanswered', invoices: [{ invoiceId: ID, waitUntil }] }],
  });
  const invoice = await app.answer('invoice', { id: ID });
  expect(invoice).toMatchObject({ need: { advice: 'An email has just gone out: wait for an answer.' } });
  expect(JSON.stringify(invoice)).not.toContain('Ask once more');
});

test('the settings say where the server is and how it works, and no secret', async () => {
  const settings = await app.answer('settings');
  expect(settings).toMatchObject({
    accountId: 'acct_own1',
    server: 'localhost:8080',
    service: 'embedded',
    mode: 'advisory',
    emailWindow: { fromMinute: 480, toMinute: 1_200, timeZone: 'UTC' },
    mayConfigure: true,
  });
  expect(JSON.stringify(settings)).not.toMatch(/sk_|whsec_|absec_/);
});

test('the onboarding shows what the checks have found, each with its words', async () => {
  const states = async (fields = {}) => {
    const { checks } = z
      .object({ checks: z.array(checked) })
      .parse(await app.answer('onboarding', {}, fields));
    expect(checks.every(({ title }) => title.length > 3)).toBe(true);
    return Object.fromEntries(checks.map(({ code, state }) => [code, state]));
  };
  expect(await states()).toMatchObject({
    database: 'ok',
    migrations: 'ok',
    stripe_access: 'ok',
    events: 'waiting',
    backfill: 'warning',
    callbacks: 'ok',
    effects: 'ok',
  });
  const event = { account: 'own', id: 'evt_1', type: 'invoice.paid', payload: '{}' };
  await recordEvents(app.database, [{ ...event, createdAt: NOW, receivedAt: NOW }]);
  await pauseEffects(app.database, { account: 'own', reason: 'x', by: 'ann', at: NOW });
  expect(await states()).toMatchObject({ events: 'ok', effects: 'warning' });
  // Another account reads of itself, and nothing of how the server is installed.
  expect(await states({ account_id: CONNECTED_ID })).toEqual({
    settings: 'ok',
    stripe_access: 'ok',
    events: 'waiting',
    backfill: 'warning',
    callbacks: 'ok',
    effects: 'ok',
    mail_server: 'warning',
  });
});

const offered = z.object({
  request: z.string(),
  title: z.string(),
  will: z.string().nullable(),
  refusal: z.string().nullable(),
});
const checked = z.object({ code: z.string(), state: z.string(), title: z.string() });
