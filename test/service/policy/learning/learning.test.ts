import { DateTime } from 'luxon';
import { createPolicy, type Policy } from '../../../../src/service/policy/create-policy.ts';
import type { PastAttempt } from '../../../../src/service/policy/payment-case.ts';
import { buildCase, FIRST, failed } from '../policy-cases.ts';

const nine = (day: number) => FIRST.plus({ days: day }).set({ hour: 9, minute: 0 });

/** A customer whose money is there on Fridays only, over some weeks. */
const FRIDAYS: PastAttempt[] = Array.from({ length: 60 }, (_, index) => nine(index - 63))
  .filter((at) => at.weekday >= 3)
  .map((at) => ({ at, isPaid: at.weekday === 5 }));

/** An id that the engine is asked about. */
function engineCase(policy: Policy): string {
  const id = Array.from({ length: 100 }, (_, index) => `in_${index}`).find((one) => {
    const decision = policy.decide(buildCase({ id: one }), FIRST);
    return 'arm' in decision && decision.arm === 'engine';
  });
  if (!id) throw new Error('no case for the engine');
  return id;
}

test('a customer whose money comes on Fridays is tried on a Friday, and the reason says so', () => {
  const policy = createPolicy();
  const id = engineCase(policy);
  const decision = policy.decide(buildCase({ id, brand: 'mastercard', past: FRIDAYS }), FIRST);
  if (!('at' in decision)) throw new Error(decision.reason);
  expect(decision.at.toISODate()).toBe('2026-03-06');
  expect(decision.reasons[0]).toMatchObject({ code: 'pay_schedule', cycle: 'weekly', days: [5] });
  const stranger = policy.decide(buildCase({ id }), FIRST);
  if (!('at' in stranger)) throw new Error(stranger.reason);
  expect(decision.expectedGain).toBeGreaterThan(stranger.expectedGain);
});

test('after a payment was refused on a pay day the next one is awaited', () => {
  const policy = createPolicy();
  const attempts = [failed(0, 'insufficient_funds'), { ...failed(0, 'insufficient_funds'), at: nine(4) }];
  const id = engineCase(policy);
  const decision = policy.decide(buildCase({ id, brand: 'mastercard', past: FRIDAYS, attempts }), nine(4));
  if (!('at' in decision)) throw new Error(decision.reason);
  expect(decision.at.toISODate()).toBe('2026-03-13');
});

test('a pay day that comes within a day of a refusal is let go', () => {
  const policy = createPolicy();
  const noon = nine(3).set({ hour: 12 });
  const attempts = [failed(0, 'insufficient_funds'), { ...failed(0, 'insufficient_funds'), at: noon }];
  const decision = policy.decide(
    buildCase({ id: engineCase(policy), brand: 'mastercard', past: FRIDAYS, attempts }),
    noon,
  );
  if (!('at' in decision)) throw new Error(decision.reason);
  expect(decision.at.diff(noon).as('hours')).toBeGreaterThanOrEqual(24);
});

test('where retries never help, fewer are made and cards are asked for', () => {
  const policy = createPolicy();
  const id = engineCase(policy);
  const ask = () => policy.decide(buildCase({ id, attempts: [failed(0, 'do_not_honor')] }), FIRST);
  const before = ask();
  for (let index = 0; index < 400; index += 1) {
    const attempts = [0, 4, 9, 15, 22].map((day) => failed(day, 'do_not_honor'));
    for (let made = 1; made < attempts.length; made += 1) {
      const paymentCase = buildCase({ id: `old_${index}`, attempts: attempts.slice(0, made) });
      const at = attempts[made]?.at ?? DateTime.invalid('none');
      policy.observe({ kind: 'attempt', id: `${index} ${made}`, paymentCase, at, isPaid: false });
    }
  }
  expect(before).toMatchObject({ suggestion: 'ACTION_SUGGESTION_RETRY' });
  expect(ask()).toMatchObject({ suggestion: 'ACTION_SUGGESTION_CARD_CHANGE' });
  const { explained } = policy.snapshot();
  // At first a quarter of them.
  expect(explained.generic.at(-1)).toBeGreaterThan(200);
});

test('an outcome that comes late, after newer ones, is taken in like any other', () => {
  const policy = createPolicy();
  const observe = (index: number, made: number, isPaid: boolean) =>
    policy.observe({
      kind: 'attempt',
      id: `${index} ${made}`,
      paymentCase: buildCase({
        id: `in_${index}`,
        attempts: [0, 3, 6].slice(0, made).map((day) => failed(day, 'insufficient_funds')),
      }),
      at: nine(made * 3),
      isPaid,
    });
  observe(1, 2, false);
  observe(1, 1, false);
  observe(2, 3, true);
  const { seen, explained } = policy.snapshot();
  expect(seen).toHaveLength(3);
  expect(explained.funds.every((one) => one >= 0 && Number.isFinite(one))).toBe(true);
});
