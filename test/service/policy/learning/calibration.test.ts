import fc from 'fast-check';
import { createPolicy } from '../../../../src/service/policy/create-policy.ts';
import {
  countRetry,
  createOddsTallies,
  ODDS_GROUPS,
  poolViolators,
  promise,
  readOdds,
} from '../../../../src/service/policy/learning/calibration.ts';
import type { Odds, OddsGroup } from '../../../../src/service/policy/payment-case.ts';
import { buildCase, FIRST, failed } from '../policy-cases.ts';

const group = fc.constantFrom(...ODDS_GROUPS);
const believed = fc.double({ min: 0, max: 1, noNaN: true });
const attempts = fc.array(fc.record({ group, believed, isPaid: fc.boolean() }), { maxLength: 300 });

test('a higher belief never comes to lower odds, whatever was learned, and odds are a share', () => {
  fc.assert(
    fc.property(attempts, group, believed, believed, (learned, one, low, high) => {
      const tallies = createOddsTallies();
      for (const { isPaid, ...odds } of learned) countRetry(tallies, { ...odds, promised: 0 }, isPaid);
      const curves = readOdds(tallies);
      const [lower, higher] = [Math.min(low, high), Math.max(low, high)].map(
        (figure) => promise(curves, one, figure).promised,
      );
      expect(lower).toBeGreaterThanOrEqual(0);
      expect(lower).toBeLessThanOrEqual(higher ?? 0);
      expect(higher).toBeLessThanOrEqual(1);
    }),
  );
});

test.each([
  { shares: [1, 2, 3], pooled: [0.1, 0.2, 0.3] },
  { shares: [3, 1, 2], pooled: [0.2, 0.2, 0.2] },
  { shares: [1, 4, 2, 6], pooled: [0.1, 0.3, 0.3, 0.6] },
  { shares: [5, 4, 3, 2], pooled: [0.35, 0.35, 0.35, 0.35] },
])('of shares $shares in ten that should rise, neighbours that fall are pooled', ({ shares, pooled }) => {
  const found = poolViolators(shares.map((paid) => ({ tried: 10, paid })));
  found.forEach((share, step) => {
    expect(share).toBeCloseTo(pooled[step] ?? 0);
  });
});

test('a pool weighs each step by its tries', () => {
  const [share] = poolViolators([
    { tried: 30, paid: 15 },
    { tried: 10, paid: 1 },
  ]);
  expect(share).toBeCloseTo(0.4);
});

/** 0.165 is in the middle of a step, so nothing is drawn out. */
const BELIEVED = 0.165;

function afterOwn(tries: number, share: number): number {
  const tallies = createOddsTallies();
  const odds: Odds = { group: 'funds', believed: BELIEVED, promised: 0 };
  for (let number = 0; number < tries; number += 1) countRetry(tallies, odds, number < tries * share);
  return promise(readOdds(tallies), 'funds', BELIEVED).promised;
}

test('before anything is known the odds are those of the simulated worlds, and own attempts take over by their count', () => {
  const first = afterOwn(0, 0);
  expect(first).toBeCloseTo(0.16, 1);
  // As many own ones as the first odds weigh, which themselves follow the own ones a little.
  expect(afterOwn(20, 0.4)).toBeGreaterThan((first + 0.4) / 2);
  expect(afterOwn(20, 0.4)).toBeLessThan(0.1 + (first + 0.4) / 2);
  expect(Math.abs(afterOwn(4_000, 0.2) - 0.2)).toBeLessThan(0.001);
});

/** The odds of a figure, after so many retries of those figures that came to such shares. */
function afterRetries(group: OddsGroup, retries: readonly (readonly [believed: number, share: number])[]) {
  const tallies = createOddsTallies();
  for (const [figure, share] of retries)
    for (let number = 0; number < 200; number += 1)
      countRetry(tallies, { group, believed: figure, promised: 0 }, number < 200 * share);
  const curves = readOdds(tallies);
  return (one: OddsGroup, figure: number) => promise(curves, one, figure).promised;
}
const before = afterRetries('funds', []);

test('a merchant whose retries come to more than the first odds is promised more where nothing is known, too', () => {
  const after = afterRetries('funds', [[0.165, 0.4]]);
  expect(after('funds', 0.242)).toBeGreaterThan(before('funds', 0.242) + 0.1);
  expect(after('generic', 0.165)).toBeGreaterThan(before('generic', 0.165) + 0.1);
  expect(after('generic', 0.165)).toBeLessThan(after('funds', 0.165));
});

test('a merchant whose odds differ less than the first ones is promised less of the highest and more of the lowest', () => {
  const shares = [0.107, 0.165, 0.242].map((figure) => [figure, 0.3] as const);
  const after = afterRetries('generic', [...shares, [0.395, 0.35]]);
  expect(after('funds', 0.395)).toBeLessThan(before('funds', 0.395) - 0.05);
  expect(after('funds', 0.107)).toBeGreaterThan(before('funds', 0.107) + 0.05);
});

test('a card that has only rested is a case by itself', () => {
  const rested = (odds: typeof before) => odds('rested', 0.02);
  expect(rested(afterRetries('funds', [[0.165, 0.4]]))).toBe(rested(before));
  const known = afterRetries('rested', [[0.02, 0.9]]);
  expect(rested(known)).toBeGreaterThan(0.5);
  expect(known('funds', 0.165)).toBeCloseTo(before('funds', 0.165), 10);
});

test('a retry of a rested card promises what such retries came to, not the little that is believed of them', () => {
  const decision = createPolicy().decide(
    buildCase({ attempts: [failed(0, 'try_again_later')] }),
    FIRST.plus({ minutes: 1 }),
  );
  if (!('odds' in decision) || !decision.odds) throw new Error(decision.reason);
  expect(decision.odds).toMatchObject({ group: 'rested' });
  expect(decision.odds.believed).toBeLessThan(0.05);
  expect(decision.odds.promised).toBeGreaterThan(0.3);
});

test('what was learned of the odds is continued from a snapshot; a state from before begins with the first odds', () => {
  const paymentCase = buildCase({ attempts: [failed(0, 'insufficient_funds')] });
  const promised = (policy: ReturnType<typeof createPolicy>) => {
    const decision = policy.decide(paymentCase, FIRST);
    if (!('odds' in decision) || !decision.odds) throw new Error(decision.reason);
    return decision.odds;
  };
  const policy = createPolicy();
  const first = promised(policy);
  for (let number = 0; number < 200; number += 1)
    policy.observe({ kind: 'retry', id: `action_${number}`, odds: first, isPaid: true });
  const learned = promised(policy);
  expect(learned.promised).toBeGreaterThan(first.promised + 0.3);
  expect(learned.believed).toBe(first.believed);
  const { odds, ...before } = policy.snapshot();
  // Half of those that were counted 400 retries ago: of 200 the first counts 0.708.
  expect(odds.funds.reduce((sum, { tried }) => sum + tried, 0)).toBeCloseTo(169.2, 1);
  expect(promised(createPolicy({ ...before, odds }))).toEqual(learned);
  expect(promised(createPolicy(before))).toEqual(first);
});
