/** Which time is chosen, by which way, and how likely that was. */
import '../../../support/runner/luxon-equality.ts';
import { DateTime } from 'luxon';
import { createPaydayTable } from '../../../../src/service/policy/calendar/pay-calendar.ts';
import { readFigures } from '../../../../src/service/policy/learning/beliefs.ts';
import { createLearnedState } from '../../../../src/service/policy/learning/learned.ts';
import type { PaymentCase } from '../../../../src/service/policy/payment-case.ts';
import { ownDelayMs } from '../../../../src/service/policy/timing/own-mornings.ts';
import { type TimingRequest, timeRetry } from '../../../../src/service/policy/timing/time-retry.ts';
import { buildCase, FIRST, failed } from '../policy-cases.ts';

const HARD = {
  figures: readFigures(createLearnedState(1)),
  paydays: createPaydayTable(),
  softness: undefined,
};
const SOFT = { ...HARD, softness: { hours: { morning: 1, evening: 0.985, midnight: 0.985 }, seed: 1 } };
const ENGINE = { arm: 'engine', odds: { engine: 0.9, spread: 0.1 } } as const;
const SPREAD = { ...ENGINE, arm: 'spread' } as const;
const NOT_HELD_OUT = { isHeldOut: false, percent: 20, seed: 1 };
const HELD_OUT = { ...NOT_HELD_OUT, isHeldOut: true };

type Changes = Partial<Omit<TimingRequest, 'paymentCase'>> & { readonly of?: Partial<PaymentCase> };

function time({ of, ...changes }: Changes = {}, knowledge: Parameters<typeof timeRetry>[1] = HARD) {
  const request: TimingRequest = {
    paymentCase: buildCase(of),
    first: failed(0, 'insufficient_funds'),
    now: FIRST,
    restUntil: FIRST.plus({ days: 1 }),
    promptBy: undefined,
    tries: 7,
    choice: ENGINE,
    draw: NOT_HELD_OUT,
    ...changes,
  };
  return timeRetry(request, knowledge);
}
const at = (days: number) => FIRST.plus({ days });
const dayOf = (ms: number | undefined) =>
  ms === undefined
    ? undefined
    : DateTime.fromMillis(ms, { zone: 'utc' }).diff(FIRST.startOf('day')).as('days');
/** Of each day, the time of the morning that the case keeps. */
const MORNING = (9 * 3_600_000 + ownDelayMs('in_1')) / 86_400_000;
const morning = (day: number) => expect.closeTo(day + MORNING, 9);

test('the static schedule is kept at its hour, once the card has rested and where a cap allows it', () => {
  const days = (changes: Changes) => dayOf(time({ draw: HELD_OUT, ...changes })?.ms);
  const past = Array.from({ length: 14 }, () => ({ at: at(-28.5), isPaid: false }));
  const ten = 10 / 24;
  expect([
    days({}),
    days({ restUntil: at(1.01) }),
    days({ now: at(3.5), restUntil: at(1) }),
    days({ now: at(5) }),
    days({ of: { past } }),
    days({ of: { past: past.slice(1) } }),
    days({ now: at(7.1) }),
  ]).toEqual([1 + ten, 3 + ten, 5 + ten, 5 + ten, 3 + ten, 1 + ten, undefined]);
  expect(time({ draw: HELD_OUT })).toMatchObject({ arm: 'static', propensity: 0.2 });
});

test('the spread tries on evenly spread mornings of the window, those that are left', () => {
  const days = (changes: Changes) => dayOf(time({ choice: SPREAD, ...changes })?.ms);
  expect([
    days({}),
    days({ now: at(5) }),
    days({ now: at(8) }),
    days({ of: { limits: { perInvoice: 5 } } }),
    days({ of: { limits: { windowDays: 16 } } }),
    days({ now: at(28.5) }),
  ]).toEqual([morning(4), morning(8), morning(12), morning(7), morning(2), undefined]);
  expect(time({ choice: SPREAD })).toMatchObject({
    arm: 'spread',
    propensity: expect.closeTo(0.8 * 0.1, 12),
  });
});

