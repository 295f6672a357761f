/** What a log says of another policy, on logs whose figures can be worked out by hand. */
import { chanceOf } from '../../../../src/service/policy/compare/chance.ts';
import {
  evaluatePolicy,
  type LoggedCase,
  POLICIES,
  type SharePercent,
} from '../../../../src/service/policy/compare/evaluate-policy.ts';
import type { TimeChoice, TimeChoices } from '../../../../src/service/policy/payment-case.ts';

const option = (ms: number, engine: number | undefined, changes: Partial<TimeChoice> = {}): TimeChoice => ({
  ms,
  hour: 'morning',
  believed: 0.2,
  by: engine === undefined ? { spread: 1 } : { engine },
  ...changes,
});
const latest = POLICIES.get('latest')?.prefer ?? (() => []);
const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);

test('each policy weighs the options by the rule that it is named for', () => {
  const options = [
    option(1, 0.2),
    option(2, 0.5, { hour: 'evening' }),
    option(3, 0.2, { hour: 'evening' }),
    option(4, 0.1),
  ];
  const weigh = (some: readonly TimeChoice[]) =>
    Object.fromEntries([...POLICIES].map(([name, { prefer }]) => [name, prefer(some)]));
  const drawn = [0.2, 0.5, 0.2, 0.1];
  expect(weigh(options)).toEqual({
    best: [0, 1, 0, 0],
    soonest: [1, 0, 0, 0],
    latest: [0, 0, 0, 1],
    even: [1, 1, 1, 1],
    morning: [0.2, 0, 0, 0.1],
    evening: [0, 0.5, 0.2, 0],
    midnight: drawn,
  });
});

test('what was recovered has an interval by customers: their cases may end alike', () => {
  const ended = (customer: string, isRecovered: boolean): LoggedCase => ({
    customer,
    decisions: [],
    isRecovered,
  });
  const { cases, recovered } = evaluatePolicy(
    [ended('a', true), ended('a', true), ended('b', false), ended('c', true), ended('c', false)],
    latest,
  );
  // Around 3 of 5: a is 0.8 above, b 0.6 and c 0.2 below. Three customers: times 3 / 2.
  const margin = (1.96 * Math.sqrt(((0.8 ** 2 + 0.6 ** 2 + 0.2 ** 2) * 3) / 2)) / 5;
  expect(cases).toBe(5);
  expect(recovered.percent).toBeCloseTo(60, 9);
  expect(recovered.low).toBeCloseTo(60 - 100 * margin, 9);
  expect(recovered.high).toBeCloseTo(60 + 100 * margin, 9);
  const alone = evaluatePolicy([ended('a', true), ended('a', false)], latest).recovered;
  expect([alone.percent, alone.low, alone.high]).toEqual([50, 50, 50]);
});

/** Customers of either half: what is said of one half is learned from the other. */
const HALVES = [0, 1].map((half) =>
  Array.from({ length: 4000 }, (_, index) => `cus_${index}`).filter(
    (customer) => Number(chanceOf(`half ${customer}`) < 0.5) === half,
  ),
);
const [EARLY, LATE] = [1000, 2000];

interface Group {
  readonly chosen: readonly number[];
  readonly isRecovered: boolean;
  /** In each half of the customers. */
  readonly counts: readonly [number, number];
}

/** Two times as likely as each other, one believed to be twice as good; one of another arm, which is no choice of the engine. */
function choices(scale: number): TimeChoices {
  return {
    arms: { engine: 0.9, spread: 0.1, static: 0 },
    options: [
      option(EARLY, 0.5, { believed: 0.2 * scale }),
      option(LATE, 0.5, { believed: 0.4 * scale }),
      option(3000, undefined),
    ],
  };
}

