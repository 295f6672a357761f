/** What is done about each type of event (stripe-facts 1.6, 1.7). Others are recorded and left alone. */

import type { EventStep } from './event-step.ts';
import { forgetDeletedCustomer } from './forget-deleted-customer.ts';
import { mirrorInvoice } from './mirror-invoice.ts';
import { mirrorSubscription } from './mirror-subscription.ts';
import { resumeAccount, stopRevokedAccount } from './note-account-access.ts';
import { noteFraud } from './note-fraud.ts';
import { noteMethod } from './note-lost-method.ts';
import { noteRefund } from './note-refund.ts';
import { noteSignal } from './note-signal.ts';
import { noticeCardChange } from './notice-card-change.ts';
import { recordCharges, recordPartPayment } from './record-charges.ts';
import { recordCustomerAction } from './record-customer-action.ts';
import { recordFailure } from './record-failure.ts';
import { stopDeletedCustomer, stopDisputed } from './stop-collecting.ts';
import { takeOver } from './take-over.ts';

interface HandledEvent {
  readonly steps: readonly EventStep[];
  /** Why we listen, for the reference's table. */
  readonly why: string;
}

export const EVENT_HANDLERS = {
  'customer.subscription.created': { steps: [mirrorSubscription], why: 'A new subscription is forwarded.' },
  'customer.subscription.updated': {
    steps: [mirrorSubscription, noticeCardChange],
    why: 'A change is forwarded; a new card on the subscription pays its open invoices.',
  },
  'customer.subscription.deleted': {
    steps: [mirrorSubscription],
    why: 'The cancellation is forwarded; retries of its invoices stop.',
  },
  'customer.subscription.paused': { steps: [mirrorSubscription], why: 'The new status is forwarded.' },
  'customer.subscription.resumed': { steps: [mirrorSubscription], why: 'The new status is forwarded.' },
  'invoice.finalized': { steps: [mirrorInvoice], why: 'The invoice may be paid from now on.' },
  'invoice.updated': {
    steps: [mirrorInvoice],
    why: "Carries Stripe's next attempt and the amount remaining.",
  },
  'invoice.payment_failed': {
    steps: [mirrorInvoice, recordFailure, takeOver],
    why: 'An attempt failed: it is counted and forwarded; in exclusive mode Stripe’s own retries end.',
  },
  'invoice.payment_action_required': {
    steps: [mirrorInvoice, recordCharges, recordCustomerAction],
    why: 'The customer must confirm. Comes beside the failure and counts once with it.',
  },
  'invoice.paid': {
    steps: [mirrorInvoice, recordCharges],
    why: 'Paid, by whatever means: everything that was planned for it ends.',
  },
  'invoice_payment.paid': {
    steps: [recordPartPayment],
    why: 'A part of the invoice was paid, maybe outside of Stripe: it counts as a payment at once.',
  },
  'invoice.voided': { steps: [mirrorInvoice], why: 'Nothing is owed any more: everything scheduled ends.' },
  'invoice.marked_uncollectible': { steps: [mirrorInvoice], why: 'Given up: everything scheduled ends.' },
  'invoice.deleted': { steps: [mirrorInvoice], why: 'Gone: everything scheduled ends.' },
  'customer.updated': { steps: [noticeCardChange], why: 'A new default card pays the open invoices.' },
  'customer.deleted': {
    steps: [stopDeletedCustomer, forgetDeletedCustomer],
    why: 'Everything scheduled for the customer ends.',
  },
  'payment_method.automatically_updated': {
    steps: [noticeCardChange],
    why: 'The network renewed the card: it pays the open invoices.',
  },
  'mandate.updated': {
    steps: [noteMethod],
    why: 'A mandate ended: with CARD_EXPIRY_MAIL_DAYS its holder is asked before the next renewal fails.',
  },
  'payment_method.detached': {
    steps: [noteMethod],
    why: 'A customer took a payment method away: with CARD_EXPIRY_MAIL_DAYS they are asked for another before the next renewal fails.',
  },
  'charge.dispute.created': {
    steps: [stopDisputed, noteFraud],
    why: 'A disputed invoice is not charged again; a card disputed for fraud is not charged for any.',
  },
  'charge.dispute.closed': {
    steps: [stopDisputed, noteFraud],
    why: 'A dispute that you won lets its card be charged again; one that you lost is taken off what was recovered.',
  },
  'charge.refunded': { steps: [noteRefund], why: 'A refund is taken off what was recovered.' },
  'refund.failed': { steps: [noteRefund], why: 'A refund that failed counts as recovered again.' },
  'radar.early_fraud_warning.created': {
    steps: [noteFraud],
    why: 'A bank reports that a payment may be fraud: the card is not charged again.',
  },
  'account.application.authorized': {
    steps: [resumeAccount],
    why: 'A merchant connected, maybe again: what was missed is caught up with.',
  },
  'account.application.deauthorized': {
    steps: [stopRevokedAccount],
    why: 'A connected account revoked access: its work stops, its records stay.',
  },
} as const satisfies Record<string, HandledEvent>;

/** Of API v2, which have no snapshot; only a thin event destination sends them, and only to who asks for them. */
export const NATIVE_HANDLERS = {
  'v2.signals.payment_retry_evaluations.retry_recommended': {
    steps: [noteSignal],
    why: 'With RETRY_SIGNAL, a recommendation to retry becomes an instruction at once, not within the hour.',
  },
} as const satisfies Record<string, HandledEvent>;

export const HANDLERS: ReadonlyMap<string, HandledEvent> = new Map<string, HandledEvent>(
  Object.entries({ ...EVENT_HANDLERS, ...NATIVE_HANDLERS }),
);

/** Done for a customer who is forgotten, too: they keep statuses and amounts, and know nothing of the person. */
export const LEDGER_STEPS: ReadonlySet<EventStep> = new Set([
  mirrorSubscription,
  mirrorInvoice,
  stopDisputed,
  stopDeletedCustomer,
  noteFraud,
  noteRefund,
]);

/** Whether the object, as it is now, is all that the steps of a type need; true of what nothing is done about. */
export function isSettledByState(type: string): boolean {
  return HANDLERS.get(handledTypeOf(type))?.steps.every((step) => BY_STATE.has(step)) ?? true;
}

const BY_STATE: ReadonlySet<EventStep> = new Set([
  mirrorSubscription,
  mirrorInvoice,
  noticeCardChange,
  takeOver,
]);

/** The one finer name (stripe-facts 1.10) that spares a look at what was before. */
export const METHOD_CHANGED = 'v1.customer.subscription.default_payment_method_changed';

/** Of a thin event the type of the snapshot beside it; of a snapshot its own. */
export function handledTypeOf(type: string): string {
  return type === METHOD_CHANGED ? 'customer.subscription.updated' : type.replace(/^v1\./, '');
}

export const isHandled = (type: string): boolean => HANDLERS.has(handledTypeOf(type));

/** Comes with every renewal; as a thin event it would cost a read each time, and `invoice.paid` tells the same in the end. */
const SNAPSHOTS_ALONE: ReadonlySet<string> = new Set(['invoice_payment.paid']);

/** As event destinations name what is handled. */
export const THIN_TYPES: readonly string[] = [
  ...Object.keys(EVENT_HANDLERS).flatMap((type) => (SNAPSHOTS_ALONE.has(type) ? [] : [`v1.${type}`])),
  METHOD_CHANGED,
].sort();
