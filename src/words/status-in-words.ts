import { DateTime } from 'luxon';
import { OWN_ACCOUNT } from '../account.ts';
import type { KeptCallbackCounts } from '../store/callback-counts.ts';
import type { Completeness } from '../store/completeness.ts';
import type { KeptTimingReport } from '../store/timing-reports.ts';
import type { CursorLag, PausedDelivery, WorkStatus } from '../store/work-status.ts';
import { exactMoment } from './exact-moment.ts';

/** More of one kind are counted, not listed. */
const LISTED = 20;

/** The status as lines for a terminal; what is empty is left out, except that nothing is wrong. */
export function describeStatus(status: WorkStatus, now: DateTime): string {
  const { counts, pauses, cursors, quarantined, deadEvents, failedInstructions } = status;
  const { undeliverableMails, overdueActions } = status;
  return [
    ...section(
      'Work',
      counts.map(({ table, state, count }) => `${table} ${state}: ${count}`),
      counts.length,
    ),
    describeUndelivered(status, now),
    ...section('Deliveries paused', pauses.map(describePause)),
    ...section('Stripe and the service compared', status.completeness.map(describeCompleteness)),
    ...section('Read up to', cursors.map(describeCursor)),
    ...section('What the timing is worth', status.timing.filter(hasHoldout).map(describeTiming)),
    ...section(
      'Callbacks of the embedded service that do not arrive (its list brings them within minutes; is PUBLIC_URL right? `callbacks` tells why)',
      status.callbacks.flatMap(describeCallbacks),
    ),
    ...section(
      'In quarantine: the service refused them (mend the cause, then: replay --refused)',
      quarantined.map(({ account, kind, id, answer }) => `${kind} ${id}${of(account)}: ${firstLine(answer)}`),
    ),
    ...section(
      'Dead events: processing failed for good (mend the cause, then: replay --events)',
      deadEvents.map(({ account, id, type, error }) => `${id} ${type}${of(account)}: ${firstLine(error)}`),
    ),
    ...section(
      'Instructions that could not be planned (mend the cause, then: replay --instructions)',
      failedInstructions.map(
        ({ account, requestId, invoiceId, reason }) =>
          `${requestId} for ${invoiceId ?? 'no invoice'}${of(account)}: ${firstLine(reason)}`,
      ),
    ),
    ...section(
      'Mails that could not go out (mend the cause; the next instruction for the invoice may send one again)',
      undeliverableMails.map(
        ({ action, invoiceId, reason, at }) =>
          `${action} ${invoiceId} at ${exactMoment(at)}: ${firstLine(reason)}`,
      ),
    ),
    ...section(
      'Mails that wait for the mail server (tried again every quarter of an hour, for three days; is SMTP_URL right?)',
      status.delayedMails.map(
        ({ account, action, invoiceId, since, reason }) =>
          `${action} ${invoiceId}${of(account)} since ${exactMoment(since)}: ${firstLine(reason)}`,
      ),
    ),
    ...section(
      'Observed only (RETRY_MODE is or was observe): what would have happened',
      status.observed.map(
        ({ kind, count, invoices, firstAt, lastAt }) =>
          `${OBSERVED.get(kind) ?? kind}: ${count}, for ${invoices} invoice(s), ${exactMoment(firstAt)} to ${exactMoment(lastAt)}`,
      ),
    ),
    ...section(
      'Overdue actions: is a process running?',
      overdueActions.map(
        ({ account, kind, invoiceId, dueAt, state }) =>
          `${kind} ${invoiceId}${of(account)}: due ${exactMoment(dueAt)}, ${state}`,
      ),
    ),
    ...section(
      'Waiting for Stripe to take the key (mend its permissions, or replace STRIPE_SECRET_KEY; they go on by themselves)',
      status.accessRefused.map(
        ({ account, count, reason }) => `account ${account}: ${count} action(s), ${firstLine(reason)}`,
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

function describePause({ account, until, failures, since }: PausedDelivery): string {
  const failed = `after ${failures} failure(s) in a row since ${exactMoment(since.toJSDate())}`;
  return `account ${account}: until ${exactMoment(until.toJSDate())}, ${failed}`;
}

function describeCompleteness(completeness: Completeness): string {
  const { account, kind, startedAt, finishedAt, reason, isStuck } = completeness;
  const { stripeSubscriptions: listed, deliveredSubscriptions: delivered, repaired } = completeness;
  const when = `${kind} of ${exactMoment(startedAt)}`;
  const counts = `Stripe has ${listed} subscriptions, ${delivered} are delivered; ${repaired} records were new or repaired`;
  if (finishedAt !== null) return `account ${account}, ${when}: ${counts}`;
  const why = reason === null ? '' : `, ${firstLine(reason)}`;
  const stuck = isStuck ? '; it has not moved for an hour: is a process running?' : '';
  return `account ${account}, ${when}: incomplete, ${listed} subscriptions read so far${why}${stuck}`;
}

const OBSERVED: ReadonlyMap<string, string> = new Map([
  ['pay', 'payments attempted'],
  ['email', 'mails sent'],
]);

const CURSORS: ReadonlyMap<string, string> = new Map([
  ['events', "Stripe's events"],
  ['listing', "the service's list of actions"],
]);

/** What to look at if a cursor stands still. */
const STUCK: ReadonlyMap<string, string> = new Map([
  ['events', 'is a process running, and does Stripe take its key?'],
  ['listing', 'is a process running, and does the service answer GET /v1/recovery_actions?'],
]);

function describeCursor({ account, name, at, lagSeconds, isStuck }: CursorLag): string {
  const behind = `${Math.floor(lagSeconds / 60)} min behind`;
  const stuck = isStuck ? `; ${STUCK.get(name) ?? 'is a process running?'}` : '';
  return `${CURSORS.get(name) ?? name}, account ${account}: ${exactMoment(at.toJSDate())}, ${behind}${stuck}`;
}

function hasHoldout({ report }: KeptTimingReport): boolean {
  return report.holdoutPercent > 0 || report.drawnPercent !== undefined;
}

function describeTiming({ account, readAt, report }: KeptTimingReport): string {
  const who = account === OWN_ACCOUNT ? '' : `account ${account}: `;
  return `${who}${report.summary} (${exactMoment(readAt)})`;
}

/** One that waits for less is on its way. */
const WAITING_MINUTES = 15;

function describeCallbacks({
  account,
  readAt,
  waiting,
  waitingSince,
  undelivered,
}: KeptCallbackCounts): string[] {
  const since = DateTime.fromISO(waitingSince ?? '', { zone: 'utc' });
  const isLate = since.isValid && since.plus({ minutes: WAITING_MINUTES }) <= DateTime.fromJSDate(readAt);
  const parts = [
    ...(isLate ? [`${waiting} waiting, the oldest since ${exactMoment(since.toJSDate())}`] : []),
    ...(undelivered > 0
      ? [`${undelivered} given up, sent again by \`callbacks resend\` once that is mended`]
      : []),
  ];
  return parts.length === 0 ? [] : [`account ${account}, ${exactMoment(readAt)}: ${parts.join('; ')}`];
}

/** Named only where it is not our own. */
function of(account: string): string {
  return account === OWN_ACCOUNT ? '' : ` of ${account}`;
}

function section(title: string, lines: readonly string[], most = LISTED): string[] {
  if (lines.length === 0) return [];
  const more = lines.length > most ? [`  … and ${lines.length - most} more`] : [];
  return [`${title}:`, ...lines.slice(0, most).map((line) => `  ${line}`), ...more];
}

function firstLine(text: string | null): string {
  return text?.split('\n')[0]?.slice(0, 300) ?? 'no reason is recorded';
}
