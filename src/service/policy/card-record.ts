/**
 * Answers to the card that would be charged since it last paid: on this invoice, and lately on the customer's others. The
 * plugin's guards judge by the same before each payment, so that no suggestion is one that they decline.
 */
import { DateTime } from 'luxon';
import { restHours } from '../../core/limits/card-rest.ts';
import { CAP_DAYS } from '../../core/limits/card-windows.ts';
import { type CardAnswer, listBinding } from '../../core/limits/paid-since.ts';
import { PLANNED_GAP_HOURS } from '../../core/limits/usual-limits.ts';
import { limitsOf } from './caps.ts';
import { classifyAttempt, type DeclineClass, type ServiceDecline } from './classify-decline.ts';
import type { FailedAttempt, PastAttempt, PaymentCase } from './payment-case.ts';

export interface CardRecord {
  readonly class: DeclineClass;
  /** The code that decided. */
  readonly code: string | undefined;
  /** Refusals on this card, of this invoice. */
  readonly declined: number;
  /** The obstacle passes without help: the next try is due as soon as the card has rested, on any day. */
  readonly isPassing: boolean;
  /** Not before: the rest between attempts, and what banks and networks asked for. */
  readonly restUntil: DateTime;
}

interface ClassifiedAttempt extends ServiceDecline {
  readonly attempt: FailedAttempt;
}

const MS_PER_HOUR = 3_600_000;

/** Classes that no later decline undoes, the strongest first (stripe-facts 5.4). Another card starts fresh, and so does one that has paid. */
const BARRING: readonly DeclineClass[] = ['never', 'hard', 'update', 'authentication'];

export function readCardRecord(paymentCase: PaymentCase, latest: FailedAttempt, now: DateTime): CardRecord {
  const { attempts, brand } = paymentCase;
  const onInvoice = attempts.filter(({ fingerprint }) => fingerprint === latest.fingerprint);
  const read = (attempt: FailedAttempt): ClassifiedAttempt => ({
    attempt,
    ...classifyAttempt(attempt, brand),
  });
  const late = listLate(paymentCase, latest, now).map(read);
  const answers = onInvoice.map(read);
  const given = [...late.filter(({ onRepeat }) => !onRepeat), ...answers];
  const paid = listPaid(paymentCase, latest);
  const binding = listBinding<DeclineClass, ClassifiedAttempt>(given, paid, (one) => toAnswer(one.attempt));
  const own = binding.find(({ attempt }) => attempt === latest) ?? forgive(read(latest));
  const isOwnBarring = BARRING.includes(own.class);
  const barred = BARRING.map((one) => binding.findLast((answer) => answer.class === one)).find(Boolean);
  // The latest answer decides, unless an earlier one was stronger.
  const isStronger = barred && (!isOwnBarring || BARRING.indexOf(barred.class) < BARRING.indexOf(own.class));
  const decisive = isStronger ? barred : own;
  const { minGapHours } = limitsOf(paymentCase);
  const rest = restHours(answers, minGapHours);
  return {
    class: decisive.class,
    code: decisive.attempt.code,
    declined: onInvoice.length,
    isPassing:
      decisive.onRepeat !== undefined || (decisive === own && rest < (minGapHours ?? PLANNED_GAP_HOURS)),
    restUntil: restOf(latest, rest, binding),
  };
}

/** The card has paid since. */
function forgive(said: ClassifiedAttempt): ClassifiedAttempt {
  return BARRING.includes(said.class) ? { ...said, class: 'soft' } : said;
}

/** The end of the rest. It counts in milliseconds, because a date for each answer would cost more than all else here. */
function restOf(latest: FailedAttempt, hours: number, answers: readonly ClassifiedAttempt[]): DateTime {
  let until = latest.at.toMillis() + hours * MS_PER_HOUR;
  for (const { attempt, waitHours } of answers)
    until = Math.max(until, attempt.at.toMillis() + waitHours * MS_PER_HOUR);
  return DateTime.fromMillis(until, { zone: 'utc' });
}

/** Refusals of this card on the customer's other invoices, no older than the networks count. */
function listLate(
  { past = [] }: PaymentCase,
  { fingerprint }: FailedAttempt,
  now: DateTime,
): FailedAttempt[] {
  if (fingerprint === undefined) return [];
  const since = now.toMillis() - CAP_DAYS * 24 * MS_PER_HOUR;
  return past
    .filter(isRefusal)
    .filter((one) => one.fingerprint === fingerprint && one.at.toMillis() >= since);
}

/** Payments with this card for any of the customer's invoices. */
function listPaid({ past = [] }: PaymentCase, { fingerprint }: FailedAttempt): CardAnswer[] {
  if (fingerprint === undefined) return [];
  return past.filter((one) => one.isPaid && one.fingerprint === fingerprint).map(toAnswer);
}

function toAnswer({ at, expiry, methodType }: PastAttempt | FailedAttempt): CardAnswer {
  return { atMs: at.toMillis(), expiry, methodType };
}

function isRefusal(one: PastAttempt): one is PastAttempt & FailedAttempt {
  return !one.isPaid && one.methodType !== undefined;
}
