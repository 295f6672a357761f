/** Options, and an environment that is handed over, become one frozen Config here. */

import { existsSync } from 'node:fs';
import { type AttemptLimits, readAttemptLimits } from './attempt-limits.ts';
import { type Ceilings, readCeilings } from './ceilings.ts';
import { type ConnectedAccounts, readConnectedAccounts } from './connected-accounts.ts';
import { type AfterCancelRequest, type AfterGivingUp, readAfterGivingUp } from './giving-up.ts';
import { type Listener, readListener, USUAL_SERVICE_PORT } from './listener-settings.ts';
import { readReminderDays } from './reminder-days.ts';
import { type ExchangeRates, readExchangeRates } from './schema/exchange-rates.ts';
import { type MailAccess, readMailAccess } from './schema/mail-access.ts';
import { readAlerts, readEvents, readOperatorTokens } from './schema/operator-access.ts';
import type { PluginSettings } from './schema/plugin-settings.ts';
import type { RetentionDays } from './schema/retention-settings.ts';
import { type ShownSetting, showSettings } from './schema/shown-settings.ts';
import type { UnknownSetting } from './schema/unknown-settings.ts';
import { type RecoveryScope, readScope } from './scope.ts';
import { getWindow, type SendingWindow } from './sending-window.ts';
import {
  type CallbackSettings,
  readService,
  readStandAlone,
  type ServiceSettings,
} from './service-settings.ts';
import { createReader, type Environment, type SettingReader } from './setting-reader.ts';
import type { SettingValue } from './settings.ts';
import { readSignIn, type SignInSettings } from './sign-in-settings.ts';
import { readStripeAccess, readStripeKey, type StripeAccess, type StripeKey } from './stripe-settings.ts';

export type DatabaseLocation =
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'embedded'; readonly directory: string };

/** Whether instructions are only recorded (`observe`), carried out beside Stripe's own retries (`advisory`), or in their place (`exclusive`). */
export type RetryMode = SettingValue<'RETRY_MODE'>;

/** What the settings came to, checked and with their defaults; to be read. docs/reference/settings.md explains each setting. */
export interface Config extends Listener, StripeAccess, MailAccess {
  readonly service: ServiceSettings;
  readonly callback: CallbackSettings;
  readonly connectedAccounts: ConnectedAccounts;
  readonly publicUrl: URL;
  /** Of our own account; undefined for its default. */
  readonly portalConfiguration: string | undefined;
  readonly businessEntity: string | undefined;
  readonly businessEntityMetadataKey: string;
  readonly mode: RetryMode;
  readonly attemptLimits: AttemptLimits;
  readonly horizonDays: number;
  readonly retention: RetentionDays;
  /** 0: never. */
  readonly handbackAfterDays: number;
  readonly afterGivingUp: AfterGivingUp;
  readonly afterCancelRequest: AfterCancelRequest;
  /** Whether the first payment of a subscription that has not started is recovered like a renewal. */
  readonly recoverSignUps: boolean;
  /** Whether a subscription that names a card of its own gets the new one that has paid it. */
  readonly updateSubscriptionCard: boolean;
  readonly scope: RecoveryScope;
  /** Whether what lives on a Stripe test clock is treated like everything else. */
  readonly followTestClocks: boolean;
  /** Whether an invoice whose card is dead or used up is paid with another card that the customer saved. */
  readonly backupMethods: boolean;
  readonly ceilings: Ceilings;
  /** Days before a renewal at which the holder of a card that expires before it is mailed; 0: never. */
  readonly cardExpiryMailDays: number;
  readonly forgetDeletedCustomers: boolean;
  readonly batchSize: number;
  readonly database: DatabaseLocation;
  readonly timeZone: string;
  readonly timingHoldoutPercent: number;
  readonly emailWindow: SendingWindow;
  /** Days after the first request on which a customer is asked once more; the first is 0. */
  readonly reminderDays: readonly number[];
  readonly forward: { readonly invoices: boolean; readonly transactions: boolean };
  readonly exchangeRates: ExchangeRates;
  readonly backfillOnStart: boolean;
  readonly metricsToken: string | undefined;
  /** Where what needs attention is sent; undefined: nowhere. */
  readonly alerts:
    | {
        readonly url: { readonly address: URL; readonly form: 'json' | 'slack' } | undefined;
        readonly mailTo: readonly string[];
      }
    | undefined;
  /** Where events are sent, and with which secret; undefined: nowhere. */
  readonly events: { readonly url: URL; readonly secret: string } | undefined;
  /** Of the HTTP API, by what they allow; undefined where it is off. */
  readonly operatorTokens:
    | { readonly full: string | undefined; readonly read: string | undefined }
    | undefined;
  /** Without it nobody can sign in, and the operator's pages are not there. */
  readonly signIn: SignInSettings | undefined;
  /** Two while rotating; undefined where the Stripe App is off. */
  readonly stripeAppSecrets: readonly string[] | undefined;
  /** The first encrypts what accounts save, all decrypt it; none: accounts can save no credentials. */
  readonly accountSettingsKeys: readonly string[];
  readonly port: number;
  /** Each setting as an operator may see it. */
  readonly shownSettings: readonly ShownSetting[];
  /** Names that look like settings. */
  readonly unknownSettings: readonly UnknownSetting[];
  readonly logLevel: string;
}

