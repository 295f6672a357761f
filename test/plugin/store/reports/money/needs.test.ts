/** Which failed invoices need a person, and why: from the rows that the other parts write. */
import { DateTime } from 'luxon';
import { listFailures } from '../../../../../src/plugin/store/reports/money/list-failures.ts';
import { NEEDS, STANDINGS, sumNeeds } from '../../../../../src/plugin/store/reports/money/needs.ts';
import { refreshFailures } from '../../../../../src/plugin/store/reports/money/refresh-failures.ts';
import { recordAudit } from '../../../../../src/plugin/store/tables/audit.ts';
import { insertAction } from '../../../../../src/plugin/store/tables/retry/actions.ts';
import { finishEmail, reserveEmail } from '../../../../../src/plugin/store/tables/retry/emails.ts';
import { forgetGivenUp, recordGivenUp } from '../../../../../src/plugin/store/tables/retry/endings.ts';
import { holdInvoice, releaseInvoice } from '../../../../../src/plugin/store/tables/retry/holds.ts';
import { recordHandback, recordTakeover } from '../../../../../src/plugin/store/tables/retry/takeovers.ts';
import { recordDispute } from '../../../../../src/plugin/store/tables/sync/disputes.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../../support/database/databases.ts';
import { type FailedInvoice, insertFailedInvoice } from '../../../operator/console/failure-rows.ts';

const NOW = DateTime.fromISO('2026-03-10T10:00:00Z', { zone: 'utc' });
const FAILED = NOW.minus({ days: 9 });
const key = (invoiceId: string) => ({ account: 'own', invoiceId });

