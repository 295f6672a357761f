/** The first payment of a subscription is the checkout's: what comes after it is ours. */
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  type PaymentMethodBehaviour,
  requiresAuthentication,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import {
  actionsOf,
  attemptsOf,
  chargesOf,
  instruct,
  payCalls,
  renew,
  type Subscriber,
  statusOf,
  storyOf,
  subscribe,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { startOtherwise, toRemote } from './start-otherwise.ts';

const settings: OwnOptions = {};
let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: settings });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

interface SignUp extends Subscriber {
  readonly invoiceId: string;
}

async function signUp(world: World, card: PaymentMethodBehaviour): Promise<SignUp> {
  const subscriber = await subscribe(world, card);
  return { ...subscriber, invoiceId: firstInvoice(world, subscriber.subscriptionId) };
}

function firstInvoice({ sandbox }: World, subscriptionId: string): string {
  return String(sandbox.state.subscriptions.get(subscriptionId)?.latest_invoice);
}

function subscriptionStatus({ sandbox }: World, { subscriptionId }: Subscriber): string {
  return String(sandbox.state.subscriptions.get(subscriptionId)?.status);
}

/** The customer tries the first payment on the page, and it fails. */
function tryInVain(world: World, invoiceId: string): void {
  expect(() => world.sandbox.payAsCustomer(invoiceId)).toThrow();
}

describe('with the embedded service', () => {
  const told = (kind: 'invoices' | 'transactions') =>
    world.query<{ id: string; state: string }>(`select id, state from retry_service.${kind} order by id`);
  const cases = () => world.query<{ id: string }>('select invoice_id as id from retry_service.cases');

  async function expectLeftAlone({ invoiceId }: SignUp): Promise<void> {
    expect(world.email.emails).toEqual([]);
    expect(await actionsOf(world, invoiceId)).toEqual([]);
    expect(payCalls(world, invoiceId)).toEqual([]);
    const heard = await world.query(
      `select id from retry_service.invoices where id = $1
       union all select id from retry_service.transactions where invoice_id = $1
       union all select invoice_id from retry_service.cases where invoice_id = $1`,
      [invoiceId],
    );
    expect(heard).toEqual([]);
  }

  test('a sign-up whose first payment is declined, or waits for the customer, is left to the checkout until it expires', async () => {
    world.sandbox.webhookFaults.duplicate = 1;
    world.sandbox.webhookFaults.shuffle = true;
    const all: SignUp[] = [];
    for (const card of [
      declines('insufficient_funds'),
      requiresAuthentication('decline'),
      requiresAuthentication('action'),
    ])
      all.push(await signUp(world, card));
    const statuses = () => all.map((begun) => subscriptionStatus(world, begun));
    await world.advance({ hours: 22 });
    expect(statuses()).toEqual(all.map(() => 'incomplete'));
    for (const begun of all) await expectLeftAlone(begun);
    await world.advance({ days: 2 });
    expect(statuses()).toEqual(all.map(() => 'incomplete_expired'));
    for (const begun of all) {
      expect(statusOf(world, begun.invoiceId)).toBe('void');
      await expectLeftAlone(begun);
      // The networks count these attempts too.
      expect(await attemptsOf(world, begun.invoiceId)).toHaveLength(1);
    }
  });

  test('a sign-up that the customer has to begin by hand is left alone while the payment fails', async () => {
    const { id: customer } = world.sandbox.createCustomer({
      email: 'ada@example.com',
      paymentMethod: declines('insufficient_funds'),
    });
    const { id: price } = world.sandbox.createPrice();
    const { id: subscriptionId } = world.sandbox.createSubscription({
      customer,
      items: [{ price }],
      payment_behavior: 'default_incomplete',
    });
    await world.settle();
    const begun = { customerId: customer, subscriptionId, invoiceId: firstInvoice(world, subscriptionId) };
    expect([subscriptionStatus(world, begun), chargesOf(world, begun.invoiceId)]).toEqual(['incomplete', []]);
    tryInVain(world, begun.invoiceId);
    await world.advance({ hours: 2 });
    await expectLeftAlone(begun);
  });

  test('a sign-up is left alone when its invoice is heard of before its subscription', async () => {
    const begun = await signUp(world, declines('insufficient_funds'));
    await world.query('delete from payment_retry.subscriptions');
    tryInVain(world, begun.invoiceId);
    await world.advance({ hours: 2 });
    await expectLeftAlone(begun);
  });

  test('a sign-up is left alone when the endpoint has an older version of the API', async () => {
    const { id: customer } = world.sandbox.createCustomer({ paymentMethod: declines('insufficient_funds') });
    const { id: price } = world.sandbox.createPrice();
    const { id: subscriptionId } = world.sandbox.createSubscription({ customer, items: [{ price }] });
    for (const event of world.sandbox.state.events.newestFirst()) {
      event.api_version = '2024-06-20';
      if (event.data.object.object === 'invoice') Object.assign(event.data.object, { parent: null });
    }
    await world.settle();
    await expectLeftAlone({
      customerId: customer,
      subscriptionId,
      invoiceId: firstInvoice(world, subscriptionId),
    });
  });

  test('a sign-up that is completed is told with all its attempts, and the next month is recovered', async () => {
    const card = requiresAuthentication('decline');
    const begun = await signUp(world, card);
    await world.advance({ hours: 1 });
    world.sandbox.payAsCustomer(begun.invoiceId);
    await world.settle();
    expect(subscriptionStatus(world, begun)).toBe('active');
    expect(await told('invoices')).toEqual([{ id: begun.invoiceId, state: 'INVOICE_STATE_PAID' }]);
    expect((await told('transactions')).map(({ state }) => state).sort()).toEqual([
      'TRANSACTION_STATE_FAILED',
      'TRANSACTION_STATE_PAID',
    ]);
    expect([await cases(), world.email.emails]).toEqual([[], []]);

    await world.advance({ days: 20 });
    const renewal = await renew(world, begun.subscriptionId);
    await world.advance({ days: 2 });
    expect(await cases()).toEqual([{ id: renewal }]);
    expect(world.email.emails).toHaveLength(1);
  });

  test('a new card during the sign-up is charged by the checkout, not by us', async () => {
    const begun = await signUp(world, declines('insufficient_funds'));
    world.sandbox.changeDefaultCard(begun.customerId, accepts({ last4: '1111' }));
    await world.advance({ hours: 2 });
    await expectLeftAlone(begun);
    expect(statusOf(world, begun.invoiceId)).toBe('open');
  });

  test('the first invoice after a trial is a renewal and is recovered', async () => {
    const { id: customer } = world.sandbox.createCustomer({
      email: 'ada@example.com',
      paymentMethod: declines('insufficient_funds'),
    });
    const { id: price } = world.sandbox.createPrice();
    const { id } = world.sandbox.createSubscription({ customer, items: [{ price }], trial_period_days: 3 });
    await world.advance({ days: 4 });
    const invoiceId = firstInvoice(world, id);
    expect(world.sandbox.state.invoices.get(invoiceId)?.billing_reason).toBe('subscription_cycle');
    expect(await cases()).toEqual([{ id: invoiceId }]);
  });

  test('the first invoice of a subscription that runs already is recovered, though it was stored as incomplete', async () => {
    const begun = await signUp(world, declines('insufficient_funds'));
    // As where a schedule begins a subscription, or a bank debit comes back: Stripe activates it before it is paid.
    const subscription = world.sandbox.state.subscriptions.get(begun.subscriptionId);
    if (subscription) subscription.status = 'past_due';
    tryInVain(world, begun.invoiceId);
    await world.settle();
    expect(await cases()).toEqual([{ id: begun.invoiceId }]);
    expect(await told('transactions')).toHaveLength(2);
  });

  test('a sign-up that a backfill finds is left alone', async () => {
    world.sandbox.webhookFaults.drop = 1;
    const begun = await signUp(world, declines('insufficient_funds'));
    await world.plugin.parts.requestBackfill();
    await world.settle();
    expect(await attemptsOf(world, begun.invoiceId)).toHaveLength(1);
    await world.advance({ hours: 2 });
    await expectLeftAlone(begun);
  });

  test('where RECOVER names sign-ups the customer of a sign-up is emailed like any other', async () => {
    await startOtherwise(world, settings, { recover: 'sign-ups' });
    const begun = await signUp(world, requiresAuthentication('action'));
    await world.advance({ hours: 2 });
    expect(world.email.emails).toMatchObject([{ subject: expect.stringContaining('Confirm your payment') }]);
    expect(await storyOf(world, begun.invoiceId)).toContain('email.sent');
  });
});

