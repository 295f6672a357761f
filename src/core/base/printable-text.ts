/** Control characters and lone surrogates: PostgreSQL refuses NUL and broken Unicode in stored JSON. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]+/gu;

/** Stripe's text made safe to store and send; undefined if nothing readable is left. */
export function printableText(text: string): string | undefined {
  const clean = text.replace(UNPRINTABLE, ' ').trim();
  return clean ? clean : undefined;
}

/** The first `most` UTF-16 units of a text, without half a character. */
export function cutText(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

export function isPrintable(text: string): boolean {
  return text.search(UNPRINTABLE) === -1;
}
