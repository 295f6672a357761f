import { z } from 'zod';
import { setBalance } from '../billing/customer-balance.ts';
import { setDefaultMethod } from '../billing/customer-cards.ts';
import { endSubscription, isOver } from '../billing/subscription-status.ts';
import { clearable, given, integer, none, text } from '../form-parameters.ts';
import {
  buildAddress,
  buildCustomer,
  type CustomerInput,
  customerParameters,
} from '../objects/build-customer.ts';
import type { Customer, DeletedCustomer } from '../objects/wire.ts';
import { publish, update } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';
import { assertRoomForCustomer } from '../test-clocks.ts';
import { deletedCustomer } from './expand-answer.ts';
import { type Getter, type Route, resource, route } from './route.ts';

const newCustomer = customerParameters.extend({ test_clock: text });
const customerChanges = customerParameters.extend({
  balance: integer,
  tax_exempt: z.enum(['none', 'exempt', 'reverse']).optional(),
  invoice_settings: z.strictObject({ default_payment_method: clearable(z.string()).optional() }).optional(),
});
const customers = resource('/v1/customers', 'customer', (world) => world.customers);
export const getCustomer: Getter<Customer> = customers.get;

export const CUSTOMER_ROUTES: readonly Route[] = [
  route('get', '/v1/account', none, (world) => world.account),
  route('post', '/v1/customers', newCustomer, (world, _id, { test_clock: clock, ...params }) => {
    if (clock !== undefined) assertRoomForCustomer(world, clock);
    return createCustomer(world, params);
  }),
  customers.list({ email: text }),
  route(
    'get',
    '/v1/customers/:id',
    none,
    (world, id) => deletedCustomer(world, id) ?? getCustomer(world, id),
  ),
  customers.act(
    '',
    customerChanges,
    (world, customer, { balance, invoice_settings: settings, ...params }) => {
      updateCustomer(world, customer, params);
      if (balance !== undefined) setBalance(world, customer, balance, customer.currency ?? 'usd');
      const method = settings?.default_payment_method;
      if (method !== undefined) setDefaultMethod(world, customer, method);
      return customer;
    },
  ),
  customers.delete(none, deleteCustomer),
];

export function createCustomer(world: World, input: CustomerInput): Customer {
  const customer = world.customers.add(buildCustomer(world.ids.next('cus'), unixNow(world), input));
  customer.test_clock = world.testClock;
  publish(world, 'customer.created', customer);
  return customer;
}

function updateCustomer(
  world: World,
  customer: Customer,
  { address, metadata, ...fields }: Omit<z.output<typeof customerChanges>, 'balance' | 'invoice_settings'>,
): void {
  update(world, 'customer.updated', customer, {
    ...given(fields),
    ...(address && { address: buildAddress(address) }),
    metadata: { ...customer.metadata, ...metadata },
  });
}

/** Deletes the customer and immediately ends their subscriptions. */
export function deleteCustomer(world: World, customer: Customer): DeletedCustomer {
  for (const subscription of world.subscriptions.newestFirst({ index: 'customer', key: customer.id })) {
    if (!isOver(subscription)) endSubscription(world, subscription, 'cancellation_requested');
  }
  world.customers.remove(customer.id);
  world.deletedCustomers.add(customer.id);
  publish(world, 'customer.deleted', customer);
  return { id: customer.id, object: 'customer', deleted: true };
}
