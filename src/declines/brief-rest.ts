/** How long a card rests before the next attempt on an invoice. The guards and the service's policy judge by it. */
import type { ClassifiedDecline } from './classify.ts';
import { MIN_GAP_HOURS } from './usual-limits.ts';

type Refusal = Pick<ClassifiedDecline, 'briefRests'>;

/** Of one card on one invoice, oldest first; undefined stands for an answer that was no refusal. A merchant's own longer rest holds. */
export function restHours(answers: readonly (Refusal | undefined)[], gapHours: number): number {
  if (gapHours > MIN_GAP_HOURS) return gapHours;
  const inARow = answers.length - 1 - answers.findLastIndex((answer) => !answer?.briefRests);
  return answers.at(-1)?.briefRests?.[inARow - 1] ?? gapHours;
}
