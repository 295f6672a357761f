export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Capitalizes a sentence, unless it starts with an id or an address. */
export function beginSentence(text: string): string {
  return /^[a-z]+([\s,]|:(?!\/))/.test(text) ? capitalize(text) : text;
}

export function uncapitalize(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
