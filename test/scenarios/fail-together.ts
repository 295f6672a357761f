import type { PaymentMethodBehaviour } from '../../src/workbench/sandbox/payment-behaviour.ts';
import type { NewCustomer } from '../../src/workbench/sandbox/sandbox-arrangements.ts';
import { renew, type Subscriber, subscribe } from '../support/scenario.ts';
import type { World } from '../support/world.ts';

export interface FailedSubscriber extends Subscriber {
  readonly invoiceId: string;
}

export type ByName<Name> = (name: Name) => FailedSubscriber;

interface Arrangement<Name> {
  readonly customer?: NewCustomer;
  /** They subscribed before the plugin came, so nobody is told of their first month, which costs a quarter less. */
  readonly isOlder?: boolean;
  /** The world as a connected merchant sees it, who has this subscriber. */
  readonly placeOf?: (name: string) => World;
  /** What happens between the two months. */
  readonly between?: (subscriberOf: (name: Name) => Subscriber) => Promise<void>;
}

/**
 * Subscribers whose cards fail at the second month, all at one time: their events are worked on together, which costs a
 * third of one after the other. Each has a name, and an address of that name.
 */
export async function failTogether<Name extends string>(
  world: World,
  cards: Readonly<Record<Name, PaymentMethodBehaviour>>,
  { customer, isOlder = false, placeOf = () => world, between }: Arrangement<Name> = {},
): Promise<ByName<Name>> {
  const stillOf = (name: string) => withoutEffects(placeOf(name));
  const begin = isOlder ? subscribed : subscribe;
  const begun = new Map<string, Subscriber>();
  for (const [name, card] of Object.entries<PaymentMethodBehaviour>(cards))
    begun.set(name, await begin(stillOf(name), card, { ...customer, email: addressOf(name) }));
  await world.settle();
  await between?.((name) => get(begun, name));
  const failed = new Map<string, FailedSubscriber>();
  for (const [name, subscriber] of begun)
    failed.set(name, { ...subscriber, invoiceId: await renew(stillOf(name), subscriber.subscriptionId) });
  await world.settle();
  return (name) => get(failed, name);
}

/** Its first charge was made elsewhere. */
export const chargedBefore = (card: PaymentMethodBehaviour): PaymentMethodBehaviour => ({
  ...card,
  answer: (request) => card.answer({ ...request, chargeNumber: request.chargeNumber + 1 }),
});

/** As `subscribe` does it, with a card that was charged before. */
async function subscribed(
  { sandbox }: World,
  card: PaymentMethodBehaviour,
  customer: NewCustomer,
): Promise<Subscriber> {
  const { id: customerId } = sandbox.createCustomer({
    name: 'Ada Example',
    country: 'DE',
    ...customer,
    paymentMethod: chargedBefore(card),
  });
  const price = sandbox.createPrice({ unit_amount: 2000 });
  const items = [{ price: price.id, quantity: 1 }];
  return { customerId, subscriptionId: sandbox.importSubscription({ customer: customerId, items }).id };
}

/** What is done in it has its effects when the world itself settles. */
export const withoutEffects = (world: World): World => ({ ...world, settle: async () => {} });

function get<Value>(values: ReadonlyMap<string, Value>, name: string): Value {
  const found = values.get(name);
  if (found === undefined) throw new Error(`Nobody is called ${name}.`);
  return found;
}

export const addressOf = (name: string): string => `${name.toLowerCase()}@example.com`;

export const emailsTo = ({ email }: World, name: string) =>
  email.emails.filter(({ to }) => to?.some(({ address }) => address === addressOf(name)));
