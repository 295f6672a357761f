/** What the answers say, and what is planned from it. */
import fc from 'fast-check';
import { chooseMorning, type MorningRequest } from '../../../../src/service/policy/timing/choose-morning.ts';
import {
  type Answer,
  chanceOn,
  type Evidence,
  EXPLANATIONS,
  rowOf,
  weigh,
} from '../../../../src/service/policy/timing/explanations.ts';
import type { Morning } from '../../../../src/service/policy/timing/own-mornings.ts';
import { PAY_SCHEDULES } from '../../../../src/service/policy/timing/pay-calendar.ts';

const MS_PER_DAY = 86_400_000;
/** Monday 1 June 2026, at nine. */
const BEGIN = Date.UTC(2026, 5, 1) / MS_PER_DAY;
const on = (day: number) => ({ ms: (BEGIN + day) * MS_PER_DAY + 9 * 3_600_000, day: BEGIN + day });
const refused = (...days: number[]): Answer[] => days.map((day) => ({ ...on(day), isPaid: false }));
const paid = (...days: number[]): Answer[] => days.map((day) => ({ ...on(day), isPaid: true }));
const inOrder = (...answers: Answer[][]) => answers.flat().sort((one, other) => one.ms - other.ms);
const evidence = (changes: Partial<Evidence> = {}): Evidence => ({
  family: 'funds',
  past: [],
  refusals: refused(0),
  ...changes,
});

function request({ from = 1, ...changes }: Partial<MorningRequest> & { from?: number } = {}): MorningRequest {
  const mornings = Array.from({ length: 31 - from }, (_, index) => on(from + index));
  return { ...evidence(), mornings, now: on(from - 1).ms, retries: 8, minGain: 0, ...changes };
}
const dayOf = (changes: Parameters<typeof request>[0]) => {
  const chosen = chooseMorning(request(changes));
  return chosen && chosen.day - BEGIN;
};

const indexOf = (cycle: string, ...days: number[]) =>
  PAY_SCHEDULES.findIndex((one) => one.cycle === cycle && one.days.join() === days.join());
const FRIDAYS = indexOf('weekly', 5);
const shareOf = (changes: Partial<Evidence>, is: (index: number) => boolean) =>
  weigh(evidence(changes)).shares.reduce((sum, share, index) => sum + (is(index) ? share : 0), 0);
const byKind = (changes: Partial<Evidence>) =>
  (['payday', 'renewal', 'passes', 'dead'] as const).map((kind) =>
    shareOf(changes, (index) => EXPLANATIONS[index]?.kind === kind),
  );

const COLUMNS = [...weigh(evidence()).shares.keys()];
const chancesAt = (morning: Morning, { firstMs, refusedOn }: ReturnType<typeof weigh>) =>
  COLUMNS.map((index) => chanceOn(rowOf(morning, firstMs), index, refusedOn));

