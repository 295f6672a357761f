import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import { z } from 'zod';
import { fromUnixSeconds } from '../../../core/base/clock.ts';
import type { Transaction } from '../../../core/database/database.ts';
import { readCharge } from '../../clients/charge-facts.ts';
import { idOf } from '../../clients/chosen-methods.ts';
import { lock } from '../../store/tables/retry/attempts.ts';
import { closeScheduledActions } from '../../store/tables/retry/planned-actions.ts';
import { type CardWarning, recordCardWarning } from '../../store/tables/sync/card-warnings.ts';
import { recordDispute } from '../../store/tables/sync/disputes.ts';
import { eventObject, reference, word } from './event-object.ts';
import type { AskingStep } from './event-step.ts';

export const DISPUTE = eventObject(
  ['charge_read', 'dispute_read'],
  z.object({
    object: z.literal('dispute'),
    id: word,
    charge: reference,
    payment_intent: reference,
    reason: word,
    status: word,
    amount: z.int(),
  }),
);
export const FRAUD_WARNING = eventObject(
  ['charge_read'],
  z.object({ object: z.literal('radar.early_fraud_warning'), id: word, charge: reference }),
);

/** Records a dispute and stops collection of its invoice; its end decides whose the money is. */
export const stopDisputed: AskingStep = async (deps, { account, event }) => {
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

/** Reasons that deny the payment (stripe-facts 5.12). */
const DENIALS: ReadonlySet<string> = new Set(['fraudulent', 'unrecognized', 'debit_not_authorized']);
/** Ends in the merchant's favour. */
const IN_FAVOUR: ReadonlySet<string> = new Set(['won', 'warning_closed']);

interface FraudReport {
  readonly id: string;
  readonly charge: string | undefined;
  readonly isLifted: boolean;
}

/** Stops charges to a card whose holder denied a payment, until the merchant wins. */
export const noteFraud: AskingStep = async (deps, { account, event, createdAt }) => {
  const report = readFraudReport(event);
  if (!report?.charge) return { result: { code: 'no_card_warned' } };
  const charge = await deps.stripe.findCharge(account, report.charge);
  if (!charge) return { result: { code: 'gone', object: 'charge' } };
  const warning = toWarning(account, report.id, charge, createdAt);
  return {
    result: { code: report.isLifted ? 'card_cleared' : 'card_warned', warningId: report.id },
    apply: async (tx) => {
      // An attempt about to begin sees it, or has begun before.
      if (warning.fingerprint !== undefined) await lock(tx, account, `card ${warning.fingerprint}`);
      await recordCardWarning(tx, warning, report.isLifted ? deps.clock.now() : undefined);
    },
  };
};

/** Records a dispute from before the installation. */
export async function keepDispute(
  tx: Transaction,
  { account, invoiceId, charge }: { account: string; invoiceId: string; charge: Stripe.Charge },
  { id, reason, status, amount, created }: Stripe.Dispute,
): Promise<void> {
  const openedAt = fromUnixSeconds(created);
  await recordDispute(tx, { account, id, invoiceId, reason, status, amount }, openedAt);
  const warning = toWarning(account, id, charge, openedAt);
  if (IN_FAVOUR.has(status)) await recordCardWarning(tx, warning, openedAt);
  else if (DENIALS.has(reason)) await recordCardWarning(tx, warning);
}

/** Records an early fraud warning from before the installation. */
export async function keepWarning(
  tx: Transaction,
  account: string,
  { id, charge, created }: Stripe.Radar.EarlyFraudWarning,
): Promise<void> {
  if (typeof charge === 'string') return;
  await recordCardWarning(tx, toWarning(account, id, charge, fromUnixSeconds(created)));
}

function toWarning(account: string, id: string, charge: Stripe.Charge, openedAt: DateTime): CardWarning {
  const { fingerprint, paymentMethod, chargeId } = readCharge(charge);
  return { account, id, chargeId, fingerprint, paymentMethod, openedAt };
}

function readFraudReport({ type, data: { object } }: Stripe.Event): FraudReport | undefined {
  if (object.object === 'radar.early_fraud_warning')
    return { id: object.id, charge: idOf(object.charge), isLifted: false };
  if (object.object !== 'dispute') return undefined;
  const { id, reason, status } = object;
  const charge = idOf(object.charge);
  if (type === 'charge.dispute.closed')
    return IN_FAVOUR.has(status) ? { id, charge, isLifted: true } : undefined;
  return DENIALS.has(reason) ? { id, charge, isLifted: false } : undefined;
}
