/** Control characters and lone surrogates: PostgreSQL refuses NUL and broken Unicode in stored JSON. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]+/gu;

/** Free text from Stripe made safe to store and send; undefined when nothing readable is left. */
export function printableText(text: string | null | undefined): string | undefined {
  const clean = text?.replace(UNPRINTABLE, ' ').trim();
  return clean ? clean : undefined;
}

export function isPrintable(text: string): boolean {
  return text.search(UNPRINTABLE) === -1;
}
