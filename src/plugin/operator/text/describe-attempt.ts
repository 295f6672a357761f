/** A charge, ours or Stripe's, as an entry of a timeline. Pure. */
import type { DateTime } from 'luxon';
import { isUnchargedAttempt } from '../../../core/contract/failed-transaction.ts';
import { classifyDecline, type DeclineClass } from '../../../core/declines/decline-classes.ts';
import { methodName } from '../../mails/format-card.ts';
import type { HistoryAttempt } from '../../store/reports/invoice-history.ts';
import { describeCode, money } from './describe-code.ts';
import type { Tone } from './text-table.ts';

export interface TimelineEntry {
  readonly at: DateTime;
  readonly kind: 'charge' | 'email' | 'dispute' | 'refund' | 'decision';
  readonly tone: Tone;
  /** `Retry 7 declined: insufficient funds`. */
  readonly title: string;
  /** Reason or origin, without a final period; may be empty. */
  readonly text: string;
  /** Codes, ids and notes. */
  readonly details: readonly string[];
  readonly invoices: readonly string[];
  /** `$29.00`. */
  readonly amount?: string | undefined;
  /** An email's own page. */
  readonly emailId?: string;
  /** A request without a consequence yet: the next step shows it. */
  readonly isPlan?: boolean;
  /** The row it is generated from. */
  readonly record: object;
}

const OUTCOMES: ReadonlyMap<string, readonly [words: string, tone: Tone]> = new Map([
  ['paid', ['paid', 'good']],
  ['requires_action', ['needs the customer’s confirmation', 'warn']],
  ['pending', ['submitted: the bank answers within days', 'info']],
  ['not_payable', ['not made: nothing to charge', 'soft']],
  ['not_executed', ['never reached Stripe', 'soft']],
]);

const CLASSES: Readonly<Record<DeclineClass, string>> = {
  retryable: 'a later attempt may succeed',
  wait: 'wait before another attempt',
  needs_new_card: 'another card is needed',
  needs_customer: 'the customer must act',
  never: 'no automatic attempt at all',
};

/** `origin`: who wanted a charge of ours, and why. */
export function toAttempt(record: HistoryAttempt, origin: string | undefined): TimelineEntry {
  const { startedAt, source, attemptNumber, amount, currency, brand, methodType, outcome, calls } = record;
  const isOurs = source === 'ours';
  const verdict =
    outcome === 'declined' || outcome === 'requires_action' ? classifyDecline(record) : undefined;
  const stripes = isUnchargedAttempt(record.chargeId)
    ? 'Attempt by Stripe without a charge'
    : 'Charged by Stripe';
  const why = verdict
    ? undefined
    : (record.detail ?? (record.code === null ? undefined : describeCode(record.code)));
  const sum = amount === null || currency === null ? undefined : money(amount, currency);
  const charged = [sum, methodName(brand, methodType)].filter((part) => part !== undefined).join(', ');
  return {
    at: startedAt,
    kind: 'charge',
    tone: OUTCOMES.get(outcome ?? '')?.[1] ?? 'soft',
    title: `${isOurs ? `Retry ${attemptNumber ?? '?'}` : 'Payment'} ${describeOutcome(record, isOurs)}`,
    text: [isOurs ? origin : stripes, outcome === 'paid' ? '' : why].filter(Boolean).join('. '),
    amount: sum,
    details: [
      ...(charged === '' ? [] : [charged]),
      ...(calls > 1 ? [`${calls} calls under one key`] : []),
      ...(verdict ? [CLASSES[verdict.class], codesOf(record, verdict.class)] : []),
    ],
    invoices: [],
    record: { ...record, class: verdict?.class ?? null },
  };
}

/** The words of some codes begin with the result themselves. */
function describeOutcome({ outcome, declineCode, code }: HistoryAttempt, isOurs: boolean): string {
  if (outcome !== 'declined')
    return OUTCOMES.get(outcome ?? '')?.[0] ?? outcome ?? 'without a known outcome yet';
  const known = declineCode ?? code;
  const words = known === null ? '' : describeCode(known);
  const result = isOurs ? 'declined' : 'failed';
  if (words.startsWith('declined')) return words;
  return words === '' ? result : `${result}: ${words}`;
}

/** Codes of Stripe and the network, and our reading of them. */
function codesOf(attempt: HistoryAttempt, verdict: DeclineClass): string {
  const codes = [
    ['code', attempt.code],
    ['decline code', attempt.declineCode],
    ['advice', attempt.adviceCode],
    ['network code', attempt.networkCode],
    ['network advice', attempt.networkAdvice],
    ['class', verdict],
  ].flatMap(([name, value]) => (value ? [`${name} ${value}`] : []));
  return codes.join(', ');
}
