/** `POST /ingest/v1/request_outcomes`, for a service that takes it: what became of each of its requests later than its answer said. */
import { z } from 'zod';
import { identifier, timestamp } from './contract-fields.ts';

/**
 * `done`: tried, with Stripe's `result`, or the customer was asked. `postponed`: it is tried at `at`. `undecided`: a person decides.
 * `settled`: the invoice ended otherwise, such as by Stripe's own retry. `refused`: nothing is done any more.
 */
const OUTCOMES = ['done', 'postponed', 'undecided', 'settled', 'refused'] as const;

export const requestOutcome = z.object({
  requestId: identifier,
  invoiceId: identifier.optional(),
  outcome: z.enum(OUTCOMES),
  /** When it was, or will be. */
  at: timestamp,
  /** A code that stays the same: why not, or why not at the asked time. */
  reason: z.string().optional(),
  /** Of a payment that was tried: `paid`, `pending`, `declined`, `requires_action`. */
  result: z.string().optional(),
});
export type RequestOutcome = z.infer<typeof requestOutcome>;
