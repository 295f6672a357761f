/** The customer, not the card, is what is missing: the embedded service asks, the plugin emails. */
import {
  accepts,
  acceptsFirst,
  declines,
  requiresAuthentication,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { firstOf, inFull } from '../support/runner/full-run.ts';
import { attemptsOf, failingInvoice, payCalls, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

test.each(firstOf(1, ['action', 'decline'] as const))(
  'a payment that waits for the customer, shown as %s, leads to one email and is paid when confirmed',
  async (form) => {
    world.sandbox.webhookFaults.duplicate = 1;
    world.sandbox.webhookFaults.shuffle = true;
    const { invoiceId } = await failingInvoice(world, acceptsFirst(1, requiresAuthentication(form)));
    await world.advance({ days: 2 });
    // Two kinds of events tell of one attempt, each of them twice.
    expect(await attemptsOf(world, invoiceId)).toHaveLength(1);
    expect(world.email.emails).toHaveLength(1);
    const { hosted_invoice_url: page } = world.sandbox.state.invoices.get(invoiceId) ?? {};
    expect(world.email.emails[0]?.html).toContain(page);
    await fetch(page ?? '', { method: 'POST' });
    await world.advance({ days: 35 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(world.email.emails).toHaveLength(1);
    expect((await attemptsOf(world, invoiceId)).map(({ outcome }) => outcome)).toEqual([
      form === 'action' ? 'requires_action' : 'declined',
      'paid',
    ]);
    expect(payCalls(world, invoiceId)).toEqual([]);
  },
);

test.each(firstOf(1, ['action', 'decline'] as const))(
  'an attempt of ours that the bank wants confirmed, shown as %s, counts once and is not repeated blindly',
  async (form) => {
    const soft = declines('insufficient_funds', {}, { fingerprint: `fp_${form}` });
    const wants = requiresAuthentication(form);
    const card = acceptsFirst(1, {
      ...soft,
      answer: (request) => (request.chargeNumber === 1 ? soft : wants).answer(request),
    });
    world.sandbox.webhookFaults.duplicate = 1;
    const { invoiceId } = await failingInvoice(world, card);
    await world.advance({ days: 12 });
    expect(payCalls(world, invoiceId)).toHaveLength(1);
    expect((await attemptsOf(world, invoiceId)).map(({ source, outcome }) => [source, outcome])).toEqual([
      ['stripe', 'declined'],
      ['ours', 'requires_action'],
    ]);
    const confirming = world.email.emails.filter(({ subject }) =>
      /confirm your payment/i.test(subject ?? ''),
    );
    // With two reminders.
    expect(confirming).toHaveLength(3);
  },
);

test('a customer whose collection is paused gets no email', async () => {
  const { invoiceId } = await failingInvoice(world, acceptsFirst(1, declines('insufficient_funds')));
  const subscription =
    world.sandbox.state.invoices.get(invoiceId)?.parent?.subscription_details?.subscription;
  world.sandbox.pauseCollection(subscription ?? '', { behavior: 'keep_as_draft' });
  await world.advance({ days: 40 });
  expect([statusOf(world, invoiceId), world.email.emails]).toEqual(['open', []]);
});

describe('paid on the invoice’s page', () => {
  const subjects = () => world.email.emails.map(({ subject }) => subject);
  const stolen = () => acceptsFirst(1, declines('stolen_card', {}, { last4: '9979' }));
  const thanks = /^Thank you: your payment of .* to Sandbox Inc\. was made$/;

  test('with another card, the customer is thanked and asked once which one to charge next time', async () => {
    world.sandbox.webhookFaults.duplicate = 1;
    const { invoiceId } = await failingInvoice(world, stolen());
    world.sandbox.payAsCustomer(invoiceId, accepts({ last4: '1111' }));
    await world.advance({ days: 3 });
    expect(subjects().filter((subject) => thanks.test(subject ?? ''))).toHaveLength(1);
    const link = /href="([^"]*\/card-update\/[^"]*)"/.exec(world.email.emails.at(-1)?.html ?? '')?.[1] ?? '';
    expect(await (await fetch(link)).text()).toContain('Choose your payment method');
  });

  inFull('with the card on file, or with one that was chosen since, nothing is asked', async () => {
    const same = await failingInvoice(world, acceptsFirst(1, requiresAuthentication('decline')));
    world.sandbox.payAsCustomer(same.invoiceId);
    const chosen = await failingInvoice(world, stolen());
    world.sandbox.payAsCustomer(chosen.invoiceId, accepts({ last4: '1111' }));
    world.sandbox.changeDefaultCard(chosen.customerId, accepts({ last4: '1111' }));
    const ending = await failingInvoice(world, stolen());
    world.sandbox.payAsCustomer(ending.invoiceId, accepts({ last4: '1111' }));
    world.sandbox.cancelSubscription(ending.subscriptionId, { atPeriodEnd: true });
    await world.advance({ days: 3 });
    expect(subjects().filter((subject) => thanks.test(subject ?? ''))).toEqual([]);
  });
});
