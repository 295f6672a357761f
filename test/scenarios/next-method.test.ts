/** Decisions are about the method that would be charged next: what another card answered uses up nothing of it (stripe-facts 5.4, 5.10). */
import { readPlanningFacts } from '../../src/plugin/retry/instructions/planning-facts.ts';
import { loadConfig } from '../../src/plugin/settings/config.ts';
import { listFailures } from '../../src/plugin/store/reports/money/list-failures.ts';
import { refreshFailures } from '../../src/plugin/store/reports/money/refresh-failures.ts';
import {
  acceptsFirst,
  declines,
  declinesUntil,
  type PaymentMethodBehaviour,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { failingInvoice, type Subscriber, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: { retryMode: 'exclusive', afterGivingUp: 'cancel' } });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

/** The card on file has no money until that many days from now. */
const fundedIn = (days: number) =>
  acceptsFirst(1, declinesUntil(world.clock.now().plus({ days }), 'insufficient_funds'));

/** The customer tries another card on Stripe's page, once, in vain. */
async function slip(invoiceId: string, code: string): Promise<void> {
  const other = declines(code, {}, { brand: 'mastercard', last4: '4444' });
  expect(() => world.sandbox.payAsCustomer(invoiceId, other)).toThrow();
  await world.settle();
}

const subscriptionStatus = ({ subscriptionId }: Subscriber) =>
  world.sandbox.state.subscriptions.get(subscriptionId)?.status;
const chargesOf = (invoiceId: string) =>
  world.query<{ outcome: string; source: string }>(
    'select outcome, source from payment_retry.attempts where invoice_id = $1 order by started_at',
    [invoiceId],
  );

test.each(['expired_card', 'stolen_card', 'incorrect_cvc'])(
  'one slip with another card (%s) leaves the retries of the card on file as they were',
  async (code) => {
    const failed = await failingInvoice(world, fundedIn(13));
    await world.advance({ days: 1 });
    await slip(failed.invoiceId, code);
    await world.advance({ days: 45 });
    expect(statusOf(world, failed.invoiceId)).toBe('paid');
    expect(subscriptionStatus(failed)).toBe('active');
    expect(world.email.emails.length).toBeLessThan(3);
  },
);

test('seven slips with another card use up none of the attempts of the card on file', async () => {
  const failed = await failingInvoice(world, fundedIn(13));
  for (let slips = 0; slips < 7; slips += 1) {
    await world.advance({ hours: 2 });
    await slip(failed.invoiceId, 'do_not_honor');
  }
  await world.advance({ days: 45 });
  expect(statusOf(world, failed.invoiceId)).toBe('paid');
});

test('a customer whose card was stolen is asked as often, though another card lacked funds', async () => {
  const stolen: PaymentMethodBehaviour = acceptsFirst(1, declines('stolen_card'));
  const failed = await failingInvoice(world, stolen);
  await world.advance({ days: 1 });
  await slip(failed.invoiceId, 'insufficient_funds');
  await world.advance({ days: 45 });
  expect(world.email.emails.length).toBe(4);
  expect((await chargesOf(failed.invoiceId)).filter(({ source }) => source === 'ours')).toEqual([]);
});

test('what is answered to an instruction, and shown of an invoice, is about the card on file', async () => {
  const { invoiceId } = await failingInvoice(world, fundedIn(13));
  await world.advance({ days: 1 });
  await slip(invoiceId, 'stolen_card');
  const { database } = world.plugin.parts;
  const now = world.clock.now();
  const idealRetryAt = now.plus({ days: 2 });
  const asked = {
    account: 'own',
    type: 'retry',
    invoiceId,
    suggestion: 'ACTION_SUGGESTION_RETRY',
    idealRetryAt,
  };
  const config = loadConfig(
    {
      stripeSecretKey: 'sk_test_planning',
      stripeWebhookSecret: 'whsec_planning',
      retryMode: 'exclusive',
      afterGivingUp: 'cancel',
    },
    {},
  );
  const facts = await readPlanningFacts({ config, serviceKnows: () => true }, database, asked, now);
  expect(facts.objectionAt(idealRetryAt)).toBeUndefined();
  await refreshFailures(database);
  const shown = await listFailures(database, { invoice: invoiceId }, { sort: 'failed', limit: 1 });
  expect(shown).toMatchObject([{ reason: 'insufficient_funds', brand: 'visa' }]);
});
