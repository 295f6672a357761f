/** The card or account that a payment was tried with, as its owner knows it. */
export interface PaidWith {
  /** As Stripe writes a card's brand, or the name of a bank. */
  readonly brand: string | undefined;
  /** Of an account with a wallet there are none. */
  readonly last4: string | undefined;
  readonly isCard?: boolean;
}

const BRANDS: ReadonlyMap<string, string> = new Map([
  ['visa', 'Visa'],
  ['mastercard', 'Mastercard'],
  ['amex', 'American Express'],
  ['discover', 'Discover'],
  ['diners', 'Diners Club'],
  ['jcb', 'JCB'],
  ['unionpay', 'UnionPay'],
  ['eftpos_au', 'eftpos'],
  ['cartes_bancaires', 'Cartes Bancaires'],
]);

export function brandName(brand: string): string {
  return BRANDS.get(brand) ?? brand;
}

/** What was charged where its last digits are not known. */
export function methodName(brand: string | null, methodType: string | null): string | undefined {
  const code = brand ?? methodType;
  return code === null ? undefined : brandName(code).replaceAll('_', ' ');
}

/** `Visa •••• 4242`, the same in every language. */
export function formatCard({ brand, last4 }: PaidWith): string {
  const name = brand === undefined || brand === 'unknown' ? undefined : brandName(brand);
  const digits = last4 === undefined ? [] : ['••••', last4];
  return [...(name === undefined ? [] : [name]), ...digits].join('\u00a0');
}
