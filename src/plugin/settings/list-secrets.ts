import type { Config } from './config.ts';

/** A shorter one would blank words of any text. */
const LEAST = 8;

/** Secrets among the settings, which no log may contain. */
export function listSecrets(config: Config): string[] {
  const { stripe, service, callback, email, database, signIn } = config;
  const given = [
    ...[stripe.secretKey, ...stripe.webhookSecrets, service.apiKey, ...callback.tokens],
    ...[callback.basic, config.metricsToken, config.linkSecret, signIn?.openId?.clientSecret],
    ...(signIn?.operators ?? []).map(({ secret }) =>
      secret.kind === 'plain' ? secret.password : secret.hash,
    ),
    ...(config.stripeAppSecrets ?? []),
    ...config.accountSettingsKeys,
    ...[...config.connectedAccounts.listed.values(), config.connectedAccounts.others].flatMap((own) => [
      own?.retryServiceApiKey,
      own?.recoveryCallbackBasic,
      ...(own?.recoveryCallbackToken ?? []),
    ]),
    ...[config.operatorTokens?.full, config.operatorTokens?.read, config.events?.secret],
    ...(config.alerts?.addresses ?? []).map(({ url }) => url.href),
    email?.kind === 'smtp' ? passwordOf(email.smtpUrl) : undefined,
    database.kind === 'postgres' ? passwordOf(database.url) : undefined,
  ];
  return given.filter((secret) => secret !== undefined).filter(({ length }) => length >= LEAST);
}

function passwordOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { password } = new URL(address);
  try {
    return decodeURIComponent(password);
  } catch {
    // The code that connects reports an invalid address.
    return password;
  }
}
