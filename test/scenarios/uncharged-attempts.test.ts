/** Attempts that make no charge, Stripe's own and ours: the service hears of them, and the embedded one asks for a card. */
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
  type PaymentMethodBehaviour,
  refusesCharges,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { inFull } from '../support/runner/full-run.ts';
import {
  attemptsOf,
  chargesOf,
  failingInvoice,
  payCalls,
  renew,
  type Subscriber,
  statusOf,
  subscribe,
} from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const MANDATE = 'india_recurring_payment_mandate_canceled';

function takeCardAway({ customerId }: Subscriber): void {
  const { customers } = world.sandbox.state;
  world.sandbox.detachCard(String(customers.get(customerId)?.invoice_settings.default_payment_method));
}

/** A subscriber whose card is gone before the second month. */
async function subscribeWithoutCard(): Promise<Subscriber> {
  const subscriber = await subscribe(world, accepts());
  takeCardAway(subscriber);
  return subscriber;
}

/** The embedded service's record of the failed attempts on an invoice. */
function toldOf(invoiceId: string) {
  return world.query<{ id: string; code: string | null; state: string }>(
    `select id, state, message::jsonb->>'paymentGatewayErrorCode' as code from retry_service.transactions
     where invoice_id = $1 order by created_at`,
    [invoiceId],
  );
}

test('a renewal without a payment method leads to a card request, and is paid once a card is there', async () => {
  world.sandbox.webhookFaults.duplicate = 1;
  world.sandbox.webhookFaults.shuffle = true;
  const subscriber = await subscribeWithoutCard();
  const invoiceId = await renew(world, subscriber.subscriptionId);
  expect(await toldOf(invoiceId)).toEqual([
    {
      id: `${invoiceId}_attempt_1_missing_payment_method`,
      state: 'TRANSACTION_STATE_FAILED',
      code: 'missing_payment_method',
    },
  ]);
  await world.advance({ days: 1 });
  expect(world.email.emails.map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/^Update your card for /),
  ]);
  world.sandbox.changeDefaultCard(subscriber.customerId, accepts({ last4: '1111' }));
  await world.advance({ minutes: 1 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  expect(chargesOf(world, invoiceId)).toEqual(['succeeded']);
  await world.advance({ days: 20 });
  expect(world.email.emails).toHaveLength(1);
  expect((await attemptsOf(world, invoiceId)).map(({ source, outcome }) => [source, outcome])).toEqual([
    ['stripe', 'declined'],
    ['ours', 'paid'],
  ]);
});

inFull('a second renewal without a card is a case of its own, and one card pays both', async () => {
  const subscriber = await subscribeWithoutCard();
  const first = await renew(world, subscriber.subscriptionId);
  await world.advance({ days: 1 });
  const second = await renew(world, subscriber.subscriptionId);
  await world.advance({ days: 1 });
  expect([await toldOf(first), await toldOf(second)]).toMatchObject([
    [{ code: 'missing_payment_method' }],
    [{ code: 'missing_payment_method' }],
  ]);
  world.sandbox.changeDefaultCard(subscriber.customerId, accepts({ last4: '1111' }));
  // Equal amounts on one card keep hours apart.
  await world.advance({ hours: 9 });
  expect([first, second].map((id) => statusOf(world, id))).toEqual(['paid', 'paid']);
});

test('a charge that was refused before it was made is told with its code', async () => {
  const { subscriptionId } = await subscribe(world, acceptsFirst(1, refusesCharges(MANDATE)));
  const invoiceId = await renew(world, subscriptionId);
  expect(chargesOf(world, invoiceId)).toEqual([]);
  expect(await toldOf(invoiceId)).toMatchObject([{ code: MANDATE }]);
  await world.advance({ days: 2 });
  expect(world.email.emails).toHaveLength(1);
});

