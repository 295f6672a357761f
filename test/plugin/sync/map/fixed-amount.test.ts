import fc from 'fast-check';
import Stripe from 'stripe';
import { decimalAmount, toMinorUnits, wholeAmount } from '../../../../src/plugin/sync/map/fixed-amount.ts';

const UNIT = 10n ** 12n;

describe('decimalAmount', () => {
  it.each<[string, unknown, bigint]>([
    ['a webhook string', '12.5', 125n * 10n ** 11n],
    ['an API Decimal', Stripe.Decimal.from('12.5'), 125n * 10n ** 11n],
    ['twelve places', '0.000000000001', 1n],
    ['twelve places as Decimal', Stripe.Decimal.from('0.000000000001'), 1n],
    ['a whole number', '7', 7n * UNIT],
    ['a negative number', '-0.5', -5n * 10n ** 11n],
    ['a JSON number', 0.25, 25n * 10n ** 10n],
  ])('decimalAmount reads %s exactly', (_name, value, expected) => {
    expect(decimalAmount.parse(value)).toBe(expected);
  });

  it.each([
    '',
    ' 1',
    '1e3',
    '0x10',
    '.5',
    '1.',
    '0.0000000000001',
    '9'.repeat(31),
    {},
    [],
    ['5'],
    true,
    null,
    undefined,
    { toString: 1, valueOf: 1 },
    Object.create(null),
  ])('decimalAmount refuses %p', (value) => {
    expect(decimalAmount.safeParse(value).success).toBe(false);
  });
});

describe('toMinorUnits', () => {
  it.each([
    ['0.499999999999', 0],
    ['0.5', 1],
    ['1.5', 2],
    ['2.5', 3],
    ['-0.5', 0],
    ['-0.500000000001', -1],
    ['-1.5', -1],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('toMinorUnits rounds %s half up to %d', (text, expected) => {
    expect(toMinorUnits(decimalAmount.parse(text))).toBe(expected);
  });

  it('toMinorUnits gives nothing beyond the exact integers', () => {
    expect(toMinorUnits(decimalAmount.parse('9007199254740991.5'))).toBeUndefined();
    expect(toMinorUnits(decimalAmount.parse('-9007199254740992'))).toBeUndefined();
  });

  it('toMinorUnits returns every whole amount unchanged', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (amount) => {
        expect(toMinorUnits(wholeAmount.parse(amount))).toBe(amount);
      }),
    );
  });
});