/** Reads every setting, of `settings` or else the environment that is given, and opens nothing. Throws a ConfigError that lists all problems at once. */
export function loadConfig(
  settings: PluginSettings = {},
  environment?: Environment,
  host: { readonly sendsMail: boolean } = { sendsMail: false },
): Config {
  const read = createReader(settings, environment);
  const port = read.get('PORT');
  const access = readStripeAccess(read);
  const plain = readService(read, access.stripe.secretKey);
  const connectedAccounts = readConnectedAccounts(read, plain);
  const isPlatform = connectedAccounts.listed.size > 0 || connectedAccounts.others !== undefined;
  const embedded = plain.service.kind === 'embedded';
  const mode = read.get('RETRY_MODE');
  const config: Config = {
    shownSettings: showSettings(read),
    ...access,
    ...plain,
    connectedAccounts,
    publicUrl: read.address('PUBLIC_URL', `http://localhost:${port}`),
    portalConfiguration: read.get('PORTAL_CONFIGURATION'),
    businessEntity: read.get('BUSINESS_ENTITY'),
    businessEntityMetadataKey: read.get('BUSINESS_ENTITY_METADATA_KEY'),
    mode,
    horizonDays: read.get('RETRY_HORIZON_DAYS'),
    handbackAfterDays: read.get('HANDBACK_AFTER_DAYS'),
    afterGivingUp: readAfterGivingUp(read, mode),
    afterCancelRequest: read.get('AFTER_CANCEL_REQUEST'),
    updateSubscriptionCard: read.get('UPDATE_SUBSCRIPTION_CARD'),
    backupMethods: read.get('BACKUP_METHODS') === 'on',
    cardExpiryMailDays: read.get('CARD_EXPIRY_MAIL_DAYS'),
    recoverSignUps: read.get('RECOVER_SIGN_UPS'),
    scope: readScope(read),
    followTestClocks: read.get('FOLLOW_TEST_CLOCKS'),
    ceilings: readCeilings(read, { ...access, isPlatform }),
    forgetDeletedCustomers: read.get('FORGET_DELETED_CUSTOMERS') === 'on',
    batchSize: read.get('INGEST_BATCH_SIZE'),
    ...readProcess(read),
    ...readMailAccess(read, host),
    emailWindow: getWindow(read.get('EMAIL_WINDOW')),
    forward: {
      invoices: read.get('FORWARD_INVOICES') ?? embedded,
      transactions: read.get('FORWARD_TRANSACTIONS') ?? embedded,
    },
    exchangeRates: readExchangeRates(read),
    backfillOnStart: read.get('BACKFILL_ON_START'),
    operatorTokens: readOperatorTokens(read),
    events: readEvents(read),
    alerts: readAlerts(read),
    stripeAppSecrets: read.someSecrets('STRIPE_APP_SECRET'),
    accountSettingsKeys: read.someSecrets('ACCOUNT_SETTINGS_KEY') ?? [],
    port,
  };
  if (plain.service.kind === 'embedded' && port !== 0 && plain.service.port === port)
    read.problem('SERVICE_PORT', `must be another port than PORT, which is ${port}`);
  read.finish();
  return Object.freeze(config);
}

