/** A status's reason as a text: its code, and what the receiver answered where that is known. */
import type { StatusReason } from './status-reason.ts';

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
