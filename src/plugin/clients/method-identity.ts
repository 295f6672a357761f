/** What distinguishes one card or bank account from another, on a payment method and on a charge alike. */

interface CardIdentity {
  readonly fingerprint?: string | null;
  readonly exp_month: number;
  readonly exp_year: number;
}

interface AccountIdentity {
  readonly fingerprint?: string | null;
}

/** A payment method, or what a charge says of the one it was made with. */
export interface IdentifiableMethod {
  readonly card?: CardIdentity | null;
  readonly us_bank_account?: AccountIdentity;
  readonly ach_debit?: AccountIdentity;
  readonly sepa_debit?: AccountIdentity;
  readonly bacs_debit?: AccountIdentity;
  readonly acss_debit?: AccountIdentity;
  readonly au_becs_debit?: AccountIdentity;
}

/** The card's number or the account, whichever payment method it is attached as. */
export function fingerprintOf(method: IdentifiableMethod | null | undefined): string | undefined {
  const account =
    method?.us_bank_account ??
    method?.ach_debit ??
    method?.sepa_debit ??
    method?.bacs_debit ??
    method?.acss_debit ??
    method?.au_becs_debit;
  return method?.card?.fingerprint ?? account?.fingerprint ?? undefined;
}

const OLD_TYPES = new Map([
  ['ba', 'bank_account'],
  ['card', 'card'],
]);

/** Whether the id is of a card, bank account or source from before there were payment methods. */
export function isOldSource(id: string): boolean {
  return /^(ba|card|src)_/.test(id);
}

/** What the id of a card or bank account from before there were payment methods says by itself. */
export function typeOfId(id: string | null | undefined): string | undefined {
  return OLD_TYPES.get(id?.split('_')[0] ?? '');
}

/** `2030-04`. A card that its network renewed may keep its number, but then not this (stripe-facts 6.5). */
export function expiryOf(method: IdentifiableMethod | null | undefined): string | undefined {
  const { card } = method ?? {};
  return card ? `${card.exp_year}-${String(card.exp_month).padStart(2, '0')}` : undefined;
}
