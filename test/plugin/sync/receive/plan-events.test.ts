/** Events of one account are planned together without Stripe; those that need it say so. */

import { silentLogger } from '../../../../src/core/base/logger.ts';
import { createAccounts } from '../../../../src/plugin/settings/accounts.ts';
import { loadConfig } from '../../../../src/plugin/settings/config.ts';
import type { WaitingEvent } from '../../../../src/plugin/store/tables/sync/events.ts';
import { ASKS_STRIPE } from '../../../../src/plugin/sync/events/event-step.ts';
import { HANDLERS } from '../../../../src/plugin/sync/events/handlers.ts';
import { planEvents, readEvent } from '../../../../src/plugin/sync/receive/plan-events.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import {
  startTestSandbox,
  subscribe,
  type TestSandbox,
} from '../../../workbench/sandbox/start-test-sandbox.ts';

let store: TestDatabase;
let stripe: TestSandbox;
let waiting: readonly WaitingEvent[];
beforeAll(async () => {
  store = await openTestDatabase(MAIN);
  stripe = await startTestSandbox();
  const { customer, subscription } = subscribe(stripe.sandbox);
  stripe.sandbox.renewNow(subscription.id);
  waiting = [...stripe.sandbox.state.events.newestFirst()]
    .reverse()
    .filter(({ type }) => HANDLERS.has(type))
    .map((event) => ({ id: event.id, payload: JSON.stringify(event), person: customer.id }));
});
afterAll(async () => {
  await stripe?.stop();
  await store?.close();
});

/** Plans each event as the first one of a batch, with nothing stored. */
async function planWithoutStripe() {
  const config = loadConfig(
    { retryMode: 'advisory', stripeSecretKey: 'sk_test_1', stripeWebhookSecret: 'whsec_1' },
    {},
  );
  const deps = {
    config,
    database: store.database,
    clock: stripe.clock,
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
