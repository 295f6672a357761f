/** A subscription may name a card of its own, which the portal does not change (stripe-facts 6.2). */
import type { StubAnswer } from '../../../support/http/http-stub.ts';
import { buildSubscription } from '../../../support/stripe/stripe-objects.ts';
import { type Bench, openBench } from './collection-fixture.ts';

let bench: Bench;
const charged: (string | null)[] = [];
beforeAll(async () => {
  bench = await openBench();
});
beforeEach(async () => {
  await bench.reset();
  charged.length = 0;
  answerWith(decline);
});
afterAll(() => bench.close());

/** Each a charge of its own. */
const decline = () => ({
  status: 402,
  body: {
    error: {
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'insufficient_funds',
      charge: `ch_${charged.length}`,
    },
  },
});

function answerWith(next: () => StubAnswer): void {
  bench.stripe.pay = ({ body }) => {
    charged.push(new URLSearchParams(body).get('payment_method'));
    return next();
  };
}

const RETRY = 'ACTION_SUGGESTION_RETRY';

/** The customer's default is `pm_1Visa`. */
function subscriptionNames(card: string): void {
  const subscription = buildSubscription({ status: 'past_due', default_payment_method: card });
  const parent = { quote_details: null, subscription_details: { metadata: {}, subscription } };
  bench.stripe.invoice = {
    next_payment_attempt: null,
    parent: { ...parent, type: 'subscription_details' },
  };
}

async function retryAfterTwoDays(requestId: string): Promise<void> {
  await bench.wait({ days: 2 });
  await bench.instruct(requestId, 'suggestion', RETRY);
  await bench.handle(requestId);
  await bench.runDue();
}

test('an instructed retry goes on with the card the customer gave, not with the one it replaced', async () => {
  subscriptionNames('pm_old');
  await bench.cardChange('pm_1Visa');
  await bench.runDue();
  await retryAfterTwoDays('req_1');
  expect(charged).toEqual(['pm_1Visa', 'pm_1Visa']);
});

test('a repeated call says the same as the first, whatever was chosen meanwhile', async () => {
  subscriptionNames('pm_old');
  await bench.cardChange('pm_1Visa');
  await bench.runDue();
  const failure = { status: 500, body: { error: { type: 'api_error', message: 'Try again.' } } };
  answerWith(() => (charged.length === 2 ? failure : decline()));
  await retryAfterTwoDays('req_1');
  await bench.cardChange('pm_old');
  await bench.wait({ seconds: 30 });
  await bench.runDue();
  expect(charged.slice(0, 3)).toEqual(['pm_1Visa', 'pm_1Visa', 'pm_1Visa']);
  expect(bench.keys()[1]).toBe(bench.keys()[2]);
});

test('without a new card, and with one that is chosen no more, Stripe chooses', async () => {
  subscriptionNames('pm_old');
  await retryAfterTwoDays('req_1');
  await bench.cardChange('pm_1Visa');
  await bench.runDue();
  const { customer } = bench.stripe;
  const settings = { ...customer.invoice_settings, default_payment_method: 'pm_third' };
  bench.stripe.customer = { ...customer, invoice_settings: settings };
  await retryAfterTwoDays('req_2');
  expect(charged).toEqual([null, 'pm_1Visa', null]);
});
