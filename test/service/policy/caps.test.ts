/** How many tries a card has left, and when. */
import { countAttempts, createCapCheck, limitsOf } from '../../../src/service/policy/caps.ts';
import type { PastAttempt, PaymentCase } from '../../../src/service/policy/payment-case.ts';
import { buildCase, FIRST, failed, given } from './policy-cases.ts';

const HOUR_MS = 3_600_000;
const CARD = { ...failed(0, 'do_not_honor'), fingerprint: 'one' };

/** Hours from the first failure until one more try is allowed: none sooner, and from then on for days. */
function opensAfter(changes: Partial<PaymentCase>): number {
  const isAllowed = createCapCheck(buildCase({ attempts: [CARD], ...changes }));
  const first = FIRST.toMillis();
  const opens = Array.from({ length: 24 * 40 }, (_, hour) => hour).find((hour) =>
    isAllowed(first + hour * HOUR_MS),
  );
  if (opens === undefined) return Number.POSITIVE_INFINITY;
  if (opens > 0) expect(isAllowed(first + opens * HOUR_MS - 1)).toBe(false);
  return opens;
}

const past = (hours: number, changes: Partial<PastAttempt> = {}): PastAttempt => ({
  at: FIRST.plus({ hours }),
  isPaid: false,
  amount: 900,
  fingerprint: 'one',
  methodType: 'card',
  code: 'do_not_honor',
  ...changes,
});
const many = (count: number, changes: Partial<PastAttempt> = {}) =>
  Array.from({ length: count }, () => past(-100, changes));
const short = (hours: number, changes: Partial<PastAttempt> = {}) =>
  past(hours, { code: 'insufficient_funds', ...changes });
const paid = (hours: number, changes: Partial<PastAttempt> = {}) => past(hours, { isPaid: true, ...changes });

/** Of the attempts a hundred hours before: in half-open windows of 30 days. */
const MONTH = 30 * 24 - 100;

test.each<[string, Partial<PaymentCase>, number]>([
  ['nothing else was tried', {}, 0],
  ['Visa: 14 others', { brand: 'visa', past: many(13) }, 0],
  ['Visa: 15 in all', { brand: 'visa', past: many(14) }, MONTH],
  ['Mastercard in a month', { brand: 'mastercard', past: many(34, { amount: 2000 }) }, MONTH],
  ['Mastercard in a month, of another amount', { brand: 'mastercard', past: many(34) }, 0],
  ['another brand: 8 in all', { brand: 'amex', past: many(7) }, MONTH],
  ['a brand that is not known', { brand: undefined, past: many(7) }, MONTH],
  ['stricter, for Visa', { brand: 'visa', past: many(2), limits: { visaPer30Days: 3 } }, MONTH],
  [
    'stricter, for Mastercard',
    { brand: 'mastercard', past: many(2, { amount: 2000 }), limits: { mastercardPer30Days: 3 } },
    MONTH,
  ],
  ['stricter, for others', { brand: 'amex', past: many(2), limits: { otherCardPer30Days: 3 } }, MONTH],
  [
    'Mastercard in a day',
    { brand: 'mastercard', past: [past(-20), past(-10)], limits: { mastercardPer24Hours: 3 } },
    4,
  ],
  [
    'the day is not counted for Visa',
    { past: [past(-20), past(-10)], limits: { mastercardPer24Hours: 3 } },
    0,
  ],
  ['another card', { brand: 'amex', past: many(7, { fingerprint: 'two' }) }, 0],
  ['a card that is not known counts', { brand: 'amex', past: many(7, { fingerprint: undefined }) }, MONTH],
  ['what was before a payment does not count', { brand: 'amex', past: [...many(7), paid(-50)] }, 0],
  [
    'a payment with a card that is not known proves nothing',
    { brand: 'amex', past: [...many(7), paid(-50, { fingerprint: undefined })] },
    MONTH,
  ],
  ['in Brazil payments count', { brand: 'amex', country: 'BR', past: [...many(6), paid(-50)] }, MONTH],
  ['as much, refused', { past: [past(1, { amount: 2000 })] }, 9],
  [
    'as much, paid for another subscription',
    { subscriptionId: 'a', past: [paid(0.65, { amount: 2000, subscriptionId: 'b' })] },
    1,
  ],
  ['as much, with another card', { past: [past(1, { amount: 2000, fingerprint: 'two' })] }, 0],
  ['too little money for less', { past: [short(1)] }, 25],
  ['too little money for more', { past: [short(1, { amount: 2001 })] }, 0],
  ['too little money on another card', { past: [short(1, { fingerprint: 'two' })] }, 0],
  ['too little money for less, then enough', { past: [short(1), paid(2)] }, 0],
  [
    'too little money, and the merchant’s own longer rest',
    { past: [short(1)], limits: { minGapHours: 48 } },
    49,
  ],
  [
    'Mastercard says: after an hour',
    { brand: 'mastercard', past: [short(1, { networkAdviceCode: '24' })] },
    2,
  ],
  [
    'a card of Mastercard by its own account',
    { brand: 'visa', past: [short(1, { networkAdviceCode: '24', brand: 'mastercard' })] },
    2,
  ],
  ['an advice of Mastercard to Visa', { brand: 'visa', past: [short(1, { networkAdviceCode: '24' })] }, 25],
])('one more try, in hours after the first failure: %s', (_name, changes, hours) => {
  expect(opensAfter(changes)).toBe(hours);
});

test('an invoice of which no attempt is known has the caps of the others', () => {
  const isAllowed = createCapCheck(
    buildCase({ attempts: [], brand: 'amex', past: many(8, { fingerprint: undefined }) }),
  );
  expect(isAllowed(FIRST.toMillis())).toBe(false);
});

test('every failed attempt counts, and every retry that was asked for by now', () => {
  const retry = (day: number) => given(day, 'ACTION_SUGGESTION_RETRY');
  const email = given(0, 'ACTION_SUGGESTION_CARD_CHANGE');
  const count = (instructions: PaymentCase['instructions'], attempts = [CARD]) =>
    countAttempts(buildCase({ attempts, instructions }), FIRST.plus({ days: 3 }));
  expect([
    count([]),
    count([retry(1), retry(2)]),
    count([retry(1), retry(3)]),
    count([retry(1), retry(4)]),
    count([retry(1), email, email]),
    count([retry(1)], [CARD, CARD, CARD]),
  ]).toEqual([1, 3, 3, 2, 2, 3]);
});

test('a merchant’s own limits take the place of the usual ones, each by itself', () => {
  const usual = limitsOf(buildCase());
  expect(usual).toMatchObject({
    perInvoice: 9,
    windowDays: 30,
    attemptCost: 10,
    reminderDays: [0, 3, 7, 14],
  });
  expect(limitsOf(buildCase({ limits: { windowDays: 20 } }))).toEqual({ ...usual, windowDays: 20 });
});
