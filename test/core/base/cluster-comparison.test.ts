/** Shares of two arms compared with the customer as the unit, and how many customers that takes. */
import {
  type ClusterSums,
  compareClusters,
  planCustomers,
  sequentialReach,
} from '../../../src/core/base/cluster-comparison.ts';

/** So many customers with one case each, of whom so many recovered. */
const single = (customers: number, recovered: number): ClusterSums => ({
  customers,
  x: customers,
  y: recovered,
  xx: customers,
  xy: recovered,
  yy: recovered,
});
/** The same with every case doubled: twice as much money, nothing more is known. */
const doubled = ({ customers, x, y, xx, xy, yy }: ClusterSums): ClusterSums => ({
  customers,
  x: 2 * x,
  y: 2 * y,
  xx: 4 * xx,
  xy: 4 * xy,
  yy: 4 * yy,
});

test('the difference is that of the shares, and the interval is wider than one for a single look', () => {
  const found = compareClusters(single(1000, 600), single(1000, 500));
  expect(found?.points).toBeCloseTo(10, 9);
  const once = 100 * 1.96 * Math.sqrt((0.24 + 0.25) / 999);
  expect(found?.low).toBeLessThan(10 - once);
  expect(found?.low).toBeGreaterThan(10 - 2 * once);
  expect(found?.low).toBeGreaterThan(0);
});

test('a second case of a customer that ends as the first makes nothing surer', () => {
  const [ours, stripe] = [single(500, 300), single(500, 250)];
  expect(compareClusters(doubled(ours), doubled(stripe))).toEqual(compareClusters(ours, stripe));
});

test.each([
  ['few customers', single(99, 50), single(1000, 500)],
  ['a side on which all were paid', single(500, 500), single(500, 250)],
  ['an empty side', single(0, 0), single(500, 250)],
  // 999 customers with 1 and one with 10,000: as much as 1.2 customers.
  [
    'one who weighs most',
    { customers: 1000, x: 10_999, y: 500, xx: 1e8 + 999, xy: 500, yy: 500 },
    single(500, 250),
  ],
])('too little to say: %s', (_why, ours, stripe) => {
  expect(compareClusters(ours, stripe)).toBeUndefined();
});

test('the bound falls with the variance and is never below one look’s', () => {
  const reaches = [1e-3, 1e-4, 1e-5].map((variance) => sequentialReach(variance, 0.0013));
  expect(reaches).toEqual([...reaches].sort((one, other) => other - one));
  expect(sequentialReach(1e-4, 0.0013)).toBeGreaterThan(1.96 * 0.01);
});

test('a plan asks for more customers for a smaller effect, an uneven draw, and more of cases that end alike', () => {
  const expected = { share: 0.5, casesOfCustomer: 1.5, likeness: 0.3, percent: 50 };
  const five = planCustomers(5, expected);
  expect(planCustomers(2, expected)).toBeGreaterThan(4 * five);
  expect(planCustomers(5, { ...expected, percent: 10 })).toBeGreaterThan(2 * five);
  expect(planCustomers(5, { ...expected, likeness: 1 })).toBeGreaterThan(five);
  // With so many customers the effect is just shown where chance is neither kind nor unkind beyond four in five.
  const half = five / 2;
  const found = compareClusters(single(half, 0.55 * half), single(half, 0.5 * half));
  expect(found?.low).toBeGreaterThan(0);
});
