/** What is done about each type of event (stripe-facts 1.6, 1.7). Others are recorded and left alone. */

import { ownerIdsOf } from '../../clients/customer-reference.ts';
import { idOf } from '../../clients/stripe-client.ts';
import { recordAudit } from '../../store/tables/audit.ts';
import { recordForgotten, toForgetJob } from '../../store/tables/forgotten.ts';
import { adoptEvaluation } from '../../store/tables/retry/signals.ts';
import { closeScheduledActions } from '../../store/tables/retry/stop-actions.ts';
import { recordRefund } from '../../store/tables/sync/charge-records.ts';
import { recordDispute } from '../../store/tables/sync/disputes.ts';
import { listInvoiceIdsOfCustomer } from '../../store/tables/sync/invoices.ts';
import type { EventStep } from './event-step.ts';
import { mirrorInvoice } from './mirror-invoice.ts';
import { mirrorSubscription } from './mirror-subscription.ts';
import { resumeAccount, stopRevokedAccount } from './note-account-access.ts';
import { noteFraud } from './note-fraud.ts';
import { noteLoss } from './note-loss.ts';
import { noteMethod } from './note-lost-method.ts';
import { noticeCardChange } from './notice-card-change.ts';
import { recordCharges, recordPartPayment } from './record-charges.ts';
import { recordCustomerAction } from './record-customer-action.ts';
import { recordFailure } from './record-failure.ts';

/** A customer who disputes a charge is not charged again for that invoice; how it ends says whose the money is. */
const stopDisputed: EventStep = async (deps, { account, event }) => {
  const dispute = event.data.object;
  if (dispute.object !== 'dispute') return { result: { code: 'ignored_object', expected: 'dispute' } };
  const intent = idOf(dispute.payment_intent);
  const invoiceId = intent && (await deps.stripe.findInvoiceOfPaymentIntent(account, intent));
  if (!invoiceId) return { result: { code: 'no_disputed_invoice' } };
  return {
    result: { code: 'collection_stopped', invoiceId },
    apply: async (tx) => {
      const reason = { code: 'dispute_opened', disputeId: dispute.id } as const;
      const { id, status, amount } = dispute;
      await recordDispute(
        tx,
        { account, id, invoiceId, reason: dispute.reason, status, amount },
        deps.clock.now(),
      );
      if (event.type === 'charge.dispute.created')
        await closeScheduledActions(tx, { account, invoiceIds: [invoiceId] }, reason, deps.clock.now());
    },
  };
};

const stopDeletedCustomer: EventStep = async (deps, { account, event }) => {
  const customer = event.data.object;
  if (customer.object !== 'customer') return { result: { code: 'ignored_object', expected: 'customer' } };
  return {
    result: { code: 'collection_stopped' },
    apply: async (tx) => {
      const owner = { customer: customer.id, customer_account: customer.customer_account };
      const invoiceIds = await listInvoiceIdsOfCustomer(tx, account, ownerIdsOf(owner));
      const reason = { code: 'customer_deleted', customerId: customer.id } as const;
      await closeScheduledActions(tx, { account, invoiceIds }, reason, deps.clock.now());
    },
  };
};

/**
 * In `exclusive` mode the first failed attempt ends Stripe's own retries of the invoice (stripe-facts 4.3). The same job draws the
 * lot of a comparison, in either mode.
 */
const takeOver: EventStep = async (deps, { account, event }) => {
  const invoice = event.data.object;
  const { mode, compareWithStripePercent } = deps.config;
  const isKept = mode !== 'exclusive';
  if (isKept && (mode === 'observe' || compareWithStripePercent === 0))
    return { result: { code: 'stripe_retries_kept' } };
  if (invoice.object !== 'invoice' || invoice.id === undefined)
    return { result: { code: 'ignored_object', expected: 'invoice' } };
  if (invoice.collection_method !== 'charge_automatically') return { result: { code: 'sent_to_customer' } };
  if (invoice.auto_advance !== true) return { result: { code: 'stripe_retries_off' } };
  const data = { account, invoiceId: invoice.id };
  const result = { code: isKept ? 'stripe_retries_kept' : 'taken_over' } as const;
  return { result, apply: (tx) => deps.enqueue('take-over-invoice', [{ data }], tx) };
};

/** Stripe's retry signal recommends to retry: what it says is read, and followed, where the invoice's state is (stripe-facts 4.6). */
const noteSignal: EventStep = async (deps, { account, event }) => {
  const told = await deps.stripe.findRecommended(account, event.id);
  if (!told) return { result: { code: 'no_signal_asked' } };
  return {
    result: { code: 'signal_noted', evaluationId: told.evaluationId },
    apply: async (tx) => {
      const key = await adoptEvaluation(tx, account, told);
      if (key) await deps.enqueue('follow-signal', [{ data: key, key: `${account} ${key.invoiceId}` }], tx);
    },
  };
};

/** What is given back was not recovered (stripe-facts 3.12). The event is a hint: the charge itself says how much. */
const noteRefund: EventStep = async (deps, { account, event }) => {
  const { object } = event.data;
  const chargeId =
    object.object === 'charge' ? object.id : object.object === 'refund' ? idOf(object.charge) : undefined;
  if (!chargeId) return { result: { code: 'ignored_object', expected: 'charge' } };
  const charge = await deps.stripe.findCharge(account, chargeId);
  if (!charge) return { result: { code: 'gone', object: 'charge' } };
  const refunded = charge.amount_refunded;
  return {
    result: { code: 'refund_noted', chargeId },
    apply: (tx) => recordRefund(tx, { account, chargeId, refunded }),
  };
};

/** Whoever is deleted at Stripe is forgotten here, where the settings say so. */
const forgetDeletedCustomer: EventStep = async (deps, { account, event }) => {
  const customer = event.data.object;
  if (customer.object !== 'customer') return { result: { code: 'ignored_object', expected: 'customer' } };
  if (!deps.config.forgetDeletedCustomers) return { result: { code: 'customer_kept' } };
  return {
    result: { code: 'customer_forgotten' },
    apply: async (tx) => {
      const key = { account, customerId: customer.id };
      const at = deps.clock.now();
      if (!(await recordForgotten(tx, key, at))) return;
      const detail = { customerId: customer.id, via: 'customer.deleted' };
      await recordAudit(tx, { account, at, invoiceId: undefined, kind: 'customer.forgotten', detail });
      await deps.enqueue('forget-customer', [toForgetJob(key)], tx);
    },
  };
};

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
    steps: [mirrorSubscription, noteLoss],
    why: 'The cancellation is forwarded; retries of its invoices stop. If it was lost to an unpaid invoice, its customer gets an email.',
  },
  'customer.subscription.paused': {
    steps: [mirrorSubscription, noteLoss],
    why: 'The new status is forwarded. If it was lost to an unpaid invoice, its customer gets an email.',
  },
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
  noteLoss,
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
