import { AUDIT_KINDS, type AuditKind } from '../../actions/audit-kinds.ts';
import type { ReasonCode } from '../../reasons/reason.ts';
import type { HistoryAction, InvoiceHistory } from '../../store/reports/invoice-history.ts';
import { OPERATION_NAMES, operationOf } from '../operations/operations.ts';

const WORDS: ReadonlyMap<string, string> = new Map([
  ...OPERATION_NAMES.flatMap((name) => Object.entries(operationOf(name).history ?? {})),
  ...Object.entries(AUDIT_KINDS).flatMap(([kind, { words }]) =>
    words === undefined ? [] : [[kind, words] as const],
  ),
]);

const SHOWN_OTHERWISE: ReadonlySet<string> = new Set(
  Object.entries(AUDIT_KINDS).flatMap(([kind, { isShownOtherwise }]) => (isShownOtherwise ? kind : [])),
);

/** Words for any row of the audit. */
export function describeAuditKind(kind: string): string {
  return WORDS.get(kind) ?? kind.replaceAll(/[._]/g, ' ');
}

/** A row of the audit in words; undefined for one that a history shows otherwise, or does not know. */
export function describeDecision(kind: string): string | undefined {
  return SHOWN_OTHERWISE.has(kind) ? undefined : WORDS.get(kind);
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
  'email_observed',
  'email_sent',
  'ended_as_chosen',
  'subscription_card_replaced',
]);
const ENDING_KINDS: ReadonlySet<string> = new Set<AuditKind>([
  'guard.stopped',
  'email.withheld',
  'email.undeliverable',
  'dunning.not_ended',
  'card.not_kept',
]);

/** Whether an attempt, an email or a decision of the history says already how the action ended. */
export function isEndShown(
  { id, state, reason }: HistoryAction,
  { attempts, audit }: InvoiceHistory,
): boolean {
  if (state === 'done' && attempts.some(({ actionId }) => actionId === id)) return true;
  if (reason !== null && ENDS_SHOWN_ELSEWHERE.has(reason.code)) return true;
  return audit.some(({ kind, detail }) => ENDING_KINDS.has(kind) && detail.actionId === id);
}
