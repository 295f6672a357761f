import { actionKind } from '../../actions/action-kinds.ts';
import type { Acknowledgment } from '../../store/tables/retry/acknowledgment.ts';
import { describeReason } from './describe-reason.ts';

/** What the service reads in the answer to its instruction. */
export function describeAcknowledgment(acknowledgment: Acknowledgment): string {
  switch (acknowledgment.kind) {
    case 'known':
      return 'Known already; nothing new is done';
    case 'stop':
      return 'Stop recorded';
    case 'action':
      return actionKind(acknowledgment.action).request?.answer ?? 'Scheduled';
    case 'refused':
      return `Recorded and refused: ${describeReason(acknowledgment.reason)}`;
    default:
      return `Recorded; nothing is done: ${describeReason(acknowledgment.reason)}`;
  }
}
