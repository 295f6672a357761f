/** `GET /v1/recovery_cases` of the embedded service: its latest decision on each failed invoice. */
import { z } from 'zod';
import { identifier, timestamp } from './contract-fields.ts';

/** End of a case. `settled`: nothing is owed, or not through us. `given_up`: no more attempts. `merchant`: only the merchant can fix it. `history`: over before it was seen. */
const CASE_ENDS = ['settled', 'given_up', 'merchant', 'history'] as const;
export type CaseEnd = (typeof CASE_ENDS)[number];

export const recoveryCase = z.object({
  invoiceId: identifier,
  /** Number of the decision in its organization, increasing. */
  revision: z.int().positive(),
  /** Closed: nothing more is requested unless the invoice fails again. */
  state: z.enum(['open', 'closed']),
  /** A stable code. */
  reason: z.string(),
  end: z.enum(CASE_ENDS).optional().describe('Of a closed case: how it ended.'),
  /** Same in sentences, for operators. */
  reasons: z.array(z.string()),
  /** Time of the next decision, unless news come earlier. */
  reviewAt: timestamp.optional(),
  /** Assigned to a static schedule for comparison. */
  isOnStaticSchedule: z.boolean(),
  drawnPercent: z
    .int()
    .optional()
    .describe('In an experiment: the share of the customers in the control group.'),
  openedAt: timestamp,
  updatedAt: timestamp,
});
export type RecoveryCase = z.infer<typeof recoveryCase>;

/** Counts of all instructions of the organization. */
export const callbackCounts = z.object({
  /** Not acknowledged yet; sent again. */
  waiting: z.int().nonnegative(),
  /** Time of the oldest of them. */
  waitingSince: timestamp.optional(),
  /** Given up, and still useful. */
  undelivered: z.int().nonnegative(),
});
export type CallbackCounts = z.infer<typeof callbackCounts>;

/** Ordered by revision. */
export const recoveryCasesPage = z.object({
  recoveryCases: z.array(recoveryCase),
  /** More revisions follow the last one here. */
  hasMore: z.boolean(),
  /** Set on the last page. */
  callbacks: callbackCounts.optional(),
});
export type RecoveryCasesPage = z.infer<typeof recoveryCasesPage>;
