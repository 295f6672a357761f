/** Options, and an environment that is handed over, become one frozen Config here. */

import { existsSync } from 'node:fs';
import type { DatabaseLocation } from '../../core/database/database.ts';
import type { AttemptLimits } from '../../core/limits/attempt-limits.ts';
import { USUAL_FIRST_EMAIL_DAYS } from '../../core/limits/reminder-days.ts';
import type { SignInSettings } from '../../core/web/sign-in/operators.ts';
import { type ConnectedAccounts, readConnectedAccounts } from './connected-accounts.ts';
import { type EmailAccess, readEmailAccess } from './email-access.ts';
import { type Forwarding, readForwarding } from './forwarding.ts';
import { type AfterGivingUp, readAfterGivingUp } from './giving-up.ts';
import { type Listener, readListener, USUAL_SERVICE_PORT } from './listener-settings.ts';
import {
  type AlertTargets,
  type EventTarget,
  type OperatorTokens,
  readAlerts,
  readEvents,
  readOperatorTokens,
  readSignIn,
} from './operator-access.ts';
import { type Ceilings, readAttemptLimits, readCeilings } from './read-limits.ts';
import type { RecoveryScope } from './schema/limit-settings.ts';
import type { RetentionDays } from './schema/retention-settings.ts';
import { CHOOSE_MODE, type RetryMode } from './schema/retry-mode.ts';
import type { CamelCase, SettingOptions } from './schema/setting-options.ts';
import { LONE_SETTINGS, type LoneSetting, type SettingValue } from './schema/settings.ts';
import { type ShownSetting, showSettings } from './schema/shown-settings.ts';
import type { UnknownSetting } from './schema/unknown-settings.ts';
import {
  type CallbackSettings,
  readService,
  readStandAlone,
  type ServiceSettings,
} from './service-settings.ts';
import { createReader, type Environment, type SettingReader } from './setting-reader.ts';
import { readStripeAccess, readStripeKey, type StripeAccess, type StripeKey } from './stripe-settings.ts';

export type { RetryMode };

/** Settings that stand alone, as their rows read them. */
type LoneSettings = { readonly [Name in LoneSetting as CamelCase<Name>]: SettingValue<Name> };

/** The checked settings with their defaults, read-only. docs/reference/settings.md explains each setting. */
export interface Config extends LoneSettings, Listener, StripeAccess, EmailAccess {
  readonly service: ServiceSettings;
  readonly callback: CallbackSettings;
  readonly connectedAccounts: ConnectedAccounts;
  readonly publicUrl: URL;
  readonly mode: RetryMode;
  readonly attemptLimits: AttemptLimits;
  readonly retention: RetentionDays;
  readonly afterGivingUp: AfterGivingUp;
  /** Undefined: emails go out only where the service asks for them. */
  readonly firstEmailWithinDays: number | undefined;
  readonly scope: RecoveryScope;
  readonly recoverSignUps: boolean;
  readonly ceilings: Ceilings;
  readonly database: DatabaseLocation;
  readonly forward: Forwarding;
  /** Where what needs attention is sent; undefined: nowhere. */
  readonly alerts: AlertTargets | undefined;
  /** Where events are sent, and with which secret; undefined: nowhere. */
  readonly events: EventTarget | undefined;
  /** Tokens of the HTTP API by their rights; undefined where it is off. */
  readonly operatorTokens: OperatorTokens | undefined;
  /** When absent, nobody can sign in, and the operator's pages do not exist. */
  readonly signIn: SignInSettings | undefined;
  /** Two while rotating; undefined where the Stripe App is off. */
  readonly stripeAppSecrets: readonly string[] | undefined;
  /** The first encrypts what accounts save, all decrypt it; none: accounts can save no credentials. */
  readonly accountSettingsKeys: readonly string[];
  /** The test clock by which this plugin lives, of which nothing is left alone: a rehearsal's. */
  readonly testClock: string | undefined;
  /** Each setting as an operator may see it. */
  readonly shownSettings: readonly ShownSetting[];
  /** Names that look like settings. */
  readonly unknownSettings: readonly UnknownSetting[];
}

