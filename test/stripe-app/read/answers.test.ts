/** What the views are told, from rows as the plugin writes them. */
import { holdInvoice } from '../../../src/store/tables/retry/holds.ts';
import { pauseEffects } from '../../../src/store/tables/retry/pauses.ts';
import { type AppHarness, CONNECTED_ID, NOW, startApp } from '../app-harness.ts';
import { insertAttempt, insertInstruction, insertInvoice, insertPlanned } from '../stored-case.ts';

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
    expect(await readInvoice()).toMatchObject({ isKnown: true, state: 'waiting', next: [], timeline: [] });
  });

  test.each<[string, () => Promise<unknown>, object]>([
    ['waiting', async () => undefined, { next: [], obstacles: [] }],
    [
      'planned',
      () => insertPlanned(app.database, { id: ID }),
      { next: [{ kind: 'pay', at: '2026-03-03T06:00:00.000Z', why: null }] },
    ],
    [
      'stopped',
      () => holdInvoice(app.database, { account: 'own', invoiceId: ID, reason: 'she called', at: NOW }),
      { obstacles: ['A person stopped it: she called'] },
    ],
    [
      'paused',
      () => pauseEffects(app.database, { account: '*', reason: 'new release', by: 'ann', at: NOW }),
      { obstacles: ['All effects are paused: new release'] },
    ],
    [
      'needs_decision',
      async () => {
        await insertPlanned(app.database, { id: ID });
        const reason = { code: 'invoice_too_old', issuedAt: '2025-01-01T00:00:00Z', days: 90 };
        await app.database.query(`update payment_retry.actions set state = 'undecided', reason = $1::jsonb`, [
          JSON.stringify(reason),
        ]);
      },
      {
        next: [],
        obstacles: [
          'The invoice is of Dec 31, 2024, 7:00 PM, more than 90 days old (CARD_CHANGE_MAX_AGE_DAYS)',
        ],
      },
    ],
    [
      'stripe_retries',
      () => app.database.query(`update payment_retry.invoices set next_attempt_at = $1`, [NOW.toISO()]),
      { stripeTriesAt: NOW.toJSDate().toISOString() },
    ],
    ['paid', () => app.database.query(`update payment_retry.invoices set status = 'paid'`), {}],
    ['over', () => app.database.query(`update payment_retry.invoices set status = 'void'`), {}],
  ])('an invoice is told as %s', async (state, arrange, told) => {
    await insertInvoice(app.database, { id: ID });
    await arrange();
    expect(await readInvoice()).toMatchObject({ state, ...told });
  });

  test("the timeline tells what happened, newest first, in the reader's time", async () => {
    await insertInvoice(app.database, { id: ID });
    await insertAttempt(app.database, { id: ID }, { outcome: 'declined', declineCode: 'insufficient_funds' });
    await insertInstruction(app.database, { id: ID }, 'request_1');
    const { timeline } = await readInvoice();
    expect(timeline).toEqual([
      {
        at: '2026-03-02T09:00:00.000Z',
        what: 'instruction',
        text: 'the service asked: retry at Mar 3, 2026, 1:00 AM (request request_1); not planned yet',
      },
      {
        at: '2026-03-02T05:00:00.000Z',
        what: 'charge',
        text: expect.stringContaining('insufficient funds'),
      },
    ]);
  });

  test.each([
    ['admin', 'builtIn', true],
    ['analyst', 'builtIn', true],
    ['view_only', 'builtIn', false],
    ['admin', 'custom', false],
  ])('the role %s (%s) may operate: %s', async (id, type, mayOperate) => {
    await insertInvoice(app.database, { id: ID });
    const roles = [{ id, name: 'Administrator', type }];
    expect(await app.answer('invoice', { id: ID }, { stripe_roles: roles })).toMatchObject({ mayOperate });
  });

  test('a reader whose language and zone nobody knows reads English in UTC', async () => {
    await insertInvoice(app.database, { id: ID });
    await insertInstruction(app.database, { id: ID }, 'request_1');
    const { timeline } = await app.answer('invoice', { id: ID, locale: '!', timeZone: 'Nowhere/At_All' });
    expect(JSON.stringify(timeline)).toMatch(/Mar 3, 2026, 6:00\sAM/);
  });
});
