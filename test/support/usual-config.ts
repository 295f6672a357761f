import { type Config, loadConfig } from '../../src/plugin/settings/config.ts';

/** The settings of a small merchant, with a test's own. */
export function usualConfig(changes: Partial<Config> = {}): Config {
  const named = {
    retryMode: 'advisory',
    stripeSecretKey: 'sk_test_1',
    stripeWebhookSecret: 'whsec_1',
  } as const;
  return { ...loadConfig(named, {}), ...changes };
}
