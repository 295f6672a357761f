/** What one card answers holds for everything that its payer owes (stripe-facts 5.10, 5.12). */
import type { DateTime } from 'luxon';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { sumMonths } from '../../src/plugin/store/reports/money/failure-months.ts';
import { sumListed } from '../../src/plugin/store/reports/money/list-failures.ts';
import { refreshFailures } from '../../src/plugin/store/reports/money/refresh-failures.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesInTurn,
  declinesTimes,
  indianCard,
  type PaymentMethodBehaviour,
  pendingThen,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import { inFull } from '../support/runner/full-run.ts';
import { actionsOf, instruct, payCalls, statusOf, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import type { FailedSubscriber } from './fail-together.ts';
import { startOtherwise, toRemote } from './start-otherwise.ts';

const settings: OwnOptions = {};
let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: settings });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

/** An invoice of no subscription, charged at once. */
async function bill(customerId: string, amount: number): Promise<string> {
  const { id } = world.sandbox.invoiceOnce(customerId, amount);
  await world.settle();
  return id;
}

/** Pays what its account holds at that time, and is not emptied by it. */
function holds(balance: () => number): PaymentMethodBehaviour {
  const [full, empty] = [accepts(), declines('insufficient_funds')];
  return { ...full, answer: (request) => (request.amount <= balance() ? full : empty).answer(request) };
}

async function attemptTimes(invoiceId: string): Promise<DateTime<true>[]> {
  const rows = await world.query<{ at: DateTime<true> }>(
    'select started_at as at from payment_retry.attempts where invoice_id = $1 order by started_at',
    [invoiceId],
  );
  return rows.map(({ at }) => at);
}

