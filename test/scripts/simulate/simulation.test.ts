import { createFixed, createSpread } from '../../../scripts/simulate/baselines.ts';
import { generateCases } from '../../../scripts/simulate/cases.ts';
import { judge } from '../../../scripts/simulate/goals.ts';
import { ISSUER_RULES } from '../../../scripts/simulate/issuer-rules.ts';
import { createOurs } from '../../../scripts/simulate/our-policy.ts';
import { type Contestant, play } from '../../../scripts/simulate/play.ts';
import { drawPlot } from '../../../scripts/simulate/plot.tsx';
import { writeGoals, writeReport } from '../../../scripts/simulate/report.ts';
import { dateOf } from '../../../scripts/simulate/simulated-year.ts';
import { estimate, estimateDifference } from '../../../scripts/simulate/statistics.ts';
import {
  CLAIRVOYANT,
  createClairvoyant,
  ENTRIES,
  FIXED,
  OURS_4,
  OURS_8,
  playTournament,
  SPREAD_8,
  type Tournament,
  type WorldResults,
} from '../../../scripts/simulate/tournament.ts';
import { WORLDS, type World } from '../../../scripts/simulate/worlds.ts';
import { createRandom } from '../../../src/workbench/sandbox/random.ts';
import { inFull } from '../../support/runner/full-run.ts';

function playAll(tournament: Tournament): WorldResults[] {
  const years = playTournament(tournament);
  for (;;) {
    const step = years.next();
    if (step.done) return step.value;
  }
}

function worldNamed(name: string, subscribers: number): World {
  const world = WORLDS.find((one) => one.name === name);
  if (!world) throw new Error(name);
  return { ...world, subscribers };
}

const SMALL = worldNamed('D', 600);
const cases = generateCases(SMALL, 3);

test('the same seed gives the same year, another seed another', () => {
  const fates = (seed: number) =>
    generateCases(worldNamed('D', 60), seed).map(({ covers, ...fate }) =>
      JSON.stringify([fate, covers?.join('')]),
    );
  expect(fates(3).join()).toBe(fates(3).join());
  expect(fates(4).join() === fates(3).join()).toBe(false);
});

test('a year looks like what is published: one charge in ten fails, nearly half for lack of funds', () => {
  const year = generateCases(worldNamed('D', 2000), 1);
  expect(year.length / (2000 * 12)).toBeGreaterThan(0.085);
  expect(year.length / (2000 * 12)).toBeLessThan(0.115);
  const share = (code: string) => year.filter((one) => one.code === code).length / year.length;
  expect(share('insufficient_funds')).toBeCloseTo(0.45, 1);
  expect(share('do_not_honor')).toBeCloseTo(0.28, 1);
  const { recovered, violations } = play(SMALL, year, createFixed([1, 3, 5, 7]));
  expect(recovered).toBeGreaterThan(44);
  expect(recovered).toBeLessThan(52);
  expect(violations).toBe(0);
});

test('ours sees no cause, keeps every limit, and beats the spread of its size with about as many tries', () => {
  const ours = play(SMALL, cases, createOurs({ limits: { perInvoice: 5, unexplained: 5 } }));
  const spread = play(SMALL, cases, createSpread(4, 24));
  const bound = play(SMALL, cases, createClairvoyant(SMALL, cases));
  expect(ours.violations).toBe(0);
  expect(ours.recovered).toBeGreaterThan(spread.recovered);
  // Drawn times cost a hundredth of a try a case.
  expect(ours.triesPerCase).toBeLessThan(spread.triesPerCase * 1.02);
  expect(ours.recovered).toBeLessThan(bound.recovered);
  expect(bound.triesPerRecovery).toBe(1);
});

test('balances: some households always have the money, some run out and have it again', () => {
  const year = generateCases(worldNamed('household balances', 250), 1);
  const short = year.filter(({ cause }) => cause === 'no_money');
  expect(short.length / year.length).toBeGreaterThan(0.4);
  expect(short.length / (250 * 12)).toBeLessThan(0.15);
  const back = short.filter(({ covers, failedAt }) => covers?.slice(failedAt, failedAt + 720).includes(1));
  expect(back.length / short.length).toBeGreaterThan(0.7);
  expect(short.every(({ covers, failedAt }) => covers?.[failedAt] === 0)).toBe(true);
});

