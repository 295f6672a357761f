/** Handling of each type of event, one row each (stripe-facts 1.6, 1.7). Other types are recorded without effect. */
import type { EventObject } from './event-object.ts';
import type { PlanDeps, Step, SyncDeps } from './event-step.ts';
import { INVOICE, mirrorInvoice } from './mirror-invoice.ts';
import { mirrorSubscription, SUBSCRIPTION } from './mirror-subscription.ts';
import { APPLICATION, resumeAccount, stopRevokedAccount } from './note-account-access.ts';
import { forgetDeletedCustomer, stopDeletedCustomer } from './note-deleted-customer.ts';
import { DISPUTE, FRAUD_WARNING, noteFraud, stopDisputed } from './note-fraud.ts';
import { noteLoss, noteReturn } from './note-loss.ts';
import { MANDATE, noteMethod } from './note-lost-method.ts';
import { EVALUATION, noteSignal } from './note-signal.ts';
import { CUSTOMER, noticeCardChange, PAYMENT_METHOD } from './notice-card-change.ts';
import {
  CHARGE,
  INVOICE_PAYMENT,
  noteRefund,
  REFUND,
  recordCharges,
  recordPartPayment,
} from './record-charges.ts';
import { recordCustomerAction } from './record-customer-action.ts';
import { recordFailure } from './record-failure.ts';
import { takeOver } from './take-over.ts';

export interface Steps<Deps> {
  /** Done first, and for forgotten customers, too: it stores statuses and amounts, no personal data. */
  readonly ledger?: readonly Step<Deps>[];
  readonly steps?: readonly Step<Deps>[];
}

type EventRow = {
  readonly object: EventObject;
  /** Differences of its thin form (stripe-facts 1.10). */
  readonly thin?: ThinForm;
  /** Purpose, for the reference's table. */
  readonly why: string;
} & (
  | (Steps<PlanDeps> & { readonly isAlone?: never })
  /** Runs in a job of its own: it always calls Stripe, or decides about other events. */
  | (Steps<SyncDeps> & { readonly isAlone: true })
);

interface ThinForm {
  /** Not subscribed: it would cost a read at every renewal, and another event brings the same. */
  readonly isUnwanted?: true;
  /** Previous values are needed, which only the event contains. */
  readonly hasChanges?: true;
  /** A more specific type that makes previous values unnecessary. */
  readonly finer?: { readonly type: string; readonly before: object };
}

const METHOD_CHANGED = {
  type: 'v1.customer.subscription.default_payment_method_changed',
  before: { default_payment_method: null },
} as const;

