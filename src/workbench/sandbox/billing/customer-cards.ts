import { refused, retrieve } from '../api-error.ts';
import { buildPaymentMethod, buildSetupIntent } from '../objects/build-payment-method.ts';
import type { Customer, PaymentMethod, SetupIntent } from '../objects/wire.ts';
import type { PaymentMethodBehaviour } from '../payment-behaviour.ts';
import { publish, publishUpdated, snapshotOf, update } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { findMandate, giveMandate } from './mandates.ts';

/** Gives the customer a payment method without making it the default. */
export function attachCard(
  world: World,
  customer: Customer,
  behaviour: PaymentMethodBehaviour,
): PaymentMethod {
  return attach(world, createMethod(world, behaviour), customer.id);
}

/** It belongs to nobody: for one payment, or until it is attached. */
export function createMethod(world: World, behaviour: PaymentMethodBehaviour): PaymentMethod {
  const id = world.ids.next('pm');
  const { details } = behaviour;
  world.cards.set(id, { behaviour, chargeCount: 0 });
  return world.paymentMethods.add(
    buildPaymentMethod({ id, created: unixNow(world), customer: null, details }),
  );
}

function attach(world: World, method: PaymentMethod, customer: string): PaymentMethod {
  setMethodOwner(world, method, customer);
  giveMandate(world, method);
  publish(world, 'payment_method.attached', method);
  return method;
}

/** Sets a card up for payments while the customer is away (or is there), without making it the default. */
export function saveCard(
  world: World,
  customer: Customer,
  behaviour: PaymentMethodBehaviour,
  usage?: 'off_session' | 'on_session',
): PaymentMethod {
  const { payment_method: id } = finishSetup(world, beginSetup(world, customer, behaviour, usage));
  return retrieve(world.paymentMethods, 'PaymentMethod', id ?? '');
}

/** The method belongs to nobody until it is finished. */
export function beginSetup(
  world: World,
  customer: Customer,
  behaviour: PaymentMethodBehaviour,
  usage: 'off_session' | 'on_session' = 'off_session',
): SetupIntent {
  const method = createMethod(world, behaviour);
  const fields = { usage, customer: customer.id };
  const setup = buildSetupIntent(world.ids.next('seti'), unixNow(world), method, fields);
  publish(world, 'setup_intent.created', setup);
  return world.setupIntents.add(setup);
}

export function finishSetup(world: World, setup: SetupIntent): SetupIntent {
  const method = retrieve(world.paymentMethods, 'PaymentMethod', setup.payment_method ?? '');
  attach(world, method, setup.customer ?? '');
  setup.mandate = findMandate(world, method)?.id ?? null;
  setup.status = 'succeeded';
  publish(world, 'setup_intent.succeeded', setup);
  return setup;
}

/** A verified bank account as it was given before there were payment methods; it becomes the default source. */
export function giveBankAccount(
  world: World,
  customer: Customer,
  behaviour: PaymentMethodBehaviour,
): PaymentMethod {
  const details = { id: world.ids.next('ba'), created: unixNow(world), customer: customer.id };
  const source = buildPaymentMethod({ ...details, details: behaviour.details });
  world.cards.set(source.id, { behaviour, chargeCount: 0 });
  world.paymentMethods.add(source);
  update(world, 'customer.updated', customer, { default_source: source.id });
  return source;
}

/** The portal's card change: attach, set up, make it the customer's default (stripe-facts 6.2, 6.3). */
export function changeDefaultCard(
  world: World,
  customer: Customer,
  behaviour: PaymentMethodBehaviour,
): PaymentMethod {
  const method = saveCard(world, customer, behaviour);
  setDefaultMethod(world, customer, method.id);
  return method;
}

export function setDefaultMethod(world: World, customer: Customer, method: string | null): void {
  if (method !== null && world.paymentMethods.get(method)?.customer !== customer.id) {
    throw refused(`The customer does not have a payment method with the ID ${method}.`, {
      code: 'resource_missing',
      param: 'invoice_settings[default_payment_method]',
    });
  }
  const invoice_settings = { ...customer.invoice_settings, default_payment_method: method };
  update(world, 'customer.updated', customer, { invoice_settings });
}

/** Takes a payment method off its customer; it is no longer anybody's default. */
export function detachCard(world: World, method: PaymentMethod): PaymentMethod {
  const customer = world.customers.get(method.customer ?? '');
  const attached = snapshotOf(method);
  setMethodOwner(world, method, null);
  publishUpdated(world, 'payment_method.detached', method, attached);
  if (customer?.invoice_settings.default_payment_method === method.id)
    setDefaultMethod(world, customer, null);
  return method;
}

/** The card network renewed the card: same payment method, new number and dates (stripe-facts 6.5). */
export function replaceCardAutomatically(
  world: World,
  method: PaymentMethod,
  behaviour: PaymentMethodBehaviour,
): PaymentMethod {
  const before = snapshotOf(method);
  const { id, created, customer } = method;
  Object.assign(method, buildPaymentMethod({ id, created, customer, details: behaviour.details }));
  world.cards.set(id, { behaviour, chargeCount: 0 });
  publishUpdated(world, 'payment_method.automatically_updated', method, before);
  return method;
}

/** Taken out and put back, because the index by customer is filled when an object is added. */
export function setMethodOwner(world: World, method: PaymentMethod, customer: string | null): void {
  world.paymentMethods.remove(method.id);
  method.customer = customer;
  world.paymentMethods.add(method);
}
