/** Attempts that make no charge, Stripe's own and ours: the service hears of them, and the embedded one asks for a card. */
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
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
import { failList } from './fail-list.ts';
import { emailsTo } from './fail-together.ts';
import { startOtherwise, toRemote } from './start-otherwise.ts';

const settings: OwnOptions = {};
let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: settings });
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

  test('an attempt without a charge is told with its cause, and followed as that asks: later, by a card request, by nothing, in minutes', async () => {
    const short = (fingerprint: string) => declinesTimes(1, 'insufficient_funds', {}, { fingerprint });
    const [limited, without, mend, busy] = await failList(world, [
      { paymentMethod: failingThen('card_decline_rate_limit_exceeded'), mailbox: 'limited' },
      { paymentMethod: short('fp_without'), mailbox: 'without' },
      { paymentMethod: short('fp_mend'), mailbox: 'mend' },
      { paymentMethod: short('fp_busy'), mailbox: 'busy' },
    ]);
    takeCardAway(without);
    world.sandbox.faults.next('POST', `/invoices/${mend.invoiceId}/pay`, 'amount_too_small', 9);
    world.sandbox.faults.next('POST', `/invoices/${busy.invoiceId}/pay`, 'state_conflict', 2);
    const codesOf = async ({ invoiceId }: { invoiceId: string }) =>
      (await toldOf(invoiceId)).map(({ code }) => code);
    await world.advance({ days: 15 });
    expect(payCalls(world, without.invoiceId)).toEqual([]);
    expect(await codesOf(without)).toEqual(['insufficient_funds', 'missing_payment_method']);
    // With two reminders.
    expect(emailsTo(world, 'without')).toHaveLength(3);
    expect(statusOf(world, busy.invoiceId)).toBe('paid');
    expect(await codesOf(busy)).toEqual(['insufficient_funds', null]);

    await world.advance({ days: 15 });
    const [first, second, ...more] = await codesOf(limited);
    expect([first, second]).toEqual(['insufficient_funds', 'card_decline_rate_limit_exceeded']);
    expect(payCalls(world, limited.invoiceId)).toHaveLength(more.length + 1);
    expect(more.length).toBeGreaterThan(0);
    expect(await codesOf(mend)).toEqual(['insufficient_funds', 'amount_too_small']);
    expect([...emailsTo(world, 'mend'), ...emailsTo(world, 'busy')]).toEqual([]);
  });
});

test('no failure, and so no case, is an invoice sent to the customer, of a sign-up, of nothing or a draft; the first one after a trial is', async () => {
  const failed = () => world.query(`select 1 as one from payment_retry.attempts where outcome <> 'paid'`);
  const { customerId, subscriptionId } = await subscribeWithoutCard();
  world.sandbox.pauseCollection(subscriptionId, { behavior: 'keep_as_draft' });
  expect(statusOf(world, await renew(world, subscriptionId))).toBe('draft');
  const { id: customer } = world.sandbox.createCustomer({ email: 'ben@example.com' });
  const { id: price } = world.sandbox.createPrice();
  const { id: free } = world.sandbox.createPrice({ unit_amount: 0 });
  const sent = world.sandbox.createSubscription({
    customer: customerId,
    items: [{ price }],
    collection_method: 'send_invoice',
  });
  await renew(world, sent.id);
  const { status } = world.sandbox.createSubscription({ customer, items: [{ price }] });
  expect(status).toBe('incomplete');
  const zero = world.sandbox.createSubscription({ customer, items: [{ price: free }] });
  await renew(world, zero.id);
  world.sandbox.createSubscription({ customer, items: [{ price }], trial_period_days: 7 });
  await world.advance({ days: 6 });
  expect([await failed(), world.email.emails]).toEqual([[], []]);
  await world.advance({ days: 2 });
  expect(await failed()).toHaveLength(1);
});

test('a remote service is told the same, with what the contract names and nothing else', async () => {
  await startOtherwise(world, settings, {
    ...toRemote(world),
    forwardInvoices: true,
    forwardTransactions: true,
  });
  const at = world.clock.now().toISO({ suppressMilliseconds: true });
  const { invoiceId } = await failingInvoice(world, acceptsFirst(1, refusesCharges(MANDATE)));
  const id = `${invoiceId}_attempt_1_${MANDATE}`;
  expect(world.service.versionsOf(id)).toEqual([
    {
      id,
      paymentGatewayTransactionId: id,
      state: 'TRANSACTION_STATE_FAILED',
      customerId: expect.stringMatching(/^cus_/),
      subscriptionId: expect.stringMatching(/^sub_/),
      invoiceId,
      amount: 2000,
      currency: 'USD',
      createdAt: at,
      updatedAt: at,
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
  expect(world.service.view.get(invoiceId)).toMatchObject({ state: 'INVOICE_STATE_UNPAID' });
  expect(world.service.requests.every(({ status }) => status === 200)).toBe(true);
});
