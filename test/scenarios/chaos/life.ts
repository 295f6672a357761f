/** What merchants, customers and banks do, by chance: no call in here goes through the plugin. */
import type { DateTime } from 'luxon';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesInTurn,
  declinesLikeIssuers,
  declinesTimes,
  declinesUntil,
  type PaymentMethodBehaviour,
  requiresAuthentication,
} from '../../../src/workbench/sandbox/payment-behaviour.ts';
import type { Sandbox } from '../../../src/workbench/sandbox/sandbox.ts';
import type { Dice } from './dice.ts';

/** Set as a subscription's business entity, it makes the service refuse the record. */
export const REFUSED_ENTITY = 'Refused Ltd';

const PRICES: readonly Parameters<Sandbox['createPrice']>[0][] = [
  { unit_amount: 1000, currency: 'usd', recurring: { interval: 'month' } },
  { unit_amount: 2499, currency: 'eur', recurring: { interval: 'week', interval_count: 2 } },
  { unit_amount: 12_000, currency: 'usd', recurring: { interval: 'year' } },
  { unit_amount: 700, currency: 'usd', recurring: { interval: 'week' } },
];

interface Place {
  readonly sandbox: Sandbox;
  readonly dice: Dice;
  readonly now: () => DateTime;
  readonly temper: Temper;
}

/** In a `greedy` story few cards pay, and the service asks for attempts without end: only the limits hold them back. */
export type Temper = 'busy' | 'greedy';

type Move = (place: Place) => void;

/** A handful of moves; more new subscriptions at first. */
export function live(place: Place, count: number): void {
  for (let done = 0; done < count; done += 1) {
    const isYoung = place.sandbox.state.subscriptions.size < 6;
    const move = isYoung ? subscribe : place.dice.pick(MOVES[place.temper]);
    move(place);
  }
}

const subscribe: Move = ({ sandbox, dice, now, temper }) => {
  // A card of its own, most of the time: the networks' limits count per card.
  const fingerprint = dice.chance(0.8) ? `card${sandbox.state.customers.size}` : 'a shared card';
  const customer =
    (dice.chance(0.2) ? dice.oneOf(liveCustomers(sandbox)) : undefined) ??
    sandbox.createCustomer({
      email: 'jo@example.com',
      paymentMethod: CARDS[temper](dice, now(), fingerprint),
    }).id;
  const { id: price } = sandbox.createPrice(dice.pick(PRICES));
  const entity = anyEntity(dice);
  sandbox.createSubscription({
    customer,
    items: [{ price, quantity: dice.between(1, 3) }],
    ...(dice.chance(0.15) ? { trial_period_days: dice.between(1, 9) } : {}),
    ...(entity === undefined ? {} : { metadata: { business_entity: entity } }),
  });
};

const renew: Move = ({ sandbox, dice }) => {
  const id = dice.oneOf(running(sandbox));
  if (id === undefined) return;
  try {
    sandbox.renewNow(id);
  } catch {
    // It ended instead, as it was told to; that is life too.
  }
};

const change: Move = ({ sandbox, dice }) => {
  const id = dice.oneOf(running(sandbox));
  const item = id === undefined ? undefined : sandbox.state.subscriptions.get(id)?.items.data[0];
  if (id === undefined || item === undefined) return;
  const currency = sandbox.state.subscriptions.get(id)?.currency ?? 'usd';
  const changes: readonly (() => Parameters<Sandbox['updateSubscription']>[1])[] = [
    () => ({ items: [{ id: item.id, quantity: dice.between(1, 9) }] }),
    () => ({
      items: [
        { id: item.id, price: sandbox.createPrice({ unit_amount: dice.between(1, 9_999), currency }).id },
      ],
    }),
    () => ({ metadata: { business_entity: anyEntity(dice) ?? 'Example Ltd' } }),
    () => ({ cancel_at_period_end: dice.chance(0.5) }),
    () => ({ description: `changed ${dice.between(1, 99)}` }),
  ];
  sandbox.updateSubscription(id, dice.pick(changes)());
};

const cancel: Move = ({ sandbox, dice }) => {
  const id = dice.oneOf(running(sandbox));
  if (id !== undefined) sandbox.cancelSubscription(id, { atPeriodEnd: dice.chance(0.4) });
};

