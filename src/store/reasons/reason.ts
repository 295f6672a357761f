/**
 * Why something was done, put off or left alone: a stable code with its parameters, as it is stored. Code acts on the
 * code; `operator/text` makes the sentence for people.
 */
import { z } from 'zod';

const text = z.string();
const count = z.int();

function reason<const Code extends string, const Shape extends z.ZodRawShape>(code: Code, parameters: Shape) {
  return z.object({ code: z.literal(code) }).extend(parameters);
}

/** Times are ISO in UTC. */
const reasonSchema = z.discriminatedUnion('code', [
  /** A sentence from before there were codes. */
  reason('legacy_text', { text }),
  /** An error that was not expected. */
  reason('failed', { error: text }),

  // What an account is.
  reason('account_not_configured', { account: text }),
  reason('access_revoked', { account: text }),

  // What became of an instruction.
  reason('planned', { action: text, dueAt: text }),
  reason('message_not_understood', {}),
  reason('suggestion_not_understood', { suggestion: text }),
  reason('no_suggestion', {}),
  reason('beyond_horizon', { idealRetryAt: text, days: count }),
  reason('newer_instruction', {}),
  reason('actions_stopped', { count }),
  reason('invoice_settled', { invoiceId: text, status: text }),
  reason('invoice_unknown', { invoiceId: text }),
  /** `note`: what the person said; absent where it is not for the reader. */
  reason('stopped_by_person', { note: text.optional() }),

  // Why an invoice is given up, and what was done about it.
  reason('dunning_completed', {}),
  /** `why`: the code of the embedded service. */
  reason('service_gave_up', { why: text }),
  reason('only_merchant_can_mend', { why: text }),
  reason('attempts_used', { limit: text }),
  reason('subscription_canceled_after', { subscriptionId: text }),
  reason('collection_paused_after', { subscriptionId: text }),
  reason('written_off_after', {}),
]);

export type Reason = z.infer<typeof reasonSchema>;
export type ReasonCode = Reason['code'];

/** Of a row. What another version wrote, and this one does not know, is kept as text. */
export function readReason(stored: unknown): Reason {
  const { success, data } = reasonSchema.safeParse(stored);
  if (success) return data;
  return { code: 'legacy_text', text: typeof stored === 'string' ? stored : JSON.stringify(stored) };
}

/** The row with its reason read; null where it has none. */
export function withReason<Row extends object>(
  row: Row & { reason: unknown },
): Row & { reason: Reason | null } {
  return { ...row, reason: row.reason === null ? null : readReason(row.reason) };
}