/** What the retry service needs when it is a process of its own. */
export interface ServiceConfig extends ProcessConfig, Pick<Config, 'port'> {
  /** Two while rotating. */
  readonly apiKeys: readonly string[];
  readonly callback: { readonly baseUrl: string; readonly token: string };
}

/** Reads the settings of the stand-alone service and reports all problems at once. Throws ConfigError. */
export function loadServiceConfig(settings: PluginSettings = {}, environment?: Environment): ServiceConfig {
  const read = createReader(settings, environment);
  const config: ServiceConfig = {
    ...readStandAlone(read),
    ...readProcess(read),
    port: read.get('SERVICE_PORT') ?? USUAL_SERVICE_PORT,
  };
  read.finish();
  return Object.freeze(config);
}

/** What the plugin's process and the stand-alone service's have in common. */
type ProcessConfig = Pick<
  Config,
  | keyof Listener
  | 'database'
  | 'timeZone'
  | 'timingHoldoutPercent'
  | 'retention'
  | 'reminderDays'
  | 'attemptLimits'
  | 'signIn'
  | 'metricsToken'
  | 'unknownSettings'
  | 'logLevel'
>;

function readProcess(read: SettingReader): ProcessConfig {
  return {
    database: readDatabase(read),
    ...readListener(read),
    timeZone: read.get('TIME_ZONE'),
    attemptLimits: readAttemptLimits(read),
    reminderDays: readReminderDays(read),
    timingHoldoutPercent: read.get('TIMING_HOLDOUT_PERCENT'),
    retention: { bodies: read.get('RETENTION_DAYS'), rows: read.get('HISTORY_DAYS') },
    signIn: readSignIn(read),
    metricsToken: read.get('METRICS_TOKEN'),
    unknownSettings: read.unknown(),
    logLevel: read.get('LOG_LEVEL'),
  };
}

/** For commands that only ask Stripe. Throws ConfigError. */
export function loadStripeKey(settings: PluginSettings = {}, environment?: Environment): StripeKey {
  const read = createReader(settings, environment);
  const key = readStripeKey(read);
  read.finish();
  return key;
}

/** Where Stripe's webhooks come in, for commands that set them up. Throws ConfigError. */
export interface WebhookPlace extends Pick<Config, 'publicUrl' | 'portalConfiguration'> {
  /** Whether a signing secret is known here. */
  readonly hasWebhookSecret: boolean;
  /** The file that holds it, or is to hold it, if the environment names one. */
  readonly webhookSecretFile: string | undefined;
  readonly hasConnectedAccounts: boolean;
}

export function loadWebhookPlace(settings: PluginSettings = {}, environment?: Environment): WebhookPlace {
  const read = createReader(settings, environment);
  const file = read.fileOf('STRIPE_WEBHOOK_SECRET');
  const place: WebhookPlace = {
    publicUrl: read.address('PUBLIC_URL', `http://localhost:${read.get('PORT')}`),
    portalConfiguration: read.get('PORTAL_CONFIGURATION'),
    hasWebhookSecret:
      (file === undefined || existsSync(file)) && read.optional('STRIPE_WEBHOOK_SECRET') !== undefined,
    webhookSecretFile: file,
    hasConnectedAccounts: read.optional('CONNECTED_ACCOUNTS') !== undefined,
  };
  read.finish();
  return place;
}

/** Where the data is, for commands that need neither Stripe nor the service. Throws ConfigError. */
export function loadDatabaseLocation(
  settings: PluginSettings = {},
  environment?: Environment,
): DatabaseLocation {
  const read = createReader(settings, environment);
  const location = readDatabase(read);
  read.finish();
  return location;
}

/** From where to where `move-database` brings the data. Throws ConfigError. */
export function loadMove(
  settings: PluginSettings = {},
  environment?: Environment,
): { readonly directory: string; readonly url: string } {
  const read = createReader(settings, environment);
  const url = read.required('DATABASE_URL', 'it is the empty PostgreSQL database that gets the data');
  const directory = read.get('DATA_DIR');
  read.finish();
  return { directory, url };
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
  return url === undefined ? { kind: 'embedded', directory } : { kind: 'postgres', url };
}