function log(groups: readonly Group[], scale = 1): LoggedCase[] {
  return [0, 1].flatMap((half) => {
    let next = 0;
    return groups.flatMap(({ chosen, isRecovered, counts }) =>
      Array.from({ length: counts[half] ?? 0 }, () => {
        const customer = HALVES[half]?.[next] ?? '';
        next += 1;
        const decisions = chosen.map((ms) => ({ choices: choices(scale), chosen: ms }));
        return { customer, decisions, isRecovered };
      }),
    );
  });
}

/** Mean and interval of values that come so often, each of its own customer. */
function expectShare(
  share: SharePercent | undefined,
  values: readonly (readonly [value: number, count: number])[],
) {
  const count = sum(values.map(([, times]) => times));
  const mean = sum(values.map(([value, times]) => value * times)) / count;
  const squares = sum(values.map(([value, times]) => times * (value - mean) ** 2));
  const margin = (1.96 * Math.sqrt((squares * count) / (count - 1))) / count;
  expect(share?.percent).toBeCloseTo(100 * mean, 6);
  expect(share?.low).toBeCloseTo(100 * (mean - margin), 6);
  expect(share?.high).toBeCloseTo(100 * (mean + margin), 6);
}

/** Paid in 20 % of the early tries and 40 % of the late ones, the second as the first. */
const TWO_TRIES: readonly Group[] = [
  { chosen: [EARLY], isRecovered: true, counts: [80, 80] },
  { chosen: [EARLY, EARLY], isRecovered: true, counts: [32, 32] },
  { chosen: [EARLY, EARLY], isRecovered: false, counts: [128, 128] },
  { chosen: [EARLY, LATE], isRecovered: true, counts: [64, 64] },
  { chosen: [EARLY, LATE], isRecovered: false, counts: [96, 96] },
  { chosen: [LATE], isRecovered: true, counts: [160, 160] },
  { chosen: [LATE, EARLY], isRecovered: true, counts: [24, 24] },
  { chosen: [LATE, EARLY], isRecovered: false, counts: [96, 96] },
  { chosen: [LATE, LATE], isRecovered: true, counts: [48, 48] },
  { chosen: [LATE, LATE], isRecovered: false, counts: [72, 72] },
];

test.each([1, 0.5, 1.5])(
  'two tries, believed to be worth %d of what they are: both estimates find the truth',
  (scale) => {
    const { estimates, effective } = evaluatePolicy(log(TWO_TRIES, scale), latest);
    // 320 cases count twice, 240 four times, the others not: 1600² / (320 × 4 + 240 × 16).
    expect(effective).toBeCloseTo(500, 9);
    // 40 %, and 40 % of the rest.
    const truth = 0.64;
    const pull = (weight: number, result: number) => (weight * (result - truth) * 1600) / (1600 - weight);
    const { low = 0, high = 0, percent } = estimates?.weighted ?? {};
    expect(percent).toBeCloseTo(100 * truth, 9);
    expect((low + high) / 2).toBeCloseTo(100 * truth, 9);
    const pulls = [
      [pull(2, 1), 320],
      [pull(4, 1), 96],
      [pull(4, 0), 144],
      [0, 1040],
    ] as const;
    const mean = sum(pulls.map(([value, count]) => value * count)) / 1600;
    const squares = sum(pulls.map(([value, count]) => count * (value - mean) ** 2));
    expect(high - low).toBeCloseTo((200 * 1.96 * Math.sqrt((squares * 1600) / 1599)) / 1600, 6);

    // In each half 240 of 800 first tries were paid, 168 of 560 second ones: of the former 30 % of the rest came later.
    const [first, second] = [241 / (240 * scale + 1), 169 / (168 * scale + 1)];
    const worth = (believed: number) => first * believed * scale + (1 - first * believed * scale) * 0.3;
    const later = (believed: number) => second * believed * scale;
    const value = (after: number) => worth(0.4) + 2 * (after - worth(0.4));
    const robust = [
      [worth(0.4), 800],
      [value(1), 320],
      [value(later(0.4)), 240],
      [value(later(0.4) + 2 * (1 - later(0.4))), 96],
      [value(later(0.4) - 2 * later(0.4)), 144],
    ] as const;
    expectShare(estimates?.robust, robust);
    expect(estimates?.robust.percent).toBeCloseTo(100 * truth, 6);
    expect(estimates?.difference.percent).toBeCloseTo(100 * (truth - 816 / 1600), 6);
    expect((estimates?.difference.high ?? 0) - (estimates?.difference.low ?? 0)).toBeLessThan(high - low);
  },
);