describe('shares', () => {
  test('before any answer they are those of the family, equal for each cycle and for each schedule in it', () => {
    const none = { refusals: [] };
    expect(byKind(none)).toEqual([0.4, 0.4, 0.1, 0.1].map((share) => expect.closeTo(share, 9)));
    expect(byKind({ ...none, family: 'generic' })).toEqual(
      [0.25, 0.25, 0.25, 0.25].map((share) => expect.closeTo(share, 9)),
    );
    expect(byKind({ ...none, family: 'passing' })).toEqual(
      [0.1, 0.1, 0.7, 0.1].map((share) => expect.closeTo(share, 9)),
    );
    const { shares } = weigh(evidence(none));
    expect(shares[FRIDAYS]).toBeCloseTo(0.1 / 5, 9);
    expect(shares[indexOf('biweekly', 5)]).toBeCloseTo(0.1 / 10, 9);
    expect(shares[indexOf('monthly', 28)]).toBeCloseTo(0.1 / 29, 9);
    expect(shares[indexOf('semimonthly', 15, 0)]).toBeCloseTo(0.1 / 2, 9);
    expect([...shares.slice(-9)]).toEqual(
      [...Array<number>(8).fill(0.0125), 0.1].map((one) => expect.closeTo(one, 9)),
    );
  });

  test('a refusal speaks for what gave it a high chance: on a pay day, for the others', () => {
    // Day 4 is a Friday.
    const share = (...days: number[]) => weigh(evidence({ refusals: refused(...days) })).shares[FRIDAYS] ?? 0;
    expect(share(3)).toBeGreaterThan(share(4));
    expect(share(4)).toBeGreaterThan(share(4, 11));
    // The money of that Friday was refused before: a second refusal says next to nothing.
    const friday = weigh(evidence({ refusals: refused(4) }));
    expect(chancesAt(on(6), friday)[FRIDAYS]).toBe(0);
    expect(chancesAt(on(11), friday)[FRIDAYS]).toBe(0.6);
    expect(chancesAt(on(12), friday)[FRIDAYS]).toBeCloseTo(0.6 * Math.exp(-1 / 2.8), 9);
    const monthly = indexOf('monthly', 1);
    expect(chancesAt(on(29), friday)[monthly]).toBe(0);
    expect(chancesAt(on(29), weigh(evidence({ refusals: [] })))[monthly]).toBeCloseTo(
      0.6 * Math.exp(-29 / 12),
      9,
    );
    expect(chancesAt(on(3), weigh(evidence({ refusals: [] })))[FRIDAYS]).toBeCloseTo(
      0.6 * Math.exp(-6 / 2.8),
      9,
    );
  });

  test('a chance that renews itself grows with the days since the last refusal', () => {
    const belief = weigh(evidence({ refusals: refused(0, 5) }));
    const renewal = PAY_SCHEDULES.length + 1;
    expect(chancesAt(on(8), belief)[renewal]).toBeCloseTo(0.5 * (1 - Math.exp(-1)), 9);
    expect(chancesAt(on(8), weigh(evidence({ refusals: [], past: paid(5) })))[renewal]).toBeCloseTo(0.5, 6);
  });

  test('an obstacle is gone after its time, counted from the first refusal', () => {
    const belief = weigh(evidence({ refusals: refused(0, 5) }));
    const passing = [1, 2, 3, 4, 5, 6, 7, 8].map((index) => PAY_SCHEDULES.length + 3 + index);
    const chances = (day: number) => passing.map((index) => chancesAt(on(day), belief)[index]);
    expect(chances(0)).toEqual(Array(8).fill(0));
    expect(chances(4)).toEqual([0.9, 0.9, 0.9, 0.9, 0, 0, 0, 0]);
    expect(chances(22)).toEqual(Array(8).fill(0.9));
    expect(chancesAt(on(40), belief).at(-1)).toBe(0);
  });

  test('earlier invoices tell pay days apart, and leave money its share', () => {
    const past = inOrder(paid(-3, -10, -17, -24), refused(-4, -11, -18, -25));
    const before = byKind({ refusals: [] });
    const [payday = 0, renewal = 0, ...others] = byKind({ refusals: [], past });
    expect(payday + renewal).toBeCloseTo((before[0] ?? 0) + (before[1] ?? 0), 9);
    expect(others).toEqual(before.slice(2).map((share) => expect.closeTo(share, 9)));
    const fridays = (of: Partial<Evidence>) => shareOf(of, (index) => index === FRIDAYS);
    expect(fridays({ refusals: [], past })).toBeGreaterThan(10 * fridays({ refusals: [] }));
  });

  test('an answer of an earlier invoice counts for half of one of this invoice', () => {
    const odds = (of: Partial<Evidence>) => {
      const { shares } = weigh(evidence(of));
      return (shares[FRIDAYS] ?? 0) / (shares[indexOf('weekly', 3)] ?? 1);
    };
    // Of the same age, without a pay day in between that would matter.
    expect(odds({ refusals: [], past: refused(4) }) ** 2 / odds({ refusals: [] })).toBeCloseTo(
      odds({ refusals: refused(4) }),
      9,
    );
  });
});

