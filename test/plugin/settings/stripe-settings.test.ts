import { ConfigError } from '../../../src/core/base/errors.ts';
import { loadConfig } from '../../../src/plugin/settings/config.ts';

function problemsWith(
  stripeSecretKey: string,
  stripeWebhookSecret: string,
  context?: string,
): readonly string[] {
  const account = context === undefined ? {} : { stripeContext: context };
  try {
    loadConfig({ retryMode: 'advisory', stripeSecretKey, stripeWebhookSecret, ...account }, {});
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test.each(['sk_test_1', 'sk_live_1', 'rk_test_1', 'rk_live_1', 'sk_of_a_stand_in'])('%s… is a key', (key) => {
  expect(problemsWith(key, 'whsec_1')).toEqual([]);
});

test.each(['pk_test_1', 'pk_live_1', 'whsec_1', 'sk_', 'abc', 'sk_test 1', 'sk_test_…', 'SK_test_1'])(
  '%s is no key that can pay',
  (key) => {
    expect(problemsWith(key, 'whsec_1')).toEqual([
      'stripe.key must start with sk_ or rk_: a secret or a restricted key, not the publishable one',
    ]);
  },
);

test.each(['abc', 'sk_test_1', 'whsec_', 'we_1', 'whsec_1,abc', 'abc,whsec_1'])(
  '%s is no signing secret of an endpoint',
  (secret) => {
    const [problem, ...others] = problemsWith('sk_test_1', secret);
    expect(others).toEqual([]);
    expect(problem).toMatch(/^stripe\.webhookSecret must start with whsec_, each of several; take it from /);
  },
);

test('the key of an organization is a key with the account that is meant', () => {
  expect(problemsWith('sk_org_live_1', 'whsec_1')).toEqual([
    expect.stringContaining('STRIPE_CONTEXT is required'),
  ]);
  expect(problemsWith('sk_org_live_1', 'whsec_1', 'acct_1')).toEqual([]);
});
