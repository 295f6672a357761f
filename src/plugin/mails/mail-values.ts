/** What an email can say of its customer and payment, in words: the places of a merchant's own emails. */

export const MAIL_VALUES = [
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
export type MailValueName = (typeof MAIL_VALUES)[number];

export type MailValues = { readonly link: string } & {
  readonly [Name in MailValueName]: string | undefined;
};

export function isMailValue(name: string): name is MailValueName {
  return (MAIL_VALUES as readonly string[]).includes(name);
}

/** Safe in HTML, also within an attribute of either quotes. */
export function escapeValue(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
