/** A small shop on the simulated account, and the acts of its customers. */
import type { DateTime } from 'luxon';
import { fromUnixSeconds } from '../../core/base/clock.ts';
import { InvalidRequestError } from '../../core/base/errors.ts';
import { describeCode, money } from '../../plugin/operator/text/describe-code.ts';
import type { CastMember } from '../customers/cast.ts';
import { invite, type Person } from '../customers/people.ts';
import { PLANS } from '../customers/plans.ts';
import { describeDecline } from '../sandbox/decline-details.ts';
import { accepts, type CardInput, type PaymentMethodBehaviour } from '../sandbox/payment-behaviour.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

/** What can be wrong with a card, and after how many declines it pays again; without, it takes a new card or the customer. */
export const TROUBLES: ReadonlyMap<string, { readonly meaning: string; readonly declines?: number }> =
  new Map([
    ['insufficient_funds', { meaning: 'short of money, twice', declines: 2 }],
    ['lost_card', { meaning: 'reported lost' }],
    ['expired_card', { meaning: 'expired' }],
    ['authentication_required', { meaning: 'to be confirmed by the customer' }],
    ['do_not_honor', { meaning: 'declined without a reason' }],
  ]);

/** A customer as the page shows one. */
export interface ShownCustomer {
  /** The first name in small letters. */
  readonly key: string;
  readonly name: string;
  readonly plan: string;
  readonly card: string;
  /** Stripe's word for the subscription. */
  readonly status: string;
  /** The unpaid invoice. */
  readonly open: string | undefined;
  /** Undefined once it is canceled. */
  readonly renewsAt: DateTime | undefined;
  /** The card's fault. */
  readonly trouble: string | undefined;
}

export type Shop = ReturnType<typeof openShop>;

interface Card {
  readonly behaviour: PaymentMethodBehaviour;
  trouble: string | undefined;
  declinesLeft: number;
}

/** Ada and Ben cannot pay at first, so that a new player sees a failure. */
const AT_FIRST: readonly (string | undefined)[] = ['insufficient_funds', 'lost_card'];

/** The first renews as long after `start` as `firstHours` says, the others in the days after it. */
export function openShop(sandbox: Sandbox, start: DateTime, firstHours: number) {
  const cards = new Map<string, Card>();
  let given = 0;

  function makeCard(look: CardInput, trouble?: string): PaymentMethodBehaviour {
    const card: Card = { behaviour: accepts(look), trouble: undefined, declinesLeft: 0 };
    setTrouble(card, trouble);
    const { details } = card.behaviour;
    if ('fingerprint' in details) cards.set(details.fingerprint, card);
    return { details, answer: () => answerOf(card) };
  }
  const people = invite({ sandbox }, castOf(makeCard, firstHours), start);
  const subscriptionOf = ({ subscriptionId }: Person) => sandbox.state.subscriptions.get(subscriptionId);
  const isOver = (person: Person) => subscriptionOf(person)?.status === 'canceled';

  function methodOf({ customerId }: Person) {
    const method = sandbox.state.customers.get(customerId)?.invoice_settings.default_payment_method;
    return sandbox.state.paymentMethods.get(typeof method === 'string' ? method : '')?.card;
  }
  const cardOf = (person: Person) => cards.get(methodOf(person)?.fingerprint ?? '');

  function refuseIfOver(person: Person): void {
    if (isOver(person)) throw new InvalidRequestError(`${person.role.name} has canceled.`);
  }
  function openOf({ subscriptionId }: Person): string | undefined {
    const invoices = [
      ...sandbox.state.invoices.newestFirst({ index: 'subscription', key: subscriptionId }),
    ].filter(({ status, amount_remaining: remaining }) => status === 'open' && remaining > 0);
    const [first] = invoices;
    const sum = invoices.reduce((total, { amount_remaining: remaining }) => total + remaining, 0);
    return first && money(sum, first.currency);
  }
  function show(person: Person): ShownCustomer {
    const { name, plan } = person.role;
    const [item] = PLANS[plan].items;
    const method = methodOf(person);
    const { status = 'canceled', items } = subscriptionOf(person) ?? {};
    const renewsAt = items?.data[0]?.current_period_end;
    const trouble = TROUBLES.get(cardOf(person)?.trouble ?? '');
    return {
      key: keyOf(person),
      name,
      status,
      open: openOf(person),
      trouble: trouble?.meaning,
      plan: `${item.name}, ${money(item.amount, PLANS[plan].currency)} a month`,
      card: method ? `${method.brand} ending in ${method.last4}` : 'no card',
      renewsAt: renewsAt === undefined || isOver(person) ? undefined : fromUnixSeconds(renewsAt),
    };
  }

  return {
    people,
    list: () => people.map(show),
    /** Finds a person by first name or id; throws InvalidRequestError with the known names. */
    find: (name: string): Person => {
      const wanted = name.toLowerCase();
      const found = people.find((person) => keyOf(person) === wanted || person.customerId === name);
      if (found) return found;
      throw new InvalidRequestError(
        `There is no customer "${name}"; there are ${people.map(keyOf).join(', ')}.`,
      );
    },
    /** Makes the card decline from now on. Each of these returns a sentence, or throws InvalidRequestError. */
    fail: (person: Person, trouble: string) => {
      refuseIfOver(person);
      if (!TROUBLES.has(trouble))
        throw new InvalidRequestError(
          `A card cannot be "${trouble}"; it can be ${[...TROUBLES.keys()].join(', ')}.`,
        );
      const card = cardOf(person);
      if (card) setTrouble(card, trouble);
      return `the card is declined from now on: ${describeCode(trouble)}`;
    },
    renew: (person: Person) => {
      refuseIfOver(person);
      sandbox.renewNow(person.subscriptionId);
      return 'the subscription renews now';
    },
    giveCard: (person: Person) => {
      given += 1;
      const last4 = String(4300 + given);
      sandbox.changeDefaultCard(person.customerId, makeCard({ last4 }));
      return `gives a new card: visa ending in ${last4}`;
    },
    cancel: (person: Person) => {
      refuseIfOver(person);
      sandbox.cancelSubscription(person.subscriptionId);
      return 'cancels the subscription';
    },
  };
}

function keyOf({ role }: Person): string {
  return (role.name.split(' ')[0] ?? '').toLowerCase();
}

function castOf(
  makeCard: (look: CardInput, trouble?: string) => PaymentMethodBehaviour,
  firstHours: number,
): CastMember[] {
  const who = [
    ['Ada Byrne', 'US', 'tea monthly, USD'],
    ['Ben Carter', 'US', 'tea monthly, USD'],
    ['Chloe Martin', 'FR', 'tea monthly, EUR'],
    ['Dev Shah', 'GB', 'tea monthly, GBP'],
  ] as const;
  return who.map(([name, country, plan], position) => ({
    name,
    country,
    plan,
    renews: [position, firstHours],
    method: (look) => makeCard(look, AT_FIRST[position]),
    newCard: makeCard({ brand: 'mastercard', last4: String(5450 + position) }),
  }));
}

function setTrouble(card: Card, trouble: string | undefined): void {
  card.trouble = trouble;
  card.declinesLeft = TROUBLES.get(trouble ?? '')?.declines ?? Number.POSITIVE_INFINITY;
}

function answerOf(card: Card): ReturnType<PaymentMethodBehaviour['answer']> {
  if (card.trouble === undefined) return { kind: 'accepted' };
  const decline = describeDecline(card.trouble, {});
  card.declinesLeft -= 1;
  if (card.declinesLeft === 0) card.trouble = undefined;
  return { kind: 'declined', decline };
}
