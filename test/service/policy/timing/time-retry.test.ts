/** Which time is chosen, and by which way. */
import '../../../support/runner/luxon-equality.ts';
import { DateTime } from 'luxon';
import type { PastAttempt, PaymentCase } from '../../../../src/service/policy/payment-case.ts';
import { familyOf } from '../../../../src/service/policy/timing/explanations.ts';
import { listOwnMornings } from '../../../../src/service/policy/timing/own-mornings.ts';
import { type TimingRequest, timeRetry } from '../../../../src/service/policy/timing/time-retry.ts';
import { buildCase, FIRST, failed } from '../policy-cases.ts';

type Changes = Partial<Omit<TimingRequest, 'paymentCase'>> & { readonly of?: Partial<PaymentCase> };

function time({ of, ...changes }: Changes = {}) {
  return timeRetry({
    paymentCase: buildCase(of),
    first: failed(0, 'insufficient_funds'),
    now: FIRST,
    restUntil: FIRST.plus({ days: 1 }),
    promptBy: undefined,
    retriesLeft: 8,
    isHeldOut: false,
    ...changes,
  });
}
const at = (days: number) => FIRST.plus({ days });
const dayOf = (ms: number | undefined) =>
  ms === undefined
    ? undefined
    : DateTime.fromMillis(ms, { zone: 'utc' }).diff(FIRST.startOf('day')).as('days');
const odds = (changes: Changes = {}) => {
  const retry = time(changes);
  if (retry?.way !== 'morning') throw new Error(retry?.way);
  return retry.odds;
};

test('the static schedule is kept at its hour, once the card has rested and where a cap allows it', () => {
  const days = (changes: Changes) => dayOf(time({ isHeldOut: true, ...changes })?.ms);
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
  expect(time({ isHeldOut: true })).toEqual({ way: 'static_schedule', ms: at(1).toMillis() });
});

test('a retry is on one of the case’s own mornings: after the rest, in the window, within every cap', () => {
  const own = new Set(
    listOwnMornings(buildCase(), { after: FIRST.toMillis(), until: at(30).toMillis() }).map(({ ms }) => ms),
  );
  for (const changes of [{}, { now: at(6) }, { restUntil: at(9.2) }, { of: { limits: { windowDays: 5 } } }]) {
    const { now = FIRST, restUntil = at(1) } = { now: undefined, restUntil: undefined, ...changes };
    const ms = time(changes)?.ms ?? 0;
    expect(own.has(ms)).toBe(true);
    expect(ms).toBeGreaterThanOrEqual(Math.max(now.toMillis(), restUntil.toMillis()));
  }
  expect(time({ of: { limits: { windowDays: 5 } } })?.ms).toBeLessThanOrEqual(at(5).toMillis());
  expect(time({ now: at(31) })).toBeUndefined();
  const past = Array.from({ length: 14 }, () => ({ at: FIRST, isPaid: false }));
  expect(time({ of: { past } })).toBeUndefined();
  expect(time({ of: { past: past.slice(1) } })).toBeDefined();
});

test('a morning at the very moment at which the card has rested, or the window ends, is one', () => {
  const one = { of: { limits: { windowDays: 2 } } };
  const ms = time(one)?.ms ?? 0;
  const exactly = DateTime.fromMillis(ms, { zone: 'utc' });
  expect(time({ ...one, restUntil: exactly })?.ms).toBe(ms);
  expect(time({ ...one, restUntil: exactly.plus(1) })?.ms).not.toBe(ms);
  expect(time({ ...one, now: exactly })?.ms).not.toBe(ms);
  const began = { first: { ...failed(0, 'x'), at: exactly.minus({ days: 2 }) } };
  expect(time({ ...one, ...began, restUntil: exactly })?.ms).toBe(ms);
  const before = { first: { ...failed(0, 'x'), at: exactly.minus({ days: 2, milliseconds: 1 }) } };
  expect(time({ ...one, ...before, restUntil: exactly })).toBeUndefined();
});

describe('a prompt retry', () => {
  const rested: Changes = { promptBy: 'card_has_rested', restUntil: FIRST.plus({ hours: 1 }) };

  test('a prompt retry waits for the rest alone, in whole seconds', () => {
    const prompt = (changes: Changes) => time({ ...rested, ...changes })?.ms;
    expect(prompt({})).toBe(FIRST.plus({ hours: 1 }).toMillis());
    expect(prompt({ now: at(2).plus(1) })).toBe(at(2).plus({ seconds: 1 }).toMillis());
    expect(prompt({ restUntil: FIRST.plus(999) })).toBe(FIRST.plus({ seconds: 1 }).toMillis());
    expect(time(rested)?.way).toBe('card_has_rested');
    expect(time({ ...rested, isHeldOut: true })?.way).toBe('card_has_rested');
    expect(time({ ...rested, promptBy: 'card_has_paid' })?.way).toBe('card_has_paid');
  });

  test('a prompt retry at the end of the window is the last; after it, or against a cap, there is none', () => {
    expect(time({ ...rested, now: at(30) })?.way).toBe('card_has_rested');
    expect(time({ ...rested, now: at(30).plus(1) })).toBeUndefined();
    const past = Array.from({ length: 8 }, () => ({ at: FIRST.minus({ hours: 20 }), isPaid: false }));
    const capped = { brand: 'mastercard', past };
    expect(time({ ...rested, of: capped })?.way).toBe('morning');
    expect(time({ ...rested, of: { ...capped, past: past.slice(2) } })?.way).toBe('card_has_rested');
  });
});

