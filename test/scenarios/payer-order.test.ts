/** A payer's invoices in their order: what is tried first, what follows a success, and what waits after a refusal. */
import { DateTime } from 'luxon';
import { findInvoiceHistory } from '../../src/plugin/store/reports/invoice-history.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  type PaymentMethodBehaviour,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import { firstOf, inFull } from '../support/runner/full-run.ts';
import { failingInvoice, renew, statusOf, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import { addressOf, emailsTo, withoutEffects } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const stolen = (fingerprint = 'fp_stolen') => acceptsFirst(1, declines('stolen_card', {}, { fingerprint }));
const good = () => accepts({ last4: '1111', fingerprint: `fp_good_${Math.random()}` });

/** Another subscription of the customer's, with the same card. */
async function alsoSubscribe(customer: string, amount: number): Promise<string> {
  const price = world.sandbox.createPrice({ unit_amount: amount });
  const { id } = world.sandbox.createSubscription({ customer, items: [{ price: price.id, quantity: 1 }] });
  await world.settle();
  return id;
}

const statesOf = (invoices: readonly string[]) => invoices.map((id) => statusOf(world, id));

test('before an email asks for a card: what Stripe would charge by now pays instead of a refused one; one given during a pause pays when collection goes on; one for three equal invoices pays the newest at once, the others as far apart as duplicates need; and an address gives the morning of a retry', async () => {
  const quiet = withoutEffects(world);
  const [west, swapped] = [
    await subscribe(quiet, acceptsFirst(1, declines('insufficient_funds', {}, { fingerprint: 'west' })), {
      email: addressOf('west'),
      country: 'US',
      state: 'CA',
    }),
    await subscribe(quiet, good(), { email: addressOf('swapped') }),
  ];
  const { id: dead } = world.sandbox.attachCard(swapped.customerId, declines('stolen_card'));
  world.sandbox.updateSubscription(swapped.subscriptionId, { default_payment_method: dead });
  const [three, paused] = await failList(
    world,
    [
      { mailbox: 'three', paymentMethod: stolen('three') },
      { mailbox: 'paused', paymentMethod: stolen('paused') },
    ],
    'older',
  );
  const { id: instead } = world.sandbox.renewNow(swapped.subscriptionId);
  world.sandbox.detachCard(dead);
  const ofWest = await renew(world, west.subscriptionId);
  expectMorning(await plannedFor(ofWest));
  world.sandbox.voidInvoice(ofWest);

  await world.advance({ hours: 3 });
  const emails = emailsTo(world, 'paused').length;
  const resumes = Math.floor(world.clock.now().plus({ days: 4 }).toSeconds());
  world.sandbox.pauseCollection(paused.subscriptionId, { behavior: 'keep_as_draft', resumes_at: resumes });
  await world.advance({ hours: 1 });
  world.sandbox.changeDefaultCard(paused.customerId, good());
  await world.advance({ days: 2 });
  expect([statusOf(world, instead), emailsTo(world, 'swapped')]).toEqual(['paid', []]);
  expect(statusOf(world, paused.invoiceId)).toBe('open');
  const invoices = [three.invoiceId, await renew(world, three.subscriptionId)];
  await world.advance({ hours: 1 });
  invoices.push(await renew(world, three.subscriptionId));
  expect(statesOf(invoices)).toEqual(['open', 'open', 'open']);
  world.sandbox.changeDefaultCard(three.customerId, good());
  await world.advance({ minutes: 2 });
  expect(statesOf(invoices)).toEqual(['open', 'open', 'paid']);
  await world.advance({ hours: 7 });
  expect(statesOf(invoices)).toEqual(['open', 'open', 'paid']);
  await world.advance({ hours: 2 });
  expect(statesOf(invoices).sort()).toEqual(['open', 'paid', 'paid']);
  await world.advance({ hours: 8 });
  expect(statesOf(invoices)).toEqual(['paid', 'paid', 'paid']);
  await world.advance({ days: 2 });
  expect([statusOf(world, paused.invoiceId), emailsTo(world, 'paused').length]).toEqual(['paid', emails]);
});

async function plannedFor(invoiceId: string): Promise<DateTime> {
  const [retry] = await world.query<{ at: DateTime<true> }>(
    'select ideal_retry_at as at from retry_service.recovery_actions where invoice_id = $1',
    [invoiceId],
  );
  return retry?.at ?? DateTime.fromMillis(0);
}

function expectMorning(at: DateTime): void {
  const local = at.setZone('America/Los_Angeles');
  expect(local.hour * 60 + local.minute).toBeGreaterThanOrEqual(9 * 60);
  expect(local.hour * 60 + local.minute).toBeLessThanOrEqual(10 * 60 + 30);
}

inFull('each of two subscriptions has its newest invoice paid before the older ones', async () => {
  const { customerId, subscriptionId } = await subscribe(world, acceptsFirst(2, declines('stolen_card')));
  const other = await alsoSubscribe(customerId, 2000);
  const old = await renew(world, subscriptionId);
  await world.advance({ days: 2 });
  const newest = await renew(world, subscriptionId);
  const ofOther = await renew(world, other);

  world.sandbox.changeDefaultCard(customerId, good());
  await world.advance({ minutes: 45 });
  expect(statesOf([old, newest, ofOther])).toEqual(['open', 'paid', 'paid']);
});

inFull('a new card given while a person holds the invoice pays with the release', async () => {
  const { customerId, invoiceId } = await failingInvoice(world, stolen());
  await operate(world, 'stop', { invoice: invoiceId });
  world.sandbox.changeDefaultCard(customerId, good());
  await world.advance({ days: 1 });
  expect(statusOf(world, invoiceId)).toBe('open');
  await operate(world, 'release', { invoice: invoiceId });
  await world.settle();
  expect(statusOf(world, invoiceId)).toBe('paid');
});

describe('of one payer’s invoices on one card', () => {
  /** A card that pays what its holder has. */
  function purse() {
    const held = { money: 0 };
    const { details } = accepts({ fingerprint: `fp_purse_${Math.random()}` });
    const short = declines('insufficient_funds');
    const card: PaymentMethodBehaviour = {
      details,
      answer: (request) => {
        if (request.amount > held.money) return short.answer(request);
        held.money -= request.amount;
        return { kind: 'accepted' };
      },
    };
    return { held, card };
  }

  async function twoFailing(card: PaymentMethodBehaviour, amount: number) {
    const { id: customer } = world.sandbox.createCustomer({
      email: 'ada@example.com',
      country: 'DE',
      paymentMethod: card,
    });
    const [first = '', other = ''] = [2000, amount].map((unit_amount) => {
      const price = world.sandbox.createPrice({ unit_amount });
      return world.sandbox.importSubscription({ customer, items: [{ price: price.id }] }).id;
    });
    const small = await renew(world, first);
    await world.advance({ hours: 12 });
    return { small, large: await renew(world, other) };
  }

  /** Goes from one planned time to the next until it is so, and for half an hour where none is planned. */
  async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
    const end = world.clock.now().plus({ days: 40 });
    while (!(await isSo()) && world.clock.now() < end) {
      const now = world.clock.now();
      const [next] = await world.query<{ at: DateTime<true> | null }>(
        'select min(ideal_retry_at) as at from retry_service.recovery_actions where ideal_retry_at > $1',
        [now.toISO()],
      );
      await world.advance(next?.at ? next.at.diff(now) : { minutes: 30 });
    }
  }

  const planned = (invoiceId: string) =>
    world.query<{ suggestion: string; at: DateTime<true>; status: string }>(
      `select suggestion, ideal_retry_at as at, status from retry_service.recovery_actions
       where invoice_id = $1 order by position`,
      [invoiceId],
    );

  test.each(firstOf(1, [3000, 2000]))(
    'a payment brings the other one, of %d, within the hour',
    async (amount) => {
      const { held, card } = purse();
      const { small, large } = await twoFailing(card, amount);
      await world.advance({ days: 1 });
      held.money = 100_000;
      await until(() => statesOf([small, large]).includes('paid'));
      await world.advance({ hours: 1 });
      expect(statesOf([small, large])).toEqual(['paid', 'paid']);
      const reasons = await world.query<{ reasons: { code: string }[] }>(
        'select reasons from retry_service.recovery_actions where invoice_id = any($1)',
        [[small, large]],
      );
      expect(reasons.flatMap((one) => one.reasons).map(({ code }) => code)).toContain('card_has_paid');
    },
  );

  test('a refusal that ends the card asks about all of them at once', async () => {
    const { held, card } = purse();
    const lost = declines('stolen_card');
    const behaviour: PaymentMethodBehaviour = {
      details: card.details,
      answer: (request) => (held.money < 0 ? lost.answer(request) : card.answer(request)),
    };
    const { small, large } = await twoFailing(behaviour, 3000);
    await world.advance({ days: 1 });
    held.money = -1;
    const asked = async () => {
      const all = [...(await planned(small)), ...(await planned(large))];
      return all.filter(({ suggestion }) => suggestion === 'ACTION_SUGGESTION_CARD_CHANGE').length;
    };
    await until(async () => (await asked()) > 0);
    expect(await asked()).toBe(2);
  });
});

