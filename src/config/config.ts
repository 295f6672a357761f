/** Options and environment become one frozen Config here. The only reader of `process.env`. */
import { type AttemptLimits, readAttemptLimits } from './attempt-limits.ts';
import { type Ceilings, readCeilings } from './ceilings.ts';
import { type ConnectedAccounts, readConnectedAccounts } from './connected-accounts.ts';
import { type AfterGivingUp, readAfterGivingUp } from './giving-up.ts';
import { type Listener, readListener } from './listener-settings.ts';
import { readReminderDays } from './reminder-days.ts';
import { type RecoveryScope, readScope } from './scope.ts';
import type { SendingWindow } from './sending-window.ts';
import {
  type CallbackSettings,
  readService,
  readServicePort,
  readStandAlone,
  type ServiceSettings,
} from './service-settings.ts';
import { createReader, type Environment, type SettingReader } from './setting-reader.ts';
import type { PluginSettings } from './settings.ts';
import { readStripeAccess, type StripeAccess } from './stripe-settings.ts';

export type DatabaseLocation =
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'embedded'; readonly directory: string };

export type RetryMode = 'observe' | 'advisory' | 'exclusive';

export interface Config extends Listener, StripeAccess {
  readonly service: ServiceSettings;
  readonly callback: CallbackSettings;
  readonly connectedAccounts: ConnectedAccounts;
  readonly publicUrl: URL;
  readonly businessEntity: string | undefined;
  readonly businessEntityMetadataKey: string;
  readonly mode: RetryMode;
  readonly attemptLimits: AttemptLimits;
  readonly horizonDays: number;
  /** 0: never. */
  readonly handbackAfterDays: number;
  readonly afterGivingUp: AfterGivingUp;
  /** Whether the first payment of a subscription that has not started is recovered like a renewal. */
  readonly recoverSignUps: boolean;
  /** Whether a subscription that names a card of its own gets the new one that has paid it. */
  readonly updateSubscriptionCard: boolean;
  readonly scope: RecoveryScope;
  /** Whether an invoice whose card is dead or used up is paid with another card that the customer saved. */
  readonly backupMethods: boolean;
  readonly ceilings: Ceilings;
  /** Days before a renewal at which the holder of a card that expires before it is mailed; 0: never. */
  readonly cardExpiryMailDays: number;
  readonly batchSize: number;
  readonly database: DatabaseLocation;
  readonly mail:
    | { readonly smtpUrl: string; readonly from: string; readonly replyTo: string | undefined }
    | undefined;
  readonly linkSecret: string | undefined;
  readonly emailLook: EmailLook;
  readonly timeZone: string;
  readonly timingHoldoutPercent: number;
  readonly emailWindow: SendingWindow;
  /** Days after the first request on which a customer is asked once more; the first is 0. */
  readonly reminderDays: readonly number[];
  readonly forward: { readonly invoices: boolean; readonly transactions: boolean };
  readonly backfillOnStart: boolean;
  readonly metricsToken: string | undefined;
  readonly consolePassword: string | undefined;
  readonly port: number;
  readonly logLevel: string;
}

export interface EmailLook {
  /** BCP 47 tag, for customers whose own languages have no texts. */
  readonly language: string;
  /** `#rrggbb`; without it the Stripe account's. */
  readonly color: string | undefined;
  readonly logoUrl: string | undefined;
}

