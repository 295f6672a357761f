/** Generated from src/plugin/settings/schema/settings.ts by `npm run docs:settings`; not to be edited. */
import type { ClaimRoles, ControlGroup, GraceDays, NewCardTotal, RecoverFilter } from './natural-values.ts';

/** Options of `createPlugin` that are settings. Each names its variable of the environment. */
export interface PluginSettings {
  readonly stripe?: {
    /** Stripe secret or restricted key (`sk_…`, `rk_…`). Required. `STRIPE_SECRET_KEY`. */
    readonly key?: string | undefined;
    /** The account on which the key of an organization (`sk_org_…`) acts: `acct_…`. Required with such a key. `STRIPE_CONTEXT`. */
    readonly context?: string | undefined;
    /** Signing secret of the webhook endpoint (`whsec_…`); up to four with commas, for rotating and a Connect endpoint's. Required. `STRIPE_WEBHOOK_SECRET`. */
    readonly webhookSecret?: string | readonly string[] | undefined;
    /** Address of the Stripe API, for a local stand-in. Default: `https://api.stripe.com`. `STRIPE_API_BASE`. */
    readonly apiBase?: string | undefined;
    /** Billing portal configuration (`bpc_…`) for the card-update page of your own account; `connect --portal` creates one. By default the account's. `PORTAL_CONFIGURATION`. */
    readonly portalConfiguration?: string | undefined;
    /** Requests a second to one Stripe account, all processes together. The default leaves a fifth of Stripe's limit to your own calls (`20` with a test key). Default: `80` (1 to 10000). `STRIPE_REQUESTS_PER_SECOND`. */
    readonly requestsPerSecond?: number | undefined;
    /** Stripe's Smart Retries Signal as a source of instructions, in `exclusive` mode (a private preview, docs/how-to/retry-signal.md): `on` follows `retry_now` and shows `wait` and `give_up`; with `binding` these hold back what the retry service asks, too. Default: `off`. `RETRY_SIGNAL`. */
    readonly retrySignal?: 'off' | 'on' | 'binding' | undefined;
  };
  readonly service?: {
    /** Base address of the retry service, or `embedded`. Default: `embedded`. `RETRY_SERVICE_URL`. */
    readonly url?: string | undefined;
    /** Key for the retry service, for `service` at least 24 characters. Required when it is remote; an embedded one makes its own. `RETRY_SERVICE_API_KEY`. */
    readonly key?: string | undefined;
    /** Base address of a remote service’s listings of actions, if they are not under RETRY_SERVICE_URL. `RETRY_SERVICE_LISTING_URL`. */
    readonly listingUrl?: string | undefined;
    /** Token with which the service calls back, at least 24 characters; two, with a comma, while you rotate it. `none`: it does not call back, and its listing is read instead. Required when it is remote. `RECOVERY_CALLBACK_TOKEN`. */
    readonly callbackToken?: string | readonly string[] | undefined;
    /** `user:password`, if the service uses Basic authentication; the password has at least 24 characters. `RECOVERY_CALLBACK_BASIC`. */
    readonly callbackBasic?: string | undefined;
    /** Whether invoices are forwarded. `auto`: a remote service is offered them once, and gets none if it has no path for them. Default: `auto`. `FORWARD_INVOICES`. */
    readonly forwardInvoices?: boolean | 'auto' | undefined;
    /** Whether payment attempts are forwarded; `auto` as for invoices. Default: `auto`. `FORWARD_TRANSACTIONS`. */
    readonly forwardTransactions?: boolean | 'auto' | undefined;
    /** Port on which others reach the retry service; not PORT. By default 8090 with `service`, and with `start` if it is free; none in your own application. Range: (0 to 65535). `SERVICE_PORT`. */
    readonly port?: number | undefined;
  };
  /** Address at which Stripe, a remote service and customers reach the plugin; in your own application, with the router's prefix. `service` sends its instructions there, and requires it. Default: `http://localhost:PORT`. `PUBLIC_URL`. */
  readonly publicUrl?: string | undefined;
  /** Name of the business entity; by default the Stripe account's name. The metadata `business_entity` of a subscription overrides it. `BUSINESS_ENTITY`. */
  readonly businessEntity?: string | undefined;
  readonly connect?: {
    /** What differs for each account of Stripe Connect: JSON, or the path of a JSON file (docs/how-to/connected-accounts.md). `CONNECTED_ACCOUNTS`. */
    readonly accounts?: string | Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
    /** Encrypts the service keys and callback tokens that connected accounts save in the Stripe App, at least 24 characters; two with a comma while rotating (docs/how-to/connected-accounts.md). Without it they can save none. `ACCOUNT_SETTINGS_KEY`. */
    readonly settingsKey?: string | readonly string[] | undefined;
  };
  /** `observe` (writes down what it would do), `advisory` (acts next to Stripe's own retries) or `exclusive` (acts in their place). Required. `RETRY_MODE`. */
  readonly mode?: 'observe' | 'advisory' | 'exclusive' | undefined;
  /** Days without an instruction after which an invoice goes back to Stripe, in `exclusive` mode; `0`: never. Default: `7` (0 to 365). `HANDBACK_AFTER_DAYS`. */
  readonly handbackAfterDays?: number | undefined;
  /** What happens to an invoice that the service has given up: `leave` (a person decides), `cancel` the subscription, `pause` it (only its collection, if Stripe cannot pause it), or mark the invoice `uncollectible`. Required in `exclusive` mode; in `advisory` mode Stripe's own setting decides. Default: `leave`. `AFTER_GIVING_UP`. */
  readonly afterGivingUp?: 'leave' | 'cancel' | 'pause' | 'uncollectible' | undefined;
  /** What happens once a customer pays the invoice because of which a subscription ended or was paused: `leave`, or `resume`: a paused one goes on, and a canceled one is started again at Stripe, once, with the same items, if the customer continued from the page that says so. Default: `leave`. `AFTER_END`. */
  readonly afterEnd?: 'leave' | 'resume' | undefined;
  /** What happens to unpaid invoices after the customer asked to end the subscription at its next renewal, or paused it: `collect` as before, `ask` (no charge, one email with a way to pay), or `stop`. Stripe goes on with its own retries. Default: `ask`. `AFTER_CANCEL_REQUEST`. */
  readonly afterCancelRequest?: 'collect' | 'ask' | 'stop' | undefined;
  readonly email?: {
    /** How many days before a renewal a customer gets one email if the renewal would fail: the card expires before it (and its network did not renew it), there is no payment method any more, or the mandate ended. `0`: never. Leave it off if Stripe emails about expiring cards. Default: `0` (0 to 60). `CARD_EXPIRY_MAIL_DAYS`. */
    readonly cardExpiryDays?: number | undefined;
    /** `smtp://…` or `smtps://…`; without it, and without `email.send`, card-update emails are recorded as undeliverable. `SMTP_URL`. */
    readonly smtpUrl?: string | undefined;
    /** Sender of the emails: an address, named after the merchant, or `Name <address>`. Required with SMTP_URL. `EMAIL_FROM`. */
    readonly from?: string | undefined;
    /** Where answers to the emails go. `EMAIL_REPLY_TO`. */
    readonly replyTo?: string | undefined;
    /** Language of emails to customers whose own is not known or not available: `en`, `de`, `fr-CA` … Default: `en`. `EMAIL_LANGUAGE`. */
    readonly language?: string | undefined;
    /** Logo above the emails, at a public https address. `EMAIL_LOGO_URL`. */
    readonly logoUrl?: string | undefined;
    /** Last line of every email: your legal identity, such as name, address and register. `EMAIL_LEGAL_LINE`. */
    readonly legalLine?: string | undefined;
    /** Folder of your own emails: `card_update.txt` and `card_update.html`, `card_update.last.de.txt` … (docs/how-to/operations.md). `EMAIL_TEMPLATES`. */
    readonly templates?: string | undefined;
    /** Hours of the customer's day in which email may be sent. Default: `08:00-20:00`. `EMAIL_WINDOW`. */
    readonly window?: string | readonly [from: string, to: string] | undefined;
    /** Days, counted from the first request, on which a customer is asked for another card; `0` asks once. Each email names all that the payer owes with one method. There are never more emails than days here. Default: `0,3,7,14`. `REMINDER_DAYS`. */
    readonly reminderDays?: string | readonly number[] | undefined;
    /** A customer hears of a failed payment within this many days, even if a later retry is expected to succeed: the email says what failed and that it is tried again. With a remote service there is no default: emails go out only when the service asks. Default: `7` (0 to 30). `FIRST_EMAIL_WITHIN_DAYS`. */
    readonly firstWithinDays?: number | undefined;
  };
  readonly cards?: {
    /** `on`: if an invoice's card is dead or has used its attempts, another card that the customer saved for such payments is charged before the customer is asked for a new one. Only if your terms allow it. Default: `off`. `BACKUP_METHODS`. */
    readonly backup?: 'off' | 'on' | boolean | undefined;
  };
  /** Days of access after a failed renewal, at most as long as the recovery runs, and other days of single prices or products, with commas: `7,price_1=14,prod_2=0` (docs/how-to/access.md). Default: `as long as the recovery runs`. `ACCESS_GRACE`. */
  readonly access?: string | GraceDays | undefined;
  /** Recover only what fits each of these kinds, with commas: `plan:price_1`, `country:DE`, `currency:EUR`, `metadata:recovery=on`, `percent:10` (a share of the customers, always the same ones; a larger share includes them). Several of one kind are alternatives; the rest is only observed. `sign-ups`: the first invoice of an `incomplete` subscription, too, which is otherwise left to the checkout. Default: `all`. `RECOVER`. */
  readonly recover?: string | RecoverFilter | undefined;
  readonly limits?: {
    /** How much a customer's new cards may pay within 24 hours before a person is asked: a multiple of the largest of these invoices (`3x`), or amounts in the currency's smallest unit (`EUR=50000,USD=60000`; other currencies always ask). Default: `3x`. `CARD_CHANGE_MAX_TOTAL`. */
    readonly newCardTotal?: string | NewCardTotal | undefined;
    /** Charges in one minute, all processes together; one more pauses everything until `resume`. The default is twice the plugin's own pace: `7200` with connected accounts, less with fewer than 20 requests a second. Default: `2400` (1 to 100000). `MAX_CHARGES_PER_MINUTE`. */
    readonly chargesPerMinute?: number | undefined;
    /** Retries of one invoice with one card after the first payment, 1 to 12; Stripe advises 8. Issuers may count refusals against the card: more retries recover more where money comes and goes, and less where refusals are counted. Default: `8` (1 to 12). `MAX_RETRIES_PER_INVOICE`. */
    readonly retriesPerInvoice?: number | undefined;
    /** Hours between attempts on one invoice with one card. Unset, the embedded service plans them 24 apart, 1 to 6 after a technical fault, and a remote service chooses its times: 1 is the least. Default: `24, or 1 for a remote service` (1 to 720). `MIN_HOURS_BETWEEN_ATTEMPTS`. */
    readonly hoursBetweenAttempts?: number | undefined;
  };
  readonly database?: {
    /** `postgres://…`; without it the embedded database is used. `DATABASE_URL`. */
    readonly url?: string | undefined;
    /** Prefix of the names of our schemas in `DATABASE_URL`: `acme` gives `acme`, `acme_jobs`, `acme_service` and `acme_service_jobs`. Two installations in one database need two prefixes; another prefix later is an empty installation. Default: `payment_retry`. `DATABASE_SCHEMA`. */
    readonly schema?: string | undefined;
    /** The most connections to `DATABASE_URL` that a process opens for its work; it needs one more. Default: `20` (5 to 200). `DATABASE_CONNECTIONS`. */
    readonly connections?: number | undefined;
    /** Folder of the embedded database. Default: `./data`. `DATA_DIR`. */
    readonly directory?: string | undefined;
  };
  readonly retention?: {
    /** How long bodies of processed events, and addresses and contents of emails, are kept, by Stripe's clock; at least 31, since Stripe lists events for 30 days. Default: `35` (31 to 3650). `RETENTION_DAYS`. */
    readonly eventDays?: number | undefined;
    /** How long rows of settled invoices are kept (docs/reference/security.md); at least 400, longer than any limit's window, a refund or a yearly period. Default: `1461` (400 to 36500). `HISTORY_DAYS`. */
    readonly historyDays?: number | undefined;
    /** `on`: a customer who is deleted at Stripe is forgotten here, too, as `customers forget` does. Default: `off`. `FORGET_DELETED_CUSTOMERS`. */
    readonly forgetDeletedCustomers?: 'off' | 'on' | boolean | undefined;
  };
  /** Every how many days everything stored is compared with Stripe at a low pace, as `verify` does; 0: never. Default: `7` (0 to 365). `VERIFY_DAYS`. */
  readonly verifyDays?: number | undefined;
  readonly links?: {
    /** Signs card-update links, at least 32 characters. Required with SMTP_URL or `email.send`, and for `customers card-link` and `cardUpdateUrl`. `LINK_SECRET`. */
    readonly secret?: string | undefined;
    /** Where a customer whose subscription ended can come back: the button of that email leads there. Without it, to the unpaid invoice. `RETURN_URL`. */
    readonly returnUrl?: string | undefined;
  };
  /** Time zone of customers whose own is not known. Default: `UTC`. `TIME_ZONE`. */
  readonly timeZone?: string | undefined;
  /** What the retries are compared with, and the share of the customers in the control group, 1 to 90 percent: `stripe:10` leaves these to Stripe's own retries, `schedule:10` to a fixed schedule (embedded service). `compare` shows the result. A customer is assigned once, at the first failure. `EXPERIMENT`. */
  readonly experiment?: string | ControlGroup | undefined;
  /** Whether the first start, with nothing stored yet, reads everything that Stripe has. Default: `false`. `BACKFILL_ON_START`. */
  readonly backfillOnStart?: boolean | undefined;
  readonly operator?: {
    /** Bearer token for `/metrics`, also of the stand-alone service, at least 24 characters; without it the path is off. `METRICS_TOKEN`. */
    readonly metricsToken?: string | undefined;
    /** Bearer token for `/api/v1`, which can do all that an operator can, at least 24 characters; without it and OPERATOR_READ_TOKEN the path is off. `OPERATOR_TOKEN`. */
    readonly token?: string | undefined;
    /** Bearer token for `/api/v1` that may only read, at least 24 characters. `OPERATOR_READ_TOKEN`. */
    readonly readToken?: string | undefined;
  };
  readonly events?: {
    /** Address that receives events (recovered, gaveUp, resumed, attempted, emailed, needsAttention) as signed webhooks. `EVENTS_URL`. */
    readonly url?: string | undefined;
    /** Signing secret of those webhooks, `whsec_` and 24 to 64 bytes in Base64 (Standard Webhooks). Required with EVENTS_URL. `EVENTS_SECRET`. */
    readonly secret?: string | undefined;
  };
  /** Who is told when something needs attention, and when it is over (`docs/how-to/alerts.md`), with commas: `mailto:ops@shop.example` (needs SMTP_URL; each morning at eight also what waits for a person), `slack:https://…` for an incoming webhook, which also gets a line for each recovered, given-up or waiting invoice (`slack+names:https://…`: with customers’ names), `https://…` for a POST of JSON. Keep the addresses secret: anybody who knows one can write there. `NOTIFY`. */
  readonly notify?: string | readonly string[] | undefined;
  readonly console?: {
    /** Opens the operator's console (`/console`) to one operator, at least 24 characters. Without it, CONSOLE_USERS and OIDC_ISSUER the console is off. `CONSOLE_PASSWORD`. */
    readonly password?: string | undefined;
    /** Several operators with names, `NAME:ROLE:scrypt:…` with commas; `npx stripe-payment-retry hash-password NAME --role reader --totp` makes an entry (docs/how-to/console.md). `CONSOLE_USERS`. */
    readonly users?: string | readonly string[] | undefined;
    readonly openId?: {
      /** Operators sign in to the console with OpenID Connect at this provider. Its redirect address is `PUBLIC_URL/console/openid-callback`. `OIDC_ISSUER`. */
      readonly issuer?: string | undefined;
      /** Required with OIDC_ISSUER. `OIDC_CLIENT_ID`. */
      readonly clientId?: string | undefined;
      /** Required with OIDC_ISSUER. `OIDC_CLIENT_SECRET`. */
      readonly clientSecret?: string | undefined;
      /** Whose verified email address opens the console: addresses and domains with commas, `anna@shop.example,@ops.example`. Required with OIDC_ISSUER. `OIDC_ALLOWED`. */
      readonly allowed?: string | readonly string[] | undefined;
      /** Claim of the identity token that names roles, and the role for each of its values: `groups: finance=operator,audit=reader,payments-admins=administrator`. The highest counts; without a role there is no access. Unset, everybody with access is an administrator. `OIDC_ROLES`. */
      readonly roles?: string | ClaimRoles | undefined;
    };
    /** Currency in which the console adds up several, with the rate 1, and what one unit of the others is worth in it, with commas: `EUR=1,USD=0.92,JPY=0.0061`. What has no rate is shown next to the total. By default the currency with most at stake. Default: `the largest`. `EXCHANGE_RATES`. */
    readonly exchangeRates?: string | Readonly<Record<string, number>> | undefined;
  };
  readonly stripeApp?: {
    /** Signing secret of the Stripe App (`absec_…`), two with a comma while rotating; opens `/app/request` to the app's views, without it the path is off. `STRIPE_APP_SECRET`. */
    readonly secret?: string | readonly string[] | undefined;
    /** What roles of Stripe's Dashboard may do in the Stripe App, with commas: `reader` sees, `operator` also retries, postpones, stops, releases and sends an email again. A custom role is `custom:ID`. The default follows the Dashboard's own rights. Default: `super_admin=operator,admin=operator,analyst=operator,developer=reader,support_specialist=reader,view_only=reader,refund_analyst=reader,dispute_analyst=reader`. `STRIPE_APP_ROLES`. */
    readonly roles?: string | Readonly<Record<string, 'reader' | 'operator'>> | undefined;
  };
  readonly server?: {
    /** Address or host name to listen on. Default: `127.0.0.1`. `HOST`. */
    readonly host?: string | undefined;
    /** Port to listen on. Default: `8080` (0 to 65535). `PORT`. */
    readonly port?: number | undefined;
    /** Certificate file, for HTTPS without a proxy. `TLS_CERT`. */
    readonly tlsCert?: string | undefined;
    /** Its private key file, without a passphrase. `TLS_KEY`. */
    readonly tlsKey?: string | undefined;
    /** Proxies whose `X-Forwarded-*` headers are trusted: how many are in front, or `loopback`, `linklocal`, `uniquelocal`, addresses and subnets, with commas; never `true`. `TRUST_PROXY`. */
    readonly trustProxy?: string | number | false | undefined;
  };
  /** `debug`, `info`, `warn` or `error`. Default: `info`. `LOG_LEVEL`. */
  readonly logLevel?: 'info' | 'debug' | 'warn' | 'error' | 'silent' | undefined;
}
