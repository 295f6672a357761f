/** Waits that attempts with a card impose on one more. */
import { ATTEMPT_LIMITS } from '../../../src/core/limits/attempt-limits.ts';
import {
  type CardTry,
  createWindowCheck,
  findEqualRest,
  type NextTry,
} from '../../../src/core/limits/card-windows.ts';

const HOUR = 3_600_000;
const NOW = 1_000 * 24 * HOUR;
const declined = (hoursAgo: number, changes: Partial<CardTry> = {}): CardTry => ({
  atMs: NOW - hoursAgo * HOUR,
  amount: 2000,
  ...changes,
});
const next = (networks: readonly string[], changes: Partial<NextTry> = {}): NextTry => ({
  amount: 2000,
  networks,
  country: undefined,
  limits: ATTEMPT_LIMITS,
  ...changes,
});
const many = (count: number, changes: Partial<CardTry> = {}) =>
  Array.from({ length: count }, (_, at) => declined(100 + at, changes));
/** Hours from now. */
const waitFor = (tries: readonly CardTry[], asked: NextTry) => {
  const wait = createWindowCheck(tries, asked)(NOW);
  return wait && (wait.untilMs - NOW) / HOUR;
};

test.each<[string, readonly CardTry[], NextTry, number | undefined]>([
  ['one below the month of Visa', many(14), next(['visa']), undefined],
  ['the month of Visa', many(15), next(['visa']), 720 - 114],
  ['one over it, in any order', [...many(16)].reverse(), next(['visa']), 720 - 114],
  ['another card', many(8), next([]), 720 - 107],
  ['a day of Mastercard', Array.from({ length: 8 }, (_, at) => declined(at + 1)), next(['mastercard']), 16],
  ['a month of Mastercard', many(30), next(['mastercard']), 720 - 129],
  ['of another amount', many(30, { amount: 900 }), next(['mastercard']), undefined],
  ['of an unknown amount', many(30, { amount: undefined }), next(['mastercard']), 720 - 129],
  [
    'the other network of the card',
    many(15, { network: 'cartes_bancaires' }),
    next(['cartes_bancaires', 'visa']),
    720 - 107,
  ],
  ['a payment since', [...many(15), declined(1, { isPaid: true })], next(['visa']), undefined],
  [
    'a payment since, in Brazil',
    [...many(15), declined(1, { isPaid: true })],
    next(['visa'], { country: 'BR' }),
    720 - 114 + 1,
  ],
])('one more try waits so many hours after %s', (_name, tries, asked, hours) => {
  expect(waitFor(tries, asked)).toBe(hours);
});

test.each([
  [true, 'sub_1', 'sub_2', 0.35],
  [true, 'sub_1', 'sub_1', 8],
  [true, undefined, 'sub_2', 8],
  [false, 'sub_1', 'sub_2', 8],
])('as much again: paid %s, of %s after %s, rests %d hours', (isPaid, subscriptionId, other, hours) => {
  const tries = [{ ...declined(0, { isPaid }), subscriptionId: other }];
  const rest = findEqualRest(tries, { amount: 2000, subscriptionId });
  expect(((rest?.untilMs ?? 0) - NOW) / HOUR).toBeCloseTo(hours);
  expect(findEqualRest(tries, { amount: 1999, subscriptionId })).toBeUndefined();
});
