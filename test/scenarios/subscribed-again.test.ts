/** Who subscribes to the same again after a failure is not charged for the old period, too, until somebody decides. */
import { accepts, acceptsFirst, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import { actionsOf, type Subscriber, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import { emailsTo } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const stolen = (fingerprint: string) => acceptsFirst(1, declines('stolen_card', {}, { fingerprint }));
const good = (holder: string) => accepts({ brand: 'mastercard', last4: '4444', fingerprint: `new${holder}` });

interface Again {
  readonly interval?: 'month' | 'year';
  readonly days?: number;
  readonly isOtherProduct?: boolean;
}

/** The customer subscribes once more, to the same product unless it is said otherwise; the new card becomes the default. */
function subscribeAgain({ customerId, subscriptionId }: Subscriber, again: Again = {}): string {
  const { interval = 'month', days, isOtherProduct } = again;
  world.sandbox.changeDefaultCard(customerId, good(customerId));
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
  return id;
}

const AGAIN: Readonly<Record<string, Again>> = {
  'the same month': {},
  'the product by the year': { interval: 'year' },
  'the product on trial': { days: 14 },
};

test('who subscribes again, to the month, the year or a trial, is neither charged nor emailed for the old month, until a person allows it or the customer goes on from the card page; something else takes its place only where it was asked to end', async () => {
  const casts = Object.entries(AGAIN).map(([name, again]) => {
    return { name, again, mailbox: name.replaceAll(' ', '_'), paymentMethod: stolen(name) };
  });
  const [released, going, kept, replaced, ...payers] = await failList(
    world,
    [
      { paymentMethod: stolen('released') },
      { paymentMethod: stolen('going'), mailbox: 'going' },
      { paymentMethod: stolen('kept') },
      { paymentMethod: stolen('replaced') },
      ...casts,
    ],
    'older',
  );
  await world.advance({ days: 1 });
  const emails = () => payers.flatMap(({ mailbox }) => emailsTo(world, mailbox)).length;
  const before = emails();
  expect(before).toBe(payers.length);
  const successors = payers.map((payer) => subscribeAgain(payer, payer.again));
  for (const payer of [released, going]) subscribeAgain(payer);
  world.sandbox.updateSubscription(replaced.subscriptionId, { cancel_at_period_end: true });
  for (const payer of [kept, replaced]) subscribeAgain(payer, { isOtherProduct: true });
  await world.advance({ hours: 2 });

  const link = /https?:\S+card-update\S+/.exec(String(emailsTo(world, 'going')[0]?.text))?.[0] ?? '';
  await fetch(link);
  await world.settle();
  const statuses = () => [released, going].map(({ invoiceId }) => statusOf(world, invoiceId));
  expect(statuses()).toEqual(['open', 'open']);
  await operate(world, 'release', { invoice: released.invoiceId });
  await world.settle();
  expect(statuses()).toEqual(['paid', 'open']);
  await fetch(link, { method: 'POST', redirect: 'manual' });
  await world.settle();
  expect(statuses()).toEqual(['paid', 'paid']);

  await world.advance({ days: 1 });
  expect([kept, replaced].map(({ invoiceId }) => statusOf(world, invoiceId))).toEqual(['paid', 'open']);
  world.sandbox.voidInvoice(replaced.invoiceId);
  await world.advance({ days: 15 });
  expect(emails()).toBe(before);
  for (const [index, { name, invoiceId }] of payers.entries()) {
    expect([name, statusOf(world, invoiceId)]).toEqual([name, 'open']);
    const reason = { code: 'subscribed_again', subscriptionId: successors[index] };
    const asked = expect.objectContaining({ kind: 'pay', state: 'undecided', reason });
    expect([name, await actionsOf(world, invoiceId)]).toEqual([name, expect.arrayContaining([asked])]);
  }
});