describe('in exclusive mode with a remote service that is told of invoices and payments', () => {
  beforeAll(() =>
    startOtherwise(world, settings, {
      ...toRemote(world),
      retryMode: 'exclusive',
      afterGivingUp: 'leave',
      forwardInvoices: true,
      forwardTransactions: true,
    }),
  );

  test('in exclusive mode, Stripe keeps the collection of a sign-up, and the service hears of it only once it is paid', async () => {
    const begun = await signUp(world, requiresAuthentication('action'));
    await world.advance({ hours: 1 });
    expect(world.sandbox.state.invoices.get(begun.invoiceId)?.auto_advance).toBe(true);
    expect(world.service.requests).toEqual([]);
    world.sandbox.payAsCustomer(begun.invoiceId);
    await world.settle();
    expect(world.service.view.get(begun.invoiceId)).toMatchObject({ state: 'INVOICE_STATE_PAID' });
  });

  test('what is asked for a sign-up is declined, and the history says by what', async () => {
    for (const [suggestion, told] of [
      ['RETRY', 'guard.stopped'],
      ['CARD_CHANGE', 'email.withheld'],
      ['CARD_CONFIRMATION', 'email.withheld'],
    ] as const) {
      const begun = await signUp(world, acceptsFirst(0, declines('insufficient_funds')));
      await instruct(world, begun.invoiceId, suggestion);
      expect(await actionsOf(world, begun.invoiceId)).toMatchObject([
        { state: 'closed', reason: { code: 'sign_up' } },
      ]);
      expect(await storyOf(world, begun.invoiceId)).toEqual(['instruction.scheduled', told]);
      const [{ guard } = {}] = await world.query<{ guard: string }>(
        `select detail->>'guard' as guard from payment_retry.audit where invoice_id = $1 and kind = $2`,
        [begun.invoiceId, told],
      );
      expect(guard).toBe('sign_up');
      expect([payCalls(world, begun.invoiceId), world.email.emails]).toEqual([[], []]);
    }
  });
});