test('no time is before the rest, in the past, after the window, or against a cap', () => {
  const offered = (changes: Changes) =>
    (time(changes, SOFT)?.choices?.options ?? [])
      .filter(({ by }) => by.engine || by.spread)
      .map(({ ms }) => ms);
  for (const changes of [{}, { now: at(6) }, { restUntil: at(9.2) }, { of: { limits: { windowDays: 5 } } }]) {
    const { now = FIRST, restUntil = at(1) } = { now: undefined, restUntil: undefined, ...changes };
    const times = offered(changes);
    expect(times.length).toBeGreaterThan(0);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(Math.max(now.toMillis(), restUntil.toMillis()));
  }
  expect(Math.max(...offered({ of: { limits: { windowDays: 5 } } }))).toBeLessThanOrEqual(at(5).toMillis());
  expect(offered({ now: at(31) })).toEqual([]);
  const past = Array.from({ length: 14 }, () => ({ at: FIRST, isPaid: false }));
  expect(offered({ of: { past } })).toEqual([]);
  expect(offered({ of: { past: past.slice(1) } }).length).toBeGreaterThan(0);
});

test('a morning at the very moment at which the card has rested, or the window ends, is one', () => {
  const first = time({ of: { limits: { windowDays: 2 } } });
  const ms = first?.ms ?? 0;
  const exactly = DateTime.fromMillis(ms, { zone: 'utc' });
  const one = { of: { limits: { windowDays: 2 } } };
  expect(time({ ...one, restUntil: exactly })?.ms).toBe(ms);
  expect(time({ ...one, restUntil: exactly.plus(1) })?.ms).not.toBe(ms);
  expect(time({ ...one, now: exactly })?.ms).not.toBe(ms);
  const began = { first: { ...failed(0, 'x'), at: exactly.minus({ days: 2 }) } };
  expect(time({ ...one, ...began, restUntil: exactly })?.ms).toBe(ms);
  const before = { first: { ...failed(0, 'x'), at: exactly.minus({ days: 2, milliseconds: 1 }) } };
  expect(time({ ...one, ...before, restUntil: exactly })).toBeUndefined();
});

test('without draws the best time is certain, and what others would have chosen is told with their chances', () => {
  const retry = time();
  const { arms, options = [] } = retry?.choices ?? {};
  expect(arms).toEqual({ engine: expect.closeTo(0.72, 12), spread: expect.closeTo(0.08, 12), static: 0.2 });
  expect(options.map(({ ms }) => ms)).toEqual(
    [...options.map(({ ms }) => ms)].sort((one, other) => one - other),
  );
  expect(options.map(({ by }) => by)).toEqual(
    expect.arrayContaining([{ engine: 1 }, { spread: 1 }, { static: 1 }]),
  );
  const own = options.find(({ by }) => by.engine);
  expect(retry).toMatchObject({ ms: own?.ms, chance: own?.believed, arm: 'engine', hour: 'morning' });
  expect(retry?.propensity).toBeCloseTo(0.72, 12);
  expect(options.find(({ by }) => by.static)?.hour).toBeUndefined();
  expect(options.find(({ by }) => by.spread)?.hour).toBe('morning');
  expect(options.every(({ believed }) => believed > 0)).toBe(true);
});

test('a time that several ways would have chosen counts for each', () => {
  // The one morning that is left is the engine's and the spread's.
  const retry = time({ of: { limits: { windowDays: 4, perInvoice: 2 } }, restUntil: at(1.5), now: at(1.5) });
  expect(dayOf(retry?.ms)).toEqual(morning(2));
  const [one] = retry?.choices?.options.filter(({ by }) => by.spread) ?? [];
  expect(one?.by).toEqual({ engine: 1, spread: 1 });
  expect(retry?.propensity).toBeCloseTo(0.8, 12);
});

test('a drawn time was as likely as its options say, and its hour is one of the three', () => {
  const retry = time({ of: { funding: 'debit' } }, SOFT);
  const options = retry?.choices?.options.filter(({ by }) => by.engine) ?? [];
  expect(options.reduce((sum, { by }) => sum + (by.engine ?? 0), 0)).toBeCloseTo(1, 9);
  expect(options.length).toBeGreaterThan(1);
  const own = options.find(({ ms }) => ms === retry?.ms);
  expect(own?.hour).toBe(retry?.hour);
  expect(retry?.propensity).toBeCloseTo(0.72 * (own?.by.engine ?? 0) + 0.08 * (own?.by.spread ?? 0), 12);
});

