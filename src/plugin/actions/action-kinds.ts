/**
 * What can be done about an invoice, and the emails to customers: a row each, of which all is made that shows, counts, plans or
 * stops them. Who does it is in `plugin/retry/run/execute.ts`, the texts of the emails are in `plugin/mails/translations`.
 */
import type { AuditKind } from './audit-kinds.ts';

interface KindOfAction {
  /** Words for a sentence and for a step in a list. */
  readonly words: string;
  /** Words for a narrow column. */
  readonly label: string;
  /** The audit line of an action that is not done, or not yet. */
  readonly ended: AuditKind;
  readonly putOff: AuditKind;
  /** It is there to have the invoice paid, and is needless afterwards. */
  readonly collects?: boolean;
  /** It comes after a payment or an end, and stays planned where all that collects is stopped. */
  readonly follows?: boolean | undefined;
  readonly request?: Request | undefined;
}

/** A request of the retry service: its suggestion, its words, and the service's reading of the answer. */
interface Request {
  readonly suggestion: string;
  readonly does: string;
  readonly answer: string;
}

/** The small letters below the button. */
export type ClosingLine = 'link' | 'card' | 'method' | 'confirm' | 'settled' | 'help' | 'unwanted';

interface EmailKind extends Pick<KindOfAction, 'words' | 'collects' | 'follows' | 'request'> {
  /** The label of its action. An email without one is sent by the action of another email, which finds this one fits better. */
  readonly label?: string;
  /**
   * The email's content in the operator's words. One with a `request` asks for the outstanding amount, with reminders and
   * within their limits.
   */
  readonly says: string;
  /** An email before a renewal has no invoice yet, and nothing is outstanding. */
  readonly about: 'invoice' | 'renewal';
  /** Where its button leads. Stripe's page is that of one invoice, and tells nobody who opened it. */
  readonly page: 'ours' | 'stripe';
  readonly closing: readonly ClosingLine[];
}

const EMAIL_ROWS = {
  card_update: {
    words: 'email asking for another card',
    label: 'Email: new card',
    says: 'please update your card',
    about: 'invoice',
    page: 'ours',
    closing: ['link', 'card', 'settled'],
    request: {
      suggestion: 'ACTION_SUGGESTION_CARD_CHANGE',
      does: 'ask for another card',
      answer: 'Card update email scheduled',
    },
  },
  confirm_payment: {
    words: 'email asking to confirm',
    label: 'Email: confirm',
    says: 'please confirm your payment',
    about: 'invoice',
    page: 'stripe',
    closing: ['confirm', 'settled'],
    request: {
      suggestion: 'ACTION_SUGGESTION_CARD_CONFIRMATION',
      does: 'ask the customer to confirm',
      answer: 'Confirmation email scheduled',
    },
  },
  failure_notice: {
    words: 'first email about a failed payment',
    label: 'Email: payment failed',
    says: 'your payment failed, and we will try again',
    collects: true,
    about: 'invoice',
    page: 'ours',
    closing: ['link', 'settled'],
  },
  subscription_ended: {
    words: 'email about the end of a subscription',
    label: 'Email: subscription ended',
    says: 'your subscription has ended',
    follows: true,
    about: 'invoice',
    page: 'stripe',
    closing: ['help'],
  },
  subscription_paused: {
    words: 'email about a paused subscription',
    says: 'your subscription is paused',
    about: 'invoice',
    page: 'stripe',
    closing: ['help'],
  },
  backup_charged: {
    words: 'email that another card was charged',
    label: 'Email: other card charged',
    says: 'another card of yours was charged',
    follows: true,
    about: 'invoice',
    page: 'ours',
    closing: ['link', 'unwanted'],
  },
  paid_otherwise: {
    words: 'email that another card paid',
    says: 'thank you, and choose what is charged next time',
    about: 'invoice',
    page: 'ours',
    closing: ['link', 'help'],
  },
  expiring_card: {
    words: 'email before a renewal that would fail',
    label: 'Email: before a renewal',
    says: 'your card is about to expire',
    about: 'renewal',
    page: 'ours',
    closing: ['link', 'card', 'help'],
  },
  missing_method: {
    words: 'email before a renewal without a card',
    says: 'please add a payment method',
    about: 'renewal',
    page: 'ours',
    closing: ['link', 'method', 'help'],
  },
} as const satisfies Readonly<Record<string, EmailKind>>;

