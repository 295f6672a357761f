/** The customer, not the card, is what is missing: the embedded service asks, the plugin emails. */
import type { DateTime } from 'luxon';
import {
  accepts,
  acceptsFirst,
  declines,
  requiresAuthentication,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { firstOf, inFull } from '../support/runner/full-run.ts';
import { attemptsOf, failingInvoice, payCalls, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { type ByName, emailsTo, failTogether } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());

const subjectsTo = (name: string) => emailsTo(world, name).map(({ subject }) => subject ?? '');
const stolen = () => acceptsFirst(1, declines('stolen_card', {}, { last4: '9979' }));
const THANKS = /^Thank you: your payment of .* to Sandbox Inc\. was made$/;

describe.each(firstOf(1, ['action', 'decline'] as const))(
  'with events that come twice and in any order, authentication shown as %s',
  (form) => {
    let start: DateTime;
    let failed: ByName<'waits' | 'wanted' | 'paused' | 'paid'>;
    beforeAll(async () => {
      start = world.clock.now();
      Object.assign(world.sandbox.webhookFaults, { duplicate: 1, shuffle: true });
      const soft = declines('insufficient_funds', {}, { fingerprint: `fp_${form}` });
      const wants = requiresAuthentication(form);
      failed = await failTogether(world, {
        waits: acceptsFirst(1, requiresAuthentication(form, { last4: '3155' })),
        wanted: acceptsFirst(1, {
          ...soft,
          answer: (request) => (request.chargeNumber === 1 ? soft : wants).answer(request),
        }),
        paused: acceptsFirst(1, declines('insufficient_funds', {}, { last4: '0341' })),
        paid: stolen(),
      });
      world.sandbox.pauseCollection(failed('paused').subscriptionId, { behavior: 'keep_as_draft' });
      world.sandbox.payAsCustomer(failed('paid').invoiceId, accepts({ last4: '1111' }));
    });
    afterAll(() => world.reset());
    const until = (days: number) => world.advance(start.plus({ days }).diff(world.clock.now()));
    const pageOf = (invoiceId: string) =>
      world.sandbox.state.invoices.get(invoiceId)?.hosted_invoice_url ?? '';
    let confirmed: Promise<unknown> | undefined;
    /** Once, on the second day, for whichever test is first. */
    async function confirm(): Promise<void> {
      confirmed ??= until(2).then(() => fetch(pageOf(failed('waits').invoiceId), { method: 'POST' }));
      await confirmed;
    }

    test('a payment that waits for the customer leads to one email and is paid when confirmed', async () => {
      await until(2);
      const { invoiceId } = failed('waits');
      // Two kinds of events tell of one attempt, each of them twice.
      expect(await attemptsOf(world, invoiceId)).toHaveLength(1);
      expect(emailsTo(world, 'waits')).toHaveLength(1);
      expect(emailsTo(world, 'waits')[0]?.html).toContain(pageOf(invoiceId));
      await confirm();
    });

    test('a customer who paid on the invoice’s page with another card is thanked and asked once which one to charge next time', async () => {
      await until(3);
      expect(subjectsTo('paid').filter((subject) => THANKS.test(subject))).toHaveLength(1);
      const html = emailsTo(world, 'paid').at(-1)?.html ?? '';
      const link = /href="([^"]*\/card-update\/[^"]*)"/.exec(html)?.[1] ?? '';
      expect(await (await fetch(link)).text()).toContain('Choose your payment method');
    });

    test('an attempt of ours that the bank wants confirmed counts once and is not repeated blindly', async () => {
      await until(12);
      const { invoiceId } = failed('wanted');
      expect(payCalls(world, invoiceId)).toHaveLength(1);
      expect((await attemptsOf(world, invoiceId)).map(({ source, outcome }) => [source, outcome])).toEqual([
        ['stripe', 'declined'],
        ['ours', 'requires_action'],
      ]);
      const confirming = subjectsTo('wanted').filter((subject) => /confirm your payment/i.test(subject));
      // With two reminders.
      expect(confirming).toHaveLength(3);
      world.sandbox.voidInvoice(invoiceId);
    });

    test('what was confirmed stays so, and a customer whose collection is paused gets no email', async () => {
      await confirm();
      await until(37);
      const { invoiceId } = failed('waits');
      expect(statusOf(world, invoiceId)).toBe('paid');
      expect(emailsTo(world, 'waits')).toHaveLength(1);
      expect((await attemptsOf(world, invoiceId)).map(({ outcome }) => outcome)).toEqual([
        form === 'action' ? 'requires_action' : 'declined',
        'paid',
      ]);
      expect(payCalls(world, invoiceId)).toEqual([]);
      expect([statusOf(world, failed('paused').invoiceId), emailsTo(world, 'paused')]).toEqual(['open', []]);
    });
  },
);

inFull(
  'a customer who paid on the page with the card on file, or with one that was chosen since, nothing is asked',
  async () => {
    const same = await failingInvoice(world, acceptsFirst(1, requiresAuthentication('decline')));
    world.sandbox.payAsCustomer(same.invoiceId);
    const chosen = await failingInvoice(world, stolen());
    world.sandbox.payAsCustomer(chosen.invoiceId, accepts({ last4: '1111' }));
    world.sandbox.changeDefaultCard(chosen.customerId, accepts({ last4: '1111' }));
    const ending = await failingInvoice(world, stolen());
    world.sandbox.payAsCustomer(ending.invoiceId, accepts({ last4: '1111' }));
    world.sandbox.cancelSubscription(ending.subscriptionId, { atPeriodEnd: true });
    await world.advance({ days: 3 });
    expect(world.email.emails.filter(({ subject = '' }) => THANKS.test(subject))).toEqual([]);
  },
);
