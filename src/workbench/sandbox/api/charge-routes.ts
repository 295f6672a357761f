/** How money moves: payment intents, charges, refunds and disputes. */
import { z } from 'zod';
import { refused } from '../api-error.ts';
import { answerDispute, closeDispute } from '../billing/dispute-charge.ts';
import { confirmIntent, createIntent } from '../billing/part-payments.ts';
import { refundCharge } from '../billing/refund-charge.ts';
import { flag, formInteger, integer, metadata, none, text } from '../form-parameters.ts';
import type { Charge, Dispute, PaymentIntent } from '../objects/wire.ts';
import type { World } from '../sandbox-world.ts';
import { getCustomer } from './customer-routes.ts';
import { getPaymentMethod } from './payment-method-routes.ts';
import { type Getter, type Route, resource, route } from './route.ts';

const ofPayment = { charge: text, payment_intent: text };
const confirmFields = { payment_method: text, off_session: flag };
const intentFields = z.strictObject({
  ...confirmFields,
  amount: formInteger,
  currency: z.string(),
  customer: z.string(),
  confirm: flag,
  metadata,
});
const refundFields = z.strictObject({ ...ofPayment, amount: integer, reason: text });
const disputeFields = z.strictObject({
  evidence: z.strictObject({ uncategorized_text: text }).optional(),
  submit: flag,
  metadata,
});

const intents = resource('/v1/payment_intents', 'payment_intent', (world) => world.paymentIntents);
const charges = resource('/v1/charges', 'charge', (world) => world.charges);
const refunds = resource('/v1/refunds', 'refund', (world) => world.refunds);
const disputes = resource('/v1/disputes', 'dispute', (world) => world.disputes);
const fraudWarnings = resource(
  '/v1/radar/early_fraud_warnings',
  'radar.early_fraud_warning',
  (world) => world.fraudWarnings,
);
export const getIntent: Getter<PaymentIntent> = intents.get;
export const getCharge: Getter<Charge> = charges.get;
export const getDispute: Getter<Dispute> = disputes.get;

export const CHARGE_ROUTES: readonly Route[] = [
  route('post', '/v1/payment_intents', intentFields, (world, _id, params) => {
    const { id: customer } = getCustomer(world, params.customer);
    const owner = { customer, currency: params.currency, on_behalf_of: null };
    const intent = createIntent(world, owner, params.amount);
    intent.metadata = params.metadata ?? {};
    return params.confirm ? confirm(world, intent, params.payment_method) : intent;
  }),
  intents.act('/confirm', z.strictObject(confirmFields), (world, intent, { payment_method: method }) =>
    confirm(world, intent, method),
  ),
  intents.list({ customer: text }, { by: { customer: 'customer' } }),
  intents.retrieve,
  charges.list(
    { customer: text, payment_intent: text },
    { by: { payment_intent: 'paymentIntent', customer: 'customer' } },
  ),
  charges.retrieve,
  route(
    'post',
    '/v1/refunds',
    refundFields,
    (world, _id, { charge, payment_intent: intent = '', ...input }) =>
      refundCharge(world, getCharge(world, charge ?? getIntent(world, intent).latest_charge ?? ''), input),
  ),
  refunds.list(ofPayment),
  refunds.retrieve,
  disputes.list(ofPayment),
  disputes.retrieve,
  fraudWarnings.list(ofPayment),
  fraudWarnings.retrieve,
  disputes.act('', disputeFields, (world, dispute, { evidence, submit = true, metadata: given }) => {
    dispute.metadata = { ...dispute.metadata, ...given };
    const words = evidence?.uncategorized_text ?? dispute.evidence.uncategorized_text;
    dispute.evidence = { ...dispute.evidence, uncategorized_text: words };
    return submit && words !== null ? answerDispute(world, dispute, words) : dispute;
  }),
  disputes.act('/close', none, (world, dispute) => closeDispute(world, dispute, 'lost')),
];

function confirm(world: World, intent: PaymentIntent, method: string | undefined): PaymentIntent {
  if (method === undefined)
    throw refused('You cannot confirm this PaymentIntent because it is missing a payment method.', {
      code: 'payment_intent_unexpected_state',
    });
  return confirmIntent(world, intent, getPaymentMethod(world, method));
}
