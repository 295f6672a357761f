/**
 * Meaning of a decline for the guards: `retryable` time helps · `wait` not before a given time · `needs_new_card` this method is
 * unusable · `needs_customer` the customer must act, usually 3-D Secure · `never` no automatic attempt.
 */
import { type ClassifiedDecline, classify, type DeclineCodes } from './classify.ts';
import type { DeclineClass as TableClass } from './decline-row.ts';

export type DeclineClass = 'retryable' | 'wait' | 'needs_new_card' | 'needs_customer' | 'never';

export interface Classification extends Omit<ClassifiedDecline, 'class' | 'onRepeat' | 'isRepresentable'> {
  readonly class: DeclineClass;
  /** Class after a second such refusal of an invoice. */
  readonly onRepeat?: DeclineClass;
  /** No cause is named: fewer attempts than usual are enough. */
  readonly isUnexplained?: true;
  /** The customer can fix it without another card: it binds the entered details, not the card. */
  readonly isMendable?: true;
}

const CLASSES: Readonly<Record<TableClass, Pick<Classification, 'class' | 'isUnexplained' | 'isMendable'>>> =
  {
    hard: { class: 'needs_new_card' },
    update: { class: 'needs_new_card', isMendable: true },
    authentication: { class: 'needs_customer', isMendable: true },
    soft: { class: 'retryable' },
    generic: { class: 'retryable', isUnexplained: true },
    merchant: { class: 'never' },
  };

export function classifyDecline(codes: DeclineCodes): Classification {
  const { isRepresentable: _, onRepeat, ...classified } = classify(codes);
  const meaning = classified.waitHours === undefined ? CLASSES[classified.class] : { class: 'wait' as const };
  return { ...classified, ...meaning, ...(onRepeat ? { onRepeat: CLASSES[onRepeat].class } : {}) };
}
