/** Limits of payments with a new card without a person. Pure. */
import { toIso } from '../../../core/base/clock.ts';
import type { Ceilings } from '../../settings/read-limits.ts';
import type { CardChangeTotal } from '../../settings/schema/limit-settings.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import type { CardChangePayments } from '../../store/tables/retry/card-changes.ts';
import type { Verdict } from '../actions/objection.ts';
import { wasReleasedSince } from '../invoice/invoice-holds.ts';
import { isCardChange } from './card-history.ts';
import type { CollectionFacts } from './collection-guards.ts';

/** A new card pays no older invoice until a person says so. */
const OLD_DAYS = 90;

export interface CeilingContext extends Pick<CollectionFacts, 'now' | 'invoice' | 'holds'> {
  readonly action: Pick<StoredAction, 'cause' | 'createdAt'>;
  readonly ceilings: Ceilings;
  /** The customer's payments of a day, in the invoice's currency. */
  readonly paidByNewCards: CardChangePayments;
  /** An email had named the invoice and its amount before the new card. */
  readonly isNamedInEmail: boolean;
}

export function checkCeilings(context: CeilingContext): Verdict {
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
