/** What a finding means and what to do, for a person. */
import type { Finding, FindingCode } from './finding.ts';

interface Words {
  readonly title: string;
  /** Said for anything but `ok`. */
  readonly remedy: string;
}

const RETRY_SETTINGS = 'Dashboard: Billing, Revenue recovery, Retries and Emails';

const WORDS: Readonly<Record<FindingCode, Words>> = {
  settings: {
    title: 'Settings',
    remedy: 'Correct them in the environment or in .env; `init` asks for what is missing.',
  },
  stripe_key: {
    title: 'Stripe takes the key',
    remedy:
      'Set STRIPE_SECRET_KEY to a key of this account (Dashboard: Developers, API keys), and look at the network and STRIPE_API_BASE.',
  },
  stripe_permission: {
    title: 'Permissions of the key',
    remedy: 'Give the restricted key this permission (Dashboard: Developers, API keys).',
  },
  stripe_clock: {
    title: "This machine's clock",
    remedy: 'Synchronise the clock (NTP): signatures of webhooks hold for five minutes.',
  },
  stripe_settings: {
    title: "Stripe's own retries and mails",
    remedy: `Stripe does not show them to programs. ${RETRY_SETTINGS}.`,
  },
  webhook_endpoint: {
    title: 'Webhook endpoint at Stripe',
    remedy:
      '`connect` makes or mends it. Without the permission Webhook Endpoints (write), do it in the Dashboard: Developers, Webhooks.',
  },
  portal: {
    title: 'Customers can change their card',
    remedy:
      '`connect --portal` makes a configuration for it; or Dashboard: Settings, Billing, Customer portal.',
  },
  public_address: {
    title: 'The plugin answers at PUBLIC_URL',
    remedy: 'Start it (`start`), and look at PUBLIC_URL, the proxy, its certificate and the firewall.',
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
  queues: {
    title: 'Queues move',
    remedy: 'Look at the log and at `status`; `resume` ends a pause, and a restart takes up what was left.',
  },
  retry_service: {
    title: 'Retry service',
    remedy: 'Look at RETRY_SERVICE_URL and RETRY_SERVICE_API_KEY, and whether the service runs.',
  },
  mail_server: {
    title: 'Mail server',
    remedy:
      'Set SMTP_URL, EMAIL_FROM and LINK_SECRET; without them, and without `sendMail` of createPlugin, nobody is asked for a new card.',
  },
  mail_domain: {
    title: "Sender's domain (SPF and DMARC; DKIM is the mail server's)",
    remedy: 'Add the records that your mail provider names, or mails may end in the junk folder.',
  },
  own_mails: {
    title: 'Your own mails',
    remedy:
      'Mend the files that are named; the plugin does not start without (docs/8_operations.md, Your own mails).',
  },
};

const MARKS = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM', unknown: 'unknown', look: 'look   ' };

const OF_MODE: Readonly<Record<string, string>> = {
  observe: 'In observe mode leave them as they are.',
  advisory: 'In advisory mode leave the retries on; switch off mails that ask for a new card if ours go out.',
  exclusive:
    'In exclusive mode an invoice is taken over when its payment failed: switch off the mails about failed payments.',
};

/** One line, and where something is to be done a second one. */
export function describeFinding({ code, state, detail }: Finding): string {
  const { title, remedy } = WORDS[code];
  if (code === 'stripe_settings')
    return `${MARKS[state]}  ${title}\n         ${OF_MODE[detail] ?? ''} ${remedy}`;
  const line = `${MARKS[state]}  ${title}${detail ? `: ${detail}` : ''}`;
  return state === 'ok' ? line : `${line}\n         ${remedy}`;
}
