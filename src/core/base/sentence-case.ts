/** Words as a sentence or a label begins with them. Pure. */

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** With a capital letter, unless an id or an address stands first. */
export function beginSentence(text: string): string {
  return /^[a-z]+([\s,]|:(?!\/))/.test(text) ? capitalize(text) : text;
}

export function uncapitalize(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
