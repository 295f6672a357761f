/** The card or account that a payment was tried with, as its owner knows it. */
export interface PaidWith {
  /** The card's brand in Stripe's spelling, or the name of a bank. */
  readonly brand: string | undefined;
  /** Absent for an account with a wallet. */
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

/** The method's name, used where its last digits are unknown. */
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
