/** Decisions are about the method that would be charged next: what another card answered uses up nothing of it (stripe-facts 5.4, 5.10). */
import { readPlanningFacts } from '../../src/plugin/retry/instructions/planning-facts.ts';
import { loadConfig } from '../../src/plugin/settings/config.ts';
import { listFailures } from '../../src/plugin/store/reports/money/list-failures.ts';
import { refreshFailures } from '../../src/plugin/store/reports/money/refresh-failures.ts';
import {
  acceptsFirst,
  type CardInput,
  declines,
  declinesUntil,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { type Subscriber, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import { emailsTo } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: { retryMode: 'exclusive', afterGivingUp: 'cancel' } });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

/** The card on file has no money until that many days from now. */
const fundedIn = (days: number, own: CardInput = {}) =>
  acceptsFirst(1, declinesUntil(world.clock.now().plus({ days }), 'insufficient_funds', {}, own));

/** The customer tries another card on Stripe's page, once, in vain. */
function slip(invoiceId: string, code: string): void {
  const other = declines(code, {}, { brand: 'mastercard', last4: '4444', fingerprint: `of${invoiceId}` });
  expect(() => world.sandbox.payAsCustomer(invoiceId, other)).toThrow();
}

const subscriptionStatus = ({ subscriptionId }: Subscriber) =>
  world.sandbox.state.subscriptions.get(subscriptionId)?.status;
const chargesOf = (invoiceId: string) =>
  world.query<{ outcome: string; source: string }>(
    'select outcome, source from payment_retry.attempts where invoice_id = $1 order by started_at',
    [invoiceId],
  );

/** The first day's answers of another card, and when the card on file has money; one was stolen. */
const STORIES = [
  { slips: ['expired_card'], days: 3 },
  { slips: ['stolen_card'], days: 3 },
  { slips: ['incorrect_cvc'], days: 3 },
  { slips: Array.from({ length: 7 }, () => 'do_not_honor'), days: 13 },
  { slips: ['insufficient_funds'], isStolen: true },
];

test('slips with another card use up nothing of the card on file, and change nothing of what is answered, shown, or asked of its payer', async () => {
  const casts = STORIES.map(({ slips, days = 0, isStolen = false }) => {
    const mailbox = slips[0] ?? '';
    const own = { fingerprint: mailbox };
    const paymentMethod = isStolen ? acceptsFirst(1, declines('stolen_card', {}, own)) : fundedIn(days, own);
    return { slips, isStolen, mailbox, paymentMethod };
  });
  const payers = await failList(world, casts, 'older');
  await world.advance({ hours: 10 });
  for (let left = 7; left > 0; left -= 1) {
    await world.advance({ hours: 2 });
    for (const { invoiceId, slips } of payers) {
      const code = slips[left - 1];
      if (code !== undefined) slip(invoiceId, code);
    }
    await world.settle();
  }
  const slipped = payers.find(({ mailbox }) => mailbox === 'stolen_card');
  await expectCardOnFile(slipped?.invoiceId ?? '');
  await world.advance({ days: 25 });
  for (const { mailbox, isStolen, ...failed } of payers) {
    const sent = emailsTo(world, mailbox).length;
    const ours = (await chargesOf(failed.invoiceId)).filter(({ source }) => source === 'ours').length;
    const ending = [mailbox, statusOf(world, failed.invoiceId), subscriptionStatus(failed)];
    if (isStolen) expect([mailbox, sent, ours]).toEqual([mailbox, 4, 0]);
    else {
      expect(ending).toEqual([mailbox, 'paid', 'active']);
      expect(sent).toBeLessThan(3);
    }
  }
});

/** What is answered to an instruction, and shown of the invoice. */
async function expectCardOnFile(invoiceId: string): Promise<void> {
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
  const shown = await listFailures(database, { invoices: [invoiceId] }, { sort: 'failed', limit: 1 });
  expect(shown).toMatchObject([{ reason: 'insufficient_funds', brand: 'visa' }]);
}