const OTHERS = {
  pay: {
    words: 'payment',
    label: 'Payment',
    collects: true,
    ended: 'guard.stopped',
    putOff: 'guard.postponed',
    request: { suggestion: 'ACTION_SUGGESTION_RETRY', does: 'retry', answer: 'Retry scheduled' },
  },
  keep_card: {
    words: 'card of the subscription',
    label: 'Keep the card',
    follows: true,
    ended: 'card.not_kept',
    putOff: 'card.postponed',
  },
  stripe_retries: {
    words: "change of Stripe's own retries",
    label: "Stripe's retries",
    follows: true,
    ended: 'stripe_retries.left',
    putOff: 'stripe_retries.left',
  },
  resume_subscription: {
    words: 'start of the ended subscription',
    label: 'Start again',
    follows: true,
    ended: 'subscription.not_resumed',
    putOff: 'subscription.not_resumed',
  },
  end_dunning: {
    words: 'end of dunning (AFTER_GIVING_UP)',
    label: 'End of dunning',
    collects: true,
    ended: 'dunning.not_ended',
    putOff: 'dunning.postponed',
  },
} as const satisfies Readonly<Record<string, KindOfAction>>;

export type EmailTemplate = keyof typeof EMAIL_ROWS;
type EmailWith<Trait> = {
  [Name in EmailTemplate]: (typeof EMAIL_ROWS)[Name] extends Trait ? Name : never;
}[EmailTemplate];
/** An email that asks for the outstanding amount. */
export type RequestTemplate = EmailWith<{ readonly request: Request }>;
/** An email about an open invoice: it belongs to the series of its address. */
export type SeriesTemplate = RequestTemplate | EmailWith<{ readonly collects: true }>;

type EmailAction<Template extends EmailWith<{ readonly label: string }>> = `${Template}_email`;
export type ActionKind = keyof typeof OTHERS | EmailAction<EmailWith<{ readonly label: string }>>;
/** An email about a subscription, before there is an invoice. */
export type RenewalKind = EmailAction<EmailWith<{ readonly label: string; readonly about: 'renewal' }>>;
/** What an instruction may lead to. */
export type InstructedKind = 'pay' | InstructedEmail;
export type InstructedEmail = EmailAction<RequestTemplate>;

export const EMAILS: Readonly<Record<EmailTemplate, EmailKind>> = EMAIL_ROWS;
const EMAIL_BY_NAME: ReadonlyMap<string, EmailKind> = new Map(Object.entries(EMAILS));
export const EMAIL_TEMPLATES: readonly EmailTemplate[] = namesOf(EMAIL_ROWS);
export const REQUESTS: readonly RequestTemplate[] = EMAIL_TEMPLATES.filter(isRequest);
/** Templates of emails about open invoices. Those to one address are one series. */
export const SERIES: readonly EmailTemplate[] = EMAIL_TEMPLATES.filter(
  (name) => EMAILS[name].collects || isRequest(name),
);
export const INSTRUCTED: readonly InstructedKind[] = ['pay', ...REQUESTS.map(requestKind)];

function namesOf<Rows extends object>(rows: Rows): (keyof Rows & string)[] {
  const names: (keyof Rows & string)[] = [];
  for (const name in rows) names.push(name);
  return names;
}

/** Undefined for a template unknown to this version, such as one from a newer process. */
export function emailKind(template: string): EmailKind | undefined {
  return EMAIL_BY_NAME.get(template);
}

export function isRequest(template: string): template is RequestTemplate {
  return emailKind(template)?.request !== undefined;
}

export function requestKind(template: RequestTemplate): EmailAction<RequestTemplate> {
  return `${template}_email`;
}

const KINDS: ReadonlyMap<string, KindOfAction> = new Map([
  ...Object.entries<KindOfAction>(OTHERS),
  ...Object.entries(EMAILS).flatMap(([template, { label, words, follows, request, collects }]) => {
    const audited = { ended: 'email.withheld', putOff: 'email.delayed' } as const;
    const row = { words, follows, request, collects: collects ?? request !== undefined, ...audited };
    return label === undefined ? [] : [[`${template}_email`, { ...row, label }] as const];
  }),
]);

/** One that this version does not know goes by its name. */
export function actionKind(kind: string): KindOfAction {
  const name = kind.replaceAll('_', ' ');
  return KINDS.get(kind) ?? { words: name, label: name, ended: 'guard.stopped', putOff: 'guard.postponed' };
}

export function describeAction(kind: string, as: 'words' | 'label' = 'words'): string {
  return actionKind(kind)[as];
}

/** Those with a trait. */
export function listKinds(trait: 'collects' | 'follows'): string[] {
  return [...KINDS].flatMap(([kind, row]) => (row[trait] ? [kind] : []));
}

/** What a suggestion of the service leads to. */
export function findInstructed(suggestion: string): InstructedKind | undefined {
  return INSTRUCTED.find((kind) => actionKind(kind).request?.suggestion === suggestion);
}

export function describeSuggestion(suggestion: string): string {
  const kind = findInstructed(suggestion);
  return (kind && actionKind(kind).request?.does) ?? suggestion;
}
