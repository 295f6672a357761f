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

/** The start of a day here; undefined for a text that is no date. */
export function startOfDay(date: string): string | undefined {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date);
  if (!parts) return undefined;
  const [year = 0, month = 1, day = 1] = parts.slice(1).map(Number);
  return new Date(year, month - 1, day, 9).toISOString();
}
