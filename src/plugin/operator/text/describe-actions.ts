import { AUDIT_KINDS } from '../../actions/audit-kinds.ts';
import type { ReasonCode } from '../../reasons/reason.ts';
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

/** Whether a history shows it from rows of its own. */
export function isShownOtherwise(kind: string): boolean {
  return SHOWN_OTHERWISE.has(kind);
}

/** Ends that an attempt, an email or a decision shows. */
export const ENDS_SHOWN_ELSEWHERE: ReadonlySet<ReasonCode> = new Set([
  'payment_observed',
  'email_observed',
  'email_sent',
  'ended_as_chosen',
  'subscription_card_replaced',
]);
