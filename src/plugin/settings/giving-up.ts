/** What becomes of an unpaid invoice and its subscription once the service asks for no more, or the customer wants to end. */
import type { RetryMode } from './schema/retry-mode.ts';
import { SETTINGS, type SettingValue } from './schema/settings.ts';
import type { SettingReader } from './setting-reader.ts';

/** `leave`: a person decides. */
export type AfterGivingUp = SettingValue<'AFTER_GIVING_UP'>;

/** `ask`: the customer may pay, and is not charged. */
export type AfterCancelRequest = SettingValue<'AFTER_CANCEL_REQUEST'>;

/** Only `exclusive` mode switches off what Stripe itself would do in the end, so there it must be said. */
export function readAfterGivingUp(read: SettingReader, mode: RetryMode): AfterGivingUp {
  const choice = read.get('AFTER_GIVING_UP');
  const isSet = read.optional('AFTER_GIVING_UP') !== undefined;
  if (mode === 'exclusive' && !isSet) {
    const why = "Stripe's own rule for the end of its retries does not apply there";
    read.problem(
      'AFTER_GIVING_UP',
      `must be set with RETRY_MODE=exclusive: one of ${SETTINGS.AFTER_GIVING_UP.unwrap().options.join(', ')}; ${why}`,
    );
  }
  if (mode === 'advisory' && choice !== 'leave') {
    const where = 'Dashboard, Billing, Revenue recovery, Retries';
    const what = `has no effect with RETRY_MODE=advisory, where Stripe's own setting decides (${where})`;
    read.problem('AFTER_GIVING_UP', `${what}; remove it, or set RETRY_MODE=exclusive`);
  }
  return choice;
}
