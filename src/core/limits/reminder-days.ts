/** On which days a customer is asked for another card, from the first request on. */
export const REMINDER_DAYS: readonly number[] = [0, 3, 7, 14];

/** A customer hears of a failed payment within so many days, where the service inside decides about emails. */
export const USUAL_FIRST_EMAIL_DAYS = 7;
/** Mails of one kind about one invoice keep this distance (stripe-facts 6.6). */
export const MIN_DAYS_BETWEEN_MAILS = 3;
/** So long after the first failure an invoice is worked on. */
export const RECOVERY_DAYS = 30;
/** A customer has at least so long after the last mail. */
export const DAYS_AFTER_LAST_REQUEST = 7;
/** Whoever lacks money, not a card, is asked twice: the second time so long after the first, as the last. */
const DAYS_UNTIL_LAST_FOR_FUNDS = 7;
const LAST_DAY = 28;
export const NO_REMINDER_DAYS = `must be whole days such as ${REMINDER_DAYS.join(',')}: the first 0, each at least ${MIN_DAYS_BETWEEN_MAILS} after the one before, the last at most ${LAST_DAY}`;

export function areReminderDays(value: string): boolean {
  const days = splitDays(value);
  const isSpaced = days.every(
    (day, index) => index === 0 || day - (days[index - 1] ?? 0) >= MIN_DAYS_BETWEEN_MAILS,
  );
  return days.every((day) => Number.isInteger(day) && day <= LAST_DAY) && days[0] === 0 && isSpaced;
}

/** On which day from the first request on the last mail is due where funds are missing. */
export function lastDayForFunds(reminderDays: readonly number[]): number {
  return Math.min(DAYS_UNTIL_LAST_FOR_FUNDS, reminderDays.at(-1) ?? 0);
}

export function splitDays(value: string): readonly number[] {
  return value.split(',').map(Number);
}
