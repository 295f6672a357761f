import { DateTime } from 'luxon';
import { toIso } from '../../../core/base/clock.ts';
import { nextInWindow, type SendingWindow } from '../../../core/limits/sending-window.ts';
import { findInstructed, type InstructedKind } from '../../actions/action-kinds.ts';
import type { Reason } from '../../reasons/reason.ts';

export interface SchedulingContext {
  readonly now: DateTime;
  /** An instruction for a time further away than this is refused. */
  readonly retryHorizonDays: number;
  readonly zone: string;
  readonly window: SendingWindow;
  /** As far as it is known. */
  readonly invoice: { readonly id: string; readonly status: string } | undefined;
}

export type Schedule =
  | { kind: 'action'; action: InstructedKind; dueAt: DateTime }
  | { kind: 'no_action' | 'refused'; reason: Reason };

/** Plans one instruction. Payments keep the service's time; mail moves into the customer's sending window. */
export function scheduleInstruction(
  suggestion: string,
  idealAt: DateTime,
  context: SchedulingContext,
): Schedule {
  const { now, retryHorizonDays, zone, window, invoice } = context;
  if (invoice?.status === 'paid' || invoice?.status === 'void') {
    return {
      kind: 'no_action',
      reason: { code: 'invoice_settled', invoiceId: invoice.id, status: invoice.status },
    };
  }
  if (suggestion === 'ACTION_SUGGESTION_UNSPECIFIED')
    return { kind: 'no_action', reason: { code: 'no_suggestion' } };
  const action = findInstructed(suggestion);
  if (!action) return { kind: 'no_action', reason: { code: 'suggestion_not_understood', suggestion } };
  if (idealAt > now.plus({ days: retryHorizonDays })) {
    const idealRetryAt = toIso(idealAt);
    return { kind: 'refused', reason: { code: 'beyond_horizon', idealRetryAt, days: retryHorizonDays } };
  }
  const wanted = DateTime.max(now, idealAt);
  return { kind: 'action', action, dueAt: action === 'pay' ? wanted : nextInWindow(wanted, zone, window) };
}