test('a retry that brings less than it costs, or than four in a thousand, is not made', () => {
  const isTried = (of: Partial<PaymentCase>) => time({ of }) !== undefined;
  expect(isTried({ amount: 2000 })).toBe(true);
  expect(isTried({ amount: 0 })).toBe(false);
  expect(isTried({ amount: 20, limits: { attemptCost: 10 } })).toBe(false);
  expect(isTried({ amount: 20, limits: { attemptCost: 1 } })).toBe(true);
  expect(isTried({ amount: -1 })).toBe(false);
  expect(isTried({ amount: 0, limits: { attemptCost: 0 } })).toBe(false);
  const few = odds({ of: { limits: { attemptCost: 0 } }, retriesLeft: 40 });
  const all = odds({ of: { limits: { attemptCost: 100 } }, retriesLeft: 40 });
  expect(few.plan).toBeGreaterThan(all.plan);
  // A retry that costs nothing still has to bring four in a thousand.
  expect(few.plan).toBe(odds({ of: { limits: { attemptCost: 8 } }, retriesLeft: 40 }).plan);
});

test('more retries make a plan likelier', () => {
  const chances = [1, 2, 4, 8].map((retriesLeft) => odds({ retriesLeft }).plan);
  expect(chances).toEqual([...chances].sort((one, other) => one - other));
  expect(new Set(chances).size).toBe(4);
  expect(odds({ retriesLeft: 1 }).plan).toBeCloseTo(odds({ retriesLeft: 1 }).retry, 9);
});

test.each([
  ['insufficient_funds', 'funds'],
  ['withdrawal_count_limit_exceeded', 'funds'],
  ['try_again_later', 'passing'],
  ['processing_error', 'passing'],
  ['reenter_transaction', 'passing'],
  ['issuer_not_available', 'passing'],
  ['approve_with_id', 'passing'],
  ['card_velocity_exceeded', 'passing'],
  ['do_not_honor', 'generic'],
  [undefined, 'generic'],
])('a decline with %s is of the family %s', (code, family) => {
  expect(familyOf(code)).toBe(family);
});

describe('earlier answers', () => {
  const begin = DateTime.fromISO('2026-08-20T10:00:00Z', { zone: 'utc' });
  const begun = { first: { ...failed(0, 'insufficient_funds'), at: begin }, now: begin };
  const attempts = [{ ...failed(0, 'insufficient_funds'), at: begin }];
  const weekly = [5, 4, 3, 2, 1].flatMap((weeks) => {
    const thursday = begin.minus({ weeks });
    return [
      { at: thursday, isPaid: false },
      { at: thursday.plus({ days: 1 }), isPaid: true },
    ].map((one) => ({ ...one, code: 'insufficient_funds', methodType: 'card' }));
  });
  const first = (past: readonly PastAttempt[]) =>
    time({ ...begun, retriesLeft: 1, restUntil: begin.plus({ days: 1 }), of: { attempts, past } });

  test('where one retry is left, a customer who pays on Fridays is tried on the next one', () => {
    const retry = first(weekly);
    expect(DateTime.fromMillis(retry?.ms ?? 0, { zone: 'utc' }).toISODate()).toBe('2026-08-28');
    expect(retry).toMatchObject({ because: { kind: 'payday' } });
    expect(first([])?.ms).not.toBe(retry?.ms);
  });

  test('a stolen card says nothing about money, and neither does an answer after the first failure', () => {
    const stolen = weekly.map((one) => (one.isPaid ? one : { ...one, code: 'stolen_card' }));
    expect(first(stolen)).toEqual(first(weekly.filter(({ isPaid }) => isPaid)));
    expect(first([...weekly, { at: begin.plus({ hours: 1 }), isPaid: true }])).toEqual(first(weekly));
    expect(first([...weekly, { at: begin, isPaid: true }])).toEqual(first(weekly));
  });

  test('a payment counts with any method, and so does an answer of which the method is not known', () => {
    const debits = weekly.map((one) => (one.isPaid ? { ...one, methodType: 'sepa_debit' } : one));
    expect(first(debits)).toEqual(first(weekly));
    const unknown = weekly.map((one) => ({ at: one.at, isPaid: one.isPaid, code: 'stolen_card' }));
    expect(first(unknown)).toEqual(first(weekly));
  });

  test('the latest forty count', () => {
    const long = Array.from({ length: 8 }, (_, index) =>
      weekly.map((one) => ({ ...one, at: one.at.minus({ weeks: 5 * (7 - index) }) })),
    ).flat();
    const other = { at: begin.minus({ days: 400 }), isPaid: true };
    expect(first([other, ...long.slice(-40)])).toEqual(first(long.slice(-40)));
    expect(first([other, ...long.slice(-39)])).not.toEqual(first(long.slice(-39)));
  });

  test('a refusal of another invoice lies among those of this one, by its time', () => {
    const past = [{ ...failedAt(2), isPaid: false }];
    const asked = { ...begun, now: begin.plus({ days: 5 }), restUntil: begin.plus({ days: 6 }) };
    const among = time({ ...asked, of: { attempts: [0, 5].map(failedAt), past } });
    expect(among).toEqual(time({ ...asked, of: { attempts: [0, 2, 5].map(failedAt) } }));
  });
  const failedAt = (day: number) => ({
    ...failed(0, 'insufficient_funds'),
    at: begin.plus({ days: day }),
    amount: 1000,
    fingerprint: 'one',
  });
});
