import { z } from 'zod';
import { refused, resourceMissing, retrieve } from '../api-error.ts';
import { attachCard, detachCard, setMethodOwner } from '../billing/customer-cards.ts';
import { buildBankAccount, isSource } from '../objects/build-source.ts';
import type { Customer, Dispute, PaymentMethod, SetupIntent } from '../objects/wire.ts';
import {
  accepts,
  declines,
  type PaymentMethodBehaviour,
  requiresAuthentication,
} from '../payment-behaviour.ts';
import { publish } from '../publish-event.ts';
import type { World } from '../sandbox-world.ts';
import { getCustomer } from './customer-routes.ts';
import { PAGE_PARAMETERS } from './form-parameters.ts';
import { listPage, type PageParameters, type Route, route } from './route.ts';

/** Stripe's own test payment methods, by the ids that everybody may attach (stripe-facts 8.2). */
const TEST_CARDS: ReadonlyMap<string, PaymentMethodBehaviour> = new Map([
  ['pm_card_visa', accepts({ last4: '4242' })],
  ['pm_card_mastercard', accepts({ brand: 'mastercard', last4: '4444' })],
  ['pm_card_chargeCustomerFail', declines('generic_decline', {}, { last4: '0341' })],
  ['pm_card_authenticationRequired', requiresAuthentication('decline', { last4: '3184' })],
]);

const none = z.strictObject({});
const listFields = z.strictObject({ ...PAGE_PARAMETERS, type: z.string().optional() });
const listOfCustomer = listFields.extend({ customer: z.string() });
const listOfOwner = z.strictObject({ ...PAGE_PARAMETERS, customer: z.string() });
const attachFields = z.strictObject({ customer: z.string() });

export const PAYMENT_METHOD_ROUTES: readonly Route[] = [
  route('get', '/v1/customers/:id/payment_methods', listFields, (world, id, params) =>
    listMethods(world, getCustomer(world, id), params),
  ),
  route('get', '/v1/customers/:customer/sources/:id', none, (world, id) =>
    buildBankAccount(getSource(world, id)),
  ),
  route('get', '/v1/payment_methods', listOfCustomer, (world, _id, params) =>
    listMethods(world, getCustomer(world, params.customer), params),
  ),
  route('get', '/v1/payment_methods/:id', none, getPaymentMethod),
  route('post', '/v1/payment_methods/:id/attach', attachFields, (world, id, params) =>
    attach(world, id, getCustomer(world, params.customer)),
  ),
  route('post', '/v1/payment_methods/:id/detach', none, (world, id) =>
    detachCard(world, getPaymentMethod(world, id)),
  ),
  route('get', '/v1/setup_intents', listOfOwner, (world, _id, params) =>
    listPage(world.setupIntents, params, {
      url: '/v1/setup_intents',
      matches: ({ customer }) => customer === params.customer,
    }),
  ),
  route('get', '/v1/setup_intents/:id', none, getSetupIntent),
  route('get', '/v1/disputes/:id', none, getDispute),
  route('get', '/v1/mandates/:id', none, (world, id) => retrieve(world.mandates, 'mandate', id)),
];

export function getPaymentMethod(world: World, id: string): PaymentMethod {
  const method = world.paymentMethods.get(id);
  if (method === undefined || isSource(method)) throw resourceMissing('PaymentMethod', id);
  return method;
}

function getSource(world: World, id: string): PaymentMethod {
  const source = world.paymentMethods.get(id);
  if (source === undefined || !isSource(source)) throw resourceMissing('source', id);
  return source;
}

function getSetupIntent(world: World, id: string): SetupIntent {
  return retrieve(world.setupIntents, 'setupintent', id);
}

export function getDispute(world: World, id: string): Dispute {
  return retrieve(world.disputes, 'dispute', id);
}

function listMethods(
  world: World,
  customer: Customer,
  params: PageParameters & { type?: string | undefined },
): object {
  return listPage(world.paymentMethods, params, {
    url: `/v1/customers/${customer.id}/payment_methods`,
    within: { index: 'customer', key: customer.id },
    matches: ({ id, type, customer: owner }) =>
      !isSource({ id }) && owner === customer.id && (params.type ?? type) === type,
  });
}

/** One of Stripe's test cards becomes another payment method each time. */
function attach(world: World, id: string, customer: Customer): PaymentMethod {
  const testCard = TEST_CARDS.get(id);
  if (testCard !== undefined) return attachCard(world, customer, testCard);
  const method = getPaymentMethod(world, id);
  if (method.customer === customer.id) return method;
  if (method.customer !== null) throw refused('This payment method is attached to another customer.');
  setMethodOwner(world, method, customer.id);
  publish(world, 'payment_method.attached', method);
  return method;
}
