/** The planner of instructions, used on arrival and by the job that carries them out. Pure. */
import { DateTime } from 'luxon';
import { toIso } from '../../../core/base/clock.ts';
import { nextInWindow, type SendingWindow } from '../../../core/limits/sending-window.ts';
import { findInstructed } from '../../actions/action-kinds.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { Plan, PredictedObjection } from '../../store/tables/retry/acknowledgment.ts';
import { HORIZON_DAYS } from '../guards/shared-guards.ts';

export interface PlanningFacts {
  readonly type: string;
  readonly suggestion: string | undefined;
  readonly idealAt: DateTime;
  readonly now: DateTime;
  readonly zone: string;
  readonly window: SendingWindow;
  /** Why the account is not served. */
  readonly accountObjection: Reason | undefined;
  /** A person's stop of the invoice. */
  readonly personsStop: Reason | undefined;
  /** Undefined if unknown. */
  readonly invoice: { readonly id: string; readonly status: string } | undefined;
  /** Stored objections to a payment at a time. */
  readonly objectionAt: (at: DateTime) => PredictedObjection | undefined;
  /** Whether the customer is asked when the card rules out a retry; a service that gets that report asks by its own rules. */
  readonly asksInstead: boolean;
}

/** Plans one instruction. Payments keep the service's time; emails move into the customer's sending window. */
export function planInstruction(facts: PlanningFacts): Plan {
  const { type, suggestion = '', idealAt, now } = facts;
  if (facts.accountObjection !== undefined) return { kind: 'refused', reason: facts.accountObjection };
  if (type === 'stop' || type === 'take_over') return { kind: type };
  if (type !== 'suggestion') return noAction({ code: 'message_not_understood' });
  if (facts.personsStop !== undefined) return noAction(facts.personsStop);
  const { id: invoiceId = '', status } = facts.invoice ?? {};
  if (status === 'paid' || status === 'void') return noAction({ code: 'invoice_settled', invoiceId, status });
  if (suggestion === 'ACTION_SUGGESTION_UNSPECIFIED') return noAction({ code: 'no_suggestion' });
  const action = findInstructed(suggestion);
  if (!action) return noAction({ code: 'suggestion_not_understood', suggestion });
  if (idealAt > now.plus({ days: HORIZON_DAYS }))
    return {
      kind: 'refused',
      reason: { code: 'beyond_horizon', idealRetryAt: toIso(idealAt), days: HORIZON_DAYS },
    };
  const wanted = DateTime.max(now, idealAt);
  if (action === 'pay') return planPayment(facts, wanted);
  return { kind: 'action', action, dueAt: inWindow(facts, wanted), predicted: undefined };
}

/** Guards decide again at its time. A card that rules it out for good turns it into an email now. */
function planPayment(facts: PlanningFacts, dueAt: DateTime): Plan {
  const predicted = preview(facts, dueAt);
  if (predicted?.asks === undefined || !facts.asksInstead)
    return { kind: 'action', action: 'pay', dueAt, predicted };
  return { kind: 'action', action: predicted.asks, dueAt: inWindow(facts, facts.now), predicted };
}

/** Largest number of consecutive postponements. */
const MOST_OBJECTIONS = 5;

/** The first reason, with the time when no objection is left; a later final objection outweighs it. */
function preview({ objectionAt }: PlanningFacts, wanted: DateTime): PredictedObjection | undefined {
  const first = objectionAt(wanted);
  let last = first;
  for (let seen = 1; last?.until !== undefined && seen < MOST_OBJECTIONS; seen += 1) {
    const next = objectionAt(last.until);
    if (next === undefined) break;
    last = next;
  }
  if (first === undefined || last?.until === undefined) return last;
  return { ...first, until: last.until };
}

function inWindow({ zone, window }: PlanningFacts, at: DateTime): DateTime {
  return nextInWindow(at, zone, window);
}

function noAction(reason: Reason): Plan {
  return { kind: 'no_action', reason };
}
