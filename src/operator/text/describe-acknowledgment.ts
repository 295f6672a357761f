import type { InstructedKind } from '../../contract/action-kinds.ts';
import type { Acknowledgment } from '../../store/tables/retry/acknowledgment.ts';
import { describeReason } from './describe-reason.ts';

const SCHEDULED: Readonly<Record<InstructedKind, string>> = {
  pay: 'Retry scheduled',
  card_update_email: 'Card update mail scheduled',
  confirm_payment_email: 'Confirmation mail scheduled',
};

/** What the service reads in the answer to its instruction. */
export function describeAcknowledgment(acknowledgment: Acknowledgment): string {
  switch (acknowledgment.kind) {
    case 'known':
      return 'Known already; nothing new is done';
    case 'stop':
      return 'Stop recorded';
    case 'action':
      return SCHEDULED[acknowledgment.action];
    case 'refused':
      return `Recorded and refused: ${describeReason(acknowledgment.reason)}`;
    default:
      return `Recorded; nothing is done: ${describeReason(acknowledgment.reason)}`;
  }
}
