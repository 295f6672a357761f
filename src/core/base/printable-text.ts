/** Control characters and lone surrogates: PostgreSQL refuses NUL and broken Unicode in stored JSON. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]+/gu;

/** Free text from Stripe made safe to store and send; undefined when nothing readable is left. */
export function printableText(text: string): string | undefined {
  const clean = text.replace(UNPRINTABLE, ' ').trim();
  return clean ? clean : undefined;
}

/** The beginning of a text, at most so many UTF-16 units long, without half a character at its end. */
export function cutText(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

export function isPrintable(text: string): boolean {
  return text.search(UNPRINTABLE) === -1;
}