test('payments that a card made are not counted against it', async () => {
  const card = acceptsFirst(9, declinesInTurn(['insufficient_funds'], {}, { brand: 'amex' }));
  const { customerId, subscriptionId } = await subscribe(world, card);
  for (let paid = 1; paid < 9; paid += 1) world.sandbox.invoiceOnce(customerId, 100 * paid);
  await world.settle();
  const { id: invoiceId } = world.sandbox.renewNow(subscriptionId);
  await world.advance({ days: 9 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  const [failed, retried] = await attemptTimes(invoiceId);
  expect(Number(retried) - Number(failed)).toBeLessThan(9 * 86_400_000);
});

test('a card that was refused for good is left alone for all invoices, and its payer is asked', async () => {
  const card = acceptsFirst(1, declinesInTurn(['insufficient_funds', 'stolen_card']));
  const { customerId, subscriptionId } = await subscribe(world, card);
  const { id: first } = world.sandbox.renewNow(subscriptionId);
  await world.settle();
  const second = await bill(customerId, 5000);
  await world.advance({ days: 12 });
  expect([first, second].map((id) => payCalls(world, id).length)).toEqual([0, 0]);
  expect(world.email.emails.length).toBeGreaterThan(0);
});

inFull('a card issued in India is not retried, and its holder is asked to confirm at once', async () => {
  const short = () => indianCard(declines('insufficient_funds'));
  const own = await subscribe(world, acceptsFirst(1, short()));
  const { id: invoiceId } = world.sandbox.renewNow(own.subscriptionId);
  await world.advance({ days: 3 });
  expect(world.email.emails.map(({ text }) => String(text).includes(`/i/${invoiceId}`))).toEqual([true]);
  await world.advance({ days: 30 });
  expect(payCalls(world, invoiceId)).toEqual([]);
});

describe('with a remote service', () => {
  beforeAll(() => startOtherwise(world, settings, toRemote(world)));

  test('what was refunded or lost in a dispute after a recovery was not recovered', async () => {
    const chargeOf = async ({ invoiceId }: FailedSubscriber) => {
      const [payment] = await world.query<{ charge: string }>(
        `select charge_id as charge from payment_retry.attempts where invoice_id = $1 and outcome = 'paid'`,
        [invoiceId],
      );
      return payment?.charge ?? '';
    };
    const sums = async () => {
      await refreshFailures(world.plugin.parts.database);
      const since = world.clock.now().minus({ days: 1 });
      const [listed] =
        (await sumListed(world.plugin.parts.database, {
          account: 'own',
          state: 'recovered',
          endedFrom: since.toISO() ?? '',
        })) ?? [];
      const month = world.clock.now().startOf('month');
      const span = { from: month.minus({ months: 1 }), to: month.plus({ months: 1 }) };
      const back = await sumMonths(world.plugin.parts.database, span, {
        zone: 'utc',
        now: span.to,
        factors: {},
        dimensions: ['recovered'],
      });
      const net = back.reduce((all, { amount }) => all + amount, 0);
      return [listed?.amount, net];
    };
    const payers = ['fp_1', 'fp_2', 'fp_3'].map((fingerprint) => ({
      paymentMethod: declinesTimes(1, 'insufficient_funds', {}, { fingerprint }),
    }));
    const recovered = await failList(world, payers, 'older');
    for (const { invoiceId } of recovered) world.sandbox.payAsCustomer(invoiceId);
    await world.settle();
    const [refunded = '', disputed = '', won = ''] = await Promise.all(recovered.map(chargeOf));
    expect(await sums()).toEqual([6000, 6000]);
    world.sandbox.refundCharge(refunded, { amount: 500 });
    const { id: first } = world.sandbox.disputeCharge(disputed, 'product_unacceptable');
    const { id: second } = world.sandbox.disputeCharge(won, 'product_unacceptable');
    await world.settle();
    expect(await sums()).toEqual([5500, 5500]);
    world.sandbox.closeDispute(first, 'lost');
    world.sandbox.closeDispute(second, 'won');
    await world.settle();
    expect(await sums()).toEqual([3500, 3500]);
    world.sandbox.appealDispute(first);
    world.sandbox.answerDispute(first);
    world.sandbox.closeDispute(first, 'won');
    await world.settle();
    expect(await sums()).toEqual([5500, 5500]);
  });

  test('a refusal for lack of funds rests what is not smaller, whichever invoice it is for', async () => {
    let balance = 2000;
    const { customerId, subscriptionId } = await subscribe(
      world,
      holds(() => balance),
    );
    balance = 0;
    const { id: middle } = world.sandbox.renewNow(subscriptionId);
    const large = await bill(customerId, 5000);
    const small = await bill(customerId, 500);
    await world.advance({ hours: 30 });
    balance = 1000;
    await instruct(world, middle, 'RETRY');
    await instruct(world, large, 'RETRY');
    await instruct(world, small, 'RETRY');
    expect([middle, large, small].map((id) => payCalls(world, id).length)).toEqual([1, 0, 1]);
    expect(statusOf(world, small)).toBe('paid');
    const [waiting] = await actionsOf(world, large);
    expect(waiting).toMatchObject({ reason: { code: 'funds_lacked', invoiceId: middle } });
    balance = 5000;
    await world.advance({ hours: 23 });
    expect(statusOf(world, large)).toBe('open');
    await world.advance({ hours: 2 });
    expect(statusOf(world, large)).toBe('paid');
  });

  inFull(
    'a card issued in India is not retried when a service asks, and its holder is asked to confirm',
    async () => {
      const short = () => indianCard(declines('insufficient_funds'));
      const other = await subscribe(world, acceptsFirst(1, short()));
      const { id: asked } = world.sandbox.renewNow(other.subscriptionId);
      await world.advance({ days: 3 });
      await instruct(world, asked, 'RETRY');
      await world.settle();
      expect(payCalls(world, asked)).toEqual([]);
      const reason = { code: 'card_not_retried', country: 'IN' };
      expect(await actionsOf(world, asked)).toMatchObject([
        { kind: 'pay', state: 'closed', reason },
        { kind: 'confirm_payment_email', state: 'done' },
      ]);
    },
  );

  test('while a payer disputes a payment nothing is collected, and who says that nothing is owed waits for a person', async () => {
    const reasons = ['product_unacceptable', 'subscription_canceled'];
    const card = (fingerprint: string) => declinesInTurn(['insufficient_funds'], {}, { fingerprint });
    const payers = await failList(
      world,
      reasons.map((reason) => ({ reason, paymentMethod: acceptsFirst(1, card(reason)) })),
    );
    const charges = world.sandbox.state.charges;
    const disputed = payers.map(({ reason, customerId, invoiceId: id }) => {
      const paid = [...charges.newestFirst({ index: 'customer', key: customerId })].at(-1);
      return { id, dispute: world.sandbox.disputeCharge(paid?.id ?? '', reason) };
    });
    await world.advance({ hours: 25 });
    for (const { id } of disputed) await instruct(world, id, 'RETRY');
    const [open, owes] = disputed;
    if (!open || !owes) throw new Error('Nobody failed.');
    expect([open, owes].map(({ id }) => payCalls(world, id).length)).toEqual([0, 0]);
    const [waiting] = await actionsOf(world, open.id);
    const because = (reason: string) => ({ code: 'payer_disputes', because: reason });
    expect(waiting).toMatchObject({ state: 'scheduled', reason: because('product_unacceptable') });
    const [asked] = await actionsOf(world, owes.id);
    expect(asked).toMatchObject({ state: 'undecided', reason: because('subscription_canceled') });
    for (const { dispute } of [open, owes]) world.sandbox.closeDispute(dispute.id, 'lost');
    await world.advance({ hours: 25 });
    expect([open, owes].map(({ id }) => statusOf(world, id))).toEqual(['paid', 'open']);
    await operate(world, 'release', { invoice: owes.id }, 'the customer still uses it');
    await world.settle();
    expect(statusOf(world, owes.id)).toBe('paid');
  });

  test('a bank debit whose amount has changed is presented, as a new one', async () => {
    const debit = pendingThen('fail', { type: 'us_bank_account', days: 3 });
    const { subscriptionId } = await subscribe(world, acceptsFirst(1, debit));
    const { id } = world.sandbox.renewNow(subscriptionId);
    await world.advance({ days: 5 });
    world.sandbox.createCreditNote(id, { amount: 500 });
    await world.settle();
    await instruct(world, id, 'RETRY');
    await world.advance({ days: 1 });
    expect(payCalls(world, id)).toHaveLength(1);
  });
});
