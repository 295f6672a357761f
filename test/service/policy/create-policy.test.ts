/** What a policy decides by: the case alone. */
import { createPolicy } from '../../../src/service/policy/create-policy.ts';
import { buildCase, FIRST } from './policy-cases.ts';

test('a policy decides the same after any outcome: it never learns from what it did not try', () => {
  const policy = createPolicy();
  const before = policy.decide(buildCase(), FIRST);
  for (const isPaid of [false, true, false])
    policy.observe({ paymentCase: buildCase(), at: FIRST.plus({ days: 3 }), isPaid });
  expect(policy.decide(buildCase(), FIRST)).toEqual(before);
});

test('the control group is drawn with its share and its seed', () => {
  const { draw } = createPolicy({ seed: 7, holdoutPercent: 100 }).decide(buildCase(), FIRST);
  expect(draw).toEqual({ isHeldOut: true, percent: 100, seed: 7 });
  expect(createPolicy().decide(buildCase(), FIRST).draw).toEqual({ isHeldOut: false, percent: 0, seed: 1 });
});
