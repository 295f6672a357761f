import { QUESTIONS } from '../../../src/cli/setup/questions.ts';

test.each([
  ['sk_live_all', true],
  ['sk_org_all', true],
  ['rk_live_some', false],
])('the key %s in the file is asked for once more: %s; typing nothing keeps it', (key, isAsked) => {
  const question = QUESTIONS.find(({ name }) => name === 'STRIPE_SECRET_KEY');
  expect(question?.isAskedAgain?.(key)).toBe(isAsked);
  expect(question?.usual({ STRIPE_SECRET_KEY: key })).toBe(key);
});
