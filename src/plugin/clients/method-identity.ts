/** Identity of a card or bank account, on payment methods and charges alike. */

interface CardIdentity {
  readonly fingerprint?: string | null;
  readonly exp_month: number;
  readonly exp_year: number;
}

const ACCOUNTS = [
  'us_bank_account',
  'ach_debit',
  'sepa_debit',
  'bacs_debit',
  'acss_debit',
  'au_becs_debit',
] as const;

/** A payment method, or a charge's details of it. */
export type IdentifiableMethod = { readonly card?: CardIdentity | null } & {
  readonly [Type in (typeof ACCOUNTS)[number]]?: { readonly fingerprint?: string | null };
};

/** Identifies the card's number or the account, under any payment method. */
export function fingerprintOf(method: IdentifiableMethod | null | undefined): string | undefined {
  const account = ACCOUNTS.map((type) => method?.[type]).find((one) => one);
  return method?.card?.fingerprint ?? account?.fingerprint ?? undefined;
}

const OLD_TYPES = new Map([
  ['ba', 'bank_account'],
  ['card', 'card'],
]);

/** Whether the id is of a card, bank account or source from before payment methods. */
export function isOldSource(id: string): boolean {
  return /^(ba|card|src)_/.test(id);
}

/** The type of a card or bank account from before payment methods, by its id. */
export function typeOfId(id: string | null | undefined): string | undefined {
  return OLD_TYPES.get(id?.split('_')[0] ?? '');
}

/** `2030-04`. A card renewed by its network may keep its number, but not its expiry (stripe-facts 6.5). */
export function expiryOf(method: IdentifiableMethod | null | undefined): string | undefined {
  const { card } = method ?? {};
  return card ? `${card.exp_year}-${String(card.exp_month).padStart(2, '0')}` : undefined;
}
