/** A finding is a code with an observation; this file has the words of every code. */
import { AFTER_OBSERVING, OBSERVE_MODE } from './describe-observed.ts';
import { REACHABLE_ADDRESS } from './local-address.ts';

/**
 * `ok` · `waiting`: it arrives on its own · `warning`: it works, with a warning · `problem`: it does not work ·
 * `unknown`: it could not be checked · `look`: only a person can see it.
 */
export const FINDING_STATES = ['ok', 'waiting', 'warning', 'problem', 'unknown', 'look'] as const;
export type FindingState = (typeof FINDING_STATES)[number];

export interface FindingWords {
  readonly title: string;
  /** Said for anything but `ok`. */
  readonly remedy: string;
  /** The title of a warning. */
  readonly ofWarning?: string;
}

const RETRY_SETTINGS = 'Dashboard: Billing, Revenue recovery, Retries and Emails';

/** Everything that is looked at: what it is, and what to do about it. */
export const FINDING_WORDS = {
  settings: {
    title: 'Settings',
    remedy: 'Correct them in the environment or in .env; `init` asks for what is missing.',
  },
  settings_file: {
    title: 'Only you can read the settings file',
    remedy:
      'It holds every secret: run `doctor --fix` or `chmod 600`, so that other users of this machine cannot read it.',
  },
  stripe_key: {
    title: 'Stripe accepts the key',
    remedy:
      'Set STRIPE_SECRET_KEY to a key of this account (Dashboard: Developers, API keys), and check the network and STRIPE_API_BASE.',
    ofWarning:
      'It works. `app --restricted-key` makes a Stripe App that hands out a key with only the permissions used here; give that key to `init`.',
  },
  stripe_permission: {
    title: 'Permissions of the key',
    remedy:
      'Give the restricted key this permission (Dashboard: Developers, API keys), or take the key of the Stripe App that `app --restricted-key` makes.',
  },
  stripe_clock: {
    title: "This machine's clock",
    remedy: 'Synchronize the clock (NTP): webhook signatures are valid for five minutes.',
  },
  stripe_settings: {
    title: "Stripe's own retries and emails",
    remedy: `The Stripe API does not show them. ${RETRY_SETTINGS}.`,
  },
  webhook_endpoint: {
    title: 'Webhook endpoint at Stripe',
    remedy:
      '`connect` creates or repairs it. Without the permission Webhook Endpoints (write), do it in the Dashboard: Developers, Webhooks.',
  },
  portal: {
    title: 'Customers can change their card',
    remedy:
      '`connect --portal` makes a configuration for it; or Dashboard: Settings, Billing, Customer portal.',
  },
  public_address: {
    title: 'The plugin answers at PUBLIC_URL',
    remedy: 'Start it (`start`), and look at PUBLIC_URL, the proxy, its certificate and the firewall.',
    ofWarning: REACHABLE_ADDRESS,
  },
  webhook_round_trip: {
    title: 'A signed event through PUBLIC_URL',
    remedy:
      'The running process must have the same STRIPE_WEBHOOK_SECRET, and a proxy must pass the body untouched.',
  },
  callback_round_trip: {
    title: 'A callback through PUBLIC_URL',
    remedy: 'The running process must have the same RECOVERY_CALLBACK_TOKEN (or RECOVERY_CALLBACK_BASIC).',
  },
  app_round_trip: {
    title: 'A signed request of the Stripe App through PUBLIC_URL',
    remedy:
      "Set STRIPE_APP_SECRET to the signing secret on the app's page in the Dashboard (`app --secret` stores it), and start the plugin again.",
  },
  app_folder: {
    title: 'The Stripe App in stripe-app/',
    remedy: '`app` writes and uploads it again; `app --secret` stores the signing secret.',
  },
  database: {
    title: 'Database',
    remedy:
      'Look at DATABASE_URL or DATA_DIR, and whether the server runs and takes writes; the first `start` makes an embedded one.',
  },
  database_log: {
    title: "The embedded database's log is short",
    remedy:
      'No checkpoint succeeds: the log of the process says why. Make room on the disk of DATA_DIR; the log shrinks within minutes.',
  },
  database_link: {
    title: 'Connection to the database',
    remedy:
      'Add ?sslmode=verify-full to DATABASE_URL, unless the network between this machine and the server is yours alone.',
  },
  migrations: {
    title: 'Tables are those of this version',
    remedy:
      '`db migrate` brings them up to date, and so does a start. Tables of a newer version need the newer program.',
  },
  queues: {
    title: 'Queues move',
    remedy: 'Look at the log and at `status`; a restart takes up what was left.',
  },
  effects: {
    title: 'Payments and emails are not paused',
    remedy:
      '`resume` ends a pause of everything, and `connect` one that `disconnect` made; connect again in the settings of the app ends that of one account.',
  },
  stripe_access: {
    title: 'Stripe has refused nothing',
    remedy: 'Work waits for a permission of the key: `status` names it.',
  },
  retry_signal: {
    title: "Stripe's retry signal (RETRY_SIGNAL)",
    remedy:
      'Ask Stripe for access to Smart Retries Signal, or set RETRY_SIGNAL to off. Until then the retry service decides alone.',
  },
  events: {
    title: 'Events arrive from Stripe',
    remedy: 'None has arrived yet. The first change to a subscription or an invoice sends one.',
  },
  backfill: {
    title: 'Existing data is read from Stripe',
    remedy:
      'The plugin does not know subscriptions and invoices from before the installation: run `backfill` once.',
  },
  callbacks: {
    title: 'The retry service calls back',
    remedy:
      'It has not called yet. Give it the callback address and token; it calls with its first instruction.',
  },
  account_credentials: {
    title: 'Service key and token that an account has saved',
    remedy:
      'They cannot be decrypted with ACCOUNT_SETTINGS_KEY: restore the key, or have the account enter both again.',
  },
  retry_service: {
    title: 'Retry service',
    remedy: 'Check RETRY_SERVICE_URL and RETRY_SERVICE_API_KEY, and that the service is running.',
  },
  service_learns: {
    title: 'How the service learns of failed payments',
    remedy:
      'Without invoices, payment attempts and its own connection to Stripe it sees subscriptions alone and cannot know which payments failed. Ask its provider; FORWARD_INVOICES and FORWARD_TRANSACTIONS send both.',
  },
  mail_server: {
    title: 'Email server',
    remedy:
      'Set SMTP_URL, EMAIL_FROM and LINK_SECRET, or `email.send` in code. Without a way to send email, no customer is asked for a new card.',
  },
  email_domain: {
    title: "Sender's domain (SPF and DMARC; DKIM is the mail server's)",
    remedy:
      'Add the DNS records that your mail provider lists. Without them, emails may end up in the spam folder.',
  },
  email_replies: {
    title: 'Answers of customers',
    remedy:
      'Every email asks its reader to answer it, and nobody reads that address: set EMAIL_REPLY_TO to one that somebody reads.',
  },
  observe_mode: {
    title: OBSERVE_MODE,
    remedy: `${AFTER_OBSERVING}.`,
  },
  own_emails: {
    title: 'Your own emails',
    remedy:
      'Fix the files that are named; the plugin does not start without (docs/how-to/operations.md, Your own emails).',
  },
} as const satisfies Readonly<Record<string, FindingWords>>;

export type FindingCode = keyof typeof FINDING_WORDS;

/** What `doctor --fix` fixes: nothing that charges, emails or forgets. */
export type Fix = 'connect' | 'portal' | 'migrate' | 'file_mode';

export interface Finding {
  readonly code: FindingCode;
  readonly state: FindingState;
  /** The member of a group, such as a permission, and the observation. */
  readonly detail: string;
  readonly fix?: Fix;
}

export function finding(code: FindingCode, state: FindingState, detail = '', fix?: Finding['fix']): Finding {
  return { code, state, detail, ...(fix ? { fix } : {}) };
}