const newCard: Move = ({ sandbox, dice, now, temper }) => {
  const customer = dice.oneOf(liveCustomers(sandbox));
  if (customer === undefined) return;
  const fingerprint = `new card ${sandbox.state.paymentMethods.size}`;
  sandbox.changeDefaultCard(
    customer,
    temper === 'busy' && dice.chance(0.7)
      ? accepts({ fingerprint })
      : CARDS[temper](dice, now(), fingerprint),
  );
};

const settleInvoice: Move = ({ sandbox, dice }) => {
  const id = dice.oneOf(openInvoices(sandbox));
  if (id === undefined) return;
  const ways = [sandbox.payOutOfBand, sandbox.voidInvoice, sandbox.markUncollectible, sandbox.payAsCustomer];
  try {
    dice.pick(ways)(id);
  } catch {
    // The customer's card was declined.
  }
};

const dispute: Move = ({ sandbox, dice }) => {
  const charges = [...sandbox.state.charges.newestFirst()].filter(
    ({ status, disputed }) => status === 'succeeded' && !disputed,
  );
  const charge = dice.oneOf(charges);
  if (charge) sandbox.disputeCharge(charge.id);
};

const pause: Move = ({ sandbox, dice }) => {
  const id = dice.oneOf(running(sandbox));
  if (id !== undefined) sandbox.pauseCollection(id, dice.chance(0.5) ? { behavior: 'keep_as_draft' } : null);
};

const MOVES: Readonly<Record<Temper, readonly Move[]>> = {
  busy: [
    subscribe,
    subscribe,
    renew,
    renew,
    renew,
    renew,
    renew,
    renew,
    change,
    change,
    change,
    cancel,
    newCard,
    settleInvoice,
    dispute,
    pause,
  ],
  greedy: [renew, renew, renew, renew, renew, newCard, settleInvoice, pause],
};

function anyCard(dice: Dice, now: DateTime, fingerprint: string): PaymentMethodBehaviour {
  const card = { fingerprint, brand: dice.pick(['visa', 'mastercard', 'amex']) };
  const payDay = now.plus({ days: dice.between(1, 6) });
  const cards: readonly PaymentMethodBehaviour[] = [
    accepts(card),
    declinesTimes(dice.between(1, 3), 'insufficient_funds', {}, card),
    declinesTimes(1, 'insufficient_funds', {}, card),
    declinesTimes(2, 'do_not_honor', {}, card),
    acceptsFirst(1, declinesUntil(payDay, 'insufficient_funds', {}, card)),
    acceptsFirst(1, declines('lost_card', {}, card)),
    acceptsFirst(1, declines('generic_decline', {}, card)),
    acceptsFirst(1, requiresAuthentication('decline', card)),
    declines('insufficient_funds', {}, card),
    acceptsFirst(1, declinesLikeIssuers(dice.between(0, 1e6), dice.between(1, 4), card)),
  ];
  return dice.pick(cards);
}

/** Cards that take the first payment and then hardly another. Several customers may share one. */
function meanCard(dice: Dice, _now: DateTime, fingerprint: string): PaymentMethodBehaviour {
  const isShared = dice.chance(0.4);
  const brand = isShared ? 'amex' : dice.pick(['visa', 'mastercard', 'amex']);
  const card = { fingerprint: isShared ? 'the card of many' : fingerprint, brand };
  const answers: readonly PaymentMethodBehaviour[] = [
    declines('insufficient_funds', {}, card),
    declines('do_not_honor', {}, card),
    declines('try_again_later', {}, card),
    declinesTimes(5, 'insufficient_funds', {}, card),
    declinesInTurn(['insufficient_funds', 'insufficient_funds', 'stolen_card'], {}, card),
    declinesLikeIssuers(dice.between(0, 1e6), undefined, card),
  ];
  return acceptsFirst(1, dice.pick(answers));
}

const CARDS = { busy: anyCard, greedy: meanCard };

function anyEntity(dice: Dice): string | undefined {
  return dice.pick([undefined, undefined, 'Example GmbH', 'Example SARL', REFUSED_ENTITY]);
}

function running({ state }: Sandbox): string[] {
  return [...state.subscriptions.newestFirst()]
    .filter(({ status }) => ['active', 'past_due', 'unpaid', 'trialing'].includes(status))
    .map(({ id }) => id);
}

function liveCustomers({ state }: Sandbox): string[] {
  return [...state.customers.newestFirst()].map(({ id }) => id);
}

export function openInvoices({ state }: Sandbox): string[] {
  return [...state.invoices.newestFirst()].filter(({ status }) => status === 'open').map(({ id }) => id);
}
