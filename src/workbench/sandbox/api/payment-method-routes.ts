import { z } from 'zod';
import { refused, resourceMissing } from '../api-error.ts';
import {
  attachCard,
  beginSetup,
  detachCard,
  finishSetup,
  setMethodOwner,
} from '../billing/customer-cards.ts';
import { formInteger, none, PAGE_PARAMETERS, text } from '../form-parameters.ts';
import { buildBankAccount, isSource } from '../objects/build-payment.ts';
import type { Customer, PaymentMethod, SetupIntent } from '../objects/wire.ts';
import {
  accepts,
  declines,
  type PaymentMethodBehaviour,
  pendingThen,
  requiresAuthentication,
} from '../payment-behaviour.ts';
import { publish } from '../publish-event.ts';
import type { World } from '../sandbox-world.ts';
import { getCustomer } from './customer-routes.ts';
import { listPage, type PageParameters, type Route, resource, route } from './route.ts';

/** Stripe's own test payment methods, by the ids that everybody may attach (stripe-facts 8.2). */
const TEST_CARDS: ReadonlyMap<string, PaymentMethodBehaviour> = new Map([
  ['pm_card_visa', accepts({ last4: '4242' })],
  ['pm_card_mastercard', accepts({ brand: 'mastercard', last4: '4444' })],
  ['pm_card_chargeCustomerFail', declines('generic_decline', {}, { last4: '0341' })],
  ['pm_card_authenticationRequired', requiresAuthentication('decline', { last4: '3184' })],
  ['pm_card_createDispute', { ...accepts({ last4: '0259' }), disputed: { reason: 'fraudulent' } }],
  [
    'pm_card_createDisputeProductNotReceived',
    { ...accepts({ last4: '2685' }), disputed: { reason: 'product_not_received' } },
  ],
  [
    'pm_card_createDisputeInquiry',
    { ...accepts({ last4: '1976' }), disputed: { reason: 'fraudulent', asInquiry: true } },
  ],
  ['pm_card_refundFail', { ...accepts({ last4: '5126' }), refundsEnd: 'failed' }],
  ['pm_card_pendingRefund', { ...accepts({ last4: '7726' }), refundsEnd: 'succeeded' }],
]);

/** They are set up, not attached: their holder agrees to be debited. */
const TEST_ACCOUNTS: ReadonlyMap<string, PaymentMethodBehaviour> = new Map([
  ['pm_usBankAccount_success', pendingThen('succeed', { last4: '6789' })],
  ['pm_usBankAccount_accountClosed', pendingThen('fail', { last4: '1113', code: 'account_closed' })],
  ['pm_usBankAccount_insufficientFunds', pendingThen('fail', { last4: '2227' })],
  [
    'pm_usBankAccount_debitNotAuthorized',
    pendingThen('fail', { last4: '3335', code: 'debit_not_authorized' }),
  ],
]);

const setupFields = z.strictObject({
  customer: z.string(),
  payment_method: z.string(),
  allowed_payment_method_types: z.array(z.string()).optional(),
  usage: z.enum(['off_session', 'on_session']).optional(),
  confirm: z.literal('true'),
  mandate_data: z.strictObject({ customer_acceptance: z.looseObject({ type: z.string() }) }).optional(),
});
const microdepositFields = z.strictObject({ amounts: z.tuple([formInteger, formInteger]) });
/** Amounts sent to test accounts. */
const MICRODEPOSITS = [32, 45];
const listFields = z.strictObject({ ...PAGE_PARAMETERS, type: text });
const listOfCustomer = listFields.extend({ customer: z.string() });
const attachFields = z.strictObject({ customer: z.string() });

const setups = resource('/v1/setup_intents', 'setupintent', (world) => world.setupIntents);
const mandates = resource('/v1/mandates', 'mandate', (world) => world.mandates);

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
  setups.list({ customer: z.string() }),
  setups.retrieve,
  route('post', '/v1/setup_intents', setupFields, (world, _id, params) =>
    setUp(world, getCustomer(world, params.customer), params),
  ),
  setups.act('/verify_microdeposits', microdepositFields, (world, setup, { amounts }) => {
    if (amounts.some((amount, index) => amount !== MICRODEPOSITS[index]))
      throw refused('The amounts provided do not match.', {
        code: 'payment_method_microdeposit_verification_amounts_mismatch',
      });
    return finishSetup(world, setup);
  }),
  mandates.retrieve,
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
  if (TEST_ACCOUNTS.has(id))
    throw refused('A bank account is attached by a setup intent, once it is verified.');
  const method = getPaymentMethod(world, id);
  if (method.customer === customer.id) return method;
  if (method.customer !== null) throw refused('This payment method is attached to another customer.');
  setMethodOwner(world, method, customer.id);
  publish(world, 'payment_method.attached', method);
  return method;
}

/** A card is set up immediately, a bank account once its holder has verified it. */
function setUp(world: World, customer: Customer, params: z.output<typeof setupFields>): SetupIntent {
  const account = TEST_ACCOUNTS.get(params.payment_method);
  const behaviour = account ?? TEST_CARDS.get(params.payment_method);
  if (behaviour === undefined) throw resourceMissing('PaymentMethod', params.payment_method);
  if (account !== undefined && params.mandate_data === undefined)
    throw refused('A bank account is debited by a mandate: give mandate_data.', { param: 'mandate_data' });
  const setup = beginSetup(world, customer, behaviour, params.usage);
  return account === undefined ? finishSetup(world, setup) : setup;
}
