/** What becomes of an unpaid invoice and its subscription once the service asks for no more. */
import type { RetryMode } from './config.ts';
import type { SettingReader } from './setting-reader.ts';

export const ENDINGS = ['leave', 'cancel', 'pause', 'uncollectible'] as const;
/** `leave`: a person decides. */
export type AfterGivingUp = (typeof ENDINGS)[number];

/** Only `exclusive` mode switches off what Stripe itself would do in the end, so there it must be said. */
export function readAfterGivingUp(read: SettingReader, mode: RetryMode): AfterGivingUp {
  const choice = read.choice('AFTER_GIVING_UP', ENDINGS);
  const isSet = read.optional('AFTER_GIVING_UP') !== undefined;
  if (mode === 'exclusive' && !isSet) {
    const why = "Stripe's own rule for the end of its retries does not apply there";
    read.problem(
      'AFTER_GIVING_UP',
      `must be set with RETRY_MODE=exclusive: one of ${ENDINGS.join(', ')}; ${why}`,
    );
  }
  if (mode === 'advisory' && choice !== 'leave') {
    const where = 'Dashboard, Billing, Revenue recovery, Retries';
    const what = `has no effect with RETRY_MODE=advisory, where Stripe's own setting decides (${where})`;
    read.problem('AFTER_GIVING_UP', `${what}; remove it, or set RETRY_MODE=exclusive`);
  }
  return choice;
}
