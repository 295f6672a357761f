/**
 * The answers that the views of the Stripe App get. `npm run app:manifest` writes the same types for the views.
 * Times are ISO 8601 in UTC, amounts in the currency's smallest unit.
 */

/** A label and its colour, as in the console's lists. */
export interface Standing {
  readonly label: string;
  readonly tone: 'good' | 'warn' | 'bad' | 'info' | 'soft';
}

/** Why an invoice needs attention, and the next step: an operation of this title, or something in Stripe. */
export interface ShownNeed {
  readonly words: string;
  readonly advice: string;
  readonly title: string;
  readonly inStripe: 'invoices' | 'customers' | null;
}

/** An operation that a person can carry out on an invoice. */
export interface OfferedOperation {
  /** The request that carries it out, with these parameters and the invoice. */
  readonly request: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The labels that open and confirm it. */
  readonly title: string;
  readonly button: string;
  readonly isDangerous: boolean;
  readonly asksUntil: boolean;
  /** The effect it would have now, or the reason why it would be refused. */
  readonly will: string | null;
  readonly refusal: string | null;
}

/** A line of an invoice's status: the next step, or an obstacle. */
export interface StatusLine {
  readonly about: string;
  readonly text: string;
}

export interface KnownInvoice {
  readonly id: string;
  readonly isKnown: true;
  /** The remaining or recovered amount. */
  readonly amount: number;
  readonly currency: string;
  /** The name or address, where one is known. */
  readonly customer: string | null;
  /** Null where no failed payment is known. */
  readonly standing: Standing | null;
  readonly need: ShownNeed | null;
  readonly status: readonly StatusLine[];
  /** Newest first. */
  readonly timeline: readonly { readonly at: string; readonly text: string }[];
  readonly mayOperate: boolean;
  /** The most helpful comes first. */
  readonly operations: readonly OfferedOperation[];
}

export type InvoiceAnswer = KnownInvoice | { readonly id: string; readonly isKnown: false };

export interface Sum {
  readonly invoices: number;
  readonly amount: number;
}

export interface CurrencySum extends Sum {
  readonly currency: string;
}

export interface UnpaidInvoice {
  readonly invoice: string;
  readonly plan: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly failedAt: string;
  readonly attempts: number;
  readonly next: { readonly what: string; readonly at: string } | null;
}

export interface ShownCard {
  readonly brand: string | null;
  readonly last4: string | null;
  readonly lastAt: string;
  readonly attempts: number;
  /** `good`, `unknown`, or the class of its decline. */
  readonly health: string;
  readonly reason: string | null;
}

export interface CustomerAnswer {
  readonly isKnown: boolean;
  /** Where they stand, in the console's words. */
  readonly standing: string | null;
  /** Whether the customer may use the product, until when. */
  readonly access: string | null;
  /** A warning for members of the control group. */
  readonly controlGroup: string | null;
  readonly isPaused: boolean;
  readonly invoices: readonly UnpaidInvoice[];
  readonly emails: readonly { readonly what: string; readonly state: string; readonly createdAt: string }[];
  readonly cards: readonly ShownCard[];
  /** The days that the cards' attempts are counted over. */
  readonly cardDays: number;
}

/** The invoices of which a payment first failed in a month, by outcome: they add up to the failed ones. */
export interface MonthSum {
  readonly currency: string;
  readonly failed: Sum;
  /** Net of refunds and lost disputes. */
  readonly recovered: Sum;
  readonly inRecovery: Sum;
  readonly lost: Sum;
}

export interface AttentionInvoice {
  readonly invoiceId: string;
  readonly customerId: string | null;
  readonly customer: string | null;
  readonly amount: number;
  readonly currency: string;
  /** The time until which an answer to an email is awaited. */
  readonly waitUntil: string | null;
}

/** Invoices that need attention for one reason; of many, the latest failures. */
export interface Cause extends ShownNeed {
  readonly code: string;
  readonly count: number;
  readonly money: readonly { readonly currency: string; readonly amount: number }[];
  readonly invoices: readonly AttentionInvoice[];
}

export interface WorkAnswer {
  readonly pausedSince: string | null;
  /** This month and the one before, as `2026-03`; in the account's time zone. */
  readonly months: readonly { readonly month: string; readonly sums: readonly MonthSum[] }[];
  readonly timeZone: string;
  /** All unpaid invoices, all time. */
  readonly unpaid: readonly CurrencySum[];
  readonly mayOperate: boolean;
  readonly causes: readonly Cause[];
}

export interface SettingsAnswer {
  readonly accountId: string;
  readonly server: string;
  readonly service: string;
  readonly mode: string;
  readonly hasEmail: boolean;
  readonly emailWindow: { readonly fromMinute: number; readonly toMinute: number; readonly timeZone: string };
  readonly pause: { readonly since: string; readonly reason: string; readonly isForAll: boolean } | null;
  readonly mayConfigure: boolean;
  /** Null for the account whose key the server has: the server's settings are its own. */
  readonly own: OwnSettings | null;
}

/** The settings of a connected account; secrets stay on the server. */
export interface OwnSettings {
  readonly businessEntity: string | null;
  readonly credentials: 'none' | 'set' | 'unreadable';
  readonly savedAt: string | null;
  readonly takesCredentials: boolean;
  /** The address that the account's service calls back. */
  readonly callbackUrl: string;
}

export interface ShownCheck {
  readonly code: string;
  readonly state: 'ok' | 'waiting' | 'warning' | 'problem' | 'unknown' | 'look';
  readonly title: string;
  readonly detail: string;
  readonly remedy: string | null;
}

export interface OnboardingAnswer {
  readonly checks: readonly ShownCheck[];
}

export interface ChangeAnswer {
  readonly outcome: 'changed' | 'unchanged' | 'refused' | 'not_found';
  readonly code: string;
  /** The result, for the person who asked. */
  readonly text: string;
}
