/** A card that was declined and has paid since is a card like any other. */
import {
  accepts,
  acceptsFirst,
  declines,
  type PaymentMethodBehaviour,
  requiresAuthentication,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { inFull } from '../support/runner/full-run.ts';
import { actionsOf, attemptsOf, failingInvoice, payCalls, renew, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

/** Answers the first charges like `first`, and all later ones like `then`. */
function answersFirst(count: number, first: PaymentMethodBehaviour, then: PaymentMethodBehaviour) {
  return {
    details: then.details,
    answer: (request: Parameters<PaymentMethodBehaviour['answer']>[0]) =>
      request.chargeNumber <= count
        ? first.answer(request)
        : then.answer({ ...request, chargeNumber: request.chargeNumber - count }),
  };
}

inFull(
  'after the customer has confirmed and paid, the next lack of funds is tried again, not asked about',
  async () => {
    const short = answersFirst(1, declines('insufficient_funds'), accepts());
    // The sign-up; then the bank wants the customer, who pays; then there is no money, once.
    const card = acceptsFirst(1, answersFirst(2, requiresAuthentication(), short));
    const { invoiceId, subscriptionId } = await failingInvoice(world, card);
    await world.advance({ days: 2 });
    expect(world.email.emails.map(({ subject }) => subject)).toEqual([
      expect.stringContaining('Confirm your payment'),
    ]);
    const { hosted_invoice_url: page } = world.sandbox.state.invoices.get(invoiceId) ?? {};
    await fetch(page ?? '', { method: 'POST' });
    await world.advance({ days: 5 });
    expect(statusOf(world, invoiceId)).toBe('paid');

    const next = await renew(world, subscriptionId);
    await world.advance({ days: 20 });
    expect(world.email.emails).toHaveLength(1);
    expect((await actionsOf(world, next)).map(({ kind, state }) => [kind, state])).toEqual([['pay', 'done']]);
    expect((await attemptsOf(world, next)).map(({ source, outcome }) => [source, outcome])).toEqual([
      ['stripe', 'declined'],
      ['ours', 'paid'],
    ]);
    expect([payCalls(world, next).length, statusOf(world, next)]).toEqual([1, 'paid']);
  },
);
