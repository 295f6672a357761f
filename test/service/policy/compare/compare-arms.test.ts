import { chanceOf } from '../../../../src/service/policy/compare/chance.ts';
import { chooseArm, isEngineWorse } from '../../../../src/service/policy/compare/compare-arms.ts';
import { createPolicy } from '../../../../src/service/policy/create-policy.ts';
import { createLearnedState } from '../../../../src/service/policy/learning/learned.ts';
import { buildCase, FIRST, failed } from '../policy-cases.ts';

function compared(engine: [cases: number, recovered: number], spread: [cases: number, recovered: number]) {
  const sum = ([cases, recovered]: [number, number]) => ({ cases, recovered, attempts: 0 });
  return { ...createLearnedState(1), compared: { engine: sum(engine), spread: sum(spread) } };
}

test.each([
  ['no case yet', [0, 0], [0, 0], false],
  ['a first case each', [1, 0], [1, 1], false],
  ['chance: two points on a thousand cases', [900, 540], [100, 62], false],
  ['ten points on many cases', [2000, 1000], [2000, 1200], true],
  ['as much the other way', [2000, 1200], [2000, 1000], false],
  ['one way has no case', [0, 0], [2000, 2000], false],
  ['the other has none', [2000, 0], [0, 0], false],
  // By the formula of the bound, worked out without the code.
  ['300 cases each, 14.3 points', [300, 150], [300, 193], false],
  ['300 cases each, 14.7 points', [300, 150], [300, 194], true],
  ['few cases of the engine, not enough', [40, 4], [400, 141], false],
  ['few cases of the engine, enough', [40, 4], [400, 142], true],
  ['few cases of the spread, not enough', [2000, 100], [100, 18], false],
  ['few cases of the spread, enough', [2000, 100], [100, 19], true],
  ['a dozen cases each, all but one', [12, 0], [12, 11], false],
  ['a dozen cases each, all', [12, 0], [12, 12], true],
] as const)('whether the engine is worse, %s: %j to %j', (_name, engine, spread, expected) => {
  expect(isEngineWorse(compared([...engine], [...spread]))).toBe(expected);
});

test('a tenth of the cases goes the other way, whichever is the favorite', () => {
  for (const [state, favorite] of [
    [createLearnedState(1), 'engine'],
    [compared([2000, 1000], [2000, 1200]), 'spread'],
  ] as const) {
    const arms = Array.from({ length: 5000 }, (_, index) => chooseArm(state, `in_${index}`));
    const share = arms.filter(({ arm }) => arm === favorite).length / arms.length;
    expect(share).toBeGreaterThan(0.885);
    expect(share).toBeLessThan(0.915);
    expect(arms[0]?.odds[favorite]).toBe(0.9);
    expect(new Set(arms.map(({ arm }) => arm))).toEqual(new Set(['engine', 'spread']));
  }
});

test('a case stays where it is, and another seed draws others', () => {
  const ids = Array.from({ length: 200 }, (_, index) => `in_${index}`);
  const draw = (seed: number) => ids.map((id) => chooseArm(createLearnedState(seed), id).arm).join();
  expect(draw(1)).toBe(draw(1));
  expect(draw(2)).not.toBe(draw(1));
});

test('chances are even', () => {
  const chances = Array.from({ length: 10_000 }, (_, index) => chanceOf(`1 in_${index}`));
  const mean = chances.reduce((sum, one) => sum + one, 0) / chances.length;
  expect(Math.abs(mean - 0.5)).toBeLessThan(0.015);
  expect(Math.min(...chances)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...chances)).toBeLessThan(1);
});

test('a chance is the same in every release: a case stays in its arm', () => {
  expect(['', 'a', '1 in_0', 'é🛒'].map(chanceOf)).toEqual([
    0.6689221884589642, 0.10352621669881046, 0.7780012774746865, 0.6741417096927762,
  ]);
});

test('the policy returns to the spread when it recovers less, and says which way it went', () => {
  const policy = createPolicy();
  for (let index = 0; index < 3000; index += 1) {
    const isEngine = index % 2 === 0;
    policy.observe({
      kind: 'closed',
      id: `in_${index}`,
      arm: isEngine ? 'engine' : 'spread',
      isRecovered: index % 10 < (isEngine ? 4 : 8),
      attempts: 3,
    });
  }
  const decisions = Array.from({ length: 200 }, (_, index) =>
    policy.decide(buildCase({ id: `new_${index}`, attempts: [failed(0, 'insufficient_funds')] }), FIRST),
  );
  const spread = decisions.filter((one) => 'arm' in one && one.arm === 'spread');
  expect(spread.length).toBeGreaterThan(160);
  expect(spread[0]?.reasons[0]?.code).toBe('attempts_spread');
  expect(policy.snapshot().compared.engine).toEqual({ cases: 1500, recovered: 600, attempts: 4500 });
});
