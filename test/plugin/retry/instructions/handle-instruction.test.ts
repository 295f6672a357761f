import { describeHistory } from '../../../../src/plugin/operator/text/describe-summary.ts';
import { OWN_ACCOUNT } from '../../../../src/plugin/settings/account.ts';
import { findInvoiceHistory } from '../../../../src/plugin/store/reports/invoice-history.ts';
import { recordDispute } from '../../../../src/plugin/store/tables/sync/disputes.ts';
import { upsertInvoice } from '../../../support/database/mirror-rows.ts';
import { buildCharge } from '../../../support/stripe/charge-objects.ts';
import { type Bench, INVOICE, openBench } from '../payment/collection-fixture.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench.close());

const RETRY = 'ACTION_SUGGESTION_RETRY';
const states = async () => (await bench.actions()).map(({ reference, state }) => `${reference} ${state}`);
const fate = async () =>
  bench.database.query<{ id: string; state: string }>(
    'select request_id as id, state from payment_retry.instructions order by position',
  );

describe('the order of instructions', () => {
  it.each([[['req_1', 'req_2']], [['req_2', 'req_1']]])(
    'the newer retry instruction stands when handled in the order %j',
    async (order) => {
      await bench.instruct('req_1', 'suggestion', RETRY);
      await bench.instruct('req_2', 'suggestion', RETRY);
      for (const id of order) await bench.handle(id);
      const open = (await states()).filter((state) => state.endsWith('scheduled'));
      expect(open).toEqual(['req_2 scheduled']);
    },
  );

  it.each([[['req_1', 'req_2']], [['req_2', 'req_1']]])(
    'a newer stop instruction wins when handled in the order %j',
    async (order) => {
      await bench.instruct('req_1', 'suggestion', RETRY);
      await bench.instruct('req_2', 'stop');
      for (const id of order) await bench.handle(id);
      expect((await states()).filter((state) => state.endsWith('scheduled'))).toEqual([]);
    },
  );

  it.each([[['req_1', 'req_2']], [['req_2', 'req_1']]])(
    'an older stop instruction loses when handled in the order %j',
    async (order) => {
      await bench.instruct('req_1', 'stop');
      await bench.instruct('req_2', 'suggestion', RETRY);
      for (const id of order) await bench.handle(id);
      expect(await states()).toEqual(['req_2 scheduled']);
    },
  );

  it.each([[['req_1', 'req_2']], [['req_2', 'req_1']]])(
    'an instruction that leads to nothing replaces nothing when handled in the order %j',
    async (order) => {
      await bench.instruct('req_1', 'suggestion', RETRY);
      await bench.instruct('req_2', 'suggestion', 'ACTION_SUGGESTION_UNSPECIFIED');
      for (const id of order) await bench.handle(id);
      expect(await states()).toEqual(['req_1 scheduled']);
      expect(await fate()).toEqual([
        { id: 'req_1', state: 'scheduled' },
        { id: 'req_2', state: 'no_action' },
      ]);
    },
  );

  it('several instructions handled at once leave one action', async () => {
    for (const id of ['req_1', 'req_2', 'req_3']) await bench.instruct(id, 'suggestion', RETRY);
    await Promise.all(['req_2', 'req_3', 'req_1', 'req_2', 'req_3'].map((id) => bench.handle(id)));
    expect((await states()).filter((state) => state.endsWith('scheduled'))).toEqual(['req_3 scheduled']);
  });

  it('an instruction that is handled twice makes one action', async () => {
    await bench.instruct('req_1', 'suggestion', RETRY);
    await bench.handle('req_1');
    await bench.handle('req_1');
    expect(await states()).toEqual(['req_1 scheduled']);
  });
});

describe('the subscription that an instruction names', () => {
  it.each([
    ['another than the invoice belongs to', 'sub_other', 1],
    ['the one that the invoice belongs to', undefined, 0],
  ])('%s: the history notes a contradiction so many times', async (_which, named, times) => {
    await upsertInvoice(bench.database, {
      account: OWN_ACCOUNT,
      id: INVOICE,
      customerId: 'cus_1Ada',
      subscriptionId: 'sub_own',
      status: 'open',
      amountRemaining: 2000,
      currency: 'usd',
      attemptCount: 1,
      isFirst: false,
      nextAttemptAt: undefined,
      message: undefined,
      version: bench.deps.clock.now(),
      versionSource: 'event',
    });
    await bench.instruct('req_1', 'suggestion', RETRY);
    await bench.database.query('update payment_retry.instructions set subscription_id = $1', [
      named ?? 'sub_own',
    ]);
    await bench.handle('req_1');
    expect(await states()).toEqual(['req_1 scheduled']);
    const history = await findInvoiceHistory(bench.database, INVOICE);
    const lines = history ? describeHistory(INVOICE, history).split('\n') : [];
    expect(lines.filter((line) => line.includes('request req_1'))).toHaveLength(1);
    expect(
      lines.filter((line) => line.includes('it names sub_other, but the invoice belongs to sub_own')),
    ).toHaveLength(times);
  });
});

