/** How money moves: payment intents, charges, refunds and disputes. */
import { z } from 'zod';
import { refused, retrieve } from '../api-error.ts';
import { answerDispute, closeDispute } from '../billing/dispute-charge.ts';
import { confirmIntent, createIntent } from '../billing/part-payments.ts';
import { refundCharge } from '../billing/refund-charge.ts';
import type { Charge, Dispute, PaymentIntent } from '../objects/wire.ts';
import type { World } from '../sandbox-world.ts';
import { getCustomer } from './customer-routes.ts';
import {
  formBoolean,
  formInteger,
  formMetadata,
  formTimeFilter,
  isWithin,
  PAGE_PARAMETERS,
} from './form-parameters.ts';
import { getPaymentMethod } from './payment-method-routes.ts';
import { firstGiven, listPage, type Route, route } from './route.ts';

const none = z.strictObject({});
const text = z.string().optional();
const created = formTimeFilter.optional();
const ofCustomer = z.strictObject({ ...PAGE_PARAMETERS, customer: text, created });
const ofPayment = { charge: text, payment_intent: text };
const listOfPayment = z.strictObject({ ...PAGE_PARAMETERS, ...ofPayment, created });
const confirmFields = { payment_method: text, off_session: formBoolean.optional() };
const intentFields = z.strictObject({
  ...confirmFields,
  amount: formInteger,
  currency: z.string(),
  customer: z.string(),
  confirm: formBoolean.optional(),
  metadata: formMetadata.optional(),
});
const refundFields = z.strictObject({ ...ofPayment, amount: formInteger.optional(), reason: text });
const disputeFields = z.strictObject({
  evidence: z.strictObject({ uncategorized_text: text }).optional(),
  submit: formBoolean.optional(),
  metadata: formMetadata.optional(),
});

export const CHARGE_ROUTES: readonly Route[] = [
  route('post', '/v1/payment_intents', intentFields, (world, _id, params) => {
    const { id: customer } = getCustomer(world, params.customer);
    const owner = { customer, currency: params.currency, on_behalf_of: null };
    const intent = createIntent(world, owner, params.amount);
    intent.metadata = params.metadata ?? {};
    return params.confirm ? confirm(world, intent, params.payment_method) : intent;
  }),
  route('post', '/v1/payment_intents/:id/confirm', z.strictObject(confirmFields), (world, id, params) =>
    confirm(world, getIntent(world, id), params.payment_method),
  ),
  route('get', '/v1/payment_intents', ofCustomer, (world, _id, params) =>
    listPage(world.paymentIntents, params, {
      url: '/v1/payment_intents',
      within: firstGiven({ customer: params.customer }),
      matches: (intent) => isWithin(intent.created, params.created),
    }),
  ),
  route('get', '/v1/payment_intents/:id', none, getIntent),
  route('get', '/v1/charges', ofCustomer.extend({ payment_intent: text }), (world, _id, params) =>
    listPage(world.charges, params, {
      url: '/v1/charges',
      within: firstGiven({ paymentIntent: params.payment_intent, customer: params.customer }),
      matches: (charge) =>
        isWithin(charge.created, params.created) && (params.customer ?? charge.customer) === charge.customer,
    }),
  ),
  route('get', '/v1/charges/:id', none, getCharge),
  route(
    'post',
    '/v1/refunds',
    refundFields,
    (world, _id, { charge, payment_intent: intent = '', ...input }) =>
      refundCharge(world, getCharge(world, charge ?? getIntent(world, intent).latest_charge ?? ''), input),
  ),
  route('get', '/v1/refunds', listOfPayment, (world, _id, params) =>
    listPage(world.refunds, params, { url: '/v1/refunds', matches: (refund) => isOfPayment(refund, params) }),
  ),
  route('get', '/v1/refunds/:id', none, (world, id) => retrieve(world.refunds, 'refund', id)),
  route('get', '/v1/disputes', listOfPayment, (world, _id, params) =>
    listPage(world.disputes, params, { url: '/v1/disputes', matches: (one) => isOfPayment(one, params) }),
  ),
  route('get', '/v1/disputes/:id', none, getDispute),
  route('post', '/v1/disputes/:id', disputeFields, (world, id, { evidence, submit = true, metadata }) => {
    const dispute = getDispute(world, id);
    dispute.metadata = { ...dispute.metadata, ...metadata };
    const words = evidence?.uncategorized_text ?? dispute.evidence.uncategorized_text;
    dispute.evidence = { ...dispute.evidence, uncategorized_text: words };
    return submit && words !== null ? answerDispute(world, dispute, words) : dispute;
  }),
  route('post', '/v1/disputes/:id/close', none, (world, id) =>
    closeDispute(world, getDispute(world, id), 'lost'),
  ),
];

export function getIntent(world: World, id: string): PaymentIntent {
  return retrieve(world.paymentIntents, 'payment_intent', id);
}

export function getCharge(world: World, id: string): Charge {
  return retrieve(world.charges, 'charge', id);
}

export function getDispute(world: World, id: string): Dispute {
  return retrieve(world.disputes, 'dispute', id);
}

function confirm(world: World, intent: PaymentIntent, method: string | undefined): PaymentIntent {
  if (method === undefined)
    throw refused('You cannot confirm this PaymentIntent because it is missing a payment method.', {
      code: 'payment_intent_unexpected_state',
    });
  return confirmIntent(world, intent, getPaymentMethod(world, method));
}

function isOfPayment(
  of: Pick<Dispute, 'created' | 'payment_intent'> & { charge: string | null },
  wanted: z.output<typeof listOfPayment>,
): boolean {
  return (
    (wanted.charge ?? of.charge) === of.charge &&
    (wanted.payment_intent ?? of.payment_intent) === of.payment_intent &&
    isWithin(of.created, wanted.created)
  );
}
