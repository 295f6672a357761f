/** Visibly of no use anywhere else. */
export const SECRETS = {
  CONSOLE_PASSWORD: 'password-of-the-soak-0123456789',
  METRICS_TOKEN: 'metrics-token-of-the-soak-0123456789',
  RECOVERY_CALLBACK_TOKEN: 'callback-token-of-the-soak-0123456789',
  RETRY_SERVICE_API_KEY: 'service-key-of-the-soak-0123456789',
  OPERATOR_TOKEN: 'operator-token-of-the-soak-0123456789',
  STRIPE_APP_SECRET: 'absec_of_the_soak_01234567890123456789',
  LINK_SECRET: 'link-secret-of-the-soak-0123456789012345',
} as const;
