/** What waits for a person's decision. */
import { OWN_ACCOUNT } from '../../../config/account.ts';
import type { WorkStatus } from '../../../store/reports/work-status.ts';
import { describePausedWork, resumeCommand } from '../describe-pauses.ts';
import { describeReason } from '../describe-reason.ts';
import { exactMoment } from '../exact-moment.ts';
import { part, type StatusPart } from './status-part.ts';

export function describeDecisions({ pausedEffects, undecided }: WorkStatus): StatusPart[] {
  const advice = `what comes in is kept, and what is due waits until: ${pausedEffects.map(resumeCommand).join('; ')}`;
  return [
    part({ about: 'pausedEffects', title: 'PAUSED', advice }, pausedEffects.map(describePausedWork)),
    part(
      {
        about: 'undecided',
        title: 'Payments with a new card that need a decision',
        advice: '`release in_…` makes the payment, `stop in_…` ends it',
      },
      undecided.map(({ account, invoiceId, customerId, createdAt, reason }) => {
        const who = account === OWN_ACCOUNT ? '' : ` of ${account}`;
        const why = reason ? describeReason(reason) : '';
        return `${invoiceId}${who}, customer ${customerId ?? 'unknown'}, since ${exactMoment(createdAt)}: ${why}`;
      }),
    ),
  ];
}
