/** `POST /ingest/v1/request_outcomes`, for a capable service: outcomes of its requests after its answer. */
import { z } from 'zod';
import { identifier, timestamp } from './contract-fields.ts';

/**
 * `done`: tried, with Stripe's `result`, or the customer was asked. `postponed`: tried at `at`. `undecided`: a person decides. `settled`: the
 * invoice ended otherwise, for example by Stripe's own retry. `refused`: nothing is done any more.
 */
const OUTCOMES = ['done', 'postponed', 'undecided', 'settled', 'refused'] as const;

export const requestOutcome = z.object({
  requestId: identifier,
  invoiceId: identifier.optional(),
  outcome: z.enum(OUTCOMES),
  /** Time of the outcome, or planned time. */
  at: timestamp,
  /** Stable code: why not, or why not at the requested time. */
  reason: z.string().optional(),
  /** Result of a tried payment: `paid`, `pending`, `declined`, `requires_action`. */
  result: z.string().optional(),
});
export type RequestOutcome = z.infer<typeof requestOutcome>;
