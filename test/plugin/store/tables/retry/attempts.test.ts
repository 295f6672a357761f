import { randomUUID } from 'node:crypto';
import { DateTime } from 'luxon';
import {
  countCall,
  finishAttempt,
  insertAttempt,
  listAttemptsOfInvoice,
  listAttemptsOnFingerprint,
  type NewAttempt,
  nextAttemptNumber,
} from '../../../../../src/plugin/store/tables/retry/attempts.ts';
import {
  type ChargeRecord,
  listSettledCharges,
  recordCharge,
} from '../../../../../src/plugin/store/tables/sync/charge-records.ts';
import { claimDirty } from '../../../../../src/plugin/store/tables/sync/outbox.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../../support/database/databases.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const METHOD = {
  paymentMethod: 'pm_1',
  methodType: 'card',
  brand: 'visa',
  fingerprint: 'fp_1',
  cardExpiry: '2030-12',
};
const OF = { account: 'own', invoiceId: 'in_1', customerId: 'cus_1', subscriptionId: undefined };

function attempt(changes: Partial<NewAttempt> = {}): NewAttempt {
  const id = randomUUID();
  return {
    ...OF,
    ...METHOD,
    id,
    actionId: randomUUID(),
    attemptNumber: 1,
    idempotencyKey: `key:${id}`,
    amount: 1000,
    currency: 'usd',
    startedAt: NOW,
    ...changes,
  };
}

function charge(outcome: string, changes: Partial<ChargeRecord> = {}): ChargeRecord {
  return {
    ...OF,
    ...METHOD,
    id: randomUUID(),
    chargeId: 'ch_1',
    amount: 1000,
    currency: 'usd',
    chargedAt: NOW,
    result: { outcome },
    message: { outcome },
    version: NOW.plus({ seconds: 1 }),
    ...changes,
  };
}