test('after a charge that was declined, an attempt without a charge is told beside it', async () => {
  const soft = declines('insufficient_funds');
  const gone = refusesCharges(MANDATE);
  const card: PaymentMethodBehaviour = {
    ...soft,
    answer: (request) => (request.chargeNumber === 1 ? soft : gone).answer(request),
  };
  const { subscriptionId } = await subscribe(world, acceptsFirst(1, card));
  const invoiceId = await renew(world, subscriptionId);
  expect(() => world.sandbox.payAsCustomer(invoiceId)).toThrow('refused before a charge');
  await world.settle();
  expect(await toldOf(invoiceId)).toMatchObject([{ code: 'insufficient_funds' }, { code: MANDATE }]);
});

describe('an attempt of ours without a charge', () => {
  /** Declined once, then refused before a charge. */
  function failingThen(code: string): PaymentMethodBehaviour {
    const [soft, gone] = [declines('insufficient_funds'), refusesCharges(code)];
    return acceptsFirst(1, {
      ...soft,
      answer: (request) => (request.chargeNumber === 1 ? soft : gone).answer(request),
    });
  }

  test('an attempt of ours without a charge is reported once with its code, though Stripe reports it too, and a card is asked for', async () => {
    world.sandbox.webhookFaults.duplicate = 1;
    const { invoiceId } = await failingInvoice(world, failingThen(MANDATE));
    await world.advance({ days: 10 });
    expect(payCalls(world, invoiceId)).toHaveLength(1);
    expect(await toldOf(invoiceId)).toMatchObject([{ code: 'insufficient_funds' }, { code: MANDATE }]);
    // Asked for at once, and on each day for reminders that has come since.
    const sent = await world.query<{ day: number }>(
      `select sent_at::date - min(sent_at::date) over () as day from payment_retry.emails order by sent_at`,
    );
    const [{ since = 0 } = {}] = await world.query<{ since: number }>(
      `select $1::date - min(sent_at::date) as since from payment_retry.emails`,
      [world.clock.now().toISO()],
    );
    expect(sent.map(({ day }) => day)).toEqual([0, 3, 7].filter((day) => day <= since));
    expect(world.email.emails).toHaveLength(sent.length);
  });

  test('an attempt without a charge because the card was declined too often is told, and tried again after a day or more', async () => {
    const { invoiceId } = await failingInvoice(world, failingThen('card_decline_rate_limit_exceeded'));
    await world.advance({ days: 25 });
    const [declined, limited, ...more] = await toldOf(invoiceId);
    expect([declined, limited]).toMatchObject([
      { code: 'insufficient_funds' },
      { code: 'card_decline_rate_limit_exceeded' },
    ]);
    expect(payCalls(world, invoiceId)).toHaveLength(more.length + 1);
    expect(more.length).toBeGreaterThan(0);
  });

  test('an attempt without a charge because a retry finds no card any more leads to a card request', async () => {
    const subscriber = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
    takeCardAway(subscriber);
    await world.advance({ days: 15 });
    expect(payCalls(world, subscriber.invoiceId)).toEqual([]);
    expect((await toldOf(subscriber.invoiceId)).map(({ code }) => code)).toEqual([
      'insufficient_funds',
      'missing_payment_method',
    ]);
    // With two reminders.
    expect(world.email.emails).toHaveLength(3);
  });

  test('an attempt without a charge because the merchant must mend something is told, and neither tried again nor emailed about', async () => {
    const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
    world.sandbox.faults.next('POST', `/invoices/${invoiceId}/pay`, 'amount_too_small', 9);
    await world.advance({ days: 30 });
    expect((await toldOf(invoiceId)).map(({ code }) => code)).toEqual([
      'insufficient_funds',
      'amount_too_small',
    ]);
    expect(world.email.emails).toEqual([]);
  });

  test('an attempt without a charge because of what the payment was just doing is delayed by minutes', async () => {
    const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
    world.sandbox.faults.next('POST', `/invoices/${invoiceId}/pay`, 'state_conflict', 2);
    await world.advance({ days: 15 });
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect((await toldOf(invoiceId)).map(({ code }) => code)).toEqual(['insufficient_funds', null]);
  });
});

