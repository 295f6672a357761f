/** Who subscribes to the same again after a failure is not charged for the old period, too, until somebody decides. */
import { accepts, acceptsFirst, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import { actionsOf, failingInvoice, type Subscriber, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const stolen = () => acceptsFirst(1, declines('stolen_card'));
const good = () => accepts({ brand: 'mastercard', last4: '4444' });
const emails = () => world.email.emails.length;

type Failed = Subscriber & { invoiceId: string };
interface Again {
  readonly interval?: 'month' | 'year';
  readonly days?: number;
  readonly isOtherProduct?: boolean;
}

/** The customer subscribes once more, to the same product unless it is said otherwise; the new card becomes the default. */
async function subscribeAgain({ customerId, subscriptionId }: Failed, again: Again = {}): Promise<string> {
  const { interval = 'month', days, isOtherProduct } = again;
  world.sandbox.changeDefaultCard(customerId, good());
  const [item] = world.sandbox.state.subscriptions.get(subscriptionId)?.items.data ?? [];
  const product = isOtherProduct ? undefined : String(item?.price.product);
  const { id: price } = world.sandbox.createPrice({
    unit_amount: interval === 'year' ? 20_000 : 2000,
    recurring: { interval },
    ...(product && { product, product_data: undefined }),
  });
  const { id } = world.sandbox.createSubscription({
    customer: customerId,
    items: [{ price, quantity: 1 }],
    ...(days && { trial_period_days: days }),
  });
  await world.settle();
  return id;
}

const AGAIN: Readonly<Record<string, Again>> = {
  'the same month': {},
  'the product by the year': { interval: 'year' },
  'the product on trial': { days: 14 },
};

test('who subscribes again, to the month, the year or a trial, is neither charged nor emailed for the old month', async () => {
  const payers: (Failed & { name: string; successor?: string })[] = [];
  for (const name of Object.keys(AGAIN)) {
    const email = `${name.replaceAll(' ', '-')}@example.com`;
    const card = acceptsFirst(1, declines('stolen_card', {}, { fingerprint: email }));
    payers.push({ ...(await failingInvoice(world, card, { email })), name });
  }
  await world.advance({ days: 1 });
  const before = emails();
  expect(before).toBe(payers.length);
  for (const payer of payers) payer.successor = await subscribeAgain(payer, AGAIN[payer.name]);
  await world.advance({ days: 20 });
  expect(emails()).toBe(before);
  for (const { name, invoiceId, successor } of payers) {
    expect([name, statusOf(world, invoiceId)]).toEqual([name, 'open']);
    const reason = { code: 'subscribed_again', subscriptionId: successor };
    const asked = expect.objectContaining({ kind: 'pay', state: 'undecided', reason });
    expect([name, await actionsOf(world, invoiceId)]).toEqual([name, expect.arrayContaining([asked])]);
  }
});

test('a person lets the old month be paid', async () => {
  const failed = await failingInvoice(world, stolen());
  await world.advance({ hours: 2 });
  await subscribeAgain(failed);
  await world.advance({ hours: 2 });
  expect(statusOf(world, failed.invoiceId)).toBe('open');
  await operate(world, 'release', { invoice: failed.invoiceId });
  await world.settle();
  expect(statusOf(world, failed.invoiceId)).toBe('paid');
});

test('a customer who goes on from the card page lets the old month be paid', async () => {
  const failed = await failingInvoice(world, stolen());
  await world.advance({ days: 1 });
  await subscribeAgain(failed);
  await world.advance({ hours: 2 });
  const link = /https?:\S+card-update\S+/.exec(String(world.email.emails[0]?.text))?.[0] ?? '';
  await fetch(link);
  await world.settle();
  expect(statusOf(world, failed.invoiceId)).toBe('open');
  await fetch(link, { method: 'POST', redirect: 'manual' });
  await world.settle();
  expect(statusOf(world, failed.invoiceId)).toBe('paid');
});

test('a subscription to something else takes the place of one that was asked to end, and of no other', async () => {
  const kept = await failingInvoice(world, stolen());
  await world.advance({ hours: 2 });
  await subscribeAgain(kept, { isOtherProduct: true });
  await world.advance({ days: 1 });
  expect(statusOf(world, kept.invoiceId)).toBe('paid');
  const replaced = await failingInvoice(world, stolen());
  await world.advance({ hours: 2 });
  world.sandbox.updateSubscription(replaced.subscriptionId, { cancel_at_period_end: true });
  await subscribeAgain(replaced, { isOtherProduct: true });
  await world.advance({ days: 1 });
  expect(statusOf(world, replaced.invoiceId)).toBe('open');
});