describe.each(ENGINES)('who needs a person on $engine', (engine) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
  });
  beforeEach(() => opened.clear());
  afterAll(() => opened.close());

  const fail = (id: string, more: Partial<FailedInvoice> = {}) =>
    insertFailedInvoice(opened.database, { id, at: FAILED, ...more });
  const act = async (
    invoiceId: string,
    state: string,
    code: string,
    kind: 'pay' | 'card_update_email' = 'pay',
  ) => {
    const id = crypto.randomUUID();
    await insertAction(opened.database, {
      id,
      ...key(invoiceId),
      cause: 'instruction',
      reference: id,
      kind,
      createdAt: NOW,
      dueAt: NOW,
      customerId: undefined,
      subscriptionId: undefined,
      requestId: undefined,
      paymentMethod: undefined,
    });
    await opened.database.query(
      `update payment_retry.actions set state = $2, reason = $3::jsonb where id = $1`,
      [id, state, JSON.stringify({ code })],
    );
  };
  const email = async (invoiceId: string, step: string, at = NOW) => {
    const email = { ...key(invoiceId), template: 'card_update', step };
    const copy = { subject: '', text: '', html: '' };
    const sent = { ...email, recipient: 'ada@example.com', messageId: step, copy };
    await reserveEmail(opened.database, sent, at);
    await finishEmail(opened.database, email, { state: 'sent', detail: '' }, at);
  };
  const stop = (id: string) => holdInvoice(opened.database, { ...key(id), reason: 'called', at: NOW });
  const undeliverable = (invoiceId: string, code: string) =>
    recordAudit(opened.database, {
      ...key(invoiceId),
      at: NOW,
      kind: 'email.undeliverable',
      detail: { action: 'card_update_email', guard: 'recipient', reason: { code } },
    });
  const read = async () => {
    await refreshFailures(opened.database);
    const found = await listFailures(opened.database, {}, { sort: 'failed', limit: 50 });
    return Object.fromEntries(found.map(({ invoiceId, need, standing }) => [invoiceId, [need, standing]]));
  };

  const STORIES: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    undecided: (id) => act(id, 'undecided', 'card_change_total'),
    disputed: (id) =>
      recordDispute(
        opened.database,
        { ...key(id), id: 'dp_1', reason: 'general', status: 'needs_response', amount: 2000 },
        NOW,
      ),
    cancel_requested: (id) => act(id, 'scheduled', 'cancel_requested'),
    no_address: (id) => undeliverable(id, 'no_address'),
    undeliverable: (id) => undeliverable(id, 'no_mail_server'),
    unanswered: async (id) => {
      for (const step of ['1', '2', '3']) await email(id, `${id} ${step}`);
    },
    attempts_used: (id) => act(id, 'closed', 'attempts_on_invoice'),
    handed_back: async (id) => {
      await recordTakeover(opened.database, key(id), { at: FAILED });
      await recordHandback(opened.database, key(id), NOW);
    },
    given_up: (id) => recordGivenUp(opened.database, key(id), { code: 'dunning_completed' }, NOW),
    blocked: async () => undefined,
    merchant: async () => undefined,
  };

  test('each cause is told from what is stored, and counts with its money', async () => {
    expect(Object.keys(STORIES).sort()).toEqual([...NEEDS].sort());
    for (const [need, happen] of Object.entries(STORIES)) {
      const reason = { blocked: 'highest_risk_level', merchant: 'amount_too_small' }[need];
      await fail(`in_${need}`, reason === undefined ? {} : { reason });
      await happen(`in_${need}`);
    }
    await fail('in_calm');
    const told = (row: (need: string) => unknown) =>
      Object.fromEntries(Object.keys(STORIES).map((need) => [`in_${need}`, row(need)]));
    expect(await read()).toEqual({
      ...told((need) => [need, 'needs_attention']),
      in_calm: [null, 'waiting'],
    });
    const sums = await sumNeeds(opened.database, {});
    expect(sums).toHaveLength(NEEDS.length);
    expect(sums).toContainEqual({
      need: 'no_address',
      currency: 'usd',
      invoices: 1,
      amount: 2000,
      disputes: 0,
      disputed: 0,
    });
    // Who stops an invoice has decided, whatever it needed.
    for (const need of Object.keys(STORIES)) await stop(`in_${need}`);
    expect(await read()).toEqual({ ...told(() => [null, 'stopped']), in_calm: [null, 'waiting'] });
    expect(await sumNeeds(opened.database, {})).toEqual([]);
  });

  test('nobody is needed while something is planned, Stripe tries, or the customer was asked less than three times', async () => {
    for (const id of ['in_planned', 'in_asked', 'in_stripe', 'in_paid', 'in_lost']) await fail(id);
    await recordGivenUp(opened.database, key('in_planned'), { code: 'dunning_completed' }, NOW);
    await act('in_planned', 'scheduled', 'planned');
    await email('in_asked', '1');
    await email('in_asked', '2');
    await opened.database.query(
      `update payment_retry.invoices set status = case id when 'in_paid' then 'paid' when 'in_lost' then 'void' else status end,
         next_attempt_at = case id when 'in_stripe' then $1::timestamptz end`,
      [NOW.plus({ days: 1 }).toISO()],
    );
    expect(await read()).toEqual({
      in_planned: [null, 'retry'],
      in_stripe: [null, 'retry'],
      in_asked: [null, 'asked'],
      in_paid: [null, 'recovered'],
      in_lost: [null, 'lost'],
    });
    for (const standing of ['retry', 'asked', 'recovered', 'lost', 'waiting'] as const) {
      const listed = await listFailures(opened.database, { standing }, { sort: 'failed', limit: 50 });
      expect([standing, listed.map((one) => one.standing)]).toEqual([
        standing,
        { retry: ['retry', 'retry'], waiting: [] }[standing as string] ?? [standing],
      ]);
    }
    expect(Object.keys(STANDINGS)).toHaveLength(7);
  });

  test('a cause goes with what mended it: a release, an address, a new word of the service', async () => {
    for (const id of ['in_1', 'in_2', 'in_3', 'in_4'])
      await fail(id, id === 'in_4' ? { reason: 'rule' } : {});
    await stop('in_1');
    await undeliverable('in_2', 'no_address');
    await recordGivenUp(opened.database, key('in_3'), { code: 'dunning_completed' }, NOW);
    expect(await read()).toMatchObject({
      in_1: [null, 'stopped'],
      in_2: ['no_address', 'needs_attention'],
      in_3: ['given_up', 'needs_attention'],
      in_4: ['blocked', 'needs_attention'],
    });
    await releaseInvoice(opened.database, { ...key('in_1'), reason: 'fixed', at: NOW });
    await email('in_2', '1', NOW.plus({ hours: 1 }));
    await forgetGivenUp(opened.database, 'own', ['in_3']);
    await releaseInvoice(opened.database, { ...key('in_4'), reason: 'allowed', at: NOW });
    expect(await read()).toEqual({
      in_1: [null, 'waiting'],
      in_2: [null, 'asked'],
      in_3: [null, 'waiting'],
      in_4: [null, 'waiting'],
    });
  });
});