describe('no failure, and so no case, is', () => {
  const failed = () => world.query(`select 1 as one from payment_retry.attempts where outcome <> 'paid'`);

  test('an invoice that the customer pays by sending money is no failure, and so no case', async () => {
    const { customerId } = await subscribeWithoutCard();
    const price = world.sandbox.createPrice();
    const items = [{ price: price.id }];
    const sent = world.sandbox.createSubscription({
      customer: customerId,
      items,
      collection_method: 'send_invoice',
    });
    await renew(world, sent.id);
    expect(await failed()).toEqual([]);
  });

  test('the first payment of a subscription that is not begun yet is no failure, and so no case', async () => {
    const { id: customer } = world.sandbox.createCustomer({ email: 'ada@example.com' });
    const { id: price } = world.sandbox.createPrice();
    const { status } = world.sandbox.createSubscription({ customer, items: [{ price }] });
    expect(status).toBe('incomplete');
    await world.settle();
    expect(await failed()).toEqual([]);
    await world.advance({ days: 2 });
    expect(world.email.emails).toEqual([]);
  });

  test('an invoice of nothing, in a trial or by its price, is no failure, but the first one after the trial is', async () => {
    const { id: customer } = world.sandbox.createCustomer({ email: 'ada@example.com' });
    const { id: free } = world.sandbox.createPrice({ unit_amount: 0 });
    const { id: price } = world.sandbox.createPrice();
    const zero = world.sandbox.createSubscription({ customer, items: [{ price: free }] });
    await renew(world, zero.id);
    const trial = world.sandbox.createSubscription({ customer, items: [{ price }], trial_period_days: 7 });
    await world.advance({ days: 6 });
    expect(await failed()).toEqual([]);
    await world.advance({ days: 2 });
    expect(await failed()).toHaveLength(1);
    world.sandbox.cancelSubscription(trial.id);
  });

  test('a draft that a pause holds back is no failure, and so no case', async () => {
    const { subscriptionId } = await subscribeWithoutCard();
    world.sandbox.pauseCollection(subscriptionId, { behavior: 'keep_as_draft' });
    expect(statusOf(world, await renew(world, subscriptionId))).toBe('draft');
    expect(await failed()).toEqual([]);
  });
});

test('a remote service is told the same, with what the contract names and nothing else', async () => {
  const remote = await createWorld({
    isRemote: true,
    plugin: { forwardInvoices: true, forwardTransactions: true },
  });
  try {
    const { invoiceId } = await failingInvoice(remote, acceptsFirst(1, refusesCharges(MANDATE)));
    const id = `${invoiceId}_attempt_1_${MANDATE}`;
    expect(remote.service.versionsOf(id)).toEqual([
      {
        id,
        paymentGatewayTransactionId: id,
        state: 'TRANSACTION_STATE_FAILED',
        customerId: expect.stringMatching(/^cus_/),
        subscriptionId: expect.stringMatching(/^sub_/),
        invoiceId,
        amount: 2000,
        currency: 'USD',
        createdAt: '2026-03-02T10:00:00Z',
        updatedAt: '2026-03-02T10:00:00Z',
        paymentMethodType: 'card',
        paymentGatewayId: 'own',
        paymentGatewayName: 'stripe',
        paymentGatewayType: 'STRIPE',
        paymentGatewayStatus: 'requires_payment_method',
        paymentGatewayErrorCode: MANDATE,
        cardBrand: 'visa',
        cardFingerprint: expect.any(String),
        cardCountry: 'US',
      },
    ]);
    expect(remote.service.view.get(invoiceId)).toMatchObject({ state: 'INVOICE_STATE_UNPAID' });
    expect(remote.service.requests.every(({ status }) => status === 200)).toBe(true);
  } finally {
    await remote.stop();
  }
});
