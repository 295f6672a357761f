/** Limits of payments with a new card without a person. Pure. */
import type { DateTime } from 'luxon';
import { toIso } from '../../../core/base/clock.ts';
import type { Ceilings } from '../../settings/read-limits.ts';
import type { CardChangeTotal } from '../../settings/schema/limit-settings.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import type { CardChangePayments } from '../../store/tables/retry/card-changes.ts';
import type { Objection } from '../actions/objection.ts';
import { type InvoiceHolds, wasReleasedSince } from '../invoice/invoice-holds.ts';
import type { PayableInvoice } from '../invoice/payable-invoice.ts';
import { isCardChange } from './card-history.ts';

/** A new card pays no older invoice until a person says so. */
const OLD_DAYS = 90;

export interface CeilingContext {
  readonly now: DateTime;
  readonly action: StoredAction;
  readonly invoice: PayableInvoice;
  readonly holds: InvoiceHolds;
  readonly ceilings: Ceilings;
  /** The customer's payments of a day, in the invoice's currency. */
  readonly paidByNewCards: CardChangePayments;
  /** An email had named the invoice and its amount before the new card. */
  readonly isNamedInEmail: boolean;
}

export function checkCeilings(context: CeilingContext): Omit<Objection, 'guard'> | undefined {
  const { now, action, invoice, holds, ceilings, paidByNewCards, isNamedInEmail } = context;
  if (!isCardChange(action)) return undefined;
  if (wasReleasedSince(holds, action.createdAt)) return undefined;
  const { cardChangeMaxTotal: limit } = ceilings;
  if (invoice.issuedAt < now.minus({ days: OLD_DAYS }))
    return {
      reason: { code: 'invoice_too_old', issuedAt: toIso(invoice.issuedAt), days: OLD_DAYS },
      asksPerson: true,
    };
  // A multiple limits surprise, and the email named the amount; a fixed amount is the merchant's decision.
  if (isNamedInEmail && limit.kind === 'times') return undefined;
  const { amountRemaining: amount, currency } = invoice;
  const total = paidByNewCards.total + amount;
  const max = findMax(limit, { currency, largest: Math.max(paidByNewCards.largest, amount) });
  if (total <= max) return undefined;
  return { reason: { code: 'card_change_total', total, max, currency }, asksPerson: true };
}

function findMax(
  limit: CardChangeTotal,
  { currency, largest }: { currency: string; largest: number },
): number {
  return limit.kind === 'times' ? limit.times * largest : (limit.of[currency] ?? 0);
}
