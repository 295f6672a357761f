import fc from 'fast-check';
import { compareShares } from '../../../src/service/http/compare-shares.ts';

const counted = (recovered: number, cases: number) => ({ recovered, cases });

test.each([
  // Newcombe 1998, table II, method 10; then by hand.
  [56, 70, 48, 80, 20.0, 5.24, 33.39],
  [0, 30, 30, 30, -100, -100, -83.95],
])('%d/%d against %d/%d', (a, m, b, n, points, low, high) => {
  const found = compareShares(counted(a, m), counted(b, n));
  expect(found?.points).toBeCloseTo(points, 2);
  expect(found?.low).toBeCloseTo(low, 1);
  expect(found?.high).toBeCloseTo(high, 1);
});

test('too few on either side say nothing', () => {
  expect(compareShares(counted(10, 29), counted(200, 300))).toBeUndefined();
  expect(compareShares(counted(200, 300), counted(0, 0))).toBeUndefined();
});

test('the interval holds the difference, stays within what is possible, and turns with the sides', () => {
  const side = fc
    .integer({ min: 30, max: 5000 })
    .chain((cases) => fc.integer({ min: 0, max: cases }).map((recovered) => ({ cases, recovered })));
  fc.assert(
    fc.property(side, side, (one, other) => {
      const there = compareShares(one, other);
      const back = compareShares(other, one);
      if (!there || !back) throw new Error('30 cases are enough');
      expect(there.low).toBeLessThanOrEqual(there.points);
      expect(there.high).toBeGreaterThanOrEqual(there.points);
      expect(there.low).toBeGreaterThanOrEqual(-100 - 1e-9);
      expect(there.high).toBeLessThanOrEqual(100 + 1e-9);
      expect(there.low).toBeCloseTo(-back.high, 6);
    }),
  );
});
