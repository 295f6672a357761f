/** What an email can say of its customer and payment, in words: the places of a merchant's own emails. */

export const EMAIL_VALUES = [
  'link',
  'until',
  'merchant',
  'name',
  'amount',
  'plan',
  'invoice',
  'card',
  'failed',
  'charged',
  'consequence',
] as const;
export type EmailValueName = (typeof EMAIL_VALUES)[number];

export type EmailValues = { readonly link: string } & {
  readonly [Name in EmailValueName]: string | undefined;
};

export function isEmailValue(name: string): name is EmailValueName {
  return (EMAIL_VALUES as readonly string[]).includes(name);
}

/** Safe in HTML, also within an attribute of either quotes. */
export function escapeValue(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
