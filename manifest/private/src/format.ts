/** Money and times as the person at the Dashboard writes them. */

/** Digits of Stripe's amounts where they are not two: https://docs.stripe.com/currencies. */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'
    .split(' ')
    .map((code): [string, number] => [code, 0]),
  ...'BHD JOD KWD OMR TND'.split(' ').map((code): [string, number] => [code, 3]),
]);
/** Counted in hundredths by Stripe, written without them. */
const WITHOUT_MINOR_UNIT: ReadonlySet<string> = new Set(['ISK', 'UGX']);

export function formatMoney(locale: string, amount: number, currency: string): string {
  const code = currency.toUpperCase();
  const digits = DIGITS.get(code) ?? 2;
  const value = amount / 10 ** digits;
  const shown = WITHOUT_MINOR_UNIT.has(code) && Number.isInteger(value) ? 0 : digits;
  const fraction = { minimumFractionDigits: shown, maximumFractionDigits: shown };
  return new Intl.NumberFormat(locale, { style: 'currency', currency: code, ...fraction }).format(value);
}

export const zoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `Jan 3, 2021, 9:00 AM` for Americans. */
export function formatMoment(locale: string, iso: string, timeZone = zoneHere()): string {
  const options = { dateStyle: 'medium', timeStyle: 'short', timeZone } as const;
  return new Intl.DateTimeFormat(locale, options).format(new Date(iso));
}

/** Minutes of a day as a time on the clock. */
export function formatMinute(locale: string, minute: number): string {
  const at = new Date(Date.UTC(2021, 0, 3, 0, minute));
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' }).format(at);
}

/** `2026-03` as `March 2026`. */
export function formatMonth(locale: string, month: string): string {
  const options = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(locale, options).format(new Date(`${month}-01T00:00:00Z`));
}

/** Nine in the morning here, so many days from now. */
export function inDays(days: number, now = new Date()): string {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9).toISOString();
}