describe.each(ENGINES)('attempts on $engine', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(engine);
  });
  beforeEach(() => test.clear());
  afterAll(() => test.close());

  const list = () => listAttemptsOfInvoice(test.database, 'own', 'in_1');
  const claimMessages = () =>
    claimDirty(test.database, 'transactions', {
      account: 'own',
      now: NOW,
      until: NOW.plus({ minutes: 2 }),
      by: undefined,
      limit: 10,
    });

  const NO_METHOD = {
    paymentMethod: undefined,
    methodType: undefined,
    brand: undefined,
    fingerprint: undefined,
  };
  /** As the event tells of an attempt without a charge. */
  const waiting = (at: DateTime) =>
    charge('requires_action', { ...NO_METHOD, chargeId: 'pi_1', chargedAt: at, version: at });
  const needsCustomer = { outcome: 'requires_action', chargeId: 'pi_1' };

  it.each(['before', 'after'] as const)(
    'an attempt that waits for the customer counts once, with its event %s the answer',
    async (order) => {
      const ours = attempt();
      await insertAttempt(test.database, ours);
      const event = waiting(NOW.plus({ seconds: 1 }));
      if (order === 'before') await recordCharge(test.database, event);
      await finishAttempt(test.database, ours.id, needsCustomer, NOW);
      if (order === 'after') await recordCharge(test.database, event);
      const fact = { source: 'ours', outcome: 'requires_action', chargeId: 'pi_1', fingerprint: 'fp_1' };
      expect(await list()).toMatchObject([fact]);
    },
  );

  it('the store keeps apart the attempts that share a payment intent', async () => {
    await recordCharge(test.database, waiting(NOW.minus({ days: 1 })));
    for (const attemptNumber of [1, 2]) {
      const ours = attempt({ attemptNumber });
      await insertAttempt(test.database, ours);
      await finishAttempt(test.database, ours.id, needsCustomer, NOW);
      await recordCharge(test.database, waiting(NOW.plus({ seconds: attemptNumber })));
    }
    expect((await list()).map(({ source, chargeId }) => [source, chargeId])).toEqual([
      ['stripe', 'pi_1'],
      ['ours', null],
      ['ours', null],
    ]);
  });

  it('the store refuses a second attempt under the same key or the same number', async () => {
    const first = attempt();
    await insertAttempt(test.database, first);
    const sameKey = attempt({ attemptNumber: 2, idempotencyKey: first.idempotencyKey });
    await expect(insertAttempt(test.database, sameKey)).rejects.toMatchObject({ code: '23505' });
    await expect(insertAttempt(test.database, attempt())).rejects.toMatchObject({ code: '23505' });
    expect(await list()).toHaveLength(1);
    expect(await nextAttemptNumber(test.database, 'own', 'in_1')).toBe(2);
    expect(await nextAttemptNumber(test.database, 'own', 'in_2')).toBe(1);
  });

  it('the store counts the calls of an attempt and keeps what it came to', async () => {
    const row = attempt();
    await insertAttempt(test.database, row);
    await countCall(test.database, row.id, NOW);
    await countCall(test.database, row.id, NOW);
    expect(await list()).toMatchObject([{ id: row.id, calls: 2, outcome: null }]);
    const result = { outcome: 'declined', chargeId: 'ch_1', declineCode: 'insufficient_funds' };
    await finishAttempt(test.database, row.id, result, NOW);
    expect(await list()).toMatchObject([{ id: row.id, ...result }]);
  });

  const orders = [
    ['our answer comes before the event', ['answer', 'event']],
    ['the event comes before our answer', ['event', 'answer']],
    ['the event comes twice around our answer', ['event', 'answer', 'event']],
  ] as const;

  it.each(orders)('an attempt is one row with key, charge and message when %s', async (_name, steps) => {
    const ours = attempt();
    await insertAttempt(test.database, ours);
    for (const step of steps) {
      if (step === 'event') await recordCharge(test.database, charge('paid', { paymentIntent: 'pi_9' }));
      else await finishAttempt(test.database, ours.id, { outcome: 'paid', chargeId: 'ch_1' }, NOW);
    }
    const stored = await test.database.query('select payment_intent from payment_retry.attempts');
    expect(stored).toEqual([{ paymentIntent: 'pi_9' }]);
    expect(await list()).toMatchObject([
      { id: ours.id, source: 'ours', idempotencyKey: ours.idempotencyKey, chargeId: 'ch_1', outcome: 'paid' },
    ]);
    expect(await claimMessages()).toMatchObject([{ key: ours.id, message: { outcome: 'paid' } }]);
  });

  it('the store does not deliver an attempt again that was delivered before our answer came', async () => {
    const ours = attempt();
    await insertAttempt(test.database, ours);
    await recordCharge(test.database, charge('paid'));
    await test.database.query('update payment_retry.attempts set delivered_version = version');
    await finishAttempt(test.database, ours.id, { outcome: 'paid', chargeId: 'ch_1' }, NOW);
    expect(await claimMessages()).toEqual([]);
  });

  it("an attempt leaves another account's charge of the same id alone", async () => {
    const ours = attempt();
    await insertAttempt(test.database, ours);
    await recordCharge(test.database, charge('paid', { account: 'acct_2' }));
    await finishAttempt(test.database, ours.id, { outcome: 'paid', chargeId: 'ch_1' }, NOW);
    expect(await listAttemptsOfInvoice(test.database, 'acct_2', 'in_1')).toHaveLength(1);
  });

  it('the store records a charge of Stripe once, and its later result in the same row', async () => {
    await recordCharge(test.database, charge('pending'));
    await recordCharge(test.database, charge('pending'));
    const settled = () => listSettledCharges(test.database, 'own', 'in_1', { isForwarded: true });
    expect(await settled()).toEqual([]);
    await recordCharge(test.database, charge('paid', { version: NOW.plus({ days: 4 }) }));
    expect(await list()).toMatchObject([{ source: 'stripe', outcome: 'paid' }]);
    expect(await settled()).toEqual(['ch_1']);
  });

  it('the store lets a charge be told later that was recorded without being told', async () => {
    const settled = (isForwarded: boolean) =>
      listSettledCharges(test.database, 'own', 'in_1', { isForwarded });
    const untold = charge('declined', { message: undefined, version: NOW.plus({ minutes: 1 }) });
    await recordCharge(test.database, untold);
    expect([await settled(false), await settled(true), await claimMessages()]).toEqual([['ch_1'], [], []]);
    await recordCharge(test.database, charge('declined'));
    expect(await settled(true)).toEqual(['ch_1']);
    expect(await claimMessages()).toHaveLength(1);
  });

  it('the store leaves a charge alone that is known in a newer state', async () => {
    await recordCharge(test.database, charge('paid', { version: NOW.plus({ days: 4 }) }));
    await recordCharge(test.database, charge('pending'));
    expect(await list()).toMatchObject([{ outcome: 'paid' }]);
  });

  it('the store lists what was tried on one card, by anybody, on any invoice', async () => {
    await insertAttempt(test.database, attempt());
    await recordCharge(test.database, charge('declined', { invoiceId: 'in_2' }));
    await recordCharge(test.database, charge('declined', { chargeId: 'ch_2', fingerprint: 'fp_2' }));
    await recordCharge(
      test.database,
      charge('paid', { chargeId: 'ch_3', chargedAt: NOW.minus({ days: 40 }) }),
    );
    const found = await listAttemptsOnFingerprint(test.database, 'own', 'fp_1', NOW.minus({ days: 30 }));
    expect(found.map(({ source, invoiceId, outcome }) => [source, invoiceId, outcome]).sort()).toEqual([
      ['ours', 'in_1', null],
      ['stripe', 'in_1', 'paid'],
      ['stripe', 'in_2', 'declined'],
    ]);
  });

  it('of the attempts long past on a card, the store lists the declines that no success followed, and the last success', async () => {
    const past = (days: number, outcome: string, changes: Partial<ChargeRecord> = {}) =>
      recordCharge(
        test.database,
        charge(outcome, { chargeId: `ch_${days}`, chargedAt: NOW.minus({ days }), ...changes }),
      );
    await past(90, 'declined');
    await past(85, 'declined', { cardExpiry: '2026-10' });
    await past(82, 'paid');
    await past(80, 'paid');
    await past(70, 'declined');
    await past(65, 'paid', { fingerprint: 'fp_2' });
    await past(60, 'declined', { cardExpiry: '2026-10' });
    const found = await listAttemptsOnFingerprint(test.database, 'own', 'fp_1', NOW.minus({ days: 30 }));
    expect(found.map(({ chargeId, cardExpiry }) => [chargeId, cardExpiry])).toEqual([
      ['ch_85', '2026-10'],
      ['ch_80', '2030-12'],
      ['ch_70', '2030-12'],
      ['ch_60', '2026-10'],
    ]);
  });

  it('an attempt takes from the charge which network was used, whichever is told first', async () => {
    for (const [number, isEventFirst] of [true, false].entries()) {
      const ours = attempt({ attemptNumber: number + 1, cardExpiry: undefined });
      const chargeId = `ch_${number}`;
      const used = charge('declined', { chargeId, brand: 'cartes_bancaires' });
      await insertAttempt(test.database, ours);
      if (isEventFirst) await recordCharge(test.database, used);
      await finishAttempt(test.database, ours.id, { outcome: 'declined', chargeId }, NOW);
      if (!isEventFirst) await recordCharge(test.database, used);
    }
    const told = { source: 'ours', brand: 'cartes_bancaires', cardExpiry: '2030-12' };
    expect(await list()).toMatchObject([told, told]);
  });
});
