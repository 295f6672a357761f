/** Which attempts are about one method, and which method is charged next. */
import {
  findNextMethod,
  isSameMethod,
  listAttemptsWith,
  type UsedMethod,
} from '../../../src/core/limits/next-method.ts';

test.each<[UsedMethod, UsedMethod, boolean]>([
  [{ fingerprint: 'a', paymentMethod: 'pm_1' }, { fingerprint: 'a', paymentMethod: 'pm_2' }, true],
  [{ fingerprint: 'a', paymentMethod: 'pm_1' }, { fingerprint: 'b', paymentMethod: 'pm_1' }, false],
  [{ fingerprint: 'a', paymentMethod: 'pm_1' }, { fingerprint: null, paymentMethod: 'pm_1' }, true],
  [{ fingerprint: 'a', paymentMethod: 'pm_1' }, { paymentMethod: 'pm_2' }, false],
  [{ fingerprint: 'a' }, {}, false],
  [{ fingerprint: 'a' }, { paymentMethod: 'pm_1' }, false],
  [{ fingerprint: null, paymentMethod: null }, {}, true],
])('%j and %j are one method: %s', (one, other, isSame) => {
  expect([isSameMethod(one, other), isSameMethod(other, one)]).toEqual([isSame, isSame]);
});

test('attempts with another method, or with none, are not among those with a method', () => {
  const attempts = [{ fingerprint: 'a' }, { fingerprint: 'b' }, {}, { fingerprint: 'a' }];
  expect(listAttemptsWith(attempts, { fingerprint: 'a' })).toEqual([attempts[0], attempts[3]]);
  expect(listAttemptsWith(attempts, undefined)).toEqual([attempts[2]]);
});

test('a card given since the failure is charged next while it is chosen, else what Stripe would charge', () => {
  const chosen = ['pm_subscription', 'pm_customer'];
  expect(findNextMethod(chosen, 'pm_customer')).toBe('pm_customer');
  expect(findNextMethod(chosen, 'pm_gone')).toBe('pm_subscription');
  expect(findNextMethod(chosen, undefined)).toBe('pm_subscription');
  expect(findNextMethod([], 'pm_gone')).toBeUndefined();
});
