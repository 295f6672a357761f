/** Puts the cast into the simulated account and lets it act. */
import type { DateTime } from 'luxon';
import { accepts } from '../sandbox/payment-behaviour.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { CastMember } from './cast.ts';
import type { CustomerWorld } from './customer-world.ts';
import { followLink } from './follow-link.ts';
import { createPriceList, PLANS } from './plans.ts';
import { TURNS } from './turns.ts';

export interface Person {
  readonly role: CastMember;
  /** Position in the cast: of two people at one instant, the first comes first. */
  readonly position: number;
  readonly customerId: string;
  readonly subscriptionId: string;
  readonly email: string | undefined;
}

/** Prints what a person does. */
export type Narrate = (person: Person, text: string) => void;

export function invite(
  world: Pick<CustomerWorld, 'sandbox'>,
  cast: readonly CastMember[],
  start: DateTime,
): Person[] {
  const priceItems = createPriceList(world.sandbox);
  return cast.map((role, position) => {
    const email = role.hasNoEmail ? undefined : `${role.name.toLowerCase().replace(' ', '.')}@example.com`;
    const customer = world.sandbox.createCustomer({
      name: role.name,
      country: role.country,
      ...(role.state ? { state: role.state } : {}),
      email: email ?? null,
      paymentMethod: role.method({ country: role.country, last4: String(4100 + position) }, start),
    });
    world.sandbox.offerCard(customer.id, role.newCard ?? accepts());
    const subscription = world.sandbox.importSubscription({
      customer: customer.id,
      items: priceItems(role.plan),
      ...runningUntil(start, role),
    });
    return { role, position, customerId: customer.id, subscriptionId: subscription.id, email };
  });
}

/** The period that runs at the start ends at the renewal. */
function runningUntil(start: DateTime, { plan, renews: [days, hours] }: CastMember) {
  const since = start.plus({ days, hours }).minus({ [`${PLANS[plan].interval}s`]: 1 });
  const seconds = Math.floor(since.toSeconds());
  return { backdate_start_date: seconds, billing_cycle_anchor: seconds };
}

export function planTurns(
  world: Pick<CustomerWorld, 'sandbox' | 'agenda'>,
  people: readonly Person[],
  start: DateTime,
  narrate: Narrate,
): void {
  for (const person of people) {
    for (const { name, day, hour } of person.role.turns ?? []) {
      world.agenda.add(start.plus({ days: day, hours: hour }), () => {
        narrate(person, TURNS[name].text);
        const { customerId, subscriptionId } = person;
        const invoiceId = latestInvoice(world.sandbox, subscriptionId);
        TURNS[name].act(world.sandbox, { customerId, subscriptionId, invoiceId });
      });
    }
  }
}

function latestInvoice(sandbox: Sandbox, subscriptionId: string): string {
  return sandbox.state.subscriptions.get(subscriptionId)?.latest_invoice ?? '';
}

/** Gives every email to its reader; call it when something may have been sent. */
export function createEmailReaders(
  world: CustomerWorld,
  people: readonly Person[],
  narrate: Narrate,
): () => void {
  let read = 0;
  return () => {
    for (; read < world.mailbox.emails.length; read += 1) {
      const email = world.mailbox.emails[read];
      const reader = people.find((person) => person.email !== undefined && person.email === email?.to);
      const hours = reader?.role.readsEmailAfterHours;
      if (email === undefined || reader === undefined || hours === undefined) continue;
      world.agenda.add(world.clock.now().plus({ hours }), async () => {
        narrate(reader, await followLink(email.text));
      });
    }
  };
}
