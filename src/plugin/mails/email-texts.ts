/** The words of the emails. In a text, `{amount}` and the like stand for what `EmailFacts` holds. */
import type { ClosingLine, EmailTemplate } from '../actions/action-kinds.ts';
import type { CardUpdatePages } from './page-texts.ts';

/** Which of the emails about one payment it is. */
export const EMAIL_STEPS = ['first', 'reminder', 'last'] as const;
export type EmailStep = (typeof EMAIL_STEPS)[number];

/** What happens if the payment stays open. `may_stop`: it is not known here, or a person decides. */
export type ConsequenceKind = 'cancel' | 'pause' | 'may_stop';

export interface EmailFacts {
  readonly merchant: string;
  readonly amount: string;
  /** Date and time at which the link stops working. */
  readonly until: string;
  /** The last digits of the card that failed, and of the one that was charged. */
  readonly failed: string;
  readonly charged: string;
  /** The last digits of the card that it is about. */
  readonly card: string;
}

/** What all emails of a language share, and the page their link leads to. */
export interface CommonTexts {
  /** Replaces every `{merchant}`, so it must fit there without inflection. */
  readonly unnamedMerchant: string;
  /** Contains `{name}`. */
  readonly greeting: string;
  readonly greetingWithoutName: string;
  readonly bareLink: string;
  /** Text of a page without an action. */
  readonly closePage: string;
  /** Texts of later emails. The subject contains `{subject}`, the first email's; the opening contains `{amount}`. */
  readonly steps: Readonly<
    Record<Exclude<EmailStep, 'first'>, { readonly subject: string; readonly lead: string }>
  >;
  /** Lines with `{plan}`, `{invoice}` and `{card}`, each left out where it is unknown. */
  readonly details: readonly string[];
  readonly closing: Readonly<Record<ClosingLine, string>>;
  /** `cancel` and `pause` with `{day}`. */
  readonly consequences: Readonly<Record<ConsequenceKind, string>>;
  /** Texts about several invoices. */
  readonly several: {
    /** Contains `{merchant}` and `{amount}`, the sum. */
    readonly opening: string;
    readonly pays: string;
    /** Consequences for several subscriptions. */
    readonly consequences: Readonly<Record<ConsequenceKind, string>>;
  };
  /** Texts about a lost subscription: the remaining debt, with `{amount}`, its effect, and the button that leads to the invoice. */
  readonly lost: {
    readonly owed: string;
    readonly resumes: string;
    readonly waived: string;
    readonly pay: string;
    readonly view: string;
  };
  /** Replacements of the texts about cards for customers who pay by another method, such as a bank account. */
  readonly otherMethod: {
    readonly subject: string;
    readonly heading: string;
    readonly ask: string;
    readonly button: string;
    readonly pays: string;
    readonly page: { readonly line: string; readonly note: string };
  };
}

/** The words of one email in one language. The reason of a decline has no place in them (stripe-facts 5.4). */
export interface EmailTexts {
  readonly subject: string;
  /** The line that mail readers show next to the subject. */
  readonly preview: string;
  readonly heading: string;
  readonly opening: readonly string[];
  readonly button: string;
}

export interface Translation {
  readonly direction: 'ltr' | 'rtl';
  readonly common: CommonTexts;
  readonly emails: Readonly<Record<EmailTemplate, EmailTexts>>;
  /** Shown next to the card, where the billing portal offers a pause. */
  readonly pauseOffer: { readonly line: string; readonly button: string };
  readonly pages: CardUpdatePages;
}

/** Puts values into a text's places, once: a value that looks like a place is left as it is. */
export function fillText(text: string, values: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? place) : place,
  );
}
