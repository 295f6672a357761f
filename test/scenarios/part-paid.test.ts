/** A payment is not a settled invoice: only the remaining amount ends a case (stripe-facts 3.15). */
import {
  accepts,
  acceptsFirst,
  type CardInput,
  declines,
  requiresAuthentication,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { failingInvoice, type Subscriber, statusOf, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: { retryMode: 'exclusive', afterGivingUp: 'cancel' } });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const other = () => accepts({ brand: 'mastercard', last4: '4444' });
const textsTo = (customer: string) =>
  world.email.emails.flatMap(({ to, text }) => (to?.[0]?.address === customer ? [String(text)] : []));

/** As the process does, only more rarely: it also reads what the service has decided. */
async function live(days: number): Promise<void> {
  for (let day = 0; day < days; day += 5) {
    await world.advance({ days: 5 });
    await world.plugin.parts.requestActionsSync();
    await world.settle();
  }
}

/** A part that another card pays a day after the failure, and the rest of 2000. */
const PARTS = [
  { card: (own: CardInput) => declines('stolen_card', {}, own), part: 1, rest: '$19.99' },
  { card: (own: CardInput) => declines('stolen_card', {}, own), part: 500, rest: '$15.00' },
  { card: (own: CardInput) => requiresAuthentication('decline', own), part: 650, rest: '$13.50' },
];

test('after a payment of a part the customer is asked for the rest, to the end', async () => {
  const payers: ((typeof PARTS)[number] & Subscriber & { invoiceId: string; email: string })[] = [];
  for (const { card, part, rest } of PARTS) {
    const email = `payer${part}@example.com`;
    const failed = await failingInvoice(world, acceptsFirst(1, card({ fingerprint: email })), { email });
    payers.push({ ...failed, card, part, rest, email });
  }
  await world.advance({ days: 1 });
  for (const { customerId, invoiceId, part } of payers)
    world.sandbox.payPart(invoiceId, part, world.sandbox.attachCard(customerId, other()).id);
  await world.settle();
  await live(20);
  for (const { email, rest, invoiceId } of payers) {
    const isAsked = textsTo(email).map((text) => text.includes(rest));
    expect([email, isAsked]).toEqual([email, [false, true, true, true]]);
    expect([email, statusOf(world, invoiceId)]).toEqual([email, 'open']);
  }
  await live(25);
  for (const { email, invoiceId } of payers) {
    const story = await storyOf(world, invoiceId);
    expect([email, story]).toEqual([email, expect.arrayContaining(['dunning.given_up'])]);
    expect([email, story]).not.toEqual([email, expect.arrayContaining(['invoice.handed_back'])]);
  }
});

test('nobody reads that nothing is owed while a part is open', async () => {
  const { customerId, invoiceId } = await failingInvoice(world, acceptsFirst(1, declines('stolen_card')));
  world.sandbox.payPart(invoiceId, 500, world.sandbox.attachCard(customerId, other()).id);
  await world.advance({ days: 2 });
  const words = world.email.emails.map(({ text }) => String(text)).join('\n');
  expect(words).not.toMatch(/nothing (more )?is (due|owed)/i);
});
