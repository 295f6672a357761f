/** Line breaks would add headers to an email; the others turn the direction of the text that follows. */
const UNWANTED = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]+/gu;
const MAX_LENGTH = 80;

/** A name that somebody typed, as one line of bounded length; undefined when nothing is left of it. */
export function cleanName(name: string | undefined): string | undefined {
  const clean = name?.slice(0, 1000).replace(UNWANTED, ' ').replace(/\s+/g, ' ').trim();
  return clean ? shorten(clean) : undefined;
}

/** A scheme, an address of email, or a dot with letters after it, also of the kinds that browsers take for one. */
const ADDRESS = /:\/\/|@|[.\u3002\uff0e\uff61]\p{L}{2}/u;

/** A customer's name for the greeting; undefined for one that mail readers would make a link of: anybody can type it. */
export function greetedName(name: string | undefined): string | undefined {
  const clean = cleanName(name);
  return clean !== undefined && ADDRESS.test(clean.replace(/\p{Cf}/gu, '')) ? undefined : clean;
}

/** Cuts between characters as a reader sees them, so that no emoji or accent is torn apart. */
function shorten(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const characters = Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment);
  let kept = '';
  for (const character of characters) {
    if (kept.length + character.length >= MAX_LENGTH) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Isolates a name of the other writing direction in plain text, so that its neighbours keep their order. */
export function isolateName(name: string, direction: 'ltr' | 'rtl'): string {
  const isOther = RIGHT_TO_LEFT.test(name) === (direction === 'ltr');
  return isOther ? `\u2068${name}\u2069` : name;
}
