import { isBackup } from '../../contract/action-origin.ts';
import type { ReasonCode } from '../../store/reasons/reason.ts';
import type { HistoryAction, InvoiceHistory } from '../../store/reports/invoice-history.ts';

const ACTIONS: ReadonlyMap<string, string> = new Map([
  ['pay', 'payment'],
  ['card_update_email', 'mail asking for another card'],
  ['confirm_payment_email', 'mail asking to confirm'],
  ['backup_charged_email', 'mail that another saved card was charged'],
  ['expiring_card_email', 'mail about a card that expires'],
  ['keep_card', 'card of the subscription'],
  ['end_dunning', 'end of dunning (AFTER_GIVING_UP)'],
]);

export function describeAction(kind: string): string {
  return ACTIONS.get(kind) ?? kind;
}

/** Who wanted it, as the end of a sentence. */
export function describeCause(action: HistoryAction | undefined): string {
  if (action === undefined) return '';
  if (isBackup(action.origin)) return ', with another saved card (BACKUP_METHODS)';
  return action.requestId === null
    ? ", with the customer's new card"
    : `, asked by request ${action.requestId}`;
}

const TELL_THEMSELVES: ReadonlySet<ReasonCode> = new Set([
  'payment_observed',
  'mail_observed',
  'mail_sent',
  'ended_as_chosen',
  'subscription_card_replaced',
]);
const TELL_AN_END: ReadonlySet<string> = new Set([
  'guard.stopped',
  'email.withheld',
  'email.undeliverable',
  'dunning.not_ended',
  'card.not_kept',
]);

/** Whether an attempt, a mail or a decision of the history says already how the action ended. */
export function isEndShown(
  { id, state, reason }: HistoryAction,
  { attempts, audit }: InvoiceHistory,
): boolean {
  if (state === 'done' && attempts.some(({ actionId }) => actionId === id)) return true;
  if (reason !== null && TELL_THEMSELVES.has(reason.code)) return true;
  return audit.some(({ kind, detail }) => TELL_AN_END.has(kind) && detail.actionId === id);
}
