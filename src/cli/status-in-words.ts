import { DateTime } from 'luxon';
import type { PausedDelivery, WorkStatus } from '../store/work-status.ts';
import { exactMoment } from './exact-moment.ts';

/** More of one kind are counted, not listed. */
const LISTED = 20;

/** The status as lines for a terminal; what is empty is left out, except that nothing is wrong. */
export function describeStatus(status: WorkStatus, now: DateTime): string {
  const { counts, pauses, quarantined, deadEvents, failedInstructions, overdueActions } = status;
  return [
    ...section(
      'Work',
      counts.map(({ table, state, count }) => `${table} ${state}: ${count}`),
      counts.length,
    ),
    describeUndelivered(status, now),
    ...section('Deliveries paused', pauses.map(describePause)),
    ...section(
      'In quarantine: the service refused them (mend the cause, then: replay --refused)',
      quarantined.map(({ kind, id, answer }) => `${kind} ${id}: ${firstLine(answer)}`),
    ),
    ...section(
      'Dead events: processing failed for good (mend the cause, then: replay --events)',
      deadEvents.map(({ id, type, error }) => `${id} ${type}: ${firstLine(error)}`),
    ),
    ...section(
      'Instructions that could not be planned',
      failedInstructions.map(
        ({ requestId, invoiceId, reason }) =>
          `${requestId} for ${invoiceId ?? 'no invoice'}: ${firstLine(reason)}`,
      ),
    ),
    ...section(
      'Overdue actions: is a process running?',
      overdueActions.map(
        ({ kind, invoiceId, dueAt, state }) => `${kind} ${invoiceId}: due ${exactMoment(dueAt)}, ${state}`,
      ),
    ),
    status.needsPerson ? 'Something needs a person.' : 'Nothing needs a person.',
  ].join('\n');
}

function describeUndelivered({ undelivered: { count, oldestAt } }: WorkStatus, now: DateTime): string {
  if (oldestAt === null) return 'Undelivered changes: none';
  const minutes = Math.max(0, Math.floor(now.diff(DateTime.fromJSDate(oldestAt)).as('minutes')));
  return `Undelivered changes: ${count}, the oldest for ${minutes} min (${exactMoment(oldestAt)})`;
}

function describePause({ account, until, failures, isLong }: PausedDelivery): string {
  const long = isLong ? '; for more than an hour' : '';
  return `account ${account}: until ${exactMoment(until.toJSDate())}, after ${failures} failure(s) in a row${long}`;
}

function section(title: string, lines: readonly string[], most = LISTED): string[] {
  if (lines.length === 0) return [];
  const more = lines.length > most ? [`  … and ${lines.length - most} more`] : [];
  return [`${title}:`, ...lines.slice(0, most).map((line) => `  ${line}`), ...more];
}

function firstLine(text: string | null): string {
  return text?.split('\n')[0]?.slice(0, 300) ?? 'no reason is recorded';
}
