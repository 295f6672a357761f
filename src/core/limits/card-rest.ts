/** How long a card rests before the next attempt that is planned. */
import { type ClassifiedDecline, classify, type DeclineCodes } from '../declines/classify.ts';
import { PLANNED_GAP_HOURS } from './usual-limits.ts';

type Refusal = Pick<ClassifiedDecline, 'briefRests'>;

/**
 * Returns the rest after answers to one card on one invoice, oldest first; undefined is an answer other than a refusal. A
 * merchant's own rest applies to all.
 */
export function restHours(answers: readonly (Refusal | undefined)[], gapHours: number | undefined): number {
  if (gapHours !== undefined) return gapHours;
  const inARow = answers.length - 1 - answers.findLastIndex((answer) => !answer?.briefRests);
  return answers.at(-1)?.briefRests?.[inARow - 1] ?? PLANNED_GAP_HOURS;
}

/** An answer to a payment with one card, for any invoice. */
export interface FundsAnswer {
  readonly atMs: number;
  /** Minor units; where it is not known the answer says nothing. */
  readonly amount: number | undefined;
  readonly isPaid: boolean;
  readonly codes: DeclineCodes;
}

export const LACK_OF_FUNDS = 'insufficient_funds';
const MS_PER_HOUR = 3_600_000;

/**
 * A card that lacked funds for one amount lacks them for a larger one: the refusal for which the amount rests longest, and
 * until when. A later payment of as much shows that there are funds.
 */
export function findFundsRest<Answer extends FundsAnswer>(
  answers: readonly Answer[],
  { amount, gapHours }: { readonly amount: number; readonly gapHours: number | undefined },
): { readonly refusal: Answer; readonly untilMs: number } | undefined {
  const rests = answers
    .filter((answer) => isRefused(answer) && (answer.amount ?? Number.POSITIVE_INFINITY) <= amount)
    .filter((refusal) => !answers.some((answer) => hasPaidAsMuch(answer, refusal)))
    .map((refusal) => {
      const hours = restHours([classify(refusal.codes)], gapHours);
      return { refusal, untilMs: refusal.atMs + hours * MS_PER_HOUR };
    });
  return rests.reduce<(typeof rests)[number] | undefined>(
    (longest, rest) => (longest && longest.untilMs >= rest.untilMs ? longest : rest),
    undefined,
  );
}

function isRefused({ isPaid, codes }: FundsAnswer): boolean {
  return !isPaid && (codes.declineCode ?? codes.code) === LACK_OF_FUNDS;
}

function hasPaidAsMuch({ isPaid, atMs, amount = 0 }: FundsAnswer, refusal: FundsAnswer): boolean {
  return isPaid && atMs > refusal.atMs && amount >= (refusal.amount ?? 0);
}
