/** Settings of when customers get emails, and how many. */
import { RECOVERY_DAYS, USUAL_FIRST_EMAIL_DAYS } from '../../../core/limits/reminder-days.ts';
import { getWindow, isWindow } from '../../../core/limits/sending-window.ts';
import { isHttps, reminderDays } from './setting-forms.ts';
import { integer, part, setting, text } from './setting-kinds.ts';

export const EMAIL_SETTINGS = {
  EMAIL_WINDOW: setting(
    "Hours of the customer's day in which email may be sent.",
    text().refine(isWindow, 'must have the form 08:00-20:00').default('08:00-20:00').transform(getWindow),
    { place: 'email.window', natural: 'window', shown: 'open' },
  ),
  REMINDER_DAYS: setting(
    'Days, counted from the first request, on which a customer is asked for another card; `0` asks once. Each email names all that the payer owes with one method. There are never more emails than days here.',
    reminderDays(),
    { place: 'email.reminderDays', natural: 'days', shown: 'open' },
  ),
  FIRST_EMAIL_WITHIN_DAYS: part(
    'A customer hears of a failed payment within this many days, even if a later retry is expected to succeed: the email says what failed and that it is tried again. With a remote service there is no default: emails go out only when the service asks.',
    integer(0, RECOVERY_DAYS).optional(),
    { place: 'email.firstWithinDays', usual: String(USUAL_FIRST_EMAIL_DAYS), isAdvanced: true },
  ),
  RETURN_URL: setting(
    'Where a customer whose subscription ended can come back: the button of that email leads there. Without it, to the unpaid invoice.',
    text().refine(isHttps, 'must be an https address that anybody can load').optional(),
    { place: 'links.returnUrl', shown: 'address', isAdvanced: true },
  ),
} as const;
