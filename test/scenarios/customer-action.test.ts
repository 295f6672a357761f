/** The customer, not the card, is what is missing: the embedded service asks, the plugin mails. */
import { acceptsFirst, declines, requiresAuthentication } from '../../src/sandbox/payment-behaviour.ts';
import { failingInvoice, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

test.each(['decline', 'action'] as const)(
  'a payment that waits for the customer, shown as %s, leads to one mail and is paid when confirmed',
  async (form) => {
    const { invoiceId } = await failingInvoice(world, acceptsFirst(1, requiresAuthentication(form)));
    await world.advance({ days: 2 });
    expect(world.mail.mails).toHaveLength(1);
    const { hosted_invoice_url: page } = world.sandbox.state.invoices.get(invoiceId) ?? {};
    expect(world.mail.mails[0]?.html).toContain(page);
    await fetch(page ?? '', { method: 'POST' });
    await world.advance({ days: 35 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(world.mail.mails).toHaveLength(1);
  },
);

test('a customer whose collection is paused gets no mail', async () => {
  const { invoiceId } = await failingInvoice(world, acceptsFirst(1, declines('insufficient_funds')));
  const subscription =
    world.sandbox.state.invoices.get(invoiceId)?.parent?.subscription_details?.subscription;
  world.sandbox.pauseCollection(subscription ?? '', { behavior: 'keep_as_draft' });
  await world.advance({ days: 40 });
  expect([statusOf(world, invoiceId), world.mail.mails]).toEqual(['open', []]);
});
