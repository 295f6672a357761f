import { zoneNamed } from '../calendar/local-time.ts';
import { isHealedByTime } from '../classify-decline.ts';
import { listTellingRefusals } from '../payer-signal.ts';
import type { PastAttempt, PaymentCase } from '../payment-case.ts';
import type { Evidence } from './beliefs.ts';
import { familyOf } from './hypotheses.ts';

/** The latest answers of earlier invoices that are looked at. */
const MAX_PAST = 40;

/** What the answers of a case say, in the form in which beliefs read it. */
export function evidenceOf(paymentCase: PaymentCase): Evidence {
  const { attempts, past = [], zone } = paymentCase;
  const first = attempts.at(0)?.at;
  const before = past.filter((one) => first !== undefined && one.at < first && isAboutMoney(one));
  return {
    family: familyOf(attempts.at(0)?.code),
    zone: zoneNamed(zone),
    past: before.slice(-MAX_PAST).map(({ at, isPaid }) => ({ ms: at.toMillis(), isPaid })),
    answers: [...attempts, ...listTellingRefusals(paymentCase)]
      .map(({ at }) => ({ ms: at.toMillis(), isPaid: false }))
      .sort((one, other) => one.ms - other.ms),
  };
}

/** A card that was stolen or has expired says nothing about its owner's money. */
function isAboutMoney({ isPaid, methodType, code }: PastAttempt): boolean {
  return isPaid || methodType === undefined || isHealedByTime({ methodType, code });
}
