/**
 * What a decline means for the next attempt. The codes and their classes stand in `src/declines`; here they become what
 * the guards act on: `retryable` time helps · `wait` not before a stated time · `needs_new_card` this method will not
 * do · `needs_customer` the customer must act, usually 3-D Secure · `never` no automatic attempt at all.
 */

import type { DeclineClass as TableClass } from './decline-row.ts';
import {
  findAdvice,
  findDebitScheme,
  findDecline,
  findMastercardAdvice,
  isRepresentable,
  isVisaNever,
  UNKNOWN_CLASS,
} from './find-decline.ts';

export type DeclineClass = 'retryable' | 'wait' | 'needs_new_card' | 'needs_customer' | 'never';

export interface DeclineCodes {
  readonly methodType: string | undefined;
  readonly brand: string | undefined;
  readonly code: string | undefined;
  /** For a blocked charge this is the reason of the block. */
  readonly declineCode: string | undefined;
  readonly adviceCode: string | undefined;
  readonly networkCode: string | undefined;
  readonly networkAdvice: string | undefined;
}

export interface Classification {
  readonly class: DeclineClass;
  /** Hours to wait, with class `wait`. */
  readonly waitHours?: number;
  /** It names no cause: fewer attempts than usual are enough. */
  readonly isUnexplained?: true;
  /** Attempts on one invoice that its scheme allows, the first included. */
  readonly maxAttempts?: number;
  /** The customer can mend it without another card: it binds the details as they were given, not the card. */
  readonly isMendable?: true;
  /** Days for which it binds the card; without it, for good. */
  readonly bindsDays?: number;
  /** The code that decided. */
  readonly because: string;
}

/** The first presentment of a debit, and once more (stripe-facts 5.9). */
const ONCE_MORE = 2;

const CLASSES: Readonly<Record<TableClass, Omit<Classification, 'because'>>> = {
  hard: { class: 'needs_new_card' },
  update: { class: 'needs_new_card', isMendable: true },
  authentication: { class: 'needs_customer', isMendable: true },
  soft: { class: 'retryable' },
  generic: { class: 'retryable', isUnexplained: true },
  merchant: { class: 'never' },
};

/** A row of any of the tables. */
interface Known {
  readonly class?: TableClass;
  readonly waitHours?: number;
  readonly bindsDays?: number;
}

type Rule = (codes: DeclineCodes) => Classification | undefined;

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
  ({ code }) => (findDecline(code)?.class === 'authentication' ? byCode(code) : undefined),
  (codes) => byDebitScheme(codes),
  ({ adviceCode }) => byAdvice(adviceCode),
  (codes) => byMastercard(codes),
  ({ declineCode }) => byCause(declineCode),
  ({ code }) => byCause(code),
];

/** The class of a decline and the code that decided; one that nobody knows is generic. */
export function classifyDecline(codes: DeclineCodes): Classification {
  for (const rule of RULES) {
    const classification = rule(codes);
    if (classification) return classification;
  }
  return { ...CLASSES[UNKNOWN_CLASS], because: codes.declineCode ?? codes.code ?? 'no code given' };
}

function conclude(known: Known | undefined, because: string): Classification | undefined {
  if (!known?.class) return undefined;
  const { waitHours, bindsDays } = known;
  if (waitHours !== undefined) return { class: 'wait', waitHours, because };
  return { ...CLASSES[known.class], ...(bindsDays === undefined ? {} : { bindsDays }), because };
}

function byCode(code: string | undefined): Classification | undefined {
  return conclude(findDecline(code), code ?? '');
}

/** A code that names no cause, such as `card_declined`, leaves the word to the others. */
function byCause(code: string | undefined): Classification | undefined {
  return findDecline(code)?.class === UNKNOWN_CLASS ? undefined : byCode(code);
}

function byAdvice(adviceCode: string | undefined): Classification | undefined {
  return conclude(findAdvice(adviceCode), adviceCode ?? '');
}

function byMastercard({ brand, networkCode, networkAdvice }: DeclineCodes): Classification | undefined {
  const because = `Mastercard advice ${networkAdvice}`;
  const known = findMastercardAdvice(brand, networkAdvice);
  // A security decline (83) with advice 01 asks for authentication.
  if (known?.value === '01' && networkCode === '83') return conclude({ class: 'authentication' }, because);
  return conclude(known, because);
}

/** A debit is presented again for the listed reasons only; whatever else it is, time alone does not help. */
function byDebitScheme({
  methodType,
  code,
  declineCode,
  networkCode,
}: DeclineCodes): Classification | undefined {
  const scheme = findDebitScheme(methodType);
  if (!scheme) return undefined;
  const because = declineCode ?? code ?? 'no code given';
  if (isRepresentable(scheme, because, networkCode)) {
    const isOnceMore = scheme.onceMoreCodes?.includes(because) ?? false;
    return { class: 'retryable', ...(isOnceMore ? { maxAttempts: ONCE_MORE } : {}), because };
  }
  const known = findDecline(because);
  const isTimeEnough = known?.class === 'soft' || known?.class === 'generic';
  return conclude(known && !isTimeEnough ? known : { class: 'hard' }, because);
}