describe('the plan', () => {
  test('where nothing is known the mornings are spread', () => {
    const chosen: number[] = [];
    let refusals = refused(0);
    for (let retries = 8; retries > 0; retries -= 1) {
      const day = dayOf({ family: 'generic', refusals, retries, from: (chosen.at(-1) ?? 0) + 1 });
      if (day === undefined) break;
      chosen.push(day);
      refusals = [...refusals, ...refused(day)];
    }
    expect(chosen.length).toBe(8);
    const gaps = chosen.map((day, index) => day - (chosen[index - 1] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(8);
    expect(chosen.at(-1)).toBeGreaterThan(20);
  });

  const FRIDAY_PAY = inOrder(paid(-3, -10, -17, -24, -31), refused(-4, -11, -18, -25, -32));
  const MONDAY_PAY = inOrder(paid(-7, -14, -21, -28, -35), refused(-8, -15, -22, -29, -36));
  test.each<[string, Partial<MorningRequest>, number[]]>([
    ['lack of funds', {}, [2, 4, 9, 11, 14, 18, 24, 30]],
    ['no reason', { family: 'generic' }, [2, 4, 8, 11, 14, 18, 24, 30]],
    ['a fault that passes', { family: 'passing' }, [2, 4, 7, 11, 16, 22, 25, 30]],
    ['paid on Fridays', { past: FRIDAY_PAY }, [4, 7, 11, 14, 18, 22, 25, 30]],
    ['paid on Mondays', { past: MONDAY_PAY }, [2, 7, 11, 14, 16, 21, 23, 28]],
    ['four retries', { retries: 4 }, [4, 11, 18, 30]],
    ['a costly retry', { minGain: 0.05 }, [11, 18, 24, 30]],
  ])('refused every time, after %s, the days are these', (_name, changes, expected) => {
    const days: number[] = [];
    for (let left = changes.retries ?? 8; left > 0; left -= 1) {
      const day = dayOf({
        ...changes,
        refusals: refused(0, ...days),
        retries: left,
        from: (days.at(-1) ?? 0) + 1,
      });
      if (day === undefined) break;
      days.push(day);
    }
    expect(days).toEqual(expected);
  });

  test.each<[string, Parameters<typeof request>[0], (number | string)[]]>([
    ['lack of funds', {}, [15.92, 71.21, 'renewal', ' ', 29.16]],
    ['no reason', { family: 'generic' }, [16.36, 61.3, 'passes', ' ', 31.04]],
    ['a fault that passes', { family: 'passing' }, [27.68, 85.82, 'passes', ' ', 75.91]],
    ['paid on Fridays', { past: FRIDAY_PAY }, [48.76, 85.07, 'payday', 'weekly 5', 63.87]],
    ['refused twice', { refusals: refused(0, 3), from: 4 }, [9.43, 65.34, 'payday', ' ', 43.81]],
  ])('after %s: odds in percent, and the explanation with its share', (_name, changes, expected) => {
    const { odds, because } = chooseMorning(request(changes)) ?? {};
    const percent = (share = 0) => Math.round(10_000 * share) / 100;
    const { cycle = '', days = [] } = because?.schedule ?? {};
    expect([
      percent(odds?.retry),
      percent(odds?.plan),
      because?.kind,
      `${cycle} ${days}`,
      percent(because?.share),
    ]).toEqual(expected);
  });

  test('a family that passes quickly is tried within two days', () => {
    expect(dayOf({ family: 'passing' })).toBe(2);
  });

  test('the first of three retries is on the pay day that the customer has shown, and names it', () => {
    const past = inOrder(paid(-3, -10, -17, -24, -31), refused(-4, -11, -18, -25, -32));
    const chosen = chooseMorning(request({ past, refusals: refused(0), retries: 3 }));
    expect(chosen).toMatchObject({
      day: BEGIN + 4,
      because: { kind: 'payday', schedule: PAY_SCHEDULES[FRIDAYS] },
    });
    expect(chosen?.because.share).toBeGreaterThan(0.2);
    expect(chosen?.odds.retry).toBeLessThan(chosen?.odds.plan ?? 0);
  });

  test('several pay days on one morning name none of them', () => {
    // A Friday after daily refusals: of a week, of two, or the 5th, 6th or 7th of the month.
    const refusals = refused(0, 1, 2, 3);
    const { because } = chooseMorning(request({ refusals, mornings: [on(4)], retries: 1 })) ?? {};
    expect(because).toMatchObject({ kind: 'payday', schedule: undefined });
  });

  test('a likely pay day is not named where another kind of explanation speaks more', () => {
    const asked = { family: 'generic', past: FRIDAY_PAY, mornings: [on(18)], retries: 1 } as const;
    const { because } = chooseMorning(request(asked)) ?? {};
    expect(because).toMatchObject({ kind: 'passes', schedule: undefined });
  });

  test('a retry is worth less the later it comes, and is not made for less than its share of the amount', () => {
    const one = { family: 'passing', mornings: [on(25)], retries: 1 } as const;
    const { odds } = chooseMorning(request(one)) ?? {};
    const worth = (odds?.retry ?? 0) * Math.exp(-0.125);
    expect(chooseMorning(request({ ...one, minGain: worth - 1e-9 }))).toBeDefined();
    expect(chooseMorning(request({ ...one, minGain: worth + 1e-9 }))).toBeUndefined();
    const hopeless = refused(...Array.from({ length: 29 }, (_, day) => day));
    const late = { refusals: hopeless, mornings: [on(29)], retries: 1 };
    const chance = chooseMorning(request({ ...late, minGain: -1 }))?.odds.retry ?? 0;
    expect(chance === 0 || chance >= 0.01).toBe(true);
  });

  test('a plan does not depend on the ones that were made before it', () => {
    const asked = [1, 2, 3, 5, 8, 20].flatMap((retries) =>
      [[], FRIDAY_PAY, MONDAY_PAY].map((past) => request({ family: 'generic', retries, past })),
    );
    const chosen = asked.map(chooseMorning);
    const before = request({ family: 'passing', retries: 30, from: 6 });
    expect(asked.map((one) => chooseMorning(before) && chooseMorning(one))).toEqual(chosen);
  });

  test('no retries or no mornings are no plan, and no morning is planned twice', () => {
    expect(chooseMorning(request({ retries: 0 }))).toBeUndefined();
    expect(chooseMorning(request({ mornings: [] }))).toBeUndefined();
    const few = { family: 'passing', mornings: [on(3), on(9)] } as const;
    expect(chooseMorning(request(few))).toEqual(chooseMorning(request({ ...few, retries: 2 })));
  });

  test('a plan of a few retries is near the best of all plans', () => {
    const asked = request({
      mornings: Array.from({ length: 9 }, (_, index) => on(3 * index + 1)),
      retries: 3,
    });
    const planned = chooseMorning(asked)?.odds.plan ?? 0;
    const { mornings } = asked;
    const plans = mornings.flatMap((one, first) =>
      mornings
        .slice(first + 1)
        .flatMap((two, second) =>
          mornings
            .slice(first + second + 2)
            .map(
              (three) =>
                chooseMorning({ ...asked, mornings: [one, two, three], minGain: -1 })?.odds.plan ?? 0,
            ),
        ),
    );
    expect(planned).toBeGreaterThan(0.96 * Math.max(...plans));
    expect(planned).toBeLessThanOrEqual(Math.max(...plans) + 1e-9);
  });

  const anyAnswers = fc.array(fc.record({ day: fc.integer({ min: -200, max: -1 }), isPaid: fc.boolean() }), {
    maxLength: 45,
  });
  test('whatever was answered, the morning is an allowed one, and its odds are between nothing and the plan’s', () => {
    fc.assert(
      fc.property(
        anyAnswers,
        fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 8 }),
        fc.constantFrom('funds' as const, 'generic' as const, 'passing' as const),
        fc.integer({ min: 1, max: 12 }),
        (answers, days, family, retries) => {
          const past = inOrder(answers.map(({ day, isPaid }) => ({ ...on(day), isPaid })));
          const refusals = refused(...days.sort((one, other) => one - other));
          const asked = request({ past, refusals, family, retries, from: (days.at(-1) ?? 0) + 1 });
          const chosen = chooseMorning(asked);
          if (!chosen) return;
          expect(asked.mornings).toContainEqual({ ms: chosen.ms, day: chosen.day });
          expect(chosen.odds.retry).toBeGreaterThan(0);
          expect(chosen.odds.plan).toBeGreaterThanOrEqual(chosen.odds.retry - 1e-9);
          expect(chosen.odds.plan).toBeLessThan(1);
          expect(chosen.because.share).toBeGreaterThan(0);
          expect(chosen.because.share).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 60 },
    );
  });
});
