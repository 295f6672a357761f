/** Why a recovery action has its status: a stable code with its parameters, as it is stored. */
import { z } from 'zod';

const text = z.string();

const withoutParameters = z.enum([
  // Why it ended without being carried out.
  'superseded',
  'invoice_paid',
  'invoice_not_unpaid',
  'subscription_canceled',
  'customer_forgotten',
  'sent_to_customer',
  'collection_is_paused',
  'no_outcome_was_reported',
  // What became of sending it.
  'resend_asked',
  'receiver_unavailable',
  'organization_not_served',
]);

const statusReasonSchema = z.union([
  z.object({ code: withoutParameters }),
  z.discriminatedUnion('code', [
    /** A sentence from before there were codes. */
    z.object({ code: z.literal('unknown_code'), text }),
    /** `answer`: the receiver's, which is asked again. */
    z.object({ code: z.literal('put_off'), answer: text }),
    z.object({ code: z.literal('refused'), answer: text }),
    /** A rule of the receiver's ended it; `because`: its code. */
    z.object({ code: z.literal('not_carried_out'), because: text }),
    /** `answer`: the last one; absent where none is known. */
    z.object({ code: z.literal('not_acknowledged'), answer: text.optional() }),
  ]),
]);

export type StatusReason = z.infer<typeof statusReasonSchema>;
/** Those that are their code alone. */
export type StatusCode = z.infer<typeof withoutParameters>;

/** Reads a row's reason. An unknown one, from another version, is kept as text. */
export function readStatusReason(stored: unknown): StatusReason | null {
  if (stored === null) return null;
  const { success, data } = statusReasonSchema.safeParse(stored);
  return success ? data : { code: 'unknown_code', text: JSON.stringify(stored) };
}

/** A status's reason as text: its code, and the receiver's answer where known. */
export function describeStatusReason(reason: StatusReason): string {
  switch (reason.code) {
    case 'unknown_code':
      return reason.text;
    case 'put_off':
      return reason.answer;
    case 'refused':
      return `refused: ${reason.answer}`;
    case 'not_acknowledged':
      return `not acknowledged: ${reason.answer ?? 'the receiver did not answer'}`;
    case 'not_carried_out':
      return `not carried out: ${reason.because}`;
    case 'resend_asked':
      return 'to be sent again';
    case 'receiver_unavailable':
      return 'waiting: the receiver does not answer';
    case 'organization_not_served':
      return 'the organization is not served any more';
    default:
      return reason.code;
  }
}
