/**
 * Every setting with the meaning that the table in docs/reference.md gives; the table is tested against this list.
 * The option's name in `createPlugin` is the same in camelCase.
 */
export const SETTINGS = {
  STRIPE_SECRET_KEY: 'Stripe secret or restricted key (`sk_…`, `rk_…`). Required.',
  STRIPE_WEBHOOK_SECRET:
    "Signing secret of the webhook endpoint (`whsec_…`); up to four with commas, for rotating and a Connect endpoint's. Required.",
  STRIPE_API_BASE: 'Address of the Stripe API, for a local stand-in.',
  STRIPE_REQUESTS_PER_SECOND:
    "Requests to one Stripe account, by all processes together; by default a fifth of Stripe's limit is left to your own calls (`20` with a test key).",
  RETRY_SERVICE_URL: 'Base address of the retry service, or `embedded`.',
  RETRY_SERVICE_API_KEY:
    'Key for the retry service. Required when it is remote; an embedded one makes its own.',
  RECOVERY_CALLBACK_TOKEN:
    'Token the service calls back with; two with a comma while rotating. Required when it is remote.',
  RECOVERY_CALLBACK_BASIC: '`user:password`, if the service uses Basic authentication.',
  PUBLIC_URL: 'Where Stripe, the service and customers reach this process.',
  BUSINESS_ENTITY: "Name of the business entity; by default the Stripe account's name.",
  BUSINESS_ENTITY_METADATA_KEY: 'Metadata key of a subscription that overrides it.',
  CONNECTED_ACCOUNTS:
    "JSON, or a JSON file's path: what each account of Stripe Connect has of its own (docs/4_connected_accounts.md).",
  RETRY_MODE: '`observe`, `advisory` or `exclusive`.',
  RETRY_HORIZON_DAYS: 'Instructions for a time further away than this are refused.',
  HANDBACK_AFTER_DAYS:
    'In `exclusive` mode, an invoice that nothing was asked for in so many days goes back to Stripe; `0`: never.',
  AFTER_GIVING_UP:
    "What is done with an invoice that the service has given up, in `exclusive` mode, where it must be set: `leave` (a person decides), `cancel` the subscription, `pause` its collection, or mark the invoice `uncollectible`. In `advisory` mode Stripe's own setting decides.",
  RECOVER_SIGN_UPS:
    'Whether the first invoice of a subscription that is still `incomplete` is recovered too; else it is left to the checkout.',
  CARD_EXPIRY_MAIL_DAYS:
    'So many days before a renewal, a customer whose card expires before it, and was not renewed by its network, gets one mail; `0`: never. Leave it off where Stripe mails about expiring cards.',
  BACKUP_METHODS:
    '`on`: an invoice whose card is dead or has used its attempts is paid with another card that the customer saved for such payments, before another is asked for. Only where your terms allow it; `off` otherwise.',
  UPDATE_SUBSCRIPTION_CARD:
    "Whether a subscription that names a card of its own gets the customer's new card once that has paid its invoice; else the old card is charged again at the next renewal.",
  RECOVER_PLANS:
    'Recover only these: ids of prices or products with commas. Whatever a RECOVER_ setting leaves out is observed only.',
  RECOVER_COUNTRIES: 'Recover only customers whose address is in one of these: `DE,AT`.',
  RECOVER_CURRENCIES: 'Recover only invoices in one of these: `EUR,USD`.',
  RECOVER_METADATA:
    'Recover only where the subscription, invoice or customer has one of these pairs: `recovery=on`.',
  RECOVER_PERCENT:
    'Recover only this share of the customers, always the same ones; a larger share has them, too.',
  CARD_CHANGE_MAX_AGE_DAYS:
    'A new card pays invoices up to this age at once; about older ones a person is asked (`status`, `release`).',
  CARD_CHANGE_MAX_TOTAL:
    "What a customer's new cards pay within 24 hours, beyond which a person is asked: a multiple of the largest of these invoices (`3x`), or amounts in the currencies' smallest unit (`EUR=50000,USD=60000`; a currency without one always asks).",
  MAX_CHARGES_PER_MINUTE:
    'Charges of all processes together in one minute; one more pauses everything until `resume`. The default is beyond our own pace, `4000` with connected accounts.',
  MAX_ATTEMPTS_PER_INVOICE:
    'Attempts on one invoice with one card, at most 8; this and the next seven may be stricter only.',
  MAX_UNEXPLAINED_ATTEMPTS: 'Of these, while the bank of the card gives no reason, at most 6.',
  MIN_HOURS_BETWEEN_ATTEMPTS:
    'Between attempts on one invoice, at least 24; a new card need not wait, and at 24 a technical fault waits 1 to 6.',
  MAX_VISA_ATTEMPTS_30_DAYS:
    'On one Visa card in 30 days, over all invoices, at most 15 (rule of the network: 20).',
  MAX_MASTERCARD_ATTEMPTS_24_HOURS: 'On one Mastercard in 24 hours, at most 8 (rule: 10).',
  MAX_MASTERCARD_ATTEMPTS_30_DAYS: 'On one Mastercard with one amount in 30 days, at most 30 (rule: 35).',
  MAX_OTHER_CARD_ATTEMPTS_30_DAYS: 'On one card of another network in 30 days, at most 8 (advice of Stripe).',
  MAX_BANK_DEBIT_PRESENTMENTS:
    'Of one invoice to one bank account, the first included, at most 3 (rule of ACH: 3).',
  INGEST_BATCH_SIZE: 'Records in one ingest request, at most 200; some services take 100.',
  DATABASE_URL: '`postgres://…`; without it the embedded database is used.',
  DATA_DIR: 'Folder of the embedded database.',
  SMTP_URL: '`smtp://…` or `smtps://…`; without it card-update mails are recorded as undeliverable.',
  EMAIL_FROM: 'Sender of the mails. Required with SMTP_URL.',
  EMAIL_REPLY_TO: 'Where answers to the mails go.',
  EMAIL_LANGUAGE: 'Language of mails to customers whose own we do not have: `en`, `de`, `fr-CA` …',
  EMAIL_COLOR: "Colour of the mails' button, such as `#0a7a5c`; by default the Stripe account's.",
  EMAIL_LOGO_URL: 'Logo above the mails, at a public https address.',
  LINK_SECRET: 'Signs card-update links, at least 32 characters. Required with SMTP_URL.',
  TIME_ZONE: 'Zone of customers whose own is not known.',
  TIMING_HOLDOUT_PERCENT:
    'Share of failed invoices, 0 to 50, that keep a static schedule so that `status` can tell what the timing is worth.',
  EMAIL_WINDOW: "Hours of the customer's day in which mail may be sent.",
  REMINDER_DAYS:
    'Days on which a customer is asked for another card, from the first request on: with `0` once. The plugin sends no more mails of one kind about an invoice than there are days here.',
  FORWARD_INVOICES: 'Whether invoices are forwarded; `true` when the service is embedded.',
  FORWARD_TRANSACTIONS: 'Whether payment attempts are forwarded; `true` when the service is embedded.',
  BACKFILL_ON_START:
    'Whether everything that Stripe has is read at the first start, when nothing is stored yet.',
  METRICS_TOKEN: 'Bearer token for `/metrics`; without it the path is off.',
  CONSOLE_PASSWORD:
    "Opens the operator's console (`/console`) and the embedded service's page of API keys (`/org/api_keys`), at least 12 characters; without it both are off.",
  HOST: 'Address or host name to listen on.',
  PORT: 'Port to listen on.',
  SERVICE_PORT: 'Port of the embedded retry service, another than PORT.',
  SERVICE_CALLBACK_URL: "For `service` only: the plugin's PUBLIC_URL, where instructions are sent.",
  TLS_CERT: 'Certificate file, for HTTPS without a proxy.',
  TLS_KEY: 'Its private key file, without a passphrase.',
  TRUST_PROXY:
    'Proxies whose `X-Forwarded-*` headers are believed: how many there are in front, or `loopback`, `linklocal`, `uniquelocal`, addresses and subnets with commas; never `true`.',
  LOG_LEVEL: '`debug`, `info`, `warn` or `error`.',
} as const;

export type SettingName = keyof typeof SETTINGS;

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>;

/** What `createPlugin` takes: any setting by its camelCase name. What is left out comes from the environment. */
export type PluginSettings = {
  readonly [Name in SettingName as CamelCase<Name>]?: string | number | boolean | undefined;
};