test('the evening after the window and the night before the card has rested are not drawn among', () => {
  // The morning of the second day is the only one.
  const hoursOf = (hours: number, windowDays: number) => {
    const of = { funding: 'debit', limits: { windowDays } };
    const retry = time({ of, restUntil: at(1).plus({ hours }) }, SOFT);
    return retry?.choices?.options.filter(({ by }) => by.engine).map(({ hour }) => hour);
  };
  expect([hoursOf(22, 2), hoursOf(14, 2), hoursOf(22, 2.5), hoursOf(14, 2.5)]).toEqual([
    ['morning'],
    ['midnight', 'morning'],
    ['morning', 'evening'],
    ['midnight', 'morning', 'evening'],
  ]);
});

test('the engine does not always take the first of its options', () => {
  const alike = { ...HARD, softness: { hours: { morning: 1, evening: 1, midnight: 1 }, seed: 1 } };
  const places = Array.from({ length: 20 }, (_, number) => {
    const retry = time({ of: { id: `in_${number}` } }, alike);
    const options = retry?.choices?.options.filter(({ by }) => by.engine) ?? [];
    return options.findIndex(({ ms }) => ms === retry?.ms);
  });
  expect(Math.min(...places)).toBe(0);
  expect(Math.max(...places)).toBeGreaterThan(0);
});

describe('a prompt retry', () => {
  const rested: Changes = { promptBy: 'card_has_rested', restUntil: FIRST.plus({ hours: 1 }) };

  test('a prompt retry waits for the rest alone, in whole seconds', () => {
    const prompt = (changes: Changes) => time({ ...rested, ...changes })?.ms;
    expect(prompt({})).toBe(FIRST.plus({ hours: 1 }).toMillis());
    expect(prompt({ now: at(2).plus(1) })).toBe(at(2).plus({ seconds: 1 }).toMillis());
    expect(prompt({ restUntil: FIRST.plus(999) })).toBe(FIRST.plus({ seconds: 1 }).toMillis());
    expect(time(rested)).toMatchObject({ prompt: 'card_has_rested', propensity: 1, arm: 'engine' });
    expect(time({ ...rested, draw: HELD_OUT })).toMatchObject({ prompt: 'card_has_rested', arm: 'static' });
    expect(time(rested)).not.toHaveProperty('choices');
    expect(time({ ...rested, promptBy: 'card_has_paid' })?.prompt).toBe('card_has_paid');
    expect(time(rested)?.planChance).toBe(time({ restUntil: FIRST.plus({ hours: 1 }) })?.planChance);
  });

  test('a prompt retry at the end of the window is the last; after it, or against a cap, there is none', () => {
    expect(time({ ...rested, now: at(30) })?.prompt).toBe('card_has_rested');
    expect(time({ ...rested, now: at(30).plus(1) })).toBeUndefined();
    const past = Array.from({ length: 8 }, () => ({ at: FIRST.minus({ hours: 20 }), isPaid: false }));
    const capped = { brand: 'mastercard', past };
    expect(time({ ...rested, of: capped })).not.toHaveProperty('prompt');
    expect(time({ ...rested, of: { ...capped, past: past.slice(2) } })).toHaveProperty('prompt');
  });
});

test('a try that brings less than it costs, or than one in a hundred, is not made by the engine', () => {
  const isTried = (of: Partial<PaymentCase>) => time({ of }) !== undefined;
  expect(isTried({ amount: 2000 })).toBe(true);
  expect(isTried({ amount: 0 })).toBe(false);
  expect(isTried({ amount: 20, limits: { attemptCost: 10 } })).toBe(false);
  expect(isTried({ amount: 20, limits: { attemptCost: 1 } })).toBe(true);
  expect(isTried({ amount: -1 })).toBe(false);
  const few = time({ of: { limits: { attemptCost: 0 } }, tries: 40 });
  const all = time({ of: { limits: { attemptCost: 100 } }, tries: 40 });
  expect(few?.planChance).toBeGreaterThan(all?.planChance ?? 1);
  // What costs nothing still has to bring one in a hundred.
  expect(few?.planChance).toBe(time({ of: { limits: { attemptCost: 20 } }, tries: 40 })?.planChance);
});

test('more tries make a plan likelier', () => {
  const chances = [1, 2, 4, 7].map((tries) => time({ tries })?.planChance ?? 0);
  expect(chances).toEqual([...chances].sort((one, other) => one - other));
  expect(new Set(chances).size).toBe(4);
  expect(time({ tries: 1 })?.planChance).toBeCloseTo(time({ tries: 1 })?.chance ?? 0, 9);
});