describe('a new card', () => {
  it('a new card pays the open invoice once, however many events report it', async () => {
    for (let event = 0; event < 3; event += 1) await bench.cardChange('pm_1Visa');
    await bench.runDue();
    await bench.cardChange('pm_1Visa');
    await bench.runDue();
    expect(bench.keys()).toHaveLength(1);
  });

  it('a new card is not charged where it is on file but not chosen: networks renew every card', async () => {
    await bench.cardChange('pm_other');
    expect(await states()).toEqual([]);
  });

  it('a new card is not charged when another was chosen before its payment was due', async () => {
    await bench.cardChange('pm_1Visa');
    bench.stripe.invoice = {
      next_payment_attempt: null,
      customer: {
        ...bench.stripe.customer,
        invoice_settings: { ...bench.stripe.customer.invoice_settings, default_payment_method: 'pm_2' },
      },
    };
    await bench.runDue();
    expect(bench.keys()).toEqual([]);
    expect((await bench.actions())[0]).toMatchObject({
      state: 'closed',
      reason: { code: 'method_not_chosen' },
    });
  });

  it('a new card does not restart what the service stopped; its next instruction does', async () => {
    await bench.instruct('req_1', 'stop');
    await bench.handle('req_1');
    await bench.cardChange('pm_1Visa');
    await bench.runDue();
    expect(bench.keys()).toEqual([]);
    expect((await bench.actions())[0]).toMatchObject({
      state: 'closed',
      reason: { code: 'stopped_by_service' },
    });
    await bench.instruct('req_2', 'suggestion', RETRY);
    await bench.handle('req_2');
    await bench.runDue();
    expect(bench.keys()).toHaveLength(1);
  });

  it('a new card keeps its payment when an instruction for a later retry arrives before the payment is made', async () => {
    await bench.cardChange('pm_1Visa');
    await bench.instruct('req_1', 'suggestion', RETRY);
    await bench.handle('req_1');
    expect(await states()).toEqual([expect.stringMatching(/^pm_1Visa:\S+ scheduled$/), 'req_1 scheduled']);
  });

  it('a new card is not charged for an invoice that the customer disputes, nor is an instruction followed', async () => {
    await bench.cardChange('pm_1Visa');
    const dispute = {
      account: OWN_ACCOUNT,
      id: 'dp_1',
      invoiceId: 'in_1Basic',
      reason: 'general',
      status: 'needs_response',
      amount: 2000,
    };
    await recordDispute(bench.database, dispute, bench.deps.clock.now());
    await bench.instruct('req_1', 'suggestion', RETRY);
    await bench.handle('req_1');
    await bench.runDue();
    expect(bench.keys()).toEqual([]);
    expect((await bench.actions()).map(({ reason }) => reason)).toEqual([
      { code: 'disputed' },
      { code: 'disputed' },
    ]);
  });

  it('a new card is no news for an invoice on which it has been tried since: its event came late', async () => {
    const changedAt = bench.deps.clock.now().minus({ hours: 2 });
    const created = changedAt.plus({ hours: 1 }).toUnixInteger();
    bench.stripe.charges = [buildCharge({ payment_method: 'pm_1Visa', status: 'failed', created })];
    await bench.cardChange('pm_1Visa', changedAt);
    expect(await states()).toEqual([]);
    await bench.cardChange('pm_1Visa', changedAt.plus({ hours: 1, seconds: 1 }));
    expect(await states()).toEqual([expect.stringMatching(/^pm_1Visa:\S+ scheduled$/)]);
  });

  it('a new card for an invoice that was never attempted leaves the invoice to Stripe', async () => {
    bench.stripe.invoice = { attempted: false };
    await bench.cardChange('pm_1Visa');
    expect(await states()).toEqual([]);
  });
});