export const EVENT_HANDLERS = {
  'customer.subscription.created': {
    object: SUBSCRIPTION,
    ledger: [mirrorSubscription],
    why: 'A new subscription is forwarded.',
  },
  'customer.subscription.updated': {
    object: SUBSCRIPTION,
    ledger: [mirrorSubscription],
    steps: [noticeCardChange],
    thin: { finer: METHOD_CHANGED },
    why: 'A change is forwarded; a new card on the subscription pays its open invoices.',
  },
  'customer.subscription.deleted': {
    object: SUBSCRIPTION,
    ledger: [mirrorSubscription],
    steps: [noteLoss],
    why: 'The cancellation is forwarded; retries of its invoices stop. If it was lost to an unpaid invoice, its customer gets an email.',
  },
  'customer.subscription.paused': {
    object: SUBSCRIPTION,
    ledger: [mirrorSubscription],
    steps: [noteLoss],
    why: 'The new status is forwarded. If it was lost to an unpaid invoice, its customer gets an email.',
  },
  'customer.subscription.resumed': {
    object: SUBSCRIPTION,
    ledger: [mirrorSubscription],
    why: 'The new status is forwarded.',
  },
  'invoice.finalized': {
    object: INVOICE,
    ledger: [mirrorInvoice],
    why: 'The invoice may be paid from now on.',
  },
  'invoice.updated': {
    object: INVOICE,
    ledger: [mirrorInvoice],
    why: "Carries Stripe's next attempt and the amount remaining.",
  },
  'invoice.payment_failed': {
    object: INVOICE,
    ledger: [mirrorInvoice],
    steps: [recordFailure, takeOver],
    isAlone: true,
    why: 'An attempt failed: it is counted and forwarded; in exclusive mode Stripe’s own retries end.',
  },
  'invoice.payment_action_required': {
    object: INVOICE,
    ledger: [mirrorInvoice],
    steps: [recordCharges, recordCustomerAction],
    isAlone: true,
    why: 'The customer must confirm. Comes together with the failure and counts once with it.',
  },
  'invoice.paid': {
    object: INVOICE,
    ledger: [mirrorInvoice],
    steps: [recordCharges, noteReturn],
    isAlone: true,
    why: 'Paid by any means: everything that was planned for it ends. A subscription lost to it goes on (AFTER_END).',
  },
  'invoice_payment.paid': {
    object: INVOICE_PAYMENT,
    steps: [recordPartPayment],
    thin: { isUnwanted: true },
    why: 'A part of the invoice was paid, maybe outside of Stripe: it counts as a payment immediately.',
  },
  'invoice.voided': {
    object: INVOICE,
    ledger: [mirrorInvoice],
    why: 'Nothing is owed any more: everything scheduled ends.',
  },
  'invoice.marked_uncollectible': {
    object: INVOICE,
    ledger: [mirrorInvoice],
    why: 'Given up: everything scheduled ends.',
  },
  'invoice.deleted': {
    object: INVOICE,
    ledger: [mirrorInvoice],
    why: 'Gone: everything scheduled ends.',
  },
  'customer.updated': {
    object: CUSTOMER,
    steps: [noticeCardChange],
    thin: { hasChanges: true },
    why: 'A new default card pays the open invoices.',
  },
  'customer.deleted': {
    object: CUSTOMER,
    ledger: [stopDeletedCustomer],
    steps: [forgetDeletedCustomer],
    why: 'Everything scheduled for the customer ends.',
  },
  'payment_method.automatically_updated': {
    object: PAYMENT_METHOD,
    steps: [noticeCardChange],
    why: 'The network renewed the card: it pays the open invoices.',
  },
  'mandate.updated': {
    object: MANDATE,
    steps: [noteMethod],
    why: 'A mandate ended: with CARD_EXPIRY_MAIL_DAYS its holder is asked before the next renewal fails.',
  },
  'payment_method.detached': {
    object: PAYMENT_METHOD,
    steps: [noteMethod],
    thin: { hasChanges: true },
    why: 'A customer took a payment method away: with CARD_EXPIRY_MAIL_DAYS they are asked for another before the next renewal fails.',
  },
  'charge.dispute.created': {
    object: DISPUTE,
    ledger: [stopDisputed, noteFraud],
    isAlone: true,
    why: 'A disputed invoice is not charged again; a card disputed for fraud is not charged for any.',
  },
  'charge.dispute.closed': {
    object: DISPUTE,
    ledger: [stopDisputed, noteFraud],
    isAlone: true,
    why: 'A dispute that you won lets its card be charged again; one that you lost is taken off what was recovered.',
  },
  'charge.refunded': {
    object: CHARGE,
    ledger: [noteRefund],
    isAlone: true,
    why: 'A refund is taken off what was recovered.',
  },
  'refund.failed': {
    object: REFUND,
    ledger: [noteRefund],
    isAlone: true,
    why: 'A refund that failed counts as recovered again.',
  },
  'radar.early_fraud_warning.created': {
    object: FRAUD_WARNING,
    ledger: [noteFraud],
    isAlone: true,
    why: 'A bank reports that a payment may be fraud: the card is not charged again.',
  },
  'account.application.authorized': {
    object: APPLICATION,
    steps: [resumeAccount],
    isAlone: true,
    why: 'A merchant connected, maybe again: what was missed is caught up with.',
  },
  'account.application.deauthorized': {
    object: APPLICATION,
    steps: [stopRevokedAccount],
    isAlone: true,
    why: 'A connected account revoked access: its work stops, its records stay.',
  },
} as const satisfies Record<string, EventRow>;

/** API v2 types without a snapshot; sent only to thin event destinations that request them. */
export const NATIVE_HANDLERS = {
  'v2.signals.payment_retry_evaluations.retry_recommended': {
    object: EVALUATION,
    steps: [noteSignal],
    isAlone: true,
    why: 'With RETRY_SIGNAL, a recommendation to retry becomes an instruction immediately, not within the hour.',
  },
} as const satisfies Record<string, EventRow>;

export const HANDLERS: ReadonlyMap<string, EventRow> = new Map<string, EventRow>(
  Object.entries({ ...EVENT_HANDLERS, ...NATIVE_HANDLERS }),
);

const SNAPSHOT_EVENTS: readonly [string, EventRow][] = Object.entries(EVENT_HANDLERS);
const SNAPSHOTS_OF_FINER: ReadonlyMap<string, string> = new Map(
  SNAPSHOT_EVENTS.flatMap(([type, { thin }]) => (thin?.finer ? [[thin.finer.type, type] as const] : [])),
);

/** The snapshot type of a thin event; of a snapshot its own type. */
export function handledTypeOf(type: string): string {
  return SNAPSHOTS_OF_FINER.get(type) ?? type.replace(/^v1\./, '');
}

export const rowOf = (type: string): EventRow | undefined => HANDLERS.get(handledTypeOf(type));

export const isHandled = (type: string): boolean => rowOf(type) !== undefined;

/** Types to subscribe an event destination to. */
export const THIN_TYPES: readonly string[] = SNAPSHOT_EVENTS.flatMap(([type, { thin }]) => [
  ...(thin?.isUnwanted ? [] : [`v1.${type}`]),
  ...(thin?.finer ? [thin.finer.type] : []),
]).sort();