test('a policy that draws as the engine did is worth what was recovered, whatever its weights add up to', () => {
  const even = POLICIES.get('even')?.prefer ?? (() => []);
  const { effective, recovered, estimates } = evaluatePolicy(log(TWO_TRIES), even);
  expect(effective).toBeCloseTo(1600, 9);
  expect(recovered.percent).toBe(51);
  expect(estimates?.weighted.percent).toBeCloseTo(51, 9);
  expect(estimates?.robust.percent).toBeCloseTo(51, 9);
});

/** One try: late ones are paid in half of the cases of one half of the customers, early ones and the other half's never. */
const oneTry = (late: number, early = late): readonly Group[] => [
  { chosen: [EARLY], isRecovered: false, counts: [early, early] },
  { chosen: [LATE], isRecovered: true, counts: [late / 2, 0] },
  { chosen: [LATE], isRecovered: false, counts: [late / 2, late] },
];

test('no case is judged by what its own half of the customers came to', () => {
  const { estimates } = evaluatePolicy(log(oneTry(200)), latest);
  // Of the one half 100 were paid where 120 were believed, of the other none.
  const [byOther, byFirst] = [(1 / 121) * 0.4, (101 / 121) * 0.4];
  expectShare(estimates?.robust, [
    [byOther, 200],
    [byOther + 2 * (1 - byOther), 100],
    [byOther - 2 * byOther, 100],
    [byFirst, 200],
    [byFirst - 2 * byFirst, 200],
  ]);
});

test.each([
  ['300 effective cases', oneTry(150), true],
  ['296 effective cases', oneTry(148), false],
  ['weights that are 5 % too high', oneTry(210, 190), true],
  ['weights that are 5 % too low', oneTry(190, 210), true],
  ['weights that are 12 % too high', oneTry(224, 176), false],
  ['weights that are 12 % too low', oneTry(176, 224), false],
  ['no such choice', oneTry(0, 400), false],
])('with %s something is said of another policy, or nothing', (_name, groups, isSaid) => {
  const { estimates, effective, cases } = evaluatePolicy(log(groups), latest);
  expect(estimates !== undefined).toBe(isSaid);
  expect(cases).toBe(sum(groups.flatMap(({ counts }) => counts)));
  expect(effective).toBeCloseTo(sum(groups.slice(1).flatMap(({ counts }) => counts)), 9);
});

test('effective cases are a tenth of all at least', () => {
  const rare: TimeChoices = { ...choices(1), options: [option(EARLY, 0.95), option(LATE, 0.05)] };
  const logged = (ms: number, count: number): LoggedCase[] =>
    Array.from({ length: count }, (_, index) => ({
      customer: `cus_${index}`,
      isRecovered: false,
      decisions: [{ choices: rare, chosen: ms }],
    }));
  const { effective, estimates } = evaluatePolicy([...logged(EARLY, 5700), ...logged(LATE, 300)], latest);
  expect([effective, estimates]).toEqual([expect.closeTo(300, 6), undefined]);
});

test('a choice that is not among the engine’s counts as it is', () => {
  const spread: LoggedCase[] = Array.from({ length: 400 }, (_, index) => ({
    customer: `cus_${index}`,
    isRecovered: index < 100,
    decisions: [{ choices: choices(1), chosen: 3000 }],
  }));
  const { effective, estimates, recovered } = evaluatePolicy(spread, latest);
  expect(effective).toBe(400);
  expect(estimates?.robust).toEqual(recovered);
});
