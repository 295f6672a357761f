import type { Evidence } from './beliefs.ts';
import { familyOf } from './hypotheses.ts';
import { zoneNamed } from './local-time.ts';
import type { PaymentCase } from './payment-case.ts';

/** The latest answers of earlier invoices that are looked at. */
const MAX_PAST = 40;

/** What the answers of a case say, in the form in which beliefs read it. */
export function evidenceOf({ attempts, past = [], zone }: PaymentCase): Evidence {
  const first = attempts.at(0)?.at;
  const before = past.filter(({ at }) => first !== undefined && at < first);
  return {
    family: familyOf(attempts.at(0)?.code),
    zone: zoneNamed(zone),
    past: before.slice(-MAX_PAST).map(({ at, isPaid }) => ({ ms: at.toMillis(), isPaid })),
    answers: attempts.map(({ at }) => ({ ms: at.toMillis(), isPaid: false })),
  };
}
