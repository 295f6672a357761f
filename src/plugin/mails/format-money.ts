import { STRIPE_HUNDREDTHS } from '../../core/contract/iso-amounts.ts';

/** Digits after the point in Stripe's integer amounts, where they are not two (stripe-facts 2.4). */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'
    .split(' ')
    .map((currency) => [currency, 0] as const),
  ...'BHD JOD KWD OMR TND'.split(' ').map((currency) => [currency, 3] as const),
]);

/** Digits after the point, as Stripe counts the currency. */
export function minorDigits(currency: string): number {
  return DIGITS.get(currency.toUpperCase()) ?? 2;
}

/**
 * An amount in minor units as a reader of `locale` writes it, such as `€9.99`. The place of the point comes
 * from the table and not from `Intl`, which has other digits for some currencies (stripe-facts 2.4).
 */
export function formatMoney(amount: number, currency: string, locale: string): string {
  const code = currency.toUpperCase();
  const digits = minorDigits(code);
  const value = amount / 10 ** digits;
  // Hundredths that nobody uses are shown only if there are any.
  const shown = STRIPE_HUNDREDTHS.has(code) && Number.isInteger(value) ? 0 : digits;
  const fraction = { minimumFractionDigits: shown, maximumFractionDigits: shown };
  // `Intl` throws on anything but three letters; such a text is not worth repeating to a customer.
  if (!/^[A-Z]{3}$/.test(code)) return new Intl.NumberFormat(locale, fraction).format(value);
  // `Intl` takes plain Portuguese for Brazil's.
  const region = locale === 'pt' ? 'pt-PT' : locale;
  const name = `${region} ${code} ${shown}`;
  const format =
    FORMATS.get(name) ?? new Intl.NumberFormat(region, { style: 'currency', currency: code, ...fraction });
  if (FORMATS.size >= MOST_FORMATS) FORMATS.clear();
  FORMATS.set(name, format);
  return format.format(value);
}

/** Cached: creating a format takes longer than using it a hundred times. Limited, since browsers may name any locale. */
const FORMATS = new Map<string, Intl.NumberFormat>();
const MOST_FORMATS = 200;
