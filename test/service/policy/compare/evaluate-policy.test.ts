import {
  evaluatePolicy,
  type LoggedCase,
  MIN_EFFECTIVE,
  POLICIES,
} from '../../../../src/service/policy/compare/evaluate-policy.ts';
import type { TimeChoices } from '../../../../src/service/policy/payment-case.ts';
import { createRandom } from '../../../../src/workbench/sandbox/random.ts';
import { inFull } from '../../../support/runner/full-run.ts';

const ARMS = { engine: 0.9, spread: 0.1, static: 0 };
const [FIRST, LAST] = [1_000, 2_000];

/** Two times of which the engine prefers the first; the last is the better one, which the engine does not know. */
function choose(preferred: number): TimeChoices {
  return {
    arms: ARMS,
    options: [
      { ms: FIRST, hour: 'morning', believed: 0.3, by: { engine: preferred, spread: 1 } },
      { ms: LAST, hour: 'evening', believed: 0.3, by: { engine: 1 - preferred } },
      { ms: 3_000, believed: 0.1, by: { static: 1 } },
    ],
  };
}

/** Up to two tries; paid at the first time in 20 % of them, at the last in 40. */
function log(count: number, { preferred = 0.7, seed = 1, perCustomer = 1 } = {}): LoggedCase[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const decisions: { choices: TimeChoices; chosen: number }[] = [];
    let isRecovered = false;
    while (!isRecovered && decisions.length < 2) {
      const chosen = random.uniform() < preferred ? FIRST : LAST;
      decisions.push({ choices: choose(preferred), chosen });
      isRecovered = random.uniform() < (chosen === FIRST ? 0.2 : 0.4);
    }
    return { customer: `cus_${Math.floor(index / perCustomer)}`, decisions, isRecovered };
  });
}

const judge = (cases: readonly LoggedCase[], name: string) =>
  evaluatePolicy(cases, POLICIES.get(name)?.prefer ?? (() => []));

test.each([
  ['latest', 64],
  ['evening', 64],
  ['soonest', 36],
  ['best', 36],
  ['morning', 36],
  ['even', 51],
])('what %s would recover is told from what the engine drew', (name, truth) => {
  const { estimates, effective, cases } = judge(log(20_000), name);
  expect(cases).toBe(20_000);
  expect(effective).toBeGreaterThan(MIN_EFFECTIVE);
  expect(effective).toBeLessThan(20_000);
  for (const estimate of [estimates?.weighted, estimates?.robust]) {
    expect(Math.abs((estimate?.percent ?? 0) - truth)).toBeLessThan(2.5);
    expect(estimate?.low).toBeLessThan(truth);
    expect(estimate?.high).toBeGreaterThan(truth);
  }
});

inFull('nine of ten intervals and more cover the truth', async () => {
  const covered = Array.from({ length: 300 }, (_, seed) => {
    const { estimates } = judge(log(3_000, { seed }), 'latest');
    if (!estimates) return [];
    return [[estimates.weighted, estimates.robust].map(({ low, high }) => low <= 64 && 64 <= high)];
  }).flat();
  expect(covered.length).toBeGreaterThan(270);
  for (const place of [0, 1])
    expect(covered.filter((pair) => pair[place]).length / covered.length).toBeGreaterThan(0.92);
});

test('where the engine hardly ever chose as the other policy would, nothing is said', () => {
  const { effective, estimates, recovered } = judge(log(3_000, { preferred: 0.99 }), 'latest');
  expect(effective).toBeLessThan(MIN_EFFECTIVE);
  expect(estimates).toBeUndefined();
  expect(recovered.percent).toBeGreaterThan(30);
});

test('the own policy is what was recovered, and cases of one customer widen the interval', () => {
  const own = (one: LoggedCase[]) =>
    evaluatePolicy(one, (options) => options.map(({ by }) => by.engine ?? 0));
  const cases = log(4_000);
  const { estimates, recovered, effective } = own(cases);
  expect(effective).toBeCloseTo(4_000);
  expect(estimates?.weighted.percent).toBeCloseTo(recovered.percent);
  expect(estimates?.weighted.low).toBeCloseTo(recovered.low, 1);
  expect(estimates?.difference.percent).toBeCloseTo(0);
  const alike = cases.flatMap((one) => [one, one, one]);
  const apart = own(alike.map((one, index) => ({ ...one, customer: `cus_${index}` })));
  const together = own(alike);
  const width = ({ low, high }: { low: number; high: number }) => high - low;
  expect(width(together.recovered) / width(apart.recovered)).toBeCloseTo(Math.sqrt(3), 1);
});
