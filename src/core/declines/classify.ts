/** Classifies a decline by all codes of Stripe, bank and network: one rule for plugin and service. */

import type { DeclineClass, DeclineRow } from './decline-row.ts';
import {
  findAdvice,
  findDebitScheme,
  findDecline,
  findMastercardAdvice,
  type Given,
  isRepresentable,
  isVisaNever,
  UNKNOWN_CLASS,
} from './find-decline.ts';

/** Refusals of an invoice that end its attempts if only one repeat is allowed (stripe-facts 5.9, 5.11). */
export const ONCE_MORE = 2;

export interface DeclineCodes {
  readonly methodType: Given;
  readonly brand: Given;
  readonly code: Given;
  /** Reason of the block, if the charge was blocked. */
  readonly declineCode: Given;
  readonly adviceCode: Given;
  readonly networkCode: Given;
  readonly networkAdvice: Given;
}

type Terms = Pick<DeclineRow, 'waitHours' | 'briefRests' | 'bindsDays'>;

export interface ClassifiedDecline extends Terms {
  readonly class: DeclineClass;
  /** A bank debit that may be presented again, with class `soft`. */
  readonly isRepresentable?: true;
  /** Attempts on an invoice that its scheme allows, including the first. */
  readonly maxAttempts?: number;
  /** Class after a second such refusal of an invoice; before it `soft`, and about that invoice only. */
  readonly onRepeat?: DeclineClass;
  /** The deciding code. */
  readonly because: string;
}

/** A row of any table. */
type Known = Partial<Pick<DeclineRow, 'class' | 'isOnceMore'>> & Terms;

type Rule = (codes: DeclineCodes) => ClassifiedDecline | undefined;

/** Strongest first (stripe-facts 5.4, precedence). */
const RULES: readonly Rule[] = [
  ({ declineCode }) => (findDecline(declineCode)?.isBlock ? byCode(declineCode) : undefined),
  ({ adviceCode }) => (findAdvice(adviceCode)?.isFinal ? byAdvice(adviceCode) : undefined),
  (codes) =>
    findMastercardAdvice(codes.brand, codes.networkAdvice)?.isFinal ? byMastercard(codes) : undefined,
  ({ brand, networkCode }) =>
    isVisaNever(brand, networkCode) ? conclude({ class: 'hard' }, `Visa code ${networkCode}`) : undefined,
  ({ declineCode, code }) =>
    byCode([declineCode, code].find((reason) => findDecline(reason)?.isNeverRetriedByStripe)),
  ({ declineCode, code }) =>
    byCode([declineCode, code].find((reason) => findDecline(reason)?.class === 'authentication')),
  (codes) => byDebitScheme(codes),
  ({ adviceCode }) => byAdvice(adviceCode),
  (codes) => byMastercard(codes),
  ({ declineCode }) => byCause(declineCode),
  ({ code }) => byCause(code),
];

/** Returns the class and the deciding code; unknown declines are generic. */
export function classify(codes: DeclineCodes): ClassifiedDecline {
  for (const rule of RULES) {
    const classified = rule(codes);
    if (classified) return classified;
  }
  return { class: UNKNOWN_CLASS, because: codes.declineCode ?? codes.code ?? 'no code given' };
}

function conclude(known: Known | undefined, because: string): ClassifiedDecline | undefined {
  if (!known?.class) return undefined;
  const decided = { ...pickRule(known), because };
  return known.isOnceMore
    ? { ...decided, class: 'soft', onRepeat: known.class }
    : { ...decided, class: known.class };
}

function pickRule({ waitHours, briefRests, bindsDays }: Known): Terms {
  return {
    ...(briefRests ? { briefRests } : {}),
    ...(waitHours === undefined ? {} : { waitHours }),
    ...(bindsDays === undefined ? {} : { bindsDays }),
  };
}

function byCode(code: Given): ClassifiedDecline | undefined {
  return conclude(findDecline(code), code ?? '');
}

/** A code without a cause, such as `card_declined`, leaves the decision to others. */
function byCause(code: Given): ClassifiedDecline | undefined {
  return findDecline(code)?.class === UNKNOWN_CLASS ? undefined : byCode(code);
}

function byAdvice(adviceCode: Given): ClassifiedDecline | undefined {
  return conclude(findAdvice(adviceCode), adviceCode ?? '');
}

function byMastercard({ brand, networkCode, networkAdvice }: DeclineCodes): ClassifiedDecline | undefined {
  const because = `Mastercard advice ${networkAdvice}`;
  const known = findMastercardAdvice(brand, networkAdvice);
  // A security decline (83) with advice 01 asks for authentication.
  if (known?.value === '01' && networkCode === '83') return conclude({ class: 'authentication' }, because);
  return conclude(known, because);
}

/** A debit is presented again for listed reasons only; other failures do not pass with time. */
function byDebitScheme({
  methodType,
  code,
  declineCode,
  networkCode,
}: DeclineCodes): ClassifiedDecline | undefined {
  const scheme = findDebitScheme(methodType);
  if (!scheme) return undefined;
  const because = declineCode ?? code ?? 'no code given';
  if (isRepresentable(scheme, because, networkCode)) {
    const isOnceMore = scheme.onceMoreCodes?.includes(because) ?? false;
    const limit = isOnceMore ? { maxAttempts: ONCE_MORE } : {};
    return { class: 'soft', isRepresentable: true, ...limit, because };
  }
  const known = findDecline(because);
  const isTimeEnough = known?.class === 'soft' || known?.class === 'generic';
  return conclude({ class: known && !isTimeEnough ? known.class : 'hard' }, because);
}