test('a retry that a guard ends for good is told to the service, which asks at once and counts no attempt', async () => {
  const shared = { fingerprint: `fp_shared_${Math.random()}` };
  // Another customer pays with the same card, and learns that it is dead.
  const [{ invoiceId }] = await failList(
    world,
    [
      { paymentMethod: acceptsFirst(1, declines('insufficient_funds', {}, shared)) },
      { paymentMethod: acceptsFirst(1, declines('stolen_card', {}, shared)) },
    ],
    'older',
  );
  const actions = () =>
    world.query<{ suggestion: string; status: string; statusReason: { code: string } | null }>(
      `select suggestion, status, status_reason as "statusReason" from retry_service.recovery_actions
       where invoice_id = $1 order by position`,
      [invoiceId],
    );
  for (let days = 0; (await actions())[0]?.status === 'SENT' && days < 40; days += 1)
    await world.advance({ days: 1 });
  expect(await actions()).toEqual([
    {
      suggestion: 'ACTION_SUGGESTION_RETRY',
      status: 'CANCELED',
      statusReason: { code: 'not_carried_out', because: 'hard_decline' },
    },
    expect.objectContaining({ suggestion: 'ACTION_SUGGESTION_CARD_CHANGE' }),
  ]);
  const history = await findInvoiceHistory(world.plugin.parts.database, invoiceId);
  expect(history?.attempts.map(({ source }) => source)).toEqual(['stripe']);
});
