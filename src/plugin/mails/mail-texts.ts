/** The words of the mails. In a text, `{amount}` and the like stand for what `MailFacts` holds. */
import type { ClosingLine, EmailTemplate } from '../actions/action-kinds.ts';
import type { CardUpdatePages } from './page-texts.ts';

/** Which of the mails about one payment it is. */
export const MAIL_STEPS = ['first', 'reminder', 'last'] as const;
export type MailStep = (typeof MAIL_STEPS)[number];

/** What happens if the payment stays open. `may_stop`: it is not known here, or a person decides. */
export type ConsequenceKind = 'cancel' | 'pause' | 'may_stop';

export interface MailFacts {
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

/** What all mails of a language share, and the page their link leads to. */
export interface CommonTexts {
  /** Stands in every place of `{merchant}`, so it must need no other form there. */
  readonly unnamedMerchant: string;
  /** With `{name}`. */
  readonly greeting: string;
  readonly greetingWithoutName: string;
  readonly bareLink: string;
  /** On a page that leaves nothing to do. */
  readonly closePage: string;
  /** Of a mail that is not the first. The subject with `{subject}`, which is that of the first, the other with `{amount}`. */
  readonly steps: Readonly<
    Record<Exclude<MailStep, 'first'>, { readonly subject: string; readonly lead: string }>
  >;
  /** With `{plan}`, `{invoice}` and `{card}`, each a line of its own, left out where it is not known. */
  readonly details: readonly string[];
  readonly closing: Readonly<Record<ClosingLine, string>>;
  /** `cancel` and `pause` with `{day}`. */
  readonly consequences: Readonly<Record<ConsequenceKind, string>>;
  /** Of a mail about several invoices. */
  readonly several: {
    /** With `{merchant}` and `{amount}`, which is the sum. */
    readonly opening: string;
    readonly pays: string;
    /** Of several subscriptions. */
    readonly consequences: Readonly<Record<ConsequenceKind, string>>;
  };
  /** Of a subscription that was lost: what is still owed, with `{amount}`, and what the button says where it leads to the invoice. */
  readonly lost: {
    readonly owed: string;
    readonly waived: string;
    readonly pay: string;
    readonly view: string;
  };
  /** To who does not pay by card, such as with a bank account, in place of what a text says of cards. */
  readonly otherMethod: {
    readonly subject: string;
    readonly heading: string;
    readonly ask: string;
    readonly button: string;
    readonly pays: string;
    readonly page: { readonly line: string; readonly note: string };
  };
}

/** The words of one mail in one language. The reason of a decline has no place in them (stripe-facts 5.4). */
export interface MailTexts {
  readonly subject: string;
  /** The line that mail readers show beside the subject. */
  readonly preview: string;
  readonly heading: string;
  readonly opening: readonly string[];
  readonly button: string;
}

export interface Translation {
  readonly direction: 'ltr' | 'rtl';
  readonly common: CommonTexts;
  readonly mails: Readonly<Record<EmailTemplate, MailTexts>>;
  /** Beside the card, where it is offered (OFFER_PAUSE). */
  readonly pauseOffer: { readonly line: string; readonly button: string };
  readonly pages: CardUpdatePages;
}

/** Puts values into a text's places, once: a value that looks like a place is left as it is. */
export function fillText(text: string, values: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? place) : place,
  );
}