/**
 * Reads every setting from `settings`, or else from the given environment, and opens nothing. Throws a ConfigError that lists
 * all problems together.
 */
export function loadConfig(
  settings: SettingOptions = {},
  environment?: Environment,
  host: HostOptions = { sendsEmail: false },
): Config {
  const read = createReader(settings, environment);
  const port = read.get('PORT');
  const access = readStripeAccess(read);
  const plain = readService(read, access.stripe.secretKey);
  const connectedAccounts = readConnectedAccounts(read, plain);
  const isPlatform = connectedAccounts.listed.size > 0 || connectedAccounts.others !== undefined;
  const embedded = plain.service.kind === 'embedded';
  const mode = readMode(read);
  const scope = read.get('RECOVER');
  const config: Config = {
    ...read.alone(LONE_SETTINGS),
    shownSettings: showSettings(read),
    ...access,
    ...plain,
    connectedAccounts,
    publicUrl: read.address('PUBLIC_URL', `http://localhost:${port}`),
    mode,
    afterGivingUp: readAfterGivingUp(read, mode),
    firstEmailWithinDays:
      read.get('FIRST_EMAIL_WITHIN_DAYS') ?? (embedded ? USUAL_FIRST_EMAIL_DAYS : undefined),
    scope,
    recoverSignUps: scope.signUps,
    ceilings: readCeilings(read, { ...access, isPlatform }),
    ...readProcess(read),
    ...readEmailAccess(read, host),
    forward: readForwarding(read, plain.service),
    operatorTokens: readOperatorTokens(read),
    events: readEvents(read),
    alerts: readAlerts(read),
    stripeAppSecrets: read.someSecrets('STRIPE_APP_SECRET'),
    testClock: host.testClock,
    accountSettingsKeys: read.someSecrets('ACCOUNT_SETTINGS_KEY') ?? [],
  };
  if (plain.service.kind === 'embedded' && port !== 0 && plain.service.port === port)
    read.problem('SERVICE_PORT', `must be another port than PORT, which is ${port}`);
  if (config.experiment?.against === 'schedule' && plain.service.kind === 'remote')
    read.problem(
      'EXPERIMENT',
      'schedule:N needs the embedded service; set it at the service, or take stripe:N',
    );
  if (config.retrySignal !== 'off' && mode === 'advisory')
    read.problem(
      'RETRY_SIGNAL',
      'needs RETRY_MODE=exclusive: Stripe asks to take a payment that it watches off every other schedule, its own retries too',
    );
  read.finish(host.problems);
  return Object.freeze(config);
}

/** Options of `createPlugin` that only an application can give. */
interface HostOptions {
  readonly sendsEmail: boolean;
  readonly testClock?: string | undefined;
  /** Sentences about the problems. */
  readonly problems?: readonly string[];
}

function readMode(read: SettingReader): RetryMode {
  if (read.optional('RETRY_MODE') === undefined) read.problem('RETRY_MODE', `is required and ${CHOOSE_MODE}`);
  return read.get('RETRY_MODE') ?? 'observe';
}

/** Settings of the retry service as a process of its own. */
export interface ServiceConfig
  extends ProcessConfig,
    Pick<Config, 'port' | 'timeZone' | 'experiment' | 'reminderDays' | 'metricsToken' | 'logLevel'> {
  /** Two while rotating. */
  readonly apiKeys: readonly string[];
  readonly callback: { readonly baseUrl: string; readonly token: string };
}

