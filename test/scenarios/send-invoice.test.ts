/** Customers who pay by sending money: a card that fails on Stripe's page is their own try, and Stripe reminds them. */
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { accepts, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import {
  actionsOf,
  chargesOf,
  instruct,
  payCalls,
  type Subscriber,
  statusOf,
  storyOf,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { startOtherwise, toRemote } from './start-otherwise.ts';

const EXCLUSIVE = { retryMode: 'exclusive', afterGivingUp: 'leave' } as const;
const settings: OwnOptions = { ...EXCLUSIVE };
let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: settings });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

/** An open invoice that the customer tried to pay on its page, twice in vain. */
async function failOnPage(): Promise<Subscriber & { invoiceId: string }> {
  const { id: customerId } = world.sandbox.createCustomer({
    email: 'ada@example.com',
    country: 'DE',
    paymentMethod: declines('insufficient_funds'),
  });
  const { id: price } = world.sandbox.createPrice({ unit_amount: 2000 });
  const { id: subscriptionId, latest_invoice: invoice } = world.sandbox.createSubscription({
    customer: customerId,
    items: [{ price }],
    collection_method: 'send_invoice',
    days_until_due: 30,
  });
  const invoiceId = String(invoice);
  // For an hour it is a draft, which has no page.
  await world.advance({ hours: 1 });
  for (const pause of [{ minutes: 5 }, { hours: 30 }]) {
    expect(() => world.sandbox.payAsCustomer(invoiceId)).toThrow();
    await world.advance(pause);
  }
  return { customerId, subscriptionId, invoiceId };
}

describe('in exclusive mode with the embedded service', () => {
  test('an invoice sent to the customer is forwarded with its attempts and left alone with the reason, also after a new card', async () => {
    const { customerId, invoiceId } = await failOnPage();
    await world.advance({ days: 5 });
    expect(world.sandbox.state.invoices.get(invoiceId)?.auto_advance).toBe(true);
    expect([world.email.emails, await actionsOf(world, invoiceId), await storyOf(world, invoiceId)]).toEqual([
      [],
      [],
      [],
    ]);
    expect(payCalls(world, invoiceId)).toEqual([]);
    expect(await world.query('select id, state from retry_service.invoices')).toEqual([
      { id: invoiceId, state: 'INVOICE_STATE_UNPAID' },
    ]);
    expect(await world.query('select state from retry_service.transactions')).toHaveLength(2);
    expect(await world.query('select state, reason, review_at from retry_service.cases')).toEqual([
      { state: 'closed', reason: 'sent_to_customer', reviewAt: null },
    ]);
    expect(await world.query('select id from retry_service.recovery_actions')).toEqual([]);

    await world.plugin.parts.requestActionsSync();
    await world.settle();
    const [kept] = await world.query<{ reasons: string }>(
      'select reasons from payment_retry.recovery_cases where invoice_id = $1',
      [invoiceId],
    );
    expect(kept?.reasons).toContain('pays this invoice by sending money');

    world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
    await world.advance({ hours: 2 });
    expect([statusOf(world, invoiceId), chargesOf(world, invoiceId)]).toEqual(['open', ['failed', 'failed']]);
  });
});

describe('with a remote service', () => {
  beforeAll(() =>
    startOtherwise(world, settings, {
      ...EXCLUSIVE,
      ...toRemote(world),
      forwardInvoices: true,
      forwardTransactions: true,
    }),
  );

  test('what is asked for an invoice sent to the customer is declined, and the history says by what', async () => {
    const { invoiceId } = await failOnPage();
    expect(world.service.view.get(invoiceId)).toMatchObject({ state: 'INVOICE_STATE_UNPAID' });
    // The contract has no field for it.
    expect(world.service.view.get(invoiceId)).not.toHaveProperty('collectionMethod');
    const declined = { guard: 'collection_method' };
    for (const [suggestion, kinds] of [
      ['RETRY', ['guard.stopped']],
      ['CARD_CHANGE', ['guard.stopped', 'email.withheld']],
      ['CARD_CONFIRMATION', ['guard.stopped', 'email.withheld', 'email.withheld']],
    ] as const) {
      await instruct(world, invoiceId, suggestion);
      await world.advance({ days: 1 });
      const told = await world.query(
        `select kind, detail->>'guard' as guard from payment_retry.audit
         where invoice_id = $1 and kind in ('guard.stopped', 'email.withheld') order by id`,
        [invoiceId],
      );
      expect(told).toEqual(kinds.map((kind) => ({ kind, ...declined })));
    }
    expect([payCalls(world, invoiceId), world.email.emails]).toEqual([[], []]);
    expect(world.sandbox.state.invoices.get(invoiceId)?.auto_advance).toBe(true);
  });
});
