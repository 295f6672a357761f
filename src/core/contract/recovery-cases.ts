/** `GET /v1/recovery_cases` of the embedded service: what it last decided about each failed invoice, waiting and giving up too. */
import { z } from 'zod';
import { identifier, timestamp } from './contract-fields.ts';

/**
 * How a closed case ended. `settled`: nothing is owed any more, or not through us. `given_up`: nothing more will be tried.
 * `merchant`: only the merchant can fix it. `history`: it was over before it was seen.
 */
const CASE_ENDS = ['settled', 'given_up', 'merchant', 'history'] as const;
export type CaseEnd = (typeof CASE_ENDS)[number];

export const recoveryCase = z.object({
  invoiceId: identifier,
  /** Which decision of its organization this is: each has a higher one than all that were made before it. */
  revision: z.int().positive(),
  /** Closed: nothing more is asked, unless the invoice fails once more. */
  state: z.enum(['open', 'closed']),
  /** A code that stays the same. */
  reason: z.string(),
  end: z.enum(CASE_ENDS).optional().describe('Of a closed case: how it ended.'),
  /** The same in sentences, for an operator. */
  reasons: z.array(z.string()),
  /** It is decided about again then, or as soon as something new is known. */
  reviewAt: timestamp.optional(),
  /** Drawn to keep a static schedule, for comparison. */
  isOnStaticSchedule: z.boolean(),
  drawnPercent: z
    .int()
    .optional()
    .describe('In an experiment: the share of the customers in the control group.'),
  openedAt: timestamp,
  updatedAt: timestamp,
});
export type RecoveryCase = z.infer<typeof recoveryCase>;

/** Of all instructions of the organization. */
export const callbackCounts = z.object({
  /** Not acknowledged yet; they are sent again. */
  waiting: z.int().nonnegative(),
  /** When the oldest of them was made. */
  waitingSince: timestamp.optional(),
  /** Sending was given up, and they are still of use. */
  undelivered: z.int().nonnegative(),
});
export type CallbackCounts = z.infer<typeof callbackCounts>;

/** By revision, lowest first. */
export const recoveryCasesPage = z.object({
  recoveryCases: z.array(recoveryCase),
  /** More have a higher revision than the last one here. */
  hasMore: z.boolean(),
  /** With the last page. */
  callbacks: callbackCounts.optional(),
});
export type RecoveryCasesPage = z.infer<typeof recoveryCasesPage>;
