/** The figures of the model for a few cases. They are no truth but what it says: a change of them is another model. */
import { listMornings, zoneNamed } from '../../../../src/service/policy/calendar/local-time.ts';
import { createPaydayTable } from '../../../../src/service/policy/calendar/pay-calendar.ts';
import {
  chanceOf,
  coverAfter,
  type Evidence,
  learn,
  readFigures,
  weigh,
} from '../../../../src/service/policy/learning/beliefs.ts';
import { FAMILIES, familyOf, HYPOTHESES } from '../../../../src/service/policy/learning/hypotheses.ts';
import { createLearnedState, type LearnedState } from '../../../../src/service/policy/learning/learned.ts';
import { planRetries } from '../../../../src/service/policy/timing/plan-retries.ts';

const DAY = 86_400_000;
const FIRST = Date.parse('2026-03-02T08:00:00Z');
const zone = zoneNamed('Europe/Berlin');
const paydays = createPaydayTable();
const on = (day: number, isPaid = false) => ({ ms: FIRST + day * DAY, isPaid });

const CASES: readonly Evidence[] = FAMILIES.flatMap((family) => [
  { family, zone, past: [], answers: [on(0)] },
  { family, zone, past: [], answers: [on(0), on(1.5), on(4.2), on(4.9)] },
  { family, zone, past: [on(-31, true), on(-24), on(-17, true), on(-3.5)], answers: [on(0), on(18.1)] },
  { family, zone, past: [on(-60, true)], answers: [on(0), on(25), on(27, true)] },
]);

/** Two sums in which each value and its place counts. */
function digest(values: Iterable<number>): string {
  let [weighed, squares] = [0, 0];
  [...values].forEach((value, index) => {
    weighed += value * (index + 1);
    squares += value ** 2 * (index + 1);
  });
  return `${weighed.toPrecision(9)} ${squares.toPrecision(9)}`;
}

function digestOf({ explained, cover, chance }: LearnedState): string[] {
  const covers = Object.values(cover).flat();
  return [
    digest(Object.values(explained).flat()),
    digest([...covers, chance].map(({ paid }) => paid)),
    digest([...covers, chance].map(({ tried }) => tried)),
  ];
}

function learned(): LearnedState {
  const state = createLearnedState(1);
  for (const evidence of CASES) {
    const { answers } = evidence;
    for (let made = 1; made <= answers.length; made += 1)
      learn(
        state,
        { ...evidence, answers: answers.slice(0, made) },
        { figures: readFigures(state), paydays },
      );
  }
  return state;
}

test('answers make hypotheses likelier by so much', () => {
  const figures = readFigures(createLearnedState(1));
  const beliefs = CASES.map((evidence) => weigh(evidence, figures, paydays));
  for (const { weights } of beliefs) expect(weights.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 9);
  expect(beliefs.map(({ weights, lastMs }) => [digest(weights), (lastMs - FIRST) / DAY].join(' | '))).toEqual(
    [
      '37.2809306 2.59423792 | 0',
      '37.1122625 3.54882125 | 4.9',
      '33.4887690 3.82748992 | 18.1',
      '48.2145815 8.27197508 | -Infinity',
      '46.4108936 6.76200130 | 0',
      '47.1299543 11.4303462 | 4.9',
      '44.2314863 13.7386756 | 18.1',
      '51.1977570 4.56434788 | -Infinity',
      '51.6871690 4.68218990 | 0',
      '52.3696910 8.05639944 | 4.9',
      '48.7898105 9.35226813 | 18.1',
      '53.7126376 5.52767990 | -Infinity',
    ],
  );
  expect(beliefs.slice(0, 4).map(({ spentSince }) => digest(spentSince))).toEqual([
    '22163158.0 4.54399296e+11',
    '22167680.0 4.54584734e+11',
    '22182954.0 4.55211406e+11',
    '-1.08100000e+9 1.08100000e+15',
  ]);
  expect(new Set(beliefs.map(({ firstMs }) => firstMs))).toEqual(new Set([FIRST]));
});

test('cases teach by so much', () => {
  const state = learned();
  const { belief, cover, chance } = readFigures(state);
  expect(digestOf(state)).toEqual([
    '947.279090 322.044290',
    '43.5495682 51.2585106',
    '131.416045 261.014885',
  ]);
  expect(Object.values(belief).map(digest)).toEqual([
    '37.1385150 2.74693825',
    '44.5930475 5.05012443',
    '50.5307418 4.09243693',
  ]);
  expect([digest(cover), chance.toPrecision(9)]).toEqual(['288370.278 95392.2034', '0.480908361']);
});

