/**
 * News of the card from the payer's other invoices since this one was last refused: all invoices of one card are planned
 * together. Pure.
 */
import { DateTime } from 'luxon';
import { LACK_OF_FUNDS } from '../../core/limits/card-rest.ts';
import { findEqualRest } from '../../core/limits/card-windows.ts';
import { toTry } from './caps.ts';
import { classifyAttempt } from './classify-decline.ts';
import type { FailedAttempt, PastAttempt, PaymentCase } from './payment-case.ts';

export interface PayerSignal {
  /** `paid`: there is money. `refused`: there is none, not even for less. `ended`: only another card helps. */
  readonly kind: 'paid' | 'refused' | 'ended';
  /** The id of the answer. */
  readonly id: string | undefined;
  /** Not before. */
  readonly restUntil: DateTime;
}

/** The latest one; undefined while there is none. */
export function findPayerSignal(paymentCase: PaymentCase): PayerSignal | undefined {
  const signals = listSince(paymentCase, paymentCase.attempts.at(-1)).flatMap((answer) => {
    const kind = kindOf(answer, paymentCase);
    return kind ? { kind, id: answer.id, restUntil: restAfter(answer, paymentCase) } : [];
  });
  return signals.at(-1);
}

/** Refusals that say as much about the money as one of the invoice's own. */
export function listTellingRefusals(paymentCase: PaymentCase): PastAttempt[] {
  return listSince(paymentCase, paymentCase.attempts.at(0)).filter(
    (answer) => kindOf(answer, paymentCase) === 'refused',
  );
}

/** Later answers to the card that would be charged. */
function listSince({ attempts, past = [] }: PaymentCase, attempt: FailedAttempt | undefined): PastAttempt[] {
  const card = attempts.at(-1)?.fingerprint;
  const since = attempt?.at.toMillis();
  if (card === undefined || since === undefined) return [];
  return past.filter(({ at, fingerprint }) => fingerprint === card && at.toMillis() > since);
}

function kindOf(answer: PastAttempt, { amount, brand }: PaymentCase): PayerSignal['kind'] | undefined {
  if (answer.isPaid) return 'paid';
  if (answer.code === LACK_OF_FUNDS)
    return answer.amount !== undefined && answer.amount <= amount ? 'refused' : undefined;
  const said = classifyAttempt(answer, brand).class;
  return said === 'hard' || said === 'update' ? 'ended' : undefined;
}

function restAfter(answer: PastAttempt, { amount, subscriptionId }: PaymentCase): DateTime {
  const rest = findEqualRest([toTry(answer)], { amount, subscriptionId });
  return rest ? DateTime.fromMillis(rest.untilMs, { zone: 'utc' }) : answer.at;
}