/** Reads every setting and reports all problems at once. Throws ConfigError. */
export function loadConfig(
  settings: PluginSettings = {},
  environment: Environment = systemEnvironment(),
): Config {
  const read = createReader(settings, environment);
  const port = read.integer('PORT', { fallback: 8080, min: 0, max: 65_535 });
  const access = readStripeAccess(read);
  const plain = readService(read, access.stripe.secretKey);
  const connectedAccounts = readConnectedAccounts(read, plain);
  const embedded = plain.service.kind === 'embedded';
  const mode = read.choice('RETRY_MODE', ['advisory', 'observe', 'exclusive']);
  const config: Config = {
    ...access,
    ...plain,
    connectedAccounts,
    publicUrl: read.address('PUBLIC_URL', `http://localhost:${port}`),
    businessEntity: read.optional('BUSINESS_ENTITY'),
    businessEntityMetadataKey: read.text('BUSINESS_ENTITY_METADATA_KEY', 'business_entity'),
    mode,
    horizonDays: read.integer('RETRY_HORIZON_DAYS', { fallback: 60, min: 1, max: 365 }),
    handbackAfterDays: read.integer('HANDBACK_AFTER_DAYS', { fallback: 7, min: 0, max: 365 }),
    afterGivingUp: readAfterGivingUp(read, mode),
    updateSubscriptionCard: read.boolean('UPDATE_SUBSCRIPTION_CARD', true),
    backupMethods: read.choice('BACKUP_METHODS', ['off', 'on']) === 'on',
    cardExpiryMailDays: read.integer('CARD_EXPIRY_MAIL_DAYS', { fallback: 0, min: 0, max: 60 }),
    recoverSignUps: read.boolean('RECOVER_SIGN_UPS', false),
    scope: readScope(read),
    ceilings: readCeilings(read, connectedAccounts.listed.size > 0 || connectedAccounts.others !== undefined),
    batchSize: read.integer('INGEST_BATCH_SIZE', { fallback: 200, min: 1, max: 200 }),
    ...readProcess(read),
    ...readMail(read),
    emailLook: readEmailLook(read),
    emailWindow: read.window('EMAIL_WINDOW', '08:00-20:00'),
    forward: {
      invoices: read.boolean('FORWARD_INVOICES', embedded),
      transactions: read.boolean('FORWARD_TRANSACTIONS', embedded),
    },
    backfillOnStart: read.boolean('BACKFILL_ON_START', false),
    metricsToken: read.optional('METRICS_TOKEN'),
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
export function loadServiceConfig(
  settings: PluginSettings = {},
  environment: Environment = systemEnvironment(),
): ServiceConfig {
  const read = createReader(settings, environment);
  const config: ServiceConfig = {
    ...readStandAlone(read),
    ...readProcess(read),
    port: readServicePort(read),
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
  | 'reminderDays'
  | 'attemptLimits'
  | 'consolePassword'
  | 'logLevel'
>;

function readProcess(read: SettingReader): ProcessConfig {
  return {
    database: readDatabase(read),
    ...readListener(read),
    timeZone: read.zone('TIME_ZONE', 'UTC'),
    attemptLimits: readAttemptLimits(read),
    reminderDays: readReminderDays(read),
    timingHoldoutPercent: read.integer('TIMING_HOLDOUT_PERCENT', { fallback: 0, min: 0, max: 50 }),
    consolePassword: readConsolePassword(read),
    logLevel: readLogLevel(read),
  };
}

/** Where the data is, for commands that need neither Stripe nor the service. Throws ConfigError. */
export function loadDatabaseLocation(
  settings: PluginSettings = {},
  environment: Environment = systemEnvironment(),
): DatabaseLocation {
  const read = createReader(settings, environment);
  const location = readDatabase(read);
  read.finish();
  return location;
}

function systemEnvironment(): Environment {
  return process.env;
}

function readLogLevel(read: SettingReader): string {
  return read.choice('LOG_LEVEL', ['info', 'debug', 'warn', 'error', 'silent']);
}

function readDatabase(read: SettingReader): DatabaseLocation {
  const url = read.optional('DATABASE_URL');
  const directory = read.text('DATA_DIR', './data');
  if (url === undefined) return { kind: 'embedded', directory };
  if (!/^postgres(ql)?:\/\//.test(url)) read.problem('DATABASE_URL', 'must start with postgres://');
  return { kind: 'postgres', url };
}

function readMail(read: SettingReader): Pick<Config, 'mail' | 'linkSecret'> {
  const smtpUrl = read.optional('SMTP_URL');
  const linkSecret = read.optional('LINK_SECRET');
  const from = read.optional('EMAIL_FROM');
  const replyTo = read.optional('EMAIL_REPLY_TO');
  if (linkSecret !== undefined && linkSecret.length < 32) {
    read.problem('LINK_SECRET', 'must have at least 32 characters; `openssl rand -base64 32` makes one');
  }
  if (smtpUrl === undefined) return { mail: undefined, linkSecret };
  if (!/^smtps?:\/\//.test(smtpUrl)) read.problem('SMTP_URL', 'must start with smtp:// or smtps://');
  if (linkSecret === undefined)
    read.problem('LINK_SECRET', 'is required with SMTP_URL; `openssl rand -base64 32` makes one');
  if (from === undefined)
    read.problem('EMAIL_FROM', 'is required with SMTP_URL; give the address that mails come from');
  return { mail: { smtpUrl, from: from ?? '', replyTo }, linkSecret };
}

function readEmailLook(read: SettingReader): EmailLook {
  const language = read.text('EMAIL_LANGUAGE', 'en');
  const color = read.optional('EMAIL_COLOR');
  const logoUrl = read.optional('EMAIL_LOGO_URL');
  if (!isLanguageTag(language)) read.problem('EMAIL_LANGUAGE', 'must be a language tag such as de or fr-CA');
  if (color !== undefined && !/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(color))
    read.problem('EMAIL_COLOR', 'must be a colour such as #0a7a5c');
  if (logoUrl !== undefined && (!URL.canParse(logoUrl) || new URL(logoUrl).protocol !== 'https:'))
    read.problem('EMAIL_LOGO_URL', 'must be an https address that anybody can load');
  return { language, color, logoUrl };
}

function readConsolePassword(read: SettingReader): string | undefined {
  const password = read.optional('CONSOLE_PASSWORD');
  if (password !== undefined && password.length < 12)
    read.problem('CONSOLE_PASSWORD', 'must have at least 12 characters');
  return password;
}

/** A language without texts is no mistake of the form: customers then read English. */
function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