test('of such beliefs these mornings are planned', () => {
  const figures = readFigures(learned());
  const plans = CASES.map((evidence, place) => {
    const belief = weigh(evidence, figures, paydays);
    const now = evidence.answers.at(-1)?.ms ?? 0;
    const slots = listMornings(zone, { after: now + DAY, until: FIRST + 45 * DAY });
    const evenings = slots.map(({ ms, day }) => ({ ms: ms + DAY / 2, day }));
    const all = place % 2 === 0 ? slots : [...slots, ...evenings].sort((one, other) => one.ms - other.ms);
    const plan = planRetries({
      belief,
      figures,
      paydays,
      slots: all,
      now,
      tries: 2 + (place % 4),
      minGain: 0.03,
    });
    const { next, near, chance } = plan;
    const places = near.map(({ ms, share }) => `${((ms - FIRST) / DAY).toFixed(2)}:${share.toFixed(5)}`);
    const { index, paydayShare = 0 } = next?.because ?? {};
    return [
      next?.day,
      next?.chance.toFixed(6),
      index,
      paydayShare.toFixed(6),
      places.join(' '),
      chance.toFixed(6),
    ].join(' | ');
  });
  expect(plans).toEqual([
    '20525 | 0.358234 | 46 | 0.383649 | 11.00:1.00000 | 0.571230',
    '20525 | 0.264756 | 15 | 0.531567 | 11.00:1.00000 11.50:0.99951 | 0.595085',
    '20539 | 0.220489 | 46 | 0.409821 | 25.00:1.00000 | 0.606310',
    '20543 | 0.555327 | 46 | 0.016512 | 28.96:1.00000 29.46:0.96922 | 0.864346',
    '20525 | 0.348807 | 54 | 0.208707 | 11.00:1.00000 | 0.510286',
    '20525 | 0.212320 | 54 | 0.345871 | 11.00:1.00000 11.50:0.99472 | 0.479244',
    '20539 | 0.198318 | 57 | 0.259916 | 25.00:1.00000 | 0.410564',
    '20543 | 0.666587 | 46 | 0.005615 | 28.96:1.00000 29.46:0.97069 | 0.859853',
    '20525 | 0.549440 | 54 | 0.039716 | 11.00:1.00000 | 0.797478',
    '20525 | 0.344651 | 54 | 0.094801 | 11.00:1.00000 11.50:0.97602 | 0.751438',
    '20536 | 0.438044 | 57 | 0.032691 | 22.00:1.00000 23.00:0.96446 | 0.623855',
    '20543 | 0.843231 | 57 | 0.000766 | 28.96:1.00000 29.46:0.96694 | 0.941578',
  ]);
});

test('a decline code says which beliefs a case begins with', () => {
  const codes = ['insufficient_funds', 'withdrawal_count_limit_exceeded', 'try_again_later', 'do_not_honor'];
  expect([...codes, undefined].map(familyOf)).toEqual(['funds', 'funds', 'passing', 'generic', 'generic']);
});

test('how often money was there takes over from the first guess, which weighs as much as six tries', () => {
  const state = createLearnedState(1);
  state.cover.weekly[0] = { paid: 3, tried: 4 };
  state.chance = { paid: 2, tried: 4 };
  const figures = readFigures(state);
  const [first, learnt] = [readFigures(createLearnedState(1)), figures].map((one) => [
    ...[coverAfter(0, 0, one), coverAfter(0, 1, one), chanceOf(BY_CHANCE, { age: 9, gap: 1 }, one)],
  ]);
  expect(first).toEqual([0.5, expect.closeTo(0.5 * (6 / 7), 12), expect.closeTo(0.5 * (1 - 1 / Math.E), 12)]);
  expect(learnt).toEqual([(6 * 0.5 + 3) / 10, first?.[1], first?.[2]]);
  state.chance = { paid: 5, tried: 6 };
  expect(chanceOf(BY_CHANCE, { age: 9, gap: 1 }, readFigures(state))).toBeCloseTo(0.7 * (1 - 1 / Math.E), 12);
  // Farther from a pay day than any is from the next.
  expect(coverAfter(0, 40, figures)).toBe(coverAfter(0, 31, figures));
});
/** The first hypothesis without pay days: money comes and goes within a day. */
const BY_CHANCE = HYPOTHESES.findIndex(({ kind }) => kind === 'chance');

test('a payment on the day after a refusal is money of that day, if it is a pay day', () => {
  const thursday = { ms: Date.parse('2026-03-05T10:00:00Z'), isPaid: false };
  const after = (isPaid: boolean) => {
    const state = createLearnedState(1);
    const answers = [thursday, { ms: thursday.ms + DAY, isPaid }];
    learn(state, { family: 'funds', zone, past: [], answers }, { figures: readFigures(state), paydays });
    return state.cover;
  };
  const { weekly, monthly } = after(true);
  expect(weekly[0]?.paid).toBeGreaterThan(0.005);
  expect(weekly[0]?.tried).toBe(weekly[0]?.paid);
  expect(weekly.slice(1).every(({ tried }) => tried === 0)).toBe(true);
  expect(monthly[0]?.paid).toBeGreaterThan(0);
  const refused = after(false);
  expect([refused.weekly[0]?.paid, (refused.weekly[0]?.tried ?? 0) > 0]).toEqual([0, true]);
});
