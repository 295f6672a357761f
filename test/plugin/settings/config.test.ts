import { runOnStore } from '../../../src/cli/process/run-on-store.ts';
import { ConfigError } from '../../../src/core/base/errors.ts';
import { ATTEMPT_LIMITS } from '../../../src/core/limits/attempt-limits.ts';
import { startServer } from '../../../src/plugin/app/server.ts';
import { loadConfig, loadDatabaseLocation, loadServiceConfig } from '../../../src/plugin/settings/config.ts';
import { CEILINGS } from '../../../src/plugin/settings/read-limits.ts';
import { EVERYTHING } from '../../../src/plugin/settings/schema/limit-settings.ts';
import { NO_USERS } from '../../../src/plugin/settings/schema/operator-entries.ts';
import { TOO_WEAK, TOO_WEAK_PASSWORD } from '../../../src/plugin/settings/schema/setting-kinds.ts';
import type { SettingOptions } from '../../../src/plugin/settings/schema/setting-options.ts';
import { SETTINGS } from '../../../src/plugin/settings/schema/settings.ts';
import { toTerminal } from '../../support/process/command-process.ts';
import { reportedFailure } from '../../support/process/reported-failure.ts';

/** What a person chooses and a machine shows. */
const CHOSEN = [
  'ACCOUNT_SETTINGS_KEY',
  'CONSOLE_PASSWORD',
  'METRICS_TOKEN',
  'OPERATOR_READ_TOKEN',
  'OPERATOR_TOKEN',
  'RECOVERY_CALLBACK_TOKEN',
] as const;
const weakAt = (place: string) =>
  `must be fixed at acct_1.${place}: ${place.includes('Basic') ? TOO_WEAK_PASSWORD : TOO_WEAK}`;

const ANNA = `anna:scrypt:15:8:3:${'s'.repeat(22)}:${'h'.repeat(43)}`;
const OIDC = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 'secret' };

