/** Every setting: its name in the environment, its place in the options, its schema and its meaning. `npm run docs:settings` generates types and tables. */
import { IANAZone } from 'luxon';
import type { z } from 'zod';
import { DATABASE_SETTINGS } from './database-settings.ts';
import { EMAIL_SETTINGS } from './email-settings.ts';
import { LIMIT_SETTINGS } from './limit-settings.ts';
import { OPERATOR_SETTINGS } from './operator-settings.ts';
import { RETENTION_SETTINGS } from './retention-settings.ts';
import { oneMode } from './retry-mode.ts';
import {
  EXPERIMENT,
  isHttps,
  isLanguageTag,
  NO_EXPERIMENT,
  NO_SECRET_KEY,
  readExperiment,
  WEBHOOK_SECRET,
} from './setting-forms.ts';
import {
  address,
  basicCredentials,
  boolean,
  chosenSecrets,
  forwarded,
  integer,
  isHost,
  isStrong,
  NO_HOST,
  oneOf,
  onOff,
  part,
  secrets,
  setting,
  text,
  trustProxy,
} from './setting-kinds.ts';

/** An endpoint for our own account and one for connected accounts, each with two while rotating. */
const ENDPOINT_SECRETS = 4;

export const SETTINGS = {
  STRIPE_SECRET_KEY: part(
    'Stripe secret or restricted key (`sk_…`, `rk_…`). Required.',
    text()
      .regex(/^[sr]k_[!-~]+$/, NO_SECRET_KEY)
      .optional(),
    { place: 'stripe.key', usual: 'required' },
  ),
  STRIPE_CONTEXT: part(
    'The account on which the key of an organization (`sk_org_…`) acts: `acct_…`. Required with such a key.',
    text()
      .regex(/^acct_\w+(\/acct_\w+)*$/, 'must be the id of an account (acct_…), or the path to it')
      .optional(),
    { place: 'stripe.context', shown: 'open', isAdvanced: true },
  ),
  STRIPE_WEBHOOK_SECRET: part(
    "Signing secret of the webhook endpoint (`whsec_…`); up to four with commas, for rotating and a Connect endpoint's. Required.",
    secrets(ENDPOINT_SECRETS, WEBHOOK_SECRET).optional(),
    { place: 'stripe.webhookSecret', natural: 'list', usual: 'required' },
  ),
  STRIPE_API_BASE: part(
    'Address of the Stripe API, for a local stand-in.',
    address().default('https://api.stripe.com'),
    { place: 'stripe.apiBase', shown: 'address', isAdvanced: true },
  ),
  PORTAL_CONFIGURATION: setting(
    "Billing portal configuration (`bpc_…`) for the card-update page of your own account; `connect --portal` creates one. By default the account's.",
    text().startsWith('bpc_', 'must be the id of a configuration (bpc_…)').optional(),
    { place: 'stripe.portalConfiguration', shown: 'open', isAdvanced: true },
  ),
  STRIPE_REQUESTS_PER_SECOND: part(
    "Requests a second to one Stripe account, all processes together. The default leaves a fifth of Stripe's limit to your own calls (`20` with a test key).",
    integer(1, 10_000).default(80),
    { place: 'stripe.requestsPerSecond', isAdvanced: true },
  ),
  RETRY_SERVICE_URL: part(
    'Base address of the retry service, or `embedded`.',
    address('embedded').default('embedded'),
    { place: 'service.url', shown: 'address' },
  ),
  RETRY_SERVICE_API_KEY: part(
    'Key for the retry service, for `service` at least 24 characters. Required when it is remote; an embedded one makes its own.',
    text().optional(),
    { place: 'service.key' },
  ),
  RETRY_SERVICE_LISTING_URL: part(
    'Base address of a remote service’s listings of actions, if they are not under RETRY_SERVICE_URL.',
    address().optional(),
    { place: 'service.listingUrl', shown: 'address', isAdvanced: true },
  ),
  RECOVERY_CALLBACK_TOKEN: part(
    'Token with which the service calls back, at least 24 characters; two, with a comma, while you rotate it. `none`: it does not call back, and its listing is read instead. Required when it is remote.',
    chosenSecrets(2, 'none').optional(),
    { place: 'service.callbackToken', natural: 'list' },
  ),
  RECOVERY_CALLBACK_BASIC: part(
    '`user:password`, if the service uses Basic authentication; the password has at least 24 characters.',
    basicCredentials().optional(),
    { place: 'service.callbackBasic', isAdvanced: true },
  ),
  PUBLIC_URL: part(
    "Address at which Stripe, a remote service and customers reach the plugin; in your own application, with the router's prefix. `service` sends its instructions there, and requires it.",
    address().optional(),
    { place: 'publicUrl', usual: 'http://localhost:PORT', shown: 'address' },
  ),
  BUSINESS_ENTITY: setting(
    "Name of the business entity; by default the Stripe account's name. The metadata `business_entity` of a subscription overrides it.",
    text().optional(),
    { place: 'businessEntity', shown: 'open', isAdvanced: true },
  ),
  CONNECTED_ACCOUNTS: part(
    'What differs for each account of Stripe Connect: JSON, or the path of a JSON file (docs/how-to/connected-accounts.md).',
    text().optional(),
    { place: 'connect.accounts', natural: 'json', isAdvanced: true },
  ),
  RETRY_MODE: part(
    "`observe` (writes down what it would do), `advisory` (acts next to Stripe's own retries) or `exclusive` (acts in their place). Required.",
    oneMode().optional(),
    { place: 'mode', usual: 'required' },
  ),
  HANDBACK_AFTER_DAYS: setting(
    'Days without an instruction after which an invoice goes back to Stripe, in `exclusive` mode; `0`: never.',
    integer(0, 365).default(7),
    { place: 'handbackAfterDays', isAdvanced: true },
  ),
  RETRY_SIGNAL: setting(
    "Stripe's Smart Retries Signal as a source of instructions, in `exclusive` mode (a private preview, docs/how-to/retry-signal.md): `on` follows `retry_now` and shows `wait` and `give_up`; with `binding` these hold back what the retry service asks, too.",
    oneOf('off', 'on', 'binding').default('off'),
    { place: 'stripe.retrySignal', shown: 'open', isAdvanced: true },
  ),
  AFTER_GIVING_UP: part(
    "What happens to an invoice that the service has given up: `leave` (a person decides), `cancel` the subscription, `pause` it (only its collection, if Stripe cannot pause it), or mark the invoice `uncollectible`. Required in `exclusive` mode; in `advisory` mode Stripe's own setting decides.",
    oneOf('leave', 'cancel', 'pause', 'uncollectible').default('leave'),
    { place: 'afterGivingUp' },
  ),
  AFTER_END: setting(
    'What happens once a customer pays the invoice because of which a subscription ended or was paused: `leave`, or `resume`: a paused one goes on, and a canceled one is started again at Stripe, once, with the same items, if the customer continued from the page that says so.',
    oneOf('leave', 'resume').default('leave'),
    { place: 'afterEnd', isAdvanced: true },
  ),
  AFTER_CANCEL_REQUEST: setting(
    'What happens to unpaid invoices after the customer asked to end the subscription at its next renewal, or paused it: `collect` as before, `ask` (no charge, one email with a way to pay), or `stop`. Stripe goes on with its own retries.',
    oneOf('collect', 'ask', 'stop').default('ask'),
    { place: 'afterCancelRequest' },
  ),
  CARD_EXPIRY_MAIL_DAYS: setting(
    'How many days before a renewal a customer gets one email if the renewal would fail: the card expires before it (and its network did not renew it), there is no payment method any more, or the mandate ended. `0`: never. Leave it off if Stripe emails about expiring cards.',
    integer(0, 60).default(0),
    { place: 'email.cardExpiryDays', isAdvanced: true },
  ),
  BACKUP_METHODS: setting(
    "`on`: if an invoice's card is dead or has used its attempts, another card that the customer saved for such payments is charged before the customer is asked for a new one. Only if your terms allow it.",
    onOff(),
    { place: 'cards.backup', natural: 'switch', isAdvanced: true },
  ),
  ...LIMIT_SETTINGS,
  ...DATABASE_SETTINGS,
  ...RETENTION_SETTINGS,
  SMTP_URL: part(
    '`smtp://…` or `smtps://…`; without it, and without `email.send`, card-update emails are recorded as undeliverable.',
    text()
      .regex(/^smtps?:\/\//, 'must start with smtp:// or smtps://')
      .optional(),
    { place: 'email.smtpUrl', shown: 'address' },
  ),
  EMAIL_FROM: part(
    'Sender of the emails: an address, named after the merchant, or `Name <address>`. Required with SMTP_URL.',
    text().optional(),
    { place: 'email.from', shown: 'open' },
  ),
  EMAIL_REPLY_TO: part('Where answers to the emails go.', text().optional(), {
    place: 'email.replyTo',
    shown: 'open',
  }),
  EMAIL_LANGUAGE: part(
    'Language of emails to customers whose own is not known or not available: `en`, `de`, `fr-CA` …',
    text().refine(isLanguageTag, 'must be a language tag such as de or fr-CA').default('en'),
    { place: 'email.language', shown: 'open', isAdvanced: true },
  ),
  EMAIL_LOGO_URL: part(
    'Logo above the emails, at a public https address.',
    text().refine(isHttps, 'must be an https address that anybody can load').optional(),
    { place: 'email.logoUrl', shown: 'address', isAdvanced: true },
  ),
  EMAIL_LEGAL_LINE: part(
    'Last line of every email: your legal identity, such as name, address and register.',
    text().max(500, 'must have at most 500 characters').optional(),
    { place: 'email.legalLine', shown: 'open', isAdvanced: true },
  ),
  EMAIL_TEMPLATES: setting(
    'Folder of your own emails: `card_update.txt` and `card_update.html`, `card_update.last.de.txt` … (docs/how-to/operations.md).',
    text().optional(),
    { place: 'email.templates', shown: 'open', isAdvanced: true },
  ),
  LINK_SECRET: setting(
    'Signs card-update links, at least 32 characters. Required with SMTP_URL or `email.send`, and for `customers card-link` and `cardUpdateUrl`.',
    text()
      .refine(
        (value) => value.length >= 32 && isStrong(value),
        'must have at least 32 characters that nobody can guess; `openssl rand -base64 32` makes one',
      )
      .optional(),
    { place: 'links.secret' },
  ),
  TIME_ZONE: setting(
    'Time zone of customers whose own is not known.',
    text().refine(IANAZone.isValidZone, 'must be an IANA time zone such as Europe/Berlin').default('UTC'),
    { place: 'timeZone', shown: 'open' },
  ),
  EXPERIMENT: setting(
    "What the retries are compared with, and the share of the customers in the control group, 1 to 90 percent: `stripe:10` leaves these to Stripe's own retries, `schedule:10` to a fixed schedule (embedded service). `compare` shows the result. A customer is assigned once, at the first failure.",
    text().regex(EXPERIMENT, NO_EXPERIMENT).transform(readExperiment).optional(),
    { place: 'experiment', natural: 'experiment', shown: 'open', isAdvanced: true },
  ),
  ...EMAIL_SETTINGS,
  FORWARD_INVOICES: part(
    'Whether invoices are forwarded. `auto`: a remote service is offered them once, and gets none if it has no path for them.',
    forwarded().prefault('auto'),
    { place: 'service.forwardInvoices', isAdvanced: true },
  ),
  FORWARD_TRANSACTIONS: part(
    'Whether payment attempts are forwarded; `auto` as for invoices.',
    forwarded().prefault('auto'),
    { place: 'service.forwardTransactions', isAdvanced: true },
  ),
  BACKFILL_ON_START: setting(
    'Whether the first start, with nothing stored yet, reads everything that Stripe has.',
    boolean().prefault(false),
    { place: 'backfillOnStart', isAdvanced: true },
  ),
  ...OPERATOR_SETTINGS,
  HOST: setting('Address or host name to listen on.', text().refine(isHost, NO_HOST).default('127.0.0.1'), {
    place: 'server.host',
    shown: 'open',
    isAdvanced: true,
  }),
  PORT: setting('Port to listen on.', integer(0, 65_535).default(8080), { place: 'server.port' }),
  SERVICE_PORT: part(
    'Port on which others reach the retry service; not PORT. By default 8090 with `service`, and with `start` if it is free; none in your own application.',
    integer(0, 65_535).optional(),
    { place: 'service.port', isAdvanced: true },
  ),
  TLS_CERT: part('Certificate file, for HTTPS without a proxy.', text().optional(), {
    place: 'server.tlsCert',
    shown: 'open',
    isAdvanced: true,
  }),
  TLS_KEY: part('Its private key file, without a passphrase.', text().optional(), {
    place: 'server.tlsKey',
    shown: 'open',
    isAdvanced: true,
  }),
  TRUST_PROXY: setting(
    'Proxies whose `X-Forwarded-*` headers are trusted: how many are in front, or `loopback`, `linklocal`, `uniquelocal`, addresses and subnets, with commas; never `true`.',
    trustProxy().optional(),
    { place: 'server.trustProxy', shown: 'open' },
  ),
  LOG_LEVEL: setting(
    '`debug`, `info`, `warn` or `error`.',
    oneOf('info', 'debug', 'warn', 'error', 'silent').default('info'),
    { place: 'logLevel', isAdvanced: true },
  ),
} as const;

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** Those that the configuration has by their names in camelCase. */
export type LoneSetting = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends { readonly stands: 'alone' } ? Name : never;
}[SettingName];

export const LONE_SETTINGS = SETTING_NAMES.filter((name): name is LoneSetting => 'stands' in SETTINGS[name]);

/** The value as read: undefined where it is absent and has no default. */
export type SettingValue<Name extends SettingName> = z.output<(typeof SETTINGS)[Name]>;

/** The same for code that does not know which setting it reads. */
export const SCHEMAS: { readonly [Name in SettingName]: z.ZodType<SettingValue<Name>> } = SETTINGS;

export function defaultOf<Name extends SettingName>(name: Name): SettingValue<Name> {
  return SCHEMAS[name].parse(undefined);
}
