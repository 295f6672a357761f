import { toIso } from '../../../core/base/clock.ts';
import { actionKind } from '../../actions/action-kinds.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { Acknowledgment, Plan } from '../../store/tables/retry/acknowledgment.ts';
import { describeReason } from './describe-reason.ts';

/** The answer that the service reads to its instruction: the contract has no other way back. */
export function describeAcknowledgment(acknowledgment: Acknowledgment): string {
  if (acknowledgment.kind === 'known') return 'Known already; nothing new is done';
  const { plan, observedBy, isPaused } = acknowledgment;
  if (observedBy !== undefined) return `Only observed (${observedBy}): ${describePlan(plan)}`;
  const isHeld = isPaused && plan.kind === 'action';
  return `${isHeld ? 'Not before the pause ends (effects_paused): ' : ''}${describePlan(plan)}`;
}

function describePlan(plan: Plan): string {
  switch (plan.kind) {
    case 'stop':
      return 'Stop recorded';
    case 'take_over':
      return "This invoice is taken over from Stripe's own retries";
    case 'action':
      return describeAction(plan);
    case 'refused':
      return `Recorded and refused: ${withCode(plan.reason)}`;
    default:
      return `Recorded; nothing is done: ${withCode(plan.reason)}`;
  }
}

function describeAction({ action, dueAt, predicted }: Extract<Plan, { kind: 'action' }>): string {
  const answer = actionKind(action).request?.answer ?? 'Scheduled';
  const at = toIso(dueAt);
  if (predicted === undefined) return `${answer} for ${at}`;
  const why = withCode(predicted.reason);
  if (action !== 'pay') return `${answer} for ${at} instead of the retry: ${why}`;
  if (predicted.asksPerson) return `Recorded; a person decides: ${why}`;
  if (predicted.until === undefined) return `Recorded; nothing will be tried while this lasts: ${why}`;
  return `${answer} for ${toIso(predicted.until)} instead of ${at}: ${why}`;
}

function withCode(reason: Reason): string {
  return `${describeReason(reason)} (${reason.code})`;
}
