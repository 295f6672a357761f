/** What existed before the plugin did, and what no event can heal. */
import { accepts, acceptsFirst, declines } from '../../src/sandbox/payment-behaviour.ts';
import { findLastReport } from '../../src/store/backfill-report.ts';
import { actionsOf, attemptsOf, failingInvoice, renew, statusOf, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ sandbox: { stripeRetries: 'off' } });
});
afterAll(() => world?.stop());
beforeEach(() => {
  // As before the installation: Stripe's events reach nobody, and are not asked for.
  world.sandbox.webhookFaults.drop = 1;
});
afterEach(() => world.reset());

const failsLater = () => acceptsFirst(1, declines('insufficient_funds'));

async function backfill(): Promise<void> {
  await world.plugin.parts.requestBackfill();
  await world.settle();
}

const lastReport = () => findLastReport(world.plugin.parts.database, 'own');

const told = (kind: string) =>
  world.query<{ id: string; state: string }>(`select id, state from retry_service.${kind} order by id`);

test('recovery starts for what was failing before the installation, and for nothing else', async () => {
  const failing = await failingInvoice(world, failsLater());
  const paying = await subscribe(world, accepts());
  const paid = await renew(world, paying.subscriptionId);
  const recovered = await failingInvoice(world, failsLater());
  world.sandbox.payOutOfBand(recovered.invoiceId);
  const ended = await subscribe(world, accepts());
  world.sandbox.cancelSubscription(ended.subscriptionId);
  await world.settle();
  expect(await told('subscriptions')).toEqual([]);

  await backfill();
  expect(await told('subscriptions')).toEqual(
    [failing, paying, recovered, ended]
      .map(({ subscriptionId: id }) => ({
        id,
        state: id === ended.subscriptionId ? 'SUBSCRIPTION_STATE_CANCELED' : 'SUBSCRIPTION_STATE_ACTIVE',
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  );
  const states = new Map((await told('invoices')).map(({ id, state }) => [id, state]));
  expect([failing.invoiceId, paid, recovered.invoiceId].map((id) => states.get(id))).toEqual([
    'INVOICE_STATE_UNPAID',
    'INVOICE_STATE_PAID',
    'INVOICE_STATE_PAID',
  ]);
  expect(await world.query('select invoice_id as id from retry_service.cases')).toEqual([
    { id: failing.invoiceId },
  ]);
  expect(await attemptsOf(world, failing.invoiceId)).toMatchObject([
    { source: 'stripe', outcome: 'declined' },
  ]);
  expect(await actionsOf(world, failing.invoiceId)).toMatchObject([{ kind: 'pay', state: 'scheduled' }]);
  expect(await actionsOf(world, recovered.invoiceId)).toEqual([]);
  expect(statusOf(world, failing.invoiceId)).toBe('open');
});
