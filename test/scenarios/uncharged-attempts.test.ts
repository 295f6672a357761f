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
  await world.advance({ days: 8 });
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

/** Declined once, then refused before a charge. */
function failingThen(code: string, fingerprint: string): PaymentMethodBehaviour {
  const [soft, gone] = [declines('insufficient_funds', {}, { fingerprint }), refusesCharges(code)];
  return acceptsFirst(1, {
    ...soft,
    answer: (request) => (request.chargeNumber === 1 ? soft : gone).answer(request),
  });
}

test('an attempt without a charge, Stripe’s or ours, is told once with its cause, and followed as that asks: by a card request, later, by nothing, in minutes', async () => {
  world.sandbox.webhookFaults.duplicate = 1;
  const short = (fingerprint: string) => declinesTimes(1, 'insufficient_funds', {}, { fingerprint });
  const gone = refusesCharges(MANDATE, { fingerprint: 'gone' });
  const [refused, between, ended, limited, without, mend, busy] = await failList(
    world,
    [
      { paymentMethod: acceptsFirst(1, gone), mailbox: 'refused' },
      { paymentMethod: failingThen(MANDATE, 'between'), mailbox: 'between' },
      { paymentMethod: failingThen(MANDATE, 'ended'), mailbox: 'ended' },
      { paymentMethod: failingThen('card_decline_rate_limit_exceeded', 'limited'), mailbox: 'limited' },
      { paymentMethod: short('without'), mailbox: 'without' },
      { paymentMethod: short('mend'), mailbox: 'mend' },
      { paymentMethod: short('busy'), mailbox: 'busy' },
    ],
    'older',
  );
  takeCardAway(without);
  world.sandbox.faults.next('POST', `/invoices/${mend.invoiceId}/pay`, 'amount_too_small', 9);
  world.sandbox.faults.next('POST', `/invoices/${busy.invoiceId}/pay`, 'state_conflict', 2);
  const codesOf = async ({ invoiceId }: { invoiceId: string }) =>
    (await toldOf(invoiceId)).map(({ code }) => code);
  expect([chargesOf(world, refused.invoiceId), await codesOf(refused)]).toEqual([[], [MANDATE]]);
  expect(() => world.sandbox.payAsCustomer(between.invoiceId)).toThrow('refused before a charge');
  await world.settle();
  expect(await codesOf(between)).toEqual(['insufficient_funds', MANDATE]);

  await world.advance({ days: 2 });
  expect(emailsTo(world, 'refused')).toHaveLength(1);
  for (const { invoiceId } of [refused, between]) world.sandbox.voidInvoice(invoiceId);
  await world.advance({ days: 8 });
  expect(payCalls(world, ended.invoiceId)).toHaveLength(1);
  expect(await codesOf(ended)).toEqual(['insufficient_funds', MANDATE]);
  await expectAskedOnDays(ended.invoiceId, emailsTo(world, 'ended').length);
  world.sandbox.voidInvoice(ended.invoiceId);

  await world.advance({ days: 5 });
  expect(payCalls(world, without.invoiceId)).toEqual([]);
  expect(await codesOf(without)).toEqual(['insufficient_funds', 'missing_payment_method']);
  // With two reminders.
  expect(emailsTo(world, 'without')).toHaveLength(3);
  expect(statusOf(world, busy.invoiceId)).toBe('paid');
  expect(await codesOf(busy)).toEqual(['insufficient_funds', null]);
  const [first, second, ...more] = await codesOf(limited);
  expect([first, second]).toEqual(['insufficient_funds', 'card_decline_rate_limit_exceeded']);
  expect(payCalls(world, limited.invoiceId)).toHaveLength(more.length + 1);
  expect(more.length).toBeGreaterThan(0);
  expect(await codesOf(mend)).toEqual(['insufficient_funds', 'amount_too_small']);
  expect([...emailsTo(world, 'mend'), ...emailsTo(world, 'busy')]).toEqual([]);
});

/** At once, and on each day for reminders that has come since. */
async function expectAskedOnDays(invoiceId: string, emailed: number): Promise<void> {
  const sent = await world.query<{ day: number; since: number }>(
    `select sent_at::date - min(sent_at::date) over () as day, $2::date - min(sent_at::date) over () as since
     from payment_retry.emails where invoice_id = $1 order by sent_at`,
    [invoiceId, world.clock.now().toISO()],
  );
  expect(sent.map(({ day }) => day)).toEqual([0, 3, 7].filter((day) => day <= (sent[0]?.since ?? 0)));
  expect(emailed).toBe(sent.length);
}

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
