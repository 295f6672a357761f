/** Among which times a retry is drawn, and how likely each is. */
import { zoneNamed } from '../../../../src/service/policy/calendar/local-time.ts';
import type { HourFactors } from '../../../../src/service/policy/learning/hour-factors.ts';
import { drawOption, listOptions, type Option } from '../../../../src/service/policy/timing/draw-time.ts';
import { listOwnMornings, ownDelayMs } from '../../../../src/service/policy/timing/own-mornings.ts';
import type { NearRetry } from '../../../../src/service/policy/timing/plan-retries.ts';
import { buildCase, FIRST } from '../policy-cases.ts';

const DAY = Date.parse('2026-03-05') / 86_400_000;
const HOUR = 3_600_000;
const EVEN: HourFactors = { morning: 1, evening: 1, midnight: 1 };
const because = { index: 0, paydayShare: 0 };

function near(paymentCase = buildCase(), shares: readonly number[] = [1]): NearRetry[] {
  const { id, zone } = paymentCase;
  const after = FIRST.plus({ days: 2, hours: 12 }).toMillis();
  const mornings = listOwnMornings({ id, zone }, { after, until: after + 9 * 24 * HOUR });
  return shares.flatMap((share, index) => {
    const slot = mornings[index];
    return slot ? [{ ...slot, chance: 0.2 + index / 100, because, share }] : [];
  });
}

function list(changes: Partial<Parameters<typeof listOptions>[0]> = {}) {
  const { paymentCase = buildCase() } = changes;
  return listOptions({
    paymentCase,
    near: near(paymentCase),
    hours: EVEN,
    isAllowed: () => true,
    ...changes,
  });
}
const hoursOf = (options: readonly Option[]) => options.map(({ retry }) => retry.hour);
const clockOf = ({ retry: { ms } }: Option, zone: string) =>
  new Date(ms + zoneNamed(zone).offset(ms) * 60_000).toISOString().slice(0, 19);

test('a credit card is tried in the morning or nine hours later, a debit card also after midnight', () => {
  const zone = 'America/New_York';
  const later = (hours: number, part = 1) =>
    new Date(DAY * 24 * HOUR + hours * HOUR + Math.floor((ownDelayMs('in_1') * part) / 1000) * 1000)
      .toISOString()
      .slice(0, 19);
  const credit = list({ paymentCase: buildCase({ zone, funding: 'credit' }) });
  expect(credit.map((one) => clockOf(one, zone))).toEqual([later(9), later(18)]);
  const debit = list({ paymentCase: buildCase({ zone, funding: 'debit' }) });
  expect(debit.map((one) => clockOf(one, zone))).toEqual([later(9), later(18), later(5 / 60, 1 / 2)]);
  expect(hoursOf(debit)).toEqual(['morning', 'evening', 'midnight']);
  expect(debit.every(({ retry }) => retry.day === DAY && retry.chance === 0.2)).toBe(true);
});

test('times that are all as good are drawn alike; none is drawn where there is none', () => {
  expect(list().map(({ probability }) => probability)).toEqual([0.5, 0.5]);
  expect(list({ near: [] })).toEqual([]);
});

test('a time that the caps are against is not among them', () => {
  const [morning, evening] = list();
  const until = evening?.retry.ms ?? 0;
  expect(hoursOf(list({ isAllowed: (ms) => ms <= until }))).toEqual(['morning', 'evening']);
  expect(hoursOf(list({ isAllowed: (ms) => ms < until }))).toEqual(['morning']);
  expect(morning?.retry.ms).toBeLessThan(until);
});

test('one worth 95 % of the best is drawn with odds of 1 to e to the 14th, one worth less is not', () => {
  const noEvening = { ...EVEN, evening: 0 };
  const oddsOf = (...shares: number[]) => {
    const options = list({ near: near(buildCase(), shares), hours: noEvening });
    return options.map(({ probability }) => probability);
  };
  const [best = 0, worst = 0] = oddsOf(1, 0.95);
  expect(Math.log(best / worst)).toBeCloseTo(14, 9);
  expect(best + worst).toBeCloseTo(1, 12);
  expect(oddsOf(1, 0.949)).toEqual([1]);
  const [half = 0, other = 0] = oddsOf(0.975, 1);
  expect(Math.log(other / half)).toBeCloseTo(7, 9);
});

test('what an hour is worth is part of what a time is worth', () => {
  const [morning, evening] = list({ hours: { ...EVEN, evening: 0.975 } });
  expect(Math.log((morning?.probability ?? 0) / (evening?.probability ?? 0))).toBeCloseTo(7, 9);
  expect(hoursOf(list({ hours: { ...EVEN, evening: 0.95 } }))).toEqual(['morning', 'evening']);
  expect(hoursOf(list({ hours: { ...EVEN, evening: 0.949 } }))).toEqual(['morning']);
  // The best of all is an evening.
  const [low, high] = list({ hours: { ...EVEN, evening: 1.025 } });
  const fall = (14 / 0.05) * (1 - 1 / 1.025);
  expect(Math.log((high?.probability ?? 0) / (low?.probability ?? 0))).toBeCloseTo(fall, 9);
});

const optionOf = (day: number, probability: number): Option => ({
  retry: { ms: day, day, hour: 'morning', chance: 0.2, because },
  probability,
});

test('a draw follows its probabilities, and only seed, case and number of attempts change it', () => {
  const options = [optionOf(1, 0.7), optionOf(2, 0.2), optionOf(3, 0.1)];
  const drawn = Array.from({ length: 1000 }, (_, number) =>
    drawOption(options, buildCase({ id: `in_${number}` }), 5),
  );
  // Four standard deviations.
  for (const option of options) {
    const expected = 1000 * option.probability;
    const seen = drawn.filter((one) => one === option).length;
    expect(Math.abs(seen - expected)).toBeLessThan(4 * Math.sqrt(expected * (1 - option.probability)));
  }
  const draws = (seed: number | undefined, attempts = buildCase().attempts) =>
    Array.from(
      { length: 40 },
      (_, number) => drawOption(options, buildCase({ id: `in_${number}`, attempts }), seed)?.retry.day,
    ).join('');
  expect(draws(5)).toBe(draws(5));
  expect(draws(undefined)).toBe(draws(0));
  expect(draws(6)).not.toBe(draws(5));
  expect(draws(5, [])).not.toBe(draws(5));
});

test('an option that comes or goes leaves the luck of the others as it was', () => {
  const two = [optionOf(1, 0.5), optionOf(2, 0.5)];
  const evening: Option = { ...optionOf(1, 0.5), retry: { ...optionOf(1, 0.5).retry, hour: 'evening' } };
  for (let number = 0; number < 40; number += 1) {
    const one = buildCase({ id: `in_${number}` });
    const drawn = drawOption([...two, optionOf(3, 0.5), evening], one);
    if (drawn?.retry.day !== 3 && drawn !== evening) expect(drawOption(two, one)).toBe(drawn);
    expect(drawOption([...two].reverse(), one)).toBe(drawOption(two, one));
  }
  const evenings = Array.from({ length: 40 }, (_, number) =>
    drawOption([optionOf(1, 0.5), evening], buildCase({ id: `in_${number}` })) === evening ? 1 : 0,
  );
  expect(new Set(evenings).size).toBe(2);
  expect(drawOption([], buildCase())).toBeUndefined();
});
