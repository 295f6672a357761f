/** What begins like a formula is one to a spreadsheet, in either width; customers choose their own names. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
/** Also what separates cells where a comma is the decimal point. */
const SEPARATING = /[",;\t\r\n]/;

/** RFC 4180. */
export function toCsvCell(value: string | number | null): string {
  if (value === null || typeof value === 'number') return String(value ?? '');
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return SEPARATING.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
