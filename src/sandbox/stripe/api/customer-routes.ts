import { z } from 'zod';
import { retrieve } from '../api-error.ts';
import { setBalance } from '../billing/customer-balance.ts';
import { setDefaultMethod } from '../billing/customer-cards.ts';
import { endSubscription, isOver } from '../billing/subscription-status.ts';
import { buildAddress, buildCustomer, type CustomerInput } from '../objects/build-customer.ts';
import type { Customer, DeletedCustomer } from '../objects/wire.ts';
import { publish, publishUpdated, snapshotOf } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { assertRoomForCustomer, getTestClock } from '../test-clocks.ts';
import { deletedCustomer } from './expand-answer.ts';
import {
  clearable,
  formInteger,
  formMetadata,
  formTimeFilter,
  isWithin,
  PAGE_PARAMETERS,
} from './form-parameters.ts';
import { listPage, type Route, route } from './route.ts';

const none = z.strictObject({});
const text = z.string().optional();
const customerFields = z.strictObject({
  email: text,
  name: text,
  phone: text,
  description: text,
  address: z
    .strictObject({ city: text, country: text, line1: text, line2: text, postal_code: text, state: text })
    .optional(),
  preferred_locales: z.array(z.string()).optional(),
  metadata: formMetadata.optional(),
});
const newCustomer = customerFields.extend({ test_clock: text });
const customerChanges = customerFields.extend({
  balance: formInteger.optional(),
  tax_exempt: z.enum(['none', 'exempt', 'reverse']).optional(),
  invoice_settings: z.strictObject({ default_payment_method: clearable(z.string()).optional() }).optional(),
});
const listFields = z.strictObject({ ...PAGE_PARAMETERS, email: text, created: formTimeFilter.optional() });

export const CUSTOMER_ROUTES: readonly Route[] = [
  route('get', '/v1/account', none, (world) => world.account),
  route('post', '/v1/customers', newCustomer, (world, _id, { test_clock: clock, ...params }) => {
    if (clock !== undefined) assertRoomForCustomer(world, getTestClock(world, clock));
    return createCustomer(world, params);
  }),
  route('get', '/v1/customers', listFields, (world, _id, params) =>
    listPage(world.customers, params, {
      url: '/v1/customers',
      matches: (customer) =>
        isWithin(customer.created, params.created) && (params.email ?? customer.email) === customer.email,
    }),
  ),
  route(
    'get',
    '/v1/customers/:id',
    none,
    (world, id) => deletedCustomer(world, id) ?? getCustomer(world, id),
  ),
  route('post', '/v1/customers/:id', customerChanges, (world, id, params) => {
    const customer = getCustomer(world, id);
    updateCustomer(world, customer, params);
    if (params.balance !== undefined) setBalance(world, customer, params.balance, customer.currency ?? 'usd');
    const method = params.invoice_settings?.default_payment_method;
    if (method !== undefined) setDefaultMethod(world, customer, method);
    return customer;
  }),
  route('delete', '/v1/customers/:id', none, (world, id) => deleteCustomer(world, getCustomer(world, id))),
];

export function createCustomer(world: World, input: CustomerInput): Customer {
  const customer = world.customers.add(buildCustomer(world.ids.next('cus'), unixNow(world), input));
  customer.test_clock = world.testClock;
  publish(world, 'customer.created', customer);
  return customer;
}

export function getCustomer(world: World, id: string): Customer {
  return retrieve(world.customers, 'customer', id);
}

function updateCustomer(
  world: World,
  customer: Customer,
  input: CustomerInput & { tax_exempt?: string | undefined },
): void {
  const before = snapshotOf(customer);
  customer.email = input.email ?? customer.email;
  customer.name = input.name ?? customer.name ?? null;
  customer.phone = input.phone ?? customer.phone ?? null;
  customer.tax_exempt = input.tax_exempt ?? customer.tax_exempt ?? 'none';
  customer.description = input.description ?? customer.description;
  customer.preferred_locales = input.preferred_locales ?? customer.preferred_locales ?? [];
  customer.metadata = { ...customer.metadata, ...input.metadata };
  if (input.address !== undefined) customer.address = buildAddress(input.address);
  publishUpdated(world, 'customer.updated', customer, before);
}

/** Ends the customer's subscriptions too, at once. */
export function deleteCustomer(world: World, customer: Customer): DeletedCustomer {
  for (const subscription of world.subscriptions.newestFirst({ index: 'customer', key: customer.id })) {
    if (!isOver(subscription)) endSubscription(world, subscription, 'cancellation_requested');
  }
  world.customers.remove(customer.id);
  world.deletedCustomers.add(customer.id);
  publish(world, 'customer.deleted', customer);
  return { id: customer.id, object: 'customer', deleted: true };
}
