/** Limits on how often one card or account may be tried (stripe-facts 5.5 to 5.10). A merchant can only make them stricter. */
import { MAX_UNEXPLAINED_ATTEMPTS, RETRIES_PER_INVOICE } from './usual-limits.ts';

export interface AttemptLimits {
  readonly perInvoice: number;
  readonly unexplained: number;
  /** The merchant's gap between attempts on one invoice; undefined leaves it to the planner. */
  readonly minGapHours: number | undefined;
  readonly visaPer30Days: number;
  readonly mastercardPer24Hours: number;
  readonly mastercardPer30Days: number;
  readonly otherCardPer30Days: number;
  readonly debitPresentments: number;
}

/** The limits of a merchant who sets none. */
export const ATTEMPT_LIMITS: AttemptLimits = {
  perInvoice: RETRIES_PER_INVOICE + 1,
  unexplained: MAX_UNEXPLAINED_ATTEMPTS,
  minGapHours: undefined,
  visaPer30Days: 15,
  mastercardPer24Hours: 8,
  mastercardPer30Days: 30,
  otherCardPer30Days: 8,
  debitPresentments: 3,
};
