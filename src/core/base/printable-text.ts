/** Control characters and lone surrogates: PostgreSQL refuses NUL and broken Unicode in stored JSON. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]+/gu;

/** Stripe's text made safe to store and send; undefined if nothing readable is left. */
export function printableText(text: string): string | undefined {
  const clean = text.replace(UNPRINTABLE, ' ').trim();
  return clean ? clean : undefined;
}

/** Another system's answer without markup: an HTML page's title, else its words. */
export function answerText(text: string): string {
  if (!/<(?:!doctype|html|head|body|title|h1|p|div)\b/i.test(text)) return printableText(text) ?? '';
  const [, title] = /<title[^<>]*>([^<]+)/i.exec(text) ?? [];
  const words = text.replace(/<(script|style)\b.*?(?:<\/\1>|$)/gis, ' ').replace(/<[^>]*(?:>|$)/g, ' ');
  return printableText((title ?? words).replace(/&#?\w+;|\s+/g, ' ').replace(/ +/g, ' ')) ?? '';
}

/** The first `most` UTF-16 units of a text, without half a character. */
export function cutText(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

export function isPrintable(text: string): boolean {
  return text.search(UNPRINTABLE) === -1;
}
