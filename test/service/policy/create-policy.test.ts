/** What a policy takes in, and what it remembers of it. */
import { createPolicy, type Outcome, type Policy } from '../../../src/service/policy/create-policy.ts';
import type { Odds, PastAttempt } from '../../../src/service/policy/payment-case.ts';
import { buildCase, FIRST, failed } from './policy-cases.ts';

const closed = (id: string, isRecovered = true): Outcome => ({
  kind: 'closed',
  id,
  arm: 'spread',
  isRecovered,
  attempts: 3,
});
const ODDS: Odds = { group: 'funds', believed: 0.2, promised: 0.25, hour: 'evening' };
const retry = (id: string, isPaid = true): Outcome => ({ kind: 'retry', id, odds: ODDS, isPaid });
const attempt = (id: string, past: readonly PastAttempt[] = []): Outcome => ({
  kind: 'attempt',
  id,
  isPaid: true,
  at: FIRST.plus({ days: 4 }),
  paymentCase: buildCase({ past, attempts: [failed(0, 'do_not_honor')] }),
});

function after(...outcomes: Outcome[]): ReturnType<Policy['snapshot']> {
  const policy = createPolicy();
  for (const one of outcomes) policy.observe(one);
  return policy.snapshot();
}

test('a closed case counts for the way that chose its times', () => {
  const { compared, seen } = after(closed('in_1'), closed('in_2', false), closed('in_1', false));
  const none = { cases: 0, recovered: 0, attempts: 0 };
  expect(compared).toEqual({ engine: none, spread: { cases: 2, recovered: 1, attempts: 6 } });
  expect(seen).toEqual(['closed in_1', 'closed in_2']);
});

test('a retry teaches odds, promises and hours, once; outcomes of another kind share no ids with it', () => {
  const { odds, promises, hours, compared, seen } = after(retry('1'), closed('1'), retry('1'));
  expect(odds.funds.filter(({ tried }) => tried > 0)).toEqual([{ tried: 1, paid: 1 }]);
  expect(promises.filter(({ tried }) => tried > 0)).toEqual([
    { tried: 1, paid: 1, promised: 0.25, squares: 0.75 ** 2 },
  ]);
  expect(hours).toMatchObject({ evening: { promised: 0.25, paid: 1 }, morning: { promised: 0, paid: 0 } });
  expect(compared.spread.cases).toBe(1);
  expect(seen).toEqual(['retry 1', 'closed 1']);
  const unpaid = after(retry('1', false));
  expect(unpaid.odds.funds.find(({ tried }) => tried > 0)).toEqual({ tried: 1, paid: 0 });
  expect(unpaid.hours.evening.paid).toBe(0);
});

test('an attempt teaches what was behind its case, and what it came to', () => {
  const { explained, compared, odds } = after(attempt('1'));
  const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);
  expect([sum(explained.generic), sum(explained.funds)]).toEqual([expect.closeTo(1, 9), 0]);
  expect([compared.spread.cases, sum(odds.generic.map(({ tried }) => tried))]).toEqual([0, 0]);
  const fridays = [-10, -17, -24].map((day) => ({ at: FIRST.plus({ days: day }), isPaid: true }));
  expect(after(attempt('1', fridays)).explained.generic).not.toEqual(explained.generic);
});

test('what was learned holds for the next decision', () => {
  const promisedBy = (outcomes: readonly Outcome[]) => {
    const policy = createPolicy();
    for (const one of outcomes) policy.observe(one);
    const decision = policy.decide(buildCase(), FIRST);
    if (!('odds' in decision) || !decision.odds) throw new Error(decision.reason);
    return decision.odds;
  };
  const before = promisedBy([]);
  expect(promisedBy([retry('1'), retry('2')]).promised).toBeGreaterThan(before.promised);
  expect(promisedBy([attempt('1'), attempt('2')]).believed).not.toBe(before.believed);
});

test('the last 512 outcomes are known again', () => {
  const policy = createPolicy();
  const cases = () => policy.snapshot().compared.spread.cases;
  for (let number = 0; number < 513; number += 1) policy.observe(closed(String(number)));
  expect(policy.snapshot().seen).toHaveLength(512);
  policy.observe(closed('1'));
  expect(cases()).toBe(513);
  policy.observe(closed('0'));
  expect(cases()).toBe(514);
  expect(policy.snapshot().seen.slice(0, 1)).toEqual(['closed 2']);
  const again = createPolicy(policy.snapshot());
  again.observe(closed('2'));
  expect(again.snapshot()).toEqual(policy.snapshot());
});

test('times about as good as the best are drawn among, unless that is switched off', () => {
  const drawn = (policy: Policy) => {
    const decision = policy.decide(buildCase(), FIRST);
    if (!('choices' in decision)) throw new Error(decision.reason);
    return decision.choices?.options.flatMap(({ by }) => by.engine ?? []);
  };
  expect(drawn(createPolicy())?.length).toBeGreaterThan(1);
  expect(drawn(createPolicy(undefined, 1, 0, false))).toEqual([1]);
});

test('a policy begins with its seed and its share of the holdout, and goes on with the seed that it has', () => {
  expect([createPolicy().snapshot().seed, createPolicy(undefined, 7).snapshot().seed]).toEqual([1, 7]);
  expect(createPolicy(createPolicy(undefined, 7).snapshot(), 8).snapshot().seed).toBe(7);
  const { draw } = createPolicy(undefined, 7, 100).decide(buildCase(), FIRST);
  expect(draw).toEqual({ isHeldOut: true, percent: 100, seed: 7 });
  expect(createPolicy().decide(buildCase(), FIRST).draw).toMatchObject({ isHeldOut: false, percent: 0 });
});