test("issuers' rules: none approves at once for good, a month's limit is free on the 1st, many refusals lock a card", () => {
  const [, month, , , lock] = ISSUER_RULES;
  if (!month || !lock) throw new Error('no rules');
  const hours = Array.from({ length: 30 * 24 }, (_, hour) => 10 * 24 + 1 + hour);
  for (const rule of ISSUER_RULES) {
    const shares = [1, 2, 3, 4, 5].map((seed) => {
      const answer = rule.open(10 * 24, createRandom(seed));
      return hours.filter((hour) => answer(hour, [])).length / hours.length;
    });
    expect(Math.max(...shares)).toBeGreaterThan(0);
    expect(Math.min(...shares)).toBeLessThan(1);
  }
  const free = hours.filter((hour) => month.open(10 * 24, createRandom(7))(hour, []));
  expect(dateOf(Math.floor((free[0] ?? 0) / 24))).toBe(1);
  const answer = lock.open(0, createRandom(1));
  const passes = hours.find((hour) => answer(hour, [])) ?? 0;
  const busy = Array.from({ length: 6 }, (_, index) => passes - 6 + index);
  expect(answer(passes, busy)).toBe(false);
  expect(answer(passes + 168, busy)).toBe(true);
});

test('play asks in the order of time and stops with the case', () => {
  const asked: number[] = [];
  const eager: Contestant = {
    next: (_seen, _tries, now) => {
      asked.push(now);
      return now + 24;
    },
  };
  const { triesPerCase, violations } = play(SMALL, cases.slice(0, 50), eager);
  expect(asked).toEqual([...asked].sort((one, other) => one - other));
  expect(triesPerCase).toBeLessThan(31);
  expect(violations).toBeGreaterThan(0);
});

test('intervals: of the mean, and of paired differences', () => {
  const { mean, margin } = estimate([1, 2, 3, 4]);
  expect(mean).toBe(2.5);
  // 3.182 × √(5/3 ÷ 4)
  expect(margin).toBeCloseTo(2.054, 3);
  expect(estimateDifference([5, 6, 7], [4, 5, 6])).toEqual({ mean: 1, margin: 0 });
  expect(estimate([7]).margin).toBeNaN();
});

inFull('a tournament gives a table, goals that can be missed, and a plot', async () => {
  const results = playAll({
    worlds: [worldNamed('D', 150)],
    seeds: [1, 2],
    contestantsOf: () => [FIXED, SPREAD_8, OURS_8, CLAIRVOYANT],
  });
  const goals = judge(results);
  expect(goals.map(({ what }) => what)).toEqual([
    'D: ours, 8 in 30 d: 80 % of the way to the bound, with at most 3.1 tries a case',
    `D: ${OURS_8} not more than half a point below ${SPREAD_8}`,
    'D: no limit is violated',
  ]);
  const report = writeReport(results);
  expect(report).toMatch(/World D: \d+ failed invoices, 2 seeds/);
  expect(report).toMatch(/\d+ % is paid after 1, 3, 5 and 7 days \(\d\.\d tries each\)/);
  expect(report).toContain(OURS_8);
  expect(report).not.toContain(OURS_4);
  const table = writeGoals([{ what: 'to fly', found: 'walks', isMet: false }]);
  expect(table).toMatch(/\| NOT MET \| to fly\s+\| walks/);
  const svg = drawPlot(results);
  expect(svg).toMatch(/^<svg [\s\S]*<\/svg>$/);
  expect(svg).toMatch(/<title>[^<]+<\/title>/);
  expect(svg.match(/<path/g)).toHaveLength(4);
  expect(svg).toMatch(/<text [^>]*>World [^<]*: share/);
  expect(svg).not.toContain('NaN');
});

test('every contestant of a tournament can play', () => {
  const results = playAll({
    worlds: [worldNamed('R', 40)],
    seeds: [1],
    contestantsOf: () => [...ENTRIES.keys()],
  });
  const names = [...(results[0]?.results.keys() ?? [])];
  expect(names).toEqual([...ENTRIES.keys()]);
  for (const list of results[0]?.results.values() ?? []) expect(list[0]?.recovered).toBeGreaterThan(0);
});
