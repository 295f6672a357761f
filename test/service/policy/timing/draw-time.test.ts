import { createPolicy } from '../../../../src/service/policy/create-policy.ts';
import {
  countHour,
  createHourTallies,
  readHours,
} from '../../../../src/service/policy/learning/hour-factors.ts';
import type { SuggestedAction } from '../../../../src/service/policy/payment-case.ts';
import { IS_FULL_RUN } from '../../../support/runner/full-run.ts';
import { buildCase, FIRST, failed } from '../policy-cases.ts';

const CASES = 3_000;
/** Asked once more. */
const REPEATED = IS_FULL_RUN ? CASES : 100;
const attempts = [failed(0, 'insufficient_funds')];

function decideMany(seed: number, funding = 'debit', count = CASES): SuggestedAction[] {
  const policy = createPolicy(undefined, seed);
  return Array.from({ length: count }, (_, index) =>
    policy.decide(buildCase({ id: `in_${index}`, funding, attempts }), FIRST.plus({ minutes: 1 })),
  ).flatMap((decision) => ('suggestion' in decision && decision.arm === 'engine' ? [decision] : []));
}

test('as often as its probability says a time is drawn, and the same one whenever it is asked again', () => {
  const decisions = decideMany(7);
  const sums = { said: new Map<string, number>(), seen: new Map<string, number>() };
  for (const { choices, at } of decisions) {
    for (const { ms, hour, by } of choices?.options ?? []) {
      if (!hour || !by.engine) continue;
      sums.said.set(hour, (sums.said.get(hour) ?? 0) + by.engine);
      if (ms === at.toMillis()) sums.seen.set(hour, (sums.seen.get(hour) ?? 0) + 1);
    }
  }
  expect([...sums.said.keys()].sort()).toEqual(['evening', 'midnight', 'morning']);
  for (const [hour, said] of sums.said) {
    const spread = 4 * Math.sqrt(said);
    expect(Math.abs((sums.seen.get(hour) ?? 0) - said)).toBeLessThan(spread);
    expect(said / decisions.length).toBeGreaterThan(0.01);
  }
  const timesOf = (some: readonly SuggestedAction[]) => some.map(({ at }) => at.toMillis());
  const again = timesOf(decideMany(7, 'debit', REPEATED));
  expect(again).toEqual(timesOf(decisions).slice(0, IS_FULL_RUN ? undefined : again.length));
  expect(timesOf(decideMany(8, 'debit', REPEATED))).not.toEqual(again);
});

test('after midnight only debit cards are tried; without draws it is always the best morning', () => {
  const offered = decideMany(7, 'credit', IS_FULL_RUN ? CASES : 500).flatMap(
    ({ choices }) => choices?.options ?? [],
  );
  const drawn = offered.filter(({ by }) => by.engine).map(({ hour }) => hour);
  expect(new Set(drawn)).toEqual(new Set(['morning', 'evening']));
  const hard = createPolicy(undefined, 7, 0, false).decide(buildCase({ id: 'in_1', attempts }), FIRST);
  expect('choices' in hard && hard.choices?.options.filter(({ by }) => by.engine === 1)).toHaveLength(1);
});

test('what an hour came to moves its odds against the morning, slowly, and a bad one is not drawn any more', () => {
  const tallies = createHourTallies();
  expect(readHours(tallies)).toEqual({ morning: 1, evening: 0.985, midnight: 0.985 });
  const told = (hour: 'morning' | 'evening', paid: number) => {
    for (let index = 0; index < 1_000; index += 1)
      countHour(tallies, { group: 'funds', believed: 0.2, promised: 0.25, hour }, index % 100 < paid);
  };
  // All odds are too high by a fifth: that is no difference between the hours.
  told('morning', 20);
  expect(readHours(tallies).evening).toBeCloseTo(0.985);
  told('evening', 14);
  const { morning, evening, midnight } = readHours(tallies);
  expect(morning).toBe(1);
  expect(evening).toBeCloseTo((0.985 * 300 + 140 / (500 / 550)) / 550, 5);
  expect(midnight).toBeCloseTo(0.985);
  countHour(tallies, { group: 'funds', believed: 0.2, promised: 0.25 }, true);
  expect(readHours(tallies).evening).toBe(evening);
  const state = { ...createPolicy().snapshot(), hours: tallies };
  const decision = createPolicy(state).decide(buildCase({ id: 'in_1', funding: 'credit', attempts }), FIRST);
  const options = 'choices' in decision ? (decision.choices?.options ?? []) : [];
  expect(options.length).toBeGreaterThan(0);
  expect(options.some(({ hour }) => hour === 'evening')).toBe(false);
});
