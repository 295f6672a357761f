/** Every sentence of the views that follows from a code and that the server does not say. What is not known is shown as it is. */
import type { RecoveryState, Standing } from './backend-data.ts';

type Tone = 'neutral' | 'urgent' | 'warning' | 'negative' | 'positive' | 'info';

export const STATES: Readonly<Record<RecoveryState, { label: string; tone: Tone; text: string }>> = {
  paid: { label: 'Paid', tone: 'positive', text: 'The invoice is paid. Nothing is left to do.' },
  over: { label: 'Closed', tone: 'neutral', text: 'The invoice is closed in Stripe. Nothing is left to do.' },
  paused: {
    label: 'Paused',
    tone: 'warning',
    text: 'Recovery is paused. Nothing is charged or sent until it is resumed.',
  },
  stopped: { label: 'Stopped', tone: 'warning', text: 'Recovery was stopped. Release the invoice to go on.' },
  needs_decision: {
    label: 'Needs you',
    tone: 'urgent',
    text: 'A payment waits for your decision. Release the invoice to let it happen, or stop it.',
  },
  planned: { label: 'Planned', tone: 'info', text: 'The next step is planned.' },
  stripe_retries: { label: 'Retry planned', tone: 'info', text: 'Stripe tries again by itself.' },
  waiting: {
    label: 'Waiting',
    tone: 'neutral',
    text: 'Nothing is planned. The retry service may ask for more.',
  },
};

/** Of the console's chips. */
const TONES: Readonly<Record<string, Tone>> = {
  good: 'positive',
  warn: 'urgent',
  bad: 'negative',
  info: 'info',
  soft: 'neutral',
};

export const toneOf = ({ tone }: Standing): Tone => TONES[tone] ?? 'neutral';

const HEALTH: Readonly<Record<string, { label: string; tone: Tone }>> = {
  good: { label: 'Last payment worked', tone: 'positive' },
  retryable: { label: 'May work later', tone: 'info' },
  wait: { label: 'Has to rest', tone: 'warning' },
  needs_customer: { label: 'Customer must confirm', tone: 'warning' },
  needs_new_card: { label: 'Needs another card', tone: 'negative' },
  never: { label: 'Not charged any more', tone: 'negative' },
};

export const nameHealth = (health: string): { label: string; tone: Tone } =>
  HEALTH[health] ?? { label: 'Not known yet', tone: 'neutral' };

const REFUSALS: Readonly<Record<string, string>> = {
  account_unknown:
    'Your Payment Retry server does not serve this account. Ask whoever runs it to add the account.',
  account_disconnected: 'This account has revoked access. Install the app again to go on.',
  other_mode:
    'Your Payment Retry server works with the other mode, live or test. Nothing of it is shown here.',
  role_missing: 'Your role in Stripe does not allow this. Ask an administrator.',
  replayed: 'This was carried out before. Reload to see how the invoice stands.',
  request_unknown: 'Your Payment Retry server is older than this app. Update the server.',
  SIGNATURE_INVALID: "The server does not trust this app. Check STRIPE_APP_SECRET, and the server's clock.",
  STORE_UNAVAILABLE: 'The server cannot reach its database at the moment. Try again in a minute.',
};

export const explainRefusal = (code: string, message: string): string => REFUSALS[code] ?? message;
/** Codes that reloading does not change. */
export const isMatterOfPermission = (code: string): boolean =>
  ['account_unknown', 'account_disconnected', 'role_missing'].includes(code);

export const MODES: Readonly<Record<string, string>> = {
  observe: 'Observe only: nothing is charged or sent',
  advisory: "Advisory: beside Stripe's own retries",
  exclusive: "Exclusive: instead of Stripe's own retries",
};

/** `some_code` as "Some code". */
export const sentence = (code: string): string => capitalize(code.replaceAll('_', ' '));

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