const REQUIRED = { RETRY_MODE: 'advisory', STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
const REMOTE = {
  ...REQUIRED,
  RETRY_SERVICE_URL: 'https://service.example/base',
  RETRY_SERVICE_API_KEY: 'key',
  RECOVERY_CALLBACK_TOKEN: 'token-0123456789-abcdefgh',
};

const load = (environment: Record<string, string> = {}, settings: SettingOptions = {}) =>
  loadConfig(settings, { ...REQUIRED, ...environment });

function problemsOf(environment: Record<string, string>, settings: SettingOptions = {}): readonly string[] {
  try {
    loadConfig(settings, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const problemsWith = (environment: Record<string, string>) => problemsOf({ ...REQUIRED, ...environment });

test('has a default for everything but the mode and the two values of Stripe', () => {
  const config = load();
  expect(config).toMatchObject({
    stripe: {
      secretKey: 'sk_test_1',
      webhookSecrets: ['whsec_1'],
      apiBase: new URL('https://api.stripe.com'),
    },
    service: { kind: 'embedded' },
    callback: { basic: undefined },
    publicUrl: new URL('http://localhost:8080'),
    businessEntity: undefined,
    mode: 'advisory',
    attemptLimits: ATTEMPT_LIMITS,
    handbackAfterDays: 7,
    afterCancelRequest: 'ask',
    recoverSignUps: false,
    database: { kind: 'embedded', directory: './data' },
    email: undefined,
    linkSecret: undefined,
    emailLook: { language: 'en', logoUrl: undefined },
    timeZone: 'UTC',
    emailWindow: { fromMinute: 480, toMinute: 1200 },
    forward: { invoices: true, transactions: true },
    metricsToken: undefined,
    signIn: undefined,
    host: '127.0.0.1',
    port: 8080,
    tls: undefined,
    trustProxy: undefined,
    logLevel: 'info',
  });
  expect(Object.isFrozen(config)).toBe(true);
});

test('offers a remote service invoices and payment attempts, unless a setting says otherwise', () => {
  const both = { invoices: true, transactions: true };
  expect(load(REMOTE).forward).toMatchObject({ ...both, offered: ['invoices', 'transactions'] });
  expect(load({ ...REMOTE, FORWARD_INVOICES: 'true', FORWARD_TRANSACTIONS: 'auto' }).forward).toMatchObject({
    ...both,
    offered: ['transactions'],
  });
  expect(load({ ...REMOTE, FORWARD_INVOICES: 'false' }).forward).toMatchObject({ invoices: false });
  expect(load(REMOTE).service).toEqual({
    kind: 'remote',
    baseUrl: new URL('https://service.example/base'),
    apiKey: 'key',
  });
});

test('reports every problem at once, each with its name and what to do', () => {
  const problems = problemsOf({
    RETRY_SERVICE_URL: 'http://service.example',
    PUBLIC_URL: 'ftp://somewhere',
    RETRY_MODE: 'both',
    DATABASE_URL: 'mysql://somewhere',
    SMTP_URL: 'mail.example',
    LINK_SECRET: 'short',
    TIME_ZONE: 'Moon/Base',
    EMAIL_WINDOW: 'always',
    FORWARD_INVOICES: 'maybe',
    RECOVERY_CALLBACK_BASIC: 'no-colon',
    PORT: '70000',
    TLS_CERT: 'cert.pem',
    LOG_LEVEL: 'loud',
  });
  expect(problems.map((problem) => problem.split(' ')[0]).sort()).toEqual([
    'DATABASE_URL',
    'EMAIL_FROM',
    'EMAIL_WINDOW',
    'FORWARD_INVOICES',
    'LINK_SECRET',
    'LOG_LEVEL',
    'PORT',
    'PUBLIC_URL',
    'RECOVERY_CALLBACK_BASIC',
    'RECOVERY_CALLBACK_TOKEN',
    'RETRY_MODE',
    'RETRY_SERVICE_API_KEY',
    'RETRY_SERVICE_URL',
    'SMTP_URL',
    'STRIPE_SECRET_KEY',
    'STRIPE_WEBHOOK_SECRET',
    'TIME_ZONE',
    'TLS_CERT',
    'TLS_KEY',
  ]);
  for (const problem of problems)
    expect(problem).toMatch(/^[A-Z_]+ (is required\b|must be|must have|must start with).*[a-z]/);
});

test('retries of an invoice are counted after its first payment, 1 to 12, 8 unless set', () => {
  const attempts = (retries?: string) =>
    load(retries === undefined ? {} : { MAX_RETRIES_PER_INVOICE: retries }).attemptLimits.perInvoice;
  expect([attempts(), attempts('1'), attempts('12')]).toEqual([9, 2, 13]);
  for (const value of ['0', '13', '1.5', 'few'])
    expect(problemsWith({ MAX_RETRIES_PER_INVOICE: value })).toEqual([
      expect.stringMatching(/^MAX_RETRIES_PER_INVOICE must be a whole number from 1 to 12/),
    ]);
});

test('lists what is missing for email', () => {
  expect(problemsWith({ SMTP_URL: 'smtp://localhost:25' }).map((problem) => problem.split(' ')[0])).toEqual([
    'LINK_SECRET',
    'EMAIL_FROM',
  ]);
});

test('a sender of the application’s own needs the secret of links, and no server', () => {
  const host = { sendsEmail: true };
  expect(() => loadConfig({}, REQUIRED, host)).toThrow(/LINK_SECRET is required with email\.send/);
  const secret = 'a-link-secret-for-tests-only-0123456789';
  const { email } = loadConfig({ linkSecret: secret }, REQUIRED, host);
  expect(email).toEqual({ kind: 'host', from: '', replyTo: undefined });
});

describe('two secrets while rotating', () => {
  test('two secrets while rotating are both kept, trimmed', () => {
    const config = load({
      STRIPE_WEBHOOK_SECRET: 'whsec_new, whsec_old',
      RECOVERY_CALLBACK_TOKEN: 'newer-0123456789-abcdefgh,older-0123456789-abcdefgh',
    });
    expect(config.stripe.webhookSecrets).toEqual(['whsec_new', 'whsec_old']);
    expect(config.callback.tokens).toEqual(['newer-0123456789-abcdefgh', 'older-0123456789-abcdefgh']);
  });

  test('an endpoint for connected accounts may have two more secrets while rotating', () => {
    const four = ['whsec_a', 'whsec_b', 'whsec_c', 'whsec_d'];
    expect(load({ STRIPE_WEBHOOK_SECRET: four.join(',') }).stripe.webhookSecrets).toEqual(four);
    expect(problemsWith({ STRIPE_WEBHOOK_SECRET: [...four, 'whsec_e'].join(',') })).toHaveLength(1);
    expect(
      problemsWith({ RECOVERY_CALLBACK_TOKEN: Array(3).fill('token-0123456789-abcdefgh').join(',') }),
    ).toHaveLength(1);
  });

  test.each(['whsec_a,', ',whsec_a', ','])('the list of secrets %j is refused', (value) => {
    expect(problemsWith({ STRIPE_WEBHOOK_SECRET: value })).toHaveLength(1);
    expect(problemsWith({ RECOVERY_CALLBACK_TOKEN: value })).toHaveLength(1);
  });
});

describe('an address', () => {
  test.each([
    'https://service.example',
    'http://localhost:1',
    'http://127.0.0.1:1',
    'http://127.9.9.9',
    'http://[::1]:1',
  ])('an address in the settings may be %s', (url) => {
    expect(problemsWith({ ...REMOTE, RETRY_SERVICE_URL: url })).toEqual([]);
  });

  test.each([
    'http://service.example',
    'http://127.evil.example',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://[::2]',
    'http://10.0.0.1',
    'ftp://localhost',
    'service.example',
    '//service.example',
  ])('an address in the settings must not be %s', (url) => {
    for (const name of ['RETRY_SERVICE_URL', 'PUBLIC_URL', 'STRIPE_API_BASE'])
      expect(problemsWith({ ...REMOTE, [name]: url })).toEqual([expect.stringMatching(`^${name} must be`)]);
  });
});

describe('the scope of recovery', () => {
  it('the scope of recovery is everything unless it is narrowed', () => {
    expect(load({}).scope).toEqual(EVERYTHING);
  });

  it('the scope of recovery takes lists with commas, in any case', () => {
    const text =
      'plan:price_1,plan:prod_2, country:de,country:AT,currency:EUR,metadata:a = b=c,percent:10,sign-ups';
    expect(load({ RECOVER: text }).scope).toEqual({
      plans: ['price_1', 'prod_2'],
      countries: ['DE', 'AT'],
      currencies: ['eur'],
      metadata: [{ key: 'a', value: 'b=c' }],
      percent: 10,
      signUps: true,
    });
  });

  it('the scope of recovery refuses what names nothing', () => {
    const wrong = ['country:Germany', 'currency:euros', 'metadata:on', 'percent:101', 'price_1'];
    expect(problemsWith({ RECOVER: `plan:price_1,${wrong.join(',')}` })).toEqual(
      wrong.map((entry) => expect.stringMatching(new RegExp(`^RECOVER must be .* and has "${entry}"$`))),
    );
  });
});

describe('ceilings', () => {
  it('the ceiling of charges in a minute follows from the pace of payments, unless it is set', () => {
    const perMinute = (settings: Record<string, string>) => load(settings).ceilings.chargesPerMinute;
    expect(load({}).ceilings).toEqual(CEILINGS);
    expect(perMinute({})).toBe(2_400);
    expect(perMinute({ STRIPE_REQUESTS_PER_SECOND: '5' })).toBe(600);
    expect(perMinute({ STRIPE_REQUESTS_PER_SECOND: '1000' })).toBe(2_400);
    expect(perMinute({ CONNECTED_ACCOUNTS: '{"*":{}}' })).toBe(7_200);
    expect(perMinute({ CONNECTED_ACCOUNTS: '{"*":{}}', MAX_CHARGES_PER_MINUTE: '30' })).toBe(30);
  });

  it('take a multiple or amounts by currency, and nothing else', () => {
    expect(load({ CARD_CHANGE_MAX_TOTAL: '5x' }).ceilings.cardChangeMaxTotal).toEqual({
      kind: 'times',
      times: 5,
    });
    expect(load({ CARD_CHANGE_MAX_TOTAL: 'EUR=50000, jpy=80000' }).ceilings.cardChangeMaxTotal).toEqual({
      kind: 'amounts',
      of: { eur: 50_000, jpy: 80_000 },
    });
    for (const wrong of ['500', '0x', 'EUR 500', 'EUR=5.00'])
      expect(problemsWith({ CARD_CHANGE_MAX_TOTAL: wrong })).toEqual([
        expect.stringContaining('CARD_CHANGE_MAX_TOTAL must be a multiple'),
      ]);
  });
});

describe('AFTER_GIVING_UP', () => {
  test.each([
    ['exclusive', undefined, 'must be set with RETRY_MODE=exclusive'],
    ['exclusive', 'delete', 'must be one of leave, cancel, pause, uncollectible'],
    ['advisory', 'cancel', "has no effect with RETRY_MODE=advisory, where Stripe's own setting decides"],
  ])('AFTER_GIVING_UP is refused in %s mode when it is %s', (mode, choice, problem) => {
    const settings = { ...REMOTE, RETRY_MODE: mode, ...(choice ? { AFTER_GIVING_UP: choice } : {}) };
    expect(problemsWith(settings)).toEqual([expect.stringContaining(`AFTER_GIVING_UP ${problem}`)]);
  });

  test.each([
    ['exclusive', 'leave'],
    ['exclusive', 'cancel'],
    ['observe', 'cancel'],
    ['advisory', 'leave'],
    ['advisory', undefined],
  ])('AFTER_GIVING_UP may in %s mode be %s', (mode, choice = '') => {
    expect(load({ RETRY_MODE: mode, AFTER_GIVING_UP: choice }).afterGivingUp).toBe(choice || 'leave');
  });
});

test('RETRY_SIGNAL is refused in advisory mode, and may be set while RETRY_MODE observes', () => {
  expect(problemsWith({ ...REMOTE, RETRY_SIGNAL: 'on' })).toEqual([
    expect.stringContaining('RETRY_SIGNAL needs RETRY_MODE=exclusive'),
  ]);
  expect(load({ RETRY_MODE: 'observe', RETRY_SIGNAL: 'binding' }).retrySignal).toBe('binding');
  expect(load({}).retrySignal).toBe('off');
});

test('a service that does not call back is said to be one, and must not be ours', () => {
  expect(load({ ...REMOTE, RECOVERY_CALLBACK_TOKEN: 'none' }).callback).toEqual({
    tokens: [],
    basic: undefined,
  });
  expect(problemsWith({ RETRY_SERVICE_URL: 'embedded', RECOVERY_CALLBACK_TOKEN: 'none' })).toEqual([
    expect.stringContaining('RECOVERY_CALLBACK_TOKEN must be a token'),
  ]);
  expect(problemsWith({ ...REMOTE, RECOVERY_CALLBACK_TOKEN: '' })).toEqual([
    expect.stringMatching(/RECOVERY_CALLBACK_TOKEN is required; .* or none to poll it alone/),
  ]);
});

test('listings have an address of their own where a remote service has them elsewhere', () => {
  const listings = 'https://listings.service.example';
  const { service } = load({ ...REMOTE, RETRY_SERVICE_LISTING_URL: listings });
  expect(service).toMatchObject({ listingUrl: new URL(listings) });
  expect(problemsWith({ RETRY_SERVICE_URL: 'embedded', RETRY_SERVICE_LISTING_URL: listings })).toEqual([
    expect.stringContaining('RETRY_SERVICE_LISTING_URL must not be set unless'),
  ]);
});

describe('REMINDER_DAYS', () => {
  test.each(['1,4', '0,2', '0,3,3', '0,x', '0,-3', '0,40', '0,3.5'])(
    'REMINDER_DAYS must not be %s',
    (days) => {
      expect(problemsWith({ ...REMOTE, REMINDER_DAYS: days })).toEqual([
        expect.stringContaining('REMINDER_DAYS must be whole days such as 0,3,7,14'),
      ]);
    },
  );

  test('REMINDER_DAYS may be one day', () => {
    expect(load({ REMINDER_DAYS: '0' }).reminderDays).toEqual([0]);
    expect(load({}).reminderDays).toEqual([0, 3, 7, 14]);
  });
});

describe('an option of createPlugin', () => {
  test('an option of createPlugin wins over the environment', () => {
    const config = load(
      { RETRY_MODE: 'observe', PORT: '1', STRIPE_WEBHOOK_SECRET: 'whsec_env', FORWARD_INVOICES: 'true' },
      {
        retryMode: 'exclusive',
        afterGivingUp: 'leave',
        port: 2,
        stripeWebhookSecret: 'whsec_option',
        forwardInvoices: false,
      },
    );
    expect([config.mode, config.port, config.stripe.webhookSecrets]).toEqual([
      'exclusive',
      2,
      ['whsec_option'],
    ]);
    expect(config.forward.invoices).toBe(false);
  });

  test('an option of createPlugin that is undefined leaves the environment in place', () => {
    expect(load({ RETRY_MODE: 'observe' }, { retryMode: undefined }).mode).toBe('observe');
  });

  test('a blank environment variable counts as not set', () => {
    expect(load({ LOG_LEVEL: ' ', METRICS_TOKEN: '' })).toMatchObject({
      logLevel: 'info',
      metricsToken: undefined,
    });
  });

  test('an option of createPlugin exists for every setting', () => {
    const names = Object.keys(SETTINGS).map((name) =>
      name.toLowerCase().replace(/_(.)/g, (_, c) => c.toUpperCase()),
    );
    for (const name of names) {
      const settings: SettingOptions = { [name]: '\u0007' };
      expect(() => loadConfig(settings, REQUIRED)).not.toThrow(TypeError);
    }
    expect(names).toContain('stripeSecretKey');
  });
});

test('the parts of one installation compute the same secrets, and another key gives others', () => {
  expect(load().callback.tokens).toEqual(load().callback.tokens);
  const other = load({ STRIPE_SECRET_KEY: 'sk_test_2' });
  expect(load().callback.tokens).not.toEqual(other.callback.tokens);
  expect(JSON.stringify(load().callback)).not.toContain('sk_test_1');
});

test('`start` ends with 2 and says what is missing, without a stack and the values of bad settings', async () => {
  const { RETRY_MODE: _, ...secrets } = REQUIRED;
  const environment = {
    ...secrets,
    SMTP_URL: 'not-smtp://user:email-password@host',
    LINK_SECRET: 'too-short-secret',
  };
  const { code, text } = await reportedFailure(() => startServer({ environment }));
  expect(code).toBe(2);
  expect(text).toContain('RETRY_MODE is required');
  expect(text).toContain('LINK_SECRET must');
  expect(text).not.toMatch(/^ {4}at /m);
  expect(text).not.toMatch(/email-password|too-short-secret|whsec_1|sk_test_1/);
});

test('`status` where no database is says so and makes none', async () => {
  process.env.DATA_DIR = '/nowhere/payment-retry';
  const { code, text } = await reportedFailure(() => runOnStore('status', [], {}, toTerminal([])));
  delete process.env.DATA_DIR;
  expect(code).toBe(1);
  expect(text).toContain('There is no database in /nowhere/payment-retry.');
});

test('the place of the data is read without any other setting, with the same checks', () => {
  expect(loadDatabaseLocation({}, {})).toEqual({ kind: 'embedded', directory: './data' });
  expect(loadDatabaseLocation({}, { DATA_DIR: '/srv/retry' })).toEqual({
    kind: 'embedded',
    directory: '/srv/retry',
  });
  const url = 'postgres://localhost/retry';
  expect(loadDatabaseLocation({ databaseUrl: url }, {})).toEqual({
    kind: 'postgres',
    url,
    connections: 20,
    schema: 'payment_retry',
  });
  expect(() => loadDatabaseLocation({}, { DATABASE_URL: 'mysql://x' })).toThrow(ConfigError);
});

test.each([
  ['EMAIL_LANGUAGE', 'not a language', 'must be a language tag such as de or fr-CA'],
  ['EMAIL_LOGO_URL', 'http://cdn.example/logo.png', 'must be an https address that anybody can load'],
  ['EMAIL_LOGO_URL', 'logo.png', 'must be an https address that anybody can load'],
  ['CONSOLE_PASSWORD', 'too short', TOO_WEAK],
  ['METRICS_TOKEN', 'x'.repeat(23), TOO_WEAK],
  ['RECOVERY_CALLBACK_TOKEN', 'x'.repeat(23), TOO_WEAK],
  ...CHOSEN.flatMap((name): [string, string, string][] => [
    [name, '1234', TOO_WEAK],
    [name, '1234'.repeat(8), TOO_WEAK],
  ]),
  ['RECOVERY_CALLBACK_BASIC', 'svc:1234', TOO_WEAK_PASSWORD],
  ['RECOVERY_CALLBACK_BASIC', `svc:${'1234'.repeat(8)}`, TOO_WEAK_PASSWORD],
  ['CONNECTED_ACCOUNTS', '{"acct_1":{"recoveryCallbackBasic":"svc:1234"}}', weakAt('recoveryCallbackBasic')],
  ['CONNECTED_ACCOUNTS', '{"acct_1":{"recoveryCallbackToken":"1234"}}', weakAt('recoveryCallbackToken.0')],
  ['CONSOLE_USERS', 'anna', NO_USERS],
  ['CONSOLE_USERS', 'anna:correct horse battery staple', NO_USERS],
  ['CONSOLE_USERS', ANNA.replace(':15:', ':30:'), NO_USERS],
  ['CONSOLE_USERS', `${ANNA},${ANNA.replace('anna', 'Anna')}`, NO_USERS],
])('%s=%s %s', (name, value, problem) => {
  expect(problemsWith({ [name]: value })).toEqual([`${name} ${problem}`]);
});

test('NOTIFY names addresses for JSON, for Slack and for email', () => {
  const smtp = {
    SMTP_URL: 'smtp://localhost:25',
    EMAIL_FROM: 'a@shop.example',
    LINK_SECRET: '0123456789-abcdefghijklmnopqrstuv',
  };
  const given =
    'https://hook.example/a, slack:https://slack.example/b,slack+names:https://slack.example/c,mailto:ops@shop.example';
  const { alerts } = load({ ...smtp, NOTIFY: given });
  expect(alerts?.mailTo).toEqual(['ops@shop.example']);
  expect(alerts?.addresses.map(({ url, form, hasNames }) => [url.href, form, hasNames])).toEqual([
    ['https://hook.example/a', 'json', false],
    ['https://slack.example/b', 'slack', false],
    ['https://slack.example/c', 'slack', true],
  ]);
  expect(load().alerts).toBeUndefined();
  for (const [wrong, words] of [
    ['ops@shop.example', 'must be mailto:…, slack:https://… or https://… with commas'],
    ['mailto:ops@shop.example', 'mailto: needs SMTP_URL'],
    ['http://hook.example', 'an address must be https'],
  ] as const)
    expect(problemsOf({ ...REQUIRED, NOTIFY: wrong })).toEqual([expect.stringContaining(words)]);
});

test('an experiment is against Stripe at the plugin, or against a schedule where the service is', () => {
  expect(load({ EXPERIMENT: 'stripe:10' }).experiment).toEqual({ against: 'stripe', percent: 10 });
  expect(load({ EXPERIMENT: 'schedule:90' }).experiment).toEqual({ against: 'schedule', percent: 90 });
  for (const wrong of ['stripe', 'stripe:0', 'stripe:91', 'both:10', '10'])
    expect(problemsOf({ ...REQUIRED, EXPERIMENT: wrong })).toEqual([
      expect.stringContaining('must be stripe:N or schedule:N'),
    ]);
  expect(problemsOf({ ...REMOTE, EXPERIMENT: 'schedule:10' })).toEqual([
    expect.stringContaining('schedule:N needs the embedded service'),
  ]);
  const service = {
    RETRY_SERVICE_API_KEY: 'key-0123456789-abcdefghijk',
    RECOVERY_CALLBACK_TOKEN: 'token-0123456789-abcdefgh',
    PUBLIC_URL: 'https://shop.example',
  };
  expect(loadServiceConfig({}, { ...service, EXPERIMENT: 'schedule:10' }).experiment?.percent).toBe(10);
  expect(() => loadServiceConfig({}, { ...service, EXPERIMENT: 'stripe:10' })).toThrow(
    'here it is schedule:N',
  );
});

test('rates lead to the currency whose rate is 1', () => {
  expect(load({ EXCHANGE_RATES: 'USD=0.92, EUR=1,JPY=0.0061' }).exchangeRates).toEqual({
    currency: 'eur',
    rates: new Map([
      ['usd', 0.92],
      ['jpy', 0.0061],
    ]),
  });
  for (const wrong of ['USD=0.92', 'EUR', 'EUR=1,USD', 'EUR=1;USD=2'])
    expect(problemsWith({ EXCHANGE_RATES: wrong })).toEqual([expect.stringContaining('one of them 1')]);
});

test('a claim may be an address, and names a role for each of its values', () => {
  const given = {
    ...OIDC,
    OIDC_ALLOWED: '@a.test',
    OIDC_ROLES: 'https://a.test/roles: urn:x=operator,audit=reader',
  };
  expect(load(given).signIn?.openId?.roles).toEqual({
    claim: 'https://a.test/roles',
    byValue: new Map([
      ['urn:x', 'operator'],
      ['audit', 'reader'],
    ]),
  });
  for (const wrong of ['finance=operator', 'groups: finance=owner', 'groups:'])
    expect(problemsWith({ ...given, OIDC_ROLES: wrong })).toEqual([
      expect.stringContaining('must have the form'),
    ]);
});

test('takes the look of the emails', () => {
  const look = {
    EMAIL_LANGUAGE: 'fr-CA',
    EMAIL_LOGO_URL: 'https://cdn.example/logo.png',
  };
  expect(load(look).emailLook).toEqual({
    language: 'fr-CA',
    logoUrl: 'https://cdn.example/logo.png',
  });
});

test('operators have a password each, or the provider of OpenID Connect names them', () => {
  const { signIn } = load({
    CONSOLE_PASSWORD: 'correct horse battery staple',
    CONSOLE_USERS: `${ANNA}, ${ANNA.replace('anna', 'ben@shop.example')}`,
    ...OIDC,
    OIDC_ALLOWED: 'Cleo@Shop.example, @ops.example',
  });
  expect(signIn?.operators.map(({ name }) => name)).toEqual(['operator', 'anna', 'ben@shop.example']);
  expect(signIn?.openId?.allowed).toEqual(['cleo@shop.example', '@ops.example']);
});

test.each([
  [OIDC, ['OIDC_ALLOWED is required']],
  [{ OIDC_ALLOWED: '@a.test' }, ['OIDC_ISSUER is required', 'OIDC_CLIENT_ID is', 'OIDC_CLIENT_SECRET is']],
  [{ ...OIDC, OIDC_ALLOWED: 'anna' }, ['OIDC_ALLOWED must be addresses or @domains with commas']],
  [{ ...OIDC, OIDC_ALLOWED: '@a.test', OIDC_ISSUER: 'http://id.example' }, ['OIDC_ISSUER must be https']],
  [
    { CONSOLE_PASSWORD: 'correct horse battery staple', CONSOLE_USERS: ANNA.replace('anna', 'Operator') },
    ['CONSOLE_USERS must not name operator'],
  ],
])('half of what a sign-in needs is refused: %j', (environment, beginnings) => {
  const problems = problemsWith(environment);
  expect(problems).toEqual(beginnings.map((beginning) => expect.stringContaining(beginning)));
});

test.each([
  ['STRIPE_WEBHOK_SECRET', 'STRIPE_WEBHOOK_SECRET'],
  ['STRIPE_SERCET_KEY', 'STRIPE_SECRET_KEY'],
  ['RETRY_MOD', 'RETRY_MODE'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['RETRYMODE', 'RETRY_MODE'],
  ['retry_mode', 'RETRY_MODE'],
  ['CONSOLE_PASWORD_FILE', 'CONSOLE_PASSWORD_FILE'],
])('%s in the environment is refused, and %s was meant', (name, meant) => {
  const given = { ...REQUIRED, [name]: 'observe' };
  const others = Object.entries(given).filter(([one]) => one !== meant);
  expect(problemsOf(Object.fromEntries(others))).toContain(
    `there is no setting ${name}; did you mean ${meant}? If it is another program's, set ${meant} as well`,
  );
});

test.each([
  ['RECOVERY_FOO', undefined],
  ['RETRY_MOD', 'RETRY_MODE'],
])('%s in the environment can be of another program where %s is set', (name, meant) => {
  expect(load({ [name]: 'x' }).unknownSettings).toEqual([{ name, meant }]);
});

test.each([
  'STRIPE_EVENTS',
  'UPDATE_SUBSCRIPTION_CARD',
  'RETRY_HORIZON_DAYS',
  'INGEST_BATCH_SIZE',
  'FOLLOW_TEST_CLOCKS',
  'OFFER_PAUSE',
  'MAX_VISA_ATTEMPTS_30_DAYS',
  'MAX_BANK_DEBIT_PRESENTMENTS',
  'CARD_CHANGE_MAX_AGE_DAYS',
  'RECOVER_PLANS',
  'STRIPE_APP_READERS',
  'OIDC_ROLE_CLAIM',
  'REPORT_CURRENCY',
  'EMAIL_COLOR',
  'BUSINESS_ENTITY_METADATA_KEY',
  'SERVICE_CALLBACK_URL',
])('%s, which is no setting, is named in the environment', (name) => {
  const problems = problemsWith({ [name]: 'x' });
  const warned = problems.length === 0 ? load({ [name]: 'x' }).unknownSettings.map((one) => one.name) : [];
  expect([...problems, ...warned].join()).toContain(name);
});

test.each([{}, { RETRY_MODE: '' }, { RETRY_MODE: 'advisry' }])('the mode has no default: %j', (given) => {
  const [problem, ...others] = problemsOf({ ...REQUIRED, RETRY_MODE: '', ...given });
  expect(others).toEqual([]);
  const lines = problem?.split('\n') ?? [];
  expect(lines[0]).toMatch(/^RETRY_MODE (is required and )?must be one of:$/);
  expect(lines.slice(1).map((line) => line.trim().split(':')[0])).toEqual([
    'observe',
    'advisory',
    'exclusive',
  ]);
});

test.each([
  'PATH',
  'HOSTS',
  'STRIPE_PUBLISHABLE_KEY',
  'SMTP_USER',
  'EMAIL_TO',
  'PUBLIC_PATH',
  'DATABASE_URL_TEST',
])('%s in the environment is not ours to speak of', (name) => {
  expect(load({ [name]: 'x' }).unknownSettings).toEqual([]);
});
