/** Events of one account are planned together without Stripe; those that need it say so. */

import { silentLogger } from '../../../../src/core/base/logger.ts';
import { createAccounts } from '../../../../src/plugin/settings/accounts.ts';
import { loadConfig } from '../../../../src/plugin/settings/config.ts';
import type { WaitingEvent } from '../../../../src/plugin/store/tables/sync/events.ts';
import { ASKS_STRIPE } from '../../../../src/plugin/sync/events/event-step.ts';
import { HANDLERS } from '../../../../src/plugin/sync/events/handlers.ts';
import { planEvents, readEvent } from '../../../../src/plugin/sync/receive/plan-events.ts';
import { declinesTimes } from '../../../../src/workbench/sandbox/payment-behaviour.ts';
import { failingInvoice } from '../../../support/scenario.ts';
import { createWorld, type World } from '../../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
  await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
});
afterAll(() => world?.stop());

/** Plans each recorded event as the first one of a batch, with nothing stored. */
async function planWithoutStripe() {
  const waiting = await world.query<WaitingEvent>(
    `select id, payload, person from payment_retry.events order by created_at, id`,
  );
  await world.query('delete from payment_retry.invoices');
  await world.query('delete from payment_retry.subscriptions');
  const config = loadConfig(
    { retryMode: 'advisory', stripeSecretKey: 'sk_test_1', stripeWebhookSecret: 'whsec_1' },
    {},
  );
  const deps = {
    config,
    database: world.plugin.parts.database,
    clock: world.clock,
    logger: silentLogger,
    stripe: undefined,
    enqueue: async () => {},
    accounts: createAccounts(config),
    admit: async () => {},
    businessEntity: async () => 'Shop',
  };
  const events = waiting.flatMap((one) => readEvent(one) ?? []);
  const outcomes = await planEvents(deps, 'own', events);
  return events.map(({ event }, index) => ({ type: event.type, outcome: outcomes[index] }));
}

test('a row that always asks Stripe has none of its steps taken in a batch; no other event fails for lack of it', async () => {
  const planned = await planWithoutStripe();
  expect(planned.length).toBeGreaterThan(10);
  const apart = new Set<string>();
  for (const { type, outcome } of planned) {
    expect(outcome).toMatchObject({ status: 'fulfilled' });
    if (outcome?.status === 'fulfilled' && outcome.value === ASKS_STRIPE) apart.add(type);
  }
  // Whether the first invoice is the checkout's, only its subscription says.
  expect([...apart].sort()).toEqual(['invoice.finalized', 'invoice.paid', 'invoice.payment_failed']);
  const alone = [...HANDLERS].filter(([, { isAlone }]) => isAlone).map(([type]) => type);
  expect(alone).toEqual(expect.arrayContaining(['invoice.paid', 'invoice.payment_failed']));
});
