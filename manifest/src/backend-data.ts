/** What the backend answers. Times are ISO 8601 in UTC, money is in the currency's smallest unit. */

export type RecoveryState =
  | 'paid'
  | 'over'
  | 'paused'
  | 'stopped'
  | 'needs_decision'
  | 'planned'
  | 'stripe_retries'
  | 'waiting';

export interface NextStep {
  readonly what: string;
  readonly at: string;
  readonly why: string | null;
}

export interface TimelineEntry {
  readonly at: string;
  readonly what: string;
  readonly text: string;
}

/** In the console's words. */
export interface Standing {
  readonly label: string;
  readonly tone: string;
}

/** Why an invoice needs a person, and what helps: an operation of this title, or something in Stripe. */
export interface Need {
  readonly words: string;
  readonly advice: string;
  readonly title: string;
  readonly inStripe: 'invoices' | 'customers' | null;
}

/** Something that a person can do with an invoice. */
export interface Operation {
  readonly request: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** What opens it, and what does it. */
  readonly title: string;
  readonly button: string;
  readonly isDangerous: boolean;
  readonly asksUntil: boolean;
  /** What it would do now, or why it would not be done. */
  readonly will: string | null;
  readonly refusal: string | null;
}

export interface KnownInvoice {
  readonly id: string;
  readonly isKnown: true;
  /** What is owed, or what came back. */
  readonly amount: number;
  readonly currency: string;
  /** By name or address, where one is known. */
  readonly customer: string | null;
  readonly state: RecoveryState;
  /** Null where no failed payment is known, and during a pause. */
  readonly standing: Standing | null;
  readonly need: Need | null;
  readonly next: readonly NextStep[];
  readonly stripeTriesAt: string | null;
  readonly obstacles: readonly string[];
  readonly timeline: readonly TimelineEntry[];
  readonly mayOperate: boolean;
  /** What helps comes first. */
  readonly operations: readonly Operation[];
}

export type InvoiceAnswer = KnownInvoice | { readonly id: string; readonly isKnown: false };

export interface Case {
  readonly invoiceId: string;
  readonly standing: Standing;
  /** Why it needs a person, if it does. */
  readonly why: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly failedAt: string;
  readonly attempts: number;
  readonly next: string | null;
  readonly nextAt: string | null;
}

export interface SubscriptionAnswer {
  readonly cases: readonly Case[];
}

export interface CardHealth {
  readonly brand: string | null;
  readonly last4: string | null;
  readonly lastAt: string;
  readonly attempts: number;
  readonly health: string;
  readonly reason: string | null;
}

export interface CustomerAnswer extends SubscriptionAnswer {
  readonly mails: readonly {
    readonly invoiceId: string;
    readonly what: string;
    readonly state: string;
    readonly createdAt: string;
  }[];
  readonly cards: readonly CardHealth[];
  readonly cardDays: number;
}

export interface Money {
  readonly currency: string;
  readonly atRiskInvoices: number;
  readonly atRiskAmount: number;
  readonly recoveredInvoices: number;
  readonly recoveredAmount: number;
  /** Before refunds and lost disputes. */
  readonly recoveredGross: number;
  /** Recovered payments in an open dispute, and their amount in dispute: `recoveredAmount` includes it. */
  readonly disputes: number;
  readonly disputed: number;
  readonly dueInvoices: number;
  readonly dueAmount: number;
}

/** An invoice that needs a person. */
export interface Attention {
  readonly invoiceId: string;
  readonly customerId: string | null;
  /** By name or address, where one is known. */
  readonly customer: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly why: string;
  /** An email asked for it so recently that an answer is awaited first. */
  readonly waitUntil: string | null;
}

export interface SumsAnswer {
  readonly money: readonly Money[];
  readonly recoveredDays: number;
  readonly dueDays: number;
  readonly pausedSince: string | null;
}

export interface OverviewAnswer extends SumsAnswer {
  readonly attention: readonly Attention[];
}

export interface WorkListAnswer extends SumsAnswer {
  readonly mayOperate: boolean;
  readonly causes: readonly Cause[];
}

/** Invoices that need a person for one reason; of many, the latest failures. */
export interface Cause extends Need {
  readonly code: string;
  readonly count: number;
  readonly money: readonly { readonly currency: string; readonly amount: number }[];
  readonly invoices: readonly Attention[];
}

export interface SettingsAnswer {
  readonly accountId: string;
  readonly isOwnAccount: boolean;
  readonly server: string;
  readonly service: string;
  readonly mode: string;
  readonly hasMail: boolean;
  readonly mailWindow: { readonly fromMinute: number; readonly toMinute: number; readonly timeZone: string };
  readonly pause: { readonly since: string; readonly why: string; readonly isForAll: boolean } | null;
  readonly mayConfigure: boolean;
  /** Null for the account whose key the server has: the server's settings are its own. */
  readonly own: OwnSettings | null;
}

/** What a connected account has set for itself; what is secret stays on the server. */
export interface OwnSettings {
  readonly businessEntity: string | null;
  readonly credentials: 'none' | 'set' | 'unreadable';
  readonly savedAt: string | null;
  readonly takesCredentials: boolean;
  /** Where the account's service calls back. */
  readonly callbackUrl: string;
}

export interface Check {
  readonly code: string;
  readonly state: 'ok' | 'waiting' | 'warning' | 'problem' | 'unknown' | 'look';
  readonly title: string;
  /** What was seen. */
  readonly detail: string;
  /** What to do about it, if anything. */
  readonly remedy?: string;
}

export interface OnboardingAnswer {
  readonly checks: readonly Check[];
}

export interface ChangeAnswer {
  readonly outcome: 'changed' | 'unchanged' | 'refused' | 'not_found';
  /** What it came to, for the person who asked. */
  readonly text: string;
}
