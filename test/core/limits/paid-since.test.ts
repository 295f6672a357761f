import fc from 'fast-check';
import {
  type CardAnswer,
  hasPaidSince,
  listBinding,
  listCounted,
} from '../../../src/core/limits/paid-since.ts';

const BASE = Date.parse('2026-11-20T10:00:00Z');
const answer = fc.record({
  atMs: fc.integer({ min: 0, max: 9_000 }).map((ms) => BASE + ms),
  expiry: fc.constantFrom(undefined, '2030-12', '2034-12'),
  methodType: fc.constant('card'),
});
const payments = fc.array(answer, { maxLength: 6 });

const isLaterSecond = (payment: CardAnswer, declined: CardAnswer) =>
  payment.atMs - (payment.atMs % 1000) > declined.atMs;

describe('hasPaidSince', () => {
  it.each<[string, number, string | undefined, boolean]>([
    ['a payment of the next second', 1_000, '2030-12', true],
    ['a payment a week later', 604_800_000, '2030-12', true],
    ['one of the same second', 999, '2030-12', false],
    ['one before', -1, '2030-12', false],
    ['one of the renewed card', 86_400_000, '2034-12', false],
    ['one whose expiry is not known', 86_400_000, undefined, true],
  ])('hasPaidSince for %s, %d ms later with expiry %s, is %s', (_name, ms, expiry, expected) => {
    const declined = { atMs: BASE, expiry: '2030-12', methodType: 'card' };
    expect(hasPaidSince(declined, [{ ...declined, atMs: BASE + ms, expiry }])).toBe(expected);
  });

  it('hasPaidSince holds exactly if one of the payments ends the decline, in whatever order they stand', () => {
    fc.assert(
      fc.property(answer, payments, (declined, paid) => {
        const ending = paid.filter(
          (one) =>
            isLaterSecond(one, declined) && new Set([one.expiry, declined.expiry, undefined]).size <= 2,
        );
        expect(hasPaidSince(declined, paid)).toBe(ending.length > 0);
        expect(hasPaidSince(declined, paid.toReversed())).toBe(ending.length > 0);
      }),
    );
  });

  it('hasPaidSince never lets an earlier payment end a later decline', () => {
    fc.assert(
      fc.property(answer, payments, (declined, paid) => {
        const latest = Math.max(BASE, ...paid.map(({ atMs }) => atMs));
        expect(hasPaidSince({ ...declined, atMs: latest }, paid)).toBe(false);
      }),
    );
  });

  it.each(['us_bank_account', 'sepa_debit', 'bacs_debit'])(
    'hasPaidSince does not count for a debit by %s',
    (methodType) => {
      const declined = { atMs: BASE, expiry: undefined, methodType };
      expect(hasPaidSince(declined, [{ ...declined, atMs: BASE + 86_400_000 }])).toBe(false);
    },
  );
});

it('a network counts what was refused since the last payment, and in its second; in Brazil all that was asked', () => {
  const [before, inSecond, paid, after] = [
    { atMs: BASE - 1 },
    { atMs: BASE },
    { atMs: BASE + 500, isPaid: true },
    { atMs: BASE + 2_000 },
  ];
  const all = [before, inSecond, paid, after];
  expect(listCounted(all, 'US')).toEqual([inSecond, after]);
  expect(listCounted([before, after], undefined)).toEqual([before, after]);
  expect(listCounted(all, 'BR')).toEqual(all);
});

describe('listBinding', () => {
  const declined = (second: number, once = false) => ({
    atMs: BASE + 1000 * second,
    expiry: '2030-04',
    methodType: 'card',
    class: once ? 'soft' : 'update',
    onRepeat: once ? 'hard' : undefined,
  });
  const listed = (declines: ReturnType<typeof declined>[], paidAt?: number) =>
    listBinding(declines, paidAt === undefined ? [] : [declined(paidAt)], (one) => one).map(
      ({ atMs, class: own }) => `${(atMs - BASE) / 1000} ${own}`,
    );

  it.each<[string, ReturnType<typeof declined>[], number | undefined, string[]]>([
    ['without a payment all', [declined(1), declined(2)], undefined, ['1 update', '2 update']],
    ['with one, later ones alone', [declined(1), declined(3)], 2, ['3 update']],
    ['one that allows one more attempt as it is', [declined(1, true)], undefined, ['1 soft']],
    ['two of them as final', [declined(1, true), declined(2, true)], undefined, ['1 hard', '2 hard']],
    [
      'no other with them',
      [declined(1, true), declined(2), declined(3, true)],
      undefined,
      ['1 hard', '2 update', '3 hard'],
    ],
    ['the second as the first after a payment', [declined(1, true), declined(3, true)], 2, ['3 soft']],
  ])('lists %s', (_name, declines, paidAt, expected) => {
    expect(listed(declines, paidAt)).toEqual(expected);
  });
});