/** Reads the settings of the stand-alone service and reports all problems together. Throws ConfigError. */
export function loadServiceConfig(settings: SettingOptions = {}, environment?: Environment): ServiceConfig {
  const read = createReader(settings, environment);
  const config: ServiceConfig = {
    ...readStandAlone(read),
    ...read.alone(SERVICE_SETTINGS),
    ...readProcess(read),
    port: read.get('SERVICE_PORT') ?? USUAL_SERVICE_PORT,
  };
  if (config.experiment?.against === 'stripe')
    read.problem(
      'EXPERIMENT',
      'stripe:N is for the plugin, which leaves customers to Stripe; here it is schedule:N',
    );
  read.finish();
  return Object.freeze(config);
}

/** Independent settings that the service also reads. */
const SERVICE_SETTINGS = [
  'TIME_ZONE',
  'EXPERIMENT',
  'REMINDER_DAYS',
  'METRICS_TOKEN',
  'LOG_LEVEL',
  'HOST',
  'TRUST_PROXY',
] as const;

/** Settings shared by the plugin's process and the stand-alone service's. */
type ProcessConfig = Pick<
  Config,
  keyof Listener | 'database' | 'retention' | 'attemptLimits' | 'signIn' | 'unknownSettings'
>;

function readProcess(read: SettingReader): ProcessConfig {
  return {
    database: readDatabase(read),
    ...readListener(read),
    attemptLimits: readAttemptLimits(read),
    retention: { bodies: read.get('RETENTION_DAYS'), rows: read.get('HISTORY_DAYS') },
    signIn: readSignIn(read),
    unknownSettings: read.unknown,
  };
}

/** Reads the key for commands that only ask Stripe. Throws ConfigError. */
export function loadStripeKey(settings: SettingOptions = {}, environment?: Environment): StripeKey {
  const read = createReader(settings, environment);
  const key = readStripeKey(read);
  read.finish();
  return key;
}

/** Where Stripe's webhooks come in, for commands that set them up. Throws ConfigError. */
export interface WebhookPlace extends Pick<Config, 'publicUrl' | 'portalConfiguration'> {
  /** The signing secrets that are known here. */
  readonly webhookSecrets: readonly string[];
  /** The file that holds it, or is to hold it, if the environment names one. */
  readonly webhookSecretFile: string | undefined;
  readonly hasConnectedAccounts: boolean;
}

export function loadWebhookPlace(settings: SettingOptions = {}, environment?: Environment): WebhookPlace {
  const read = createReader(settings, environment);
  const file = read.fileOf('STRIPE_WEBHOOK_SECRET');
  const place: WebhookPlace = {
    publicUrl: read.address('PUBLIC_URL', `http://localhost:${read.get('PORT')}`),
    portalConfiguration: read.get('PORTAL_CONFIGURATION'),
    webhookSecrets:
      file === undefined || existsSync(file) ? (read.someSecrets('STRIPE_WEBHOOK_SECRET') ?? []) : [],
    webhookSecretFile: file,
    hasConnectedAccounts: read.optional('CONNECTED_ACCOUNTS') !== undefined,
  };
  read.finish();
  return place;
}

/** Where the data is, for commands that need neither Stripe nor the service. Throws ConfigError. */
export function loadDatabaseLocation(
  settings: SettingOptions = {},
  environment?: Environment,
): DatabaseLocation {
  const read = createReader(settings, environment);
  const location = readDatabase(read);
  read.finish();
  return location;
}

/** Whether OpenTelemetry's own variables ask for traces. What else they say, its packages read. */
export function asksForTraces(environment: Environment): boolean {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER, ...others } = environment;
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = others;
  if (OTEL_SDK_DISABLED === 'true' || OTEL_TRACES_EXPORTER === 'none') return false;
  return Boolean(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}

function readDatabase(read: SettingReader): DatabaseLocation {
  const url = read.get('DATABASE_URL');
  const directory = read.get('DATA_DIR');
  const [schema, connections] = [read.get('DATABASE_SCHEMA'), read.get('DATABASE_CONNECTIONS')];
  return url === undefined ? { kind: 'embedded', directory } : { kind: 'postgres', url, schema, connections };
}
