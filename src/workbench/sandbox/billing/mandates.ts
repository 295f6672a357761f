import type { Mandate, PaymentMethod } from '../objects/wire.ts';
import { publishUpdated, snapshotOf } from '../publish-event.ts';
import { unixNow, type World } from '../sandbox-world.ts';

type MandateDetails = Mandate['payment_method_details'];

/** The methods that are charged by a mandate of their holder; of cards, those of Indian banks (stripe-facts 5.13). */
const DETAILS: Readonly<Record<string, (reference: string) => MandateDetails>> = {
  acss_debit: () => ({
    type: 'acss_debit',
    acss_debit: { interval_description: null, payment_schedule: 'sporadic', transaction_type: 'personal' },
  }),
  au_becs_debit: (reference) => ({ type: 'au_becs_debit', au_becs_debit: { url: urlOf(reference) } }),
  bacs_debit: (reference) => ({
    type: 'bacs_debit',
    bacs_debit: {
      display_name: null,
      network_status: 'accepted',
      reference,
      revocation_reason: null,
      service_user_number: null,
      url: urlOf(reference),
    },
  }),
  card: () => ({ type: 'card', card: { india: { inactive_reason: null } } }),
  paypal: (reference) => ({
    type: 'paypal',
    paypal: { billing_agreement_id: reference, payer_id: 'SANDBOXPAYER1' },
  }),
  sepa_debit: (reference) => ({ type: 'sepa_debit', sepa_debit: { reference, url: urlOf(reference) } }),
  us_bank_account: () => ({ type: 'us_bank_account', us_bank_account: {} }),
};

/** Codes of returned debits by which the bank says that the holder's mandate is no longer good (stripe-facts 5.13). */
const ENDED_BY: ReadonlySet<string> = new Set([
  'account_closed',
  'authorization_revoked',
  'debit_authorization_not_match',
  'debit_not_authorized',
]);

/** The mandate given while the method is set up; undefined where the method needs none. */
export function giveMandate(world: World, method: PaymentMethod): Mandate | undefined {
  const details = DETAILS[method.type];
  if (details === undefined || (method.card !== undefined && method.card.country !== 'IN')) return undefined;
  const id = world.ids.next('mandate');
  return world.mandates.add({
    id,
    object: 'mandate',
    customer_acceptance: {
      accepted_at: unixNow(world),
      online: { ip_address: '203.0.113.1', user_agent: 'Sandbox' },
      type: 'online',
    },
    livemode: false,
    multi_use: {},
    payment_method: method.id,
    payment_method_details: details(id.slice(-12)),
    status: 'active',
    type: 'multi_use',
  });
}

/** The newest. */
export function findMandate(world: World, { id }: PaymentMethod): Mandate | undefined {
  for (const mandate of world.mandates.newestFirst({ index: 'method', key: id })) return mandate;
  return undefined;
}

/** The holder or the bank ended it: the method is charged no more until the customer agrees again. */
export function endMandate(world: World, method: PaymentMethod): void {
  const mandate = findMandate(world, method);
  if (mandate?.status !== 'active') return;
  const before = snapshotOf(mandate);
  mandate.status = 'inactive';
  const { bacs_debit: bacs, card } = mandate.payment_method_details;
  if (bacs !== undefined)
    Object.assign(bacs, { network_status: 'revoked', revocation_reason: 'debit_not_authorized' });
  if (card?.india !== undefined) card.india.inactive_reason = 'canceled';
  publishUpdated(world, 'mandate.updated', mandate, before);
}

export function endMandateAfter(world: World, method: PaymentMethod, code: string): void {
  if (ENDED_BY.has(code)) endMandate(world, method);
}

/** The error code of a charge that the mandate no longer allows; undefined where it does, or none is needed. */
export function refusalOf(world: World, method: PaymentMethod): string | undefined {
  if (findMandate(world, method)?.status !== 'inactive') return undefined;
  return method.type === 'card'
    ? 'india_recurring_payment_mandate_canceled'
    : 'payment_intent_mandate_invalid';
}

function urlOf(reference: string): string {
  return `https://sandbox.example/mandates/${reference}`;
}
