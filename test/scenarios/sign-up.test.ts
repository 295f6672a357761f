/** The first payment of a subscription is the checkout's: what comes after it is ours. */
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import {
  accepts,
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
import { withoutEffects } from './fail-together.ts';
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
  const told = async (kind: 'invoices' | 'transactions', invoiceId: string) => {
    const key = kind === 'invoices' ? 'id' : 'invoice_id';
    const sql = `select state from retry_service.${kind} where ${key} = $1`;
    return (await world.query<{ state: string }>(sql, [invoiceId])).map(({ state }) => state);
  };
  const cases = async () => {
    const sql = 'select invoice_id as id from retry_service.cases order by opened_at, invoice_id';
    return (await world.query<{ id: string }>(sql)).map(({ id }) => id);
  };

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

  test('a sign-up whose first payment fails, or waits for the customer, is left to the checkout until it expires: also begun by hand, with a new card, heard of out of order, by an older version of the API or by a backfill', async () => {
    const older = await signUp(withoutEffects(world), declines('insufficient_funds'));
    for (const event of world.sandbox.state.events.newestFirst()) {
      event.api_version = '2024-06-20';
      if (event.data.object.object === 'invoice') Object.assign(event.data.object, { parent: null });
    }
    await world.settle();
    world.sandbox.webhookFaults.drop = 1;
    const backfilled = await signUp(world, declines('insufficient_funds'));
    world.sandbox.webhookFaults.drop = 0;
    await world.plugin.parts.requestBackfill();
    await world.settle();
    expect(await attemptsOf(world, backfilled.invoiceId)).toHaveLength(1);

    world.sandbox.webhookFaults.duplicate = 1;
    world.sandbox.webhookFaults.shuffle = true;
    const quiet = withoutEffects(world);
    const failing = [
      await signUp(quiet, declines('insufficient_funds')),
      await signUp(quiet, requiresAuthentication('decline')),
      await signUp(quiet, requiresAuthentication('action')),
    ];
    const changed = await signUp(quiet, declines('insufficient_funds'));
    const early = await signUp(quiet, declines('insufficient_funds'));
    const byHand = beginByHand();
    await world.settle();
    expect([subscriptionStatus(world, byHand), chargesOf(world, byHand.invoiceId)]).toEqual([
      'incomplete',
      [],
    ]);
    await world.query('delete from payment_retry.subscriptions where id = $1', [early.subscriptionId]);
    for (const { invoiceId } of [early, byHand]) tryInVain(world, invoiceId);
    world.sandbox.changeDefaultCard(changed.customerId, accepts({ last4: '1111' }));
    const all = [...failing, older, backfilled, changed, early, byHand];
    const statuses = () => all.map((begun) => subscriptionStatus(world, begun));
    await world.advance({ hours: 22 });
    expect(statuses()).toEqual(all.map(() => 'incomplete'));
    for (const begun of all) await expectLeftAlone(begun);
    expect(statusOf(world, changed.invoiceId)).toBe('open');

    await world.advance({ days: 2 });
    expect(statuses()).toEqual(all.map(() => 'incomplete_expired'));
    for (const begun of all) {
      expect(statusOf(world, begun.invoiceId)).toBe('void');
      await expectLeftAlone(begun);
    }
    // The networks count these attempts too.
    for (const { invoiceId } of failing) expect(await attemptsOf(world, invoiceId)).toHaveLength(1);
  });

  function beginByHand(): SignUp {
    const { id: customerId } = world.sandbox.createCustomer({
      email: 'ada@example.com',
      paymentMethod: declines('insufficient_funds'),
    });
    const { id: price } = world.sandbox.createPrice();
    const { id: subscriptionId } = world.sandbox.createSubscription({
      customer: customerId,
      items: [{ price }],
      payment_behavior: 'default_incomplete',
    });
    return { customerId, subscriptionId, invoiceId: firstInvoice(world, subscriptionId) };
  }

  test('a sign-up that is completed is told with all its attempts, and the next month is recovered; so is the first invoice after a trial, or of a subscription that runs already, though it was stored as incomplete', async () => {
    const { sandbox } = world;
    const begun = await signUp(world, requiresAuthentication('decline'));
    const started = await signUp(world, declines('insufficient_funds', {}, { fingerprint: 'started' }));
    // As where a schedule begins a subscription, or a bank debit comes back: Stripe activates it before it is paid.
    const subscription = sandbox.state.subscriptions.get(started.subscriptionId);
    if (subscription) subscription.status = 'past_due';
    tryInVain(world, started.invoiceId);
    const { id: customer } = sandbox.createCustomer({
      email: 'trial@example.com',
      paymentMethod: declines('insufficient_funds', {}, { fingerprint: 'trial' }),
    });
    const { id: price } = sandbox.createPrice();
    const trial = sandbox.createSubscription({ customer, items: [{ price }], trial_period_days: 3 });
    await world.settle();
    expect(await cases()).toEqual([started.invoiceId]);
    expect(await told('transactions', started.invoiceId)).toHaveLength(2);
    sandbox.voidInvoice(started.invoiceId);

    await world.advance({ hours: 1 });
    sandbox.payAsCustomer(begun.invoiceId);
    await world.settle();
    expect(subscriptionStatus(world, begun)).toBe('active');
    expect(await told('invoices', begun.invoiceId)).toEqual(['INVOICE_STATE_PAID']);
    expect((await told('transactions', begun.invoiceId)).sort()).toEqual([
      'TRANSACTION_STATE_FAILED',
      'TRANSACTION_STATE_PAID',
    ]);
    expect(await cases()).toEqual([started.invoiceId]);

    await world.advance({ days: 4 });
    const first = firstInvoice(world, trial.id);
    expect(sandbox.state.invoices.get(first)?.billing_reason).toBe('subscription_cycle');
    expect(await cases()).toEqual([started.invoiceId, first]);
    sandbox.voidInvoice(first);
    expect(world.email.emails).toEqual([]);
    const renewal = await renew(world, begun.subscriptionId);
    await world.advance({ days: 2 });
    expect(await cases()).toEqual([started.invoiceId, first, renewal]);
    expect(world.email.emails).toMatchObject([{ to: [{ address: 'ada@example.com' }] }]);
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

  test('in exclusive mode, Stripe keeps the collection of a sign-up, the service hears of it only once it is paid, and what is asked for it is declined with the reason', async () => {
    const quiet = withoutEffects(world);
    const begun = await signUp(quiet, requiresAuthentication('action'));
    const asked = [
      ['RETRY', 'guard.stopped'],
      ['CARD_CHANGE', 'email.withheld'],
      ['CARD_CONFIRMATION', 'email.withheld'],
    ] as const;
    const failing: SignUp[] = [];
    for (const _ of asked) failing.push(await signUp(quiet, declines('insufficient_funds')));
    await world.advance({ hours: 1 });
    expect(world.sandbox.state.invoices.get(begun.invoiceId)?.auto_advance).toBe(true);
    expect(world.service.requests).toEqual([]);
    for (const [index, [suggestion, kind]] of asked.entries()) {
      const { invoiceId = '' } = failing[index] ?? {};
      await instruct(world, invoiceId, suggestion);
      expect(await actionsOf(world, invoiceId)).toMatchObject([
        { state: 'closed', reason: { code: 'sign_up' } },
      ]);
      expect(await storyOf(world, invoiceId)).toEqual(['instruction.scheduled', kind]);
      const [{ guard } = {}] = await world.query<{ guard: string }>(
        `select detail->>'guard' as guard from payment_retry.audit where invoice_id = $1 and kind = $2`,
        [invoiceId, kind],
      );
      expect(guard).toBe('sign_up');
      expect([payCalls(world, invoiceId), world.email.emails]).toEqual([[], []]);
    }
    world.sandbox.payAsCustomer(begun.invoiceId);
    await world.settle();
    expect(world.service.view.get(begun.invoiceId)).toMatchObject({ state: 'INVOICE_STATE_PAID' });
  });
});
