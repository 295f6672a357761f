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
  { customer, placeOf = () => world, between }: Arrangement<Name> = {},
): Promise<ByName<Name>> {
  const stillOf = (name: string) => withoutEffects(placeOf(name));
  const begun = new Map<string, Subscriber>();
  for (const [name, card] of Object.entries<PaymentMethodBehaviour>(cards))
    begun.set(name, await subscribe(stillOf(name), card, { ...customer, email: addressOf(name) }));
  await world.settle();
  await between?.((name) => get(begun, name));
  const failed = new Map<string, FailedSubscriber>();
  for (const [name, subscriber] of begun)
    failed.set(name, { ...subscriber, invoiceId: await renew(stillOf(name), subscriber.subscriptionId) });
  await world.settle();
  return (name) => get(failed, name);
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
