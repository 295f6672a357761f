/** Every sentence of the views that follows from a code and that the server does not say. An unknown code is shown as it is. */
import type { Answer } from './ask-backend.ts';

const HEALTH: Readonly<Record<string, string>> = {
  good: 'last payment worked',
  retryable: 'may work later',
  wait: 'has to rest',
  needs_customer: 'customer must confirm',
  needs_new_card: 'needs another card',
  never: 'not charged any more',
};

export const nameHealth = (health: string): string => HEALTH[health] ?? 'not known yet';

const REFUSALS: Readonly<Record<string, string>> = {
  account_unknown:
    'Your Payment Retry server does not serve this account. Ask the person who runs it to add the account.',
  account_disconnected: 'This account has revoked access. Install the app again to go on.',
  other_mode:
    'Your Payment Retry server works with the other mode, live or test. Switch the mode to see its data.',
  role_missing: 'Your role in Stripe does not allow this. Ask an administrator.',
  replayed: 'This was carried out before. Reload to see the current status.',
  request_unknown: 'Your Payment Retry server is older than this app. Update the server.',
  SIGNATURE_INVALID: "The server does not trust this app. Check STRIPE_APP_SECRET, and the server's clock.",
  STORE_UNAVAILABLE: 'The server cannot reach its database at the moment. Try again in a minute.',
};

export const explainRefusal = (code: string, message: string): string => REFUSALS[code] ?? message;

/** Explains why a view has nothing to show. `isFinal`: asking again does not change it. */
export function explainTrouble(asked: Exclude<Answer<unknown>, { state: 'answered' }>) {
  if (asked.state === 'refused') {
    const isFinal = MATTERS_OF_PERMISSION.includes(asked.code);
    const title = isFinal ? 'You do not have access' : 'There is nothing to show';
    return {
      type: 'caution',
      title,
      description: explainRefusal(asked.code, asked.message),
      isFinal,
    } as const;
  }
  return {
    type: 'critical',
    title: asked.isForbidden
      ? 'The app may not reach your Payment Retry server'
      : 'Your Payment Retry server cannot be reached',
    description: asked.isForbidden
      ? "The server's address has changed since the app was installed. An administrator has to review and accept the app's permissions again (Settings, Installed apps)."
      : `Check that it is running and reachable over HTTPS. (${asked.message})`,
    isFinal: false,
  } as const;
}

const MATTERS_OF_PERMISSION = ['account_unknown', 'account_disconnected', 'role_missing'];

export const MODES: Readonly<Record<string, string>> = {
  observe: 'Observe only: nothing is charged or sent',
  advisory: "Advisory: next to Stripe's own retries",
  exclusive: "Exclusive: instead of Stripe's own retries",
};

/** `some_code` as "Some code". */
export function sentence(code: string): string {
  const text = code.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
