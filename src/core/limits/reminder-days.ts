/** Days on which a customer is asked for another card, counted from the first request. */
export const REMINDER_DAYS: readonly number[] = [0, 3, 7, 14];

/** Days within which a customer is notified of a failed payment, where the embedded service decides about emails. */
export const USUAL_FIRST_EMAIL_DAYS = 7;
/** Emails of one kind about one invoice keep this distance (stripe-facts 6.6). */
export const MIN_DAYS_BETWEEN_EMAILS = 3;
/** Days after the first failure during which an invoice is worked on. */
export const RECOVERY_DAYS = 30;
/** Days that a customer has at least after the last email. */
export const DAYS_AFTER_LAST_REQUEST = 7;
/** Days between the two emails for insufficient funds; the second is the last. */
const DAYS_UNTIL_LAST_FOR_FUNDS = 7;
const LAST_DAY = 28;
export const NO_REMINDER_DAYS = `must be whole days such as ${REMINDER_DAYS.join(',')}: the first 0, each at least ${MIN_DAYS_BETWEEN_EMAILS} after the one before, the last at most ${LAST_DAY}`;

export function areReminderDays(value: string): boolean {
  const days = splitDays(value);
  const isSpaced = days.every(
    (day, index) => index === 0 || day - (days[index - 1] ?? 0) >= MIN_DAYS_BETWEEN_EMAILS,
  );
  return days.every((day) => Number.isInteger(day) && day <= LAST_DAY) && days[0] === 0 && isSpaced;
}

/** The day, counted from the first request, on which the last email is due where funds are missing. */
export function lastDayForFunds(reminderDays: readonly number[]): number {
  return Math.min(DAYS_UNTIL_LAST_FOR_FUNDS, reminderDays.at(-1) ?? 0);
}

export function splitDays(value: string): readonly number[] {
  return value.split(',').map(Number);
}
