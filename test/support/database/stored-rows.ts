/** Rows of the store as the decision code receives them. */
import { DateTime } from 'luxon';
import { ATTEMPT_LIMITS, type AttemptLimits } from '../../../src/core/limits/attempt-limits.ts';
import type { GuardContext } from '../../../src/plugin/retry/guards/guards.ts';
import type { InvoiceHolds } from '../../../src/plugin/retry/invoice/invoice-holds.ts';
import {
  type PayableInvoice,
  readPayableInvoice,
} from '../../../src/plugin/retry/invoice/payable-invoice.ts';
import { CEILINGS } from '../../../src/plugin/settings/read-limits.ts';
import type { StoredAction } from '../../../src/plugin/store/tables/retry/actions.ts';
import type { StoredAttempt } from '../../../src/plugin/store/tables/retry/attempts.ts';
import { buildInvoice } from '../stripe/stripe-objects.ts';
import { buildCustomer } from '../stripe/stripe-payers.ts';

/** Begins at a time that the types know to be one. */
export const NOW = DateTime.now()
  .toUTC()
  .set({ year: 2026, month: 11, day: 20, hour: 10, minute: 0, second: 0, millisecond: 0 });

export function hoursAgo(hours: number): DateTime<true> {
  return NOW.minus({ hours });
}

export function buildAction(changes: Partial<StoredAction> = {}): StoredAction {
  return {
    id: '00000000-0000-4000-8000-000000000001',
    account: 'own',
    cause: 'instruction',
    reference: 'req_1',
    kind: 'pay',
    invoiceId: 'in_1Basic',
    customerId: 'cus_1Ada',
    subscriptionId: 'sub_1Basic',
    requestId: 'req_1',
    paymentMethod: null,
    dueAt: NOW,
    createdAt: hoursAgo(48),
    claimedUntil: NOW.plus({ minutes: 5 }),
    closedAt: null,
    state: 'running',
    reason: null,
    ...changes,
  };
}

/** A soft decline of ours on the invoice's Visa card, two days ago. */
export function buildAttempt(changes: Partial<StoredAttempt> = {}): StoredAttempt {
  return {
    id: '00000000-0000-4000-8000-00000000000a',
    invoiceId: 'in_1Basic',
    subscriptionId: 'sub_1Basic',
    actionId: '00000000-0000-4000-8000-000000000001',
    source: 'ours',
    attemptNumber: 1,
    idempotencyKey: 'key-1',
    paymentMethod: 'pm_1Visa',
    methodType: 'card',
    brand: 'visa',
    fingerprint: 'fp_1',
    cardExpiry: '2030-12',
    amount: 2000,
    currency: 'usd',
    chargeId: 'ch_1',
    startedAt: hoursAgo(48),
    calls: 1,
    calledAt: hoursAgo(48),
    outcome: 'declined',
    code: 'card_declined',
    declineCode: 'insufficient_funds',
    adviceCode: 'try_again_later',
    networkCode: '51',
    networkAdvice: null,
    detail: 'Your card has insufficient funds.',
    isOtherMethod: false,
    ...changes,
  };
}

export const VISA = {
  id: 'pm_1Visa',
  type: 'card',
  brand: 'visa',
  networks: ['visa'],
  fingerprint: 'fp_1',
  expiry: '2030-12',
  country: 'US',
};

/** An open invoice with a Visa card, which nothing stands against. */
export function buildPayable(changes: Partial<PayableInvoice> = {}): PayableInvoice {
  const invoice = readPayableInvoice(buildInvoice({ next_payment_attempt: null }));
  return {
    ...invoice,
    customer: undefined,
    subscription: { id: 'sub_1Basic', status: 'past_due', isPaused: false },
    defaultMethod: VISA,
    chosenMethods: [VISA.id],
    ...changes,
  };
}

export const PAYER = buildCustomer();

export const NO_HOLDS: InvoiceHolds = {
  holdReason: undefined,
  releasedAt: undefined,
  isStoppedByService: false,
  isDisputed: false,
};

/** As a merchant may want them: attempts at least a day apart. */
export const A_DAY_APART: AttemptLimits = { ...ATTEMPT_LIMITS, minGapHours: 24 };

/** A payment on that invoice, with nothing behind it. */
export function buildGuardContext(
  changes: Partial<GuardContext> = {},
  invoice: Partial<PayableInvoice> = {},
): GuardContext {
  return {
    now: NOW,
    action: buildAction(),
    invoice: buildPayable({ customer: PAYER, ...invoice }),
    holds: NO_HOLDS,
    method: VISA,
    warning: undefined,
    limits: A_DAY_APART,
    recoverSignUps: false,
    afterCancelRequest: 'ask',
    ceilings: CEILINGS,
    paidByNewCards: { total: 0, largest: 0 },
    isNamedInEmail: false,
    attempts: [],
    ...changes,
  };
}

/** A payment because of a new card, noticed an hour ago. */
export const CARD_CHANGE = buildAction({
  cause: 'card_change',
  reference: 'pm_1Visa:fp_1:2030-12',
  paymentMethod: 'pm_1Visa',
  createdAt: hoursAgo(1),
});
