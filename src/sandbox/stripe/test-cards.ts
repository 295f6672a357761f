/** Stripe's own test payment methods, by the ids that everybody may attach (stripe-facts 8.2). */
import {
  accepts,
  declines,
  type PaymentMethodBehaviour,
  requiresAuthentication,
} from './payment-behaviour.ts';

export const TEST_CARDS: ReadonlyMap<string, PaymentMethodBehaviour> = new Map([
  ['pm_card_visa', accepts({ last4: '4242' })],
  ['pm_card_mastercard', accepts({ brand: 'mastercard', last4: '4444' })],
  ['pm_card_chargeCustomerFail', declines('generic_decline', {}, { last4: '0341' })],
  ['pm_card_authenticationRequired', requiresAuthentication('decline', { last4: '3184' })],
]);
