import type { ReasonCode } from '../../reasons/reason.ts';
import type { HistoryAction, InvoiceHistory } from '../../store/reports/invoice-history.ts';
import { OPERATION_NAMES, operationOf } from '../operations/operations.ts';

const DECISIONS: ReadonlyMap<string, string> = new Map([
  ...OPERATION_NAMES.flatMap((name) => Object.entries(operationOf(name).history ?? {})),
  ['guard.stopped', 'payment not made'],
  ['guard.postponed', 'payment postponed'],
  ['attempt.unknown', 'no clear answer from Stripe'],
  ['attempt.withheld', 'payment held back'],
  ['email.delayed', 'mail delayed'],
  ['email.undeliverable', 'no mail possible'],
  ['email.withheld', 'no mail sent'],
  ['observed.pay', 'observed only: it would have been paid now'],
  ['observed.email', 'observed only: a mail would have gone out now'],
  ['card.overridden', 'the subscription still names another card'],
  ['invoice.taken_over', "Stripe's own retries were switched off"],
  ['invoice.handed_back', "Stripe's own retries were switched on again"],
  ['draft.finalized', 'a draft was finalized'],
  ['draft.left', 'a draft is left to you'],
  ['card.kept', 'the card that paid was kept'],
  ['card.not_kept', 'the card that paid was not kept'],
  ['card.postponed', 'keeping the card that paid is postponed'],
  ['dunning.given_up', 'given up'],
  ['dunning.not_ended', 'left for a person to decide'],
  ['dunning.postponed', 'its end is postponed'],
  ['dunning.ended', 'the end of dunning'],
  ['observed.ending', 'observed only: AFTER_GIVING_UP would have been followed now'],
  ['invoice.kept', "Stripe's own retries stay off"],
  ['customer.erased', 'personal data was erased'],
  ['key.made', 'an API key was made'],
  ['key.rotated', 'an API key was rotated'],
  ['key.revoked', 'an API key was revoked'],
  ['key.changed', 'an API key was renamed, or got another limit'],
  ['signal.begun', "Stripe's retry signal watches the payment"],
  ['signal.refused', "Stripe's retry signal does not watch the payment"],
  ['signal.received', 'recommended'],
  ['signal.ended', "Stripe's retry signal no longer watches the payment"],
  ['operator.signed_in', 'an operator signed in'],
  ['operator.signed_out', 'an operator signed out'],
  ['operator.sign_in_failed', 'a sign-in to the console failed'],
]);

/** What a history shows in other words, from its own rows. */
const SHOWN_OTHERWISE: ReadonlyMap<string, string> = new Map([
  ['instruction.scheduled', 'what was asked is planned'],
  ['instruction.no_action', 'what was asked is not done'],
  ['instruction.refused', 'what was asked is refused'],
  ['attempt.started', 'payment tried'],
  ['attempt.paid', 'payment made'],
  ['attempt.declined', 'payment declined'],
  ['attempt.requires_action', 'payment must be confirmed by the customer'],
  ['attempt.pending', 'payment submitted; the bank answers within days'],
  ['attempt.not_payable', 'payment refused: nothing is due'],
  ['email.sent', 'mail sent'],
  ['guard.asked', 'payment left for a person to decide'],
  ['catch_up.gap', 'Stripe’s events were not read for too long'],
  ['account.authorized', 'access was given'],
  ['account.deauthorized', 'access was taken away'],
]);

/** Of any row of the audit. */
export function describeAuditKind(kind: string): string {
  return DECISIONS.get(kind) ?? SHOWN_OTHERWISE.get(kind) ?? kind.replaceAll(/[._]/g, ' ');
}

/** A row of the audit in words; undefined for an unknown kind. */
export function describeDecision(kind: string): string | undefined {
  return DECISIONS.get(kind);
}

/** Who wanted it, as the end of a sentence. */
export function describeCause(
  action: HistoryAction | undefined,
  instructions: InvoiceHistory['instructions'] = [],
): string {
  if (action === undefined) return '';
  if (action.cause === 'backup') return ', with another saved card (BACKUP_METHODS)';
  if (action.cause === 'operator') return ', asked by a person';
  if (action.cause === 'link_renewal') return ', asked by the customer, whose link had expired';
  if (action.requestId === null) return ", with the customer's new card";
  const asked = instructions.find(({ requestId }) => requestId === action.requestId);
  return asked?.source === 'signal' ? ", asked by Stripe's signal" : ', asked by the service';
}

/** The instruction, where the cause names the service alone. */
export function idsOfCause(action: HistoryAction | undefined): string[] {
  if (action === undefined || action.requestId === null) return [];
  return action.cause === 'backup' || action.cause === 'operator' ? [] : [`request ${action.requestId}`];
}

const ENDS_SHOWN_ELSEWHERE: ReadonlySet<ReasonCode> = new Set([
  'payment_observed',
  'mail_observed',
  'mail_sent',
  'ended_as_chosen',
  'subscription_card_replaced',
]);
const ENDING_KINDS: ReadonlySet<string> = new Set([
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
  if (reason !== null && ENDS_SHOWN_ELSEWHERE.has(reason.code)) return true;
  return audit.some(({ kind, detail }) => ENDING_KINDS.has(kind) && detail.actionId === id);
}
