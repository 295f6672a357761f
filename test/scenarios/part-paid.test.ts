/** A payment is not a settled invoice: only the remaining amount ends a case (stripe-facts 3.15). */
import {
  accepts,
  acceptsFirst,
  declines,
  requiresAuthentication,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { failingInvoice, statusOf, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: { retryMode: 'exclusive', afterGivingUp: 'cancel' } });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const stolen = () => acceptsFirst(1, declines('stolen_card'));
const other = () => accepts({ brand: 'mastercard', last4: '4444' });
const subjects = () => world.email.emails.map(({ subject }) => String(subject));

/** As the process does, only more rarely: it also reads what the service has decided. */
async function live(days: number): Promise<void> {
  for (let day = 0; day < days; day += 5) {
    await world.advance({ days: 5 });
    await world.plugin.parts.requestActionsSync();
    await world.settle();
  }
}

test.each([
  [1, '$19.99'],
  [500, '$15.00'],
])('after a payment of %i of 2000 the customer is asked for the rest, to the end', async (part, rest) => {
  const { customerId, invoiceId } = await failingInvoice(world, stolen());
  await world.advance({ days: 1 });
  world.sandbox.payPart(invoiceId, part, world.sandbox.attachCard(customerId, other()).id);
  await world.settle();
  await live(20);
  const texts = world.email.emails.map(({ text }) => String(text));
  expect(texts).toHaveLength(4);
  expect(texts.slice(1).map((text) => text.includes(rest))).toEqual([true, true, true]);
  expect(statusOf(world, invoiceId)).toBe('open');
  await live(25);
  const story = await storyOf(world, invoiceId);
  expect(story).toContain('dunning.given_up');
  expect(story).not.toContain('invoice.handed_back');
});

test('a part that was paid after a confirmation was asked for leaves the rest to be confirmed', async () => {
  const asks = acceptsFirst(1, requiresAuthentication());
  const { customerId, invoiceId } = await failingInvoice(world, asks);
  const before = subjects().length;
  expect(before).toBe(1);
  await world.advance({ days: 1 });
  world.sandbox.payPart(invoiceId, 650, world.sandbox.attachCard(customerId, other()).id);
  await live(20);
  expect(subjects().length).toBe(4);
  await live(25);
  expect(await storyOf(world, invoiceId)).toContain('dunning.given_up');
});

test('nobody reads that nothing is owed while a part is open', async () => {
  const { customerId, invoiceId } = await failingInvoice(world, stolen());
  world.sandbox.payPart(invoiceId, 500, world.sandbox.attachCard(customerId, other()).id);
  await world.advance({ days: 2 });
  const words = world.email.emails.map(({ text }) => String(text)).join('\n');
  expect(words).not.toMatch(/nothing (more )?is (due|owed)/i);
});
