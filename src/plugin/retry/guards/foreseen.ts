/** Objections to a payment that are known before its time. Pure. */
import type { StoredAttempt } from '../../store/tables/retry/attempts.ts';
import { findObjection, type Guard, type Objection } from '../actions/objection.ts';
import type { InvoiceHolds } from '../invoice/invoice-holds.ts';
import type { PayableInvoice, PaymentMethodFacts } from '../invoice/payable-invoice.ts';
import { DISPUTED } from './collection-guards.ts';
import { type CardContext, judgeCard } from './guards.ts';
import { NEAR_STRIPE_HOURS, PAYER_DISPUTES, POSTPONED, STRIPE_RETRY_NEAR } from './shared-guards.ts';

/** Stored facts about a future payment. */
export interface ForeseenContext extends Omit<CardContext, 'method' | 'attempts' | 'holds'> {
  readonly invoice: CardContext['invoice'] & Pick<PayableInvoice, 'nextStripeAttemptAt'>;
  readonly holds: InvoiceHolds;
  /** Absent if the card to be charged is unknown. */
  readonly method?: PaymentMethodFacts | undefined;
  readonly attempts?: readonly StoredAttempt[];
}

const FORESEEN: readonly Guard<ForeseenContext>[] = [DISPUTED, POSTPONED, PAYER_DISPUTES, STRIPE_RETRY_NEAR];

/** Known objections to a payment at a time, without asking Stripe. */
export function judgeForeseen({ method, attempts, ...rest }: ForeseenContext): Objection | undefined {
  const known = { ...rest, invoice: atItsTime(rest) };
  const objection = findObjection(FORESEEN, known);
  if (objection || !method || !attempts) return objection;
  return judgeCard({ ...known, method, attempts });
}

/** Ignores a Stripe attempt well before that time: the one after it is unknown. */
function atItsTime({ invoice, now }: Pick<ForeseenContext, 'invoice' | 'now'>): ForeseenContext['invoice'] {
  const { nextStripeAttemptAt: next } = invoice;
  const isOver = next !== undefined && next.plus({ hours: NEAR_STRIPE_HOURS }) <= now;
  return isOver ? { ...invoice, nextStripeAttemptAt: undefined } : invoice;
}
