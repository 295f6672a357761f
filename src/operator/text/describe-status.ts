import { DateTime } from 'luxon';
import { OWN_ACCOUNT } from '../../config/account.ts';
import type { Reason } from '../../store/reasons/reason.ts';
import type { Completeness } from '../../store/reports/completeness.ts';
import type { KeptCallbackCounts, KeptTimingReport } from '../../store/reports/service-reports.ts';
import type { PausedDelivery, WorkStatus } from '../../store/reports/work-status.ts';
import { describeAction } from './describe-actions.ts';
import { money } from './describe-code.ts';
import { describeCursor } from './describe-cursors.ts';
import { describeDecisions } from './describe-decisions.ts';
import { describeReason } from './describe-reason.ts';
import { describeState } from './describe-state.ts';
import { exactMoment } from './exact-moment.ts';
import { part, type StatusPart } from './status-part.ts';

/** The status as lines for a terminal; `alarm` makes what nobody may overlook stand out. */
export function describeStatus(
  status: WorkStatus,
  now: DateTime,
  alarm: (line: string) => string = (line) => line,
): string {
  const lines = listStatusParts(status, now).flatMap((part) =>
    part.about === 'pausedEffects' ? describePart(part).map(alarm) : describePart(part),
  );
  return [...lines, describeNeed(status)].join('\n');
}

export function describeNeed({ needsPerson }: WorkStatus): string {
  return needsPerson ? 'Action required.' : 'No action required.';
}

/** What is empty is left out. */
export function listStatusParts(status: WorkStatus, now: DateTime): StatusPart[] {
  return [
    ...describeDecisions(status),
    ...listProgressParts(status, now),
    ...listTroubleParts(status),
  ].filter(({ about, lines }) => lines.length > 0 || about === 'undelivered');
}

function describePart({ title, advice, lines, more }: StatusPart): string[] {
  if (lines.length === 0) return [title];
  const heading = advice === undefined ? `${title}:` : `${title} (${advice}):`;
  const rest = more > 0 ? [`  ${describeMore(more)}`] : [];
  return [heading, ...lines.map((line) => `  ${line}`), ...rest];
}

export function describeMore(more: number): string {
  return `… and ${more} more`;
}

function listProgressParts(status: WorkStatus, now: DateTime): StatusPart[] {
  const { counts, pauses, cursors, completeness, timing, callbacks } = status;
  return [
    part(
      { about: 'counts', title: 'Work' },
      counts.map(({ table, state, count }) => `${table} ${describeState(state)}: ${count}`),
      counts.length,
    ),
    part({ about: 'undelivered', title: describeUndelivered(status, now) }, []),
    part(
      {
        about: 'pauses',
        title: 'Deliveries paused',
        advice: 'retried automatically; check that the service answers and RETRY_SERVICE_URL is right',
      },
      pauses.map(describePause),
    ),
    part(
      { about: 'completeness', title: 'Stripe and the service compared' },
      completeness.map(describeCompleteness),
    ),
    part({ about: 'cursors', title: 'Read up to' }, cursors.map(describeCursor)),
    part(
      { about: 'timing', title: 'What the timing is worth' },
      timing.filter(hasHoldout).map(describeTiming),
    ),
    part(
      {
        about: 'callbacks',
        title: 'Callbacks of the embedded service that do not arrive',
        advice: 'its list delivers them within minutes; `callbacks` shows why',
      },
      callbacks.flatMap(describeCallbacks),
    ),
  ];
}

function listTroubleParts(status: WorkStatus): StatusPart[] {
  return [
    part(
      {
        about: 'stalledQueues',
        title: 'Queues that do not move',
        advice: 'is a process running? If one is, start it again',
      },
      status.stalledQueues.map(
        ({ name, waiting, dueSince }) => `${name}: ${waiting} waiting, due since ${exactMoment(dueSince)}`,
      ),
    ),
    part(
      {
        about: 'undeliveredEvents',
        title: 'Events that could not be delivered for days',
        advice: 'see EVENTS_URL, or the handlers of createPlugin; they are deleted after a month',
      },
      status.undeliveredEvents.map(
        ({ channel, dead, problem }) =>
          `${channel}: ${dead}, the latest: ${problem ?? 'no cause is recorded'}`,
      ),
    ),
    {
      ...part(
        {
          about: 'quarantined',
          title: 'In quarantine: the service refused them',
          advice: 'fix the cause, then run: replay --refused; or set one aside: `dismiss ID`',
        },
        status.quarantined.map(
          ({ account, kind, id, answer }) => `${kind} ${id}${of(account)}: ${firstLine(answer)}`,
        ),
      ),
      ids: status.quarantined.map(({ id }) => id),
    },
    part(
      {
        about: 'unmapped',
        title: 'Not forwarded: what Stripe says of them is not understood',
        advice: 'fix the cause in Stripe or update the plugin, then run: replay --unmapped',
      },
      status.unmapped.map(
        ({ account, kind, id, reason }) =>
          `${kind} ${id}${of(account)}: ${firstLine(describeReason(reason))}`,
      ),
    ),
    part(
      {
        about: 'deadEvents',
        title: 'Dead events: processing failed for good',
        advice: 'fix the cause, then run: replay --events',
      },
      status.deadEvents.map(
        ({ account, id, type, error, reason }) =>
          `${id} ${type}${of(account)}: ${firstLine(reason ?? error)}`,
      ),
    ),
    part(
      {
        about: 'failedInstructions',
        title: 'Instructions that could not be planned',
        advice: 'fix the cause, then run: replay --instructions',
      },
      status.failedInstructions.map(
        ({ account, requestId, invoiceId, reason }) =>
          `${requestId} for ${invoiceId ?? 'no invoice'}${of(account)}: ${firstLine(reason)}`,
      ),
    ),
    describeOpenEndings(status),
    ...listMailProblems(status),
    part(
      {
        about: 'observed',
        title:
          'Observed only (RETRY_MODE is or was observe, or RECOVER_… leaves them out): what would have happened',
      },
      status.observed.map(
        ({ kind, count, invoices, firstAt, lastAt }) =>
          `${OBSERVED.get(kind) ?? kind}: ${count}, for ${invoices} invoice(s), ${exactMoment(firstAt)} to ${exactMoment(lastAt)}`,
      ),
    ),
    part(
      { about: 'overdueActions', title: 'Overdue actions', advice: 'is a process running?' },
      status.overdueActions.map(
        ({ account, kind, invoiceId, dueAt, state }) =>
          `${describeAction(kind)} of ${invoiceId}${of(account)}: due ${exactMoment(dueAt)}, ${state}`,
      ),
    ),
    part(
      {
        about: 'accessRefused',
        title: 'Waiting until Stripe accepts the key',
        advice:
          'grant the key its permissions, or replace STRIPE_SECRET_KEY; the work then continues by itself',
      },
      status.accessRefused.map(
        ({ account, what, count, reason }) => `account ${account}: ${count} ${what}(s), ${firstLine(reason)}`,
      ),
    ),
  ];
}

function describeOpenEndings({ openEndings }: WorkStatus): StatusPart {
  return part(
    {
      about: 'openEndings',
      title: 'Given up and not decided',
      advice:
        'cancel, pause or write off in Stripe, or `stop` the invoice; AFTER_GIVING_UP can do it from now on',
    },
    openEndings.map(({ account, invoiceId, subscriptionId, amountRemaining, currency, ...ending }) => {
      const { givenUpAt, reason, obstacle } = ending;
      const which = `${invoiceId}${subscriptionId === null ? '' : ` for ${subscriptionId}`}${of(account)}`;
      const why = reason ? `, ${describeReason(reason)}` : '';
      const more = obstacle === null ? '' : `; ${firstLine(obstacle)}`;
      return `${which}, ${money(amountRemaining, currency)}: since ${exactMoment(givenUpAt)}${why}${more}`;
    }),
  );
}

function listMailProblems({ undeliverableMails, delayedMails }: WorkStatus): StatusPart[] {
  return [
    part(
      {
        about: 'undeliverableMails',
        title: 'Mails that could not go out',
        advice: 'fix the cause; the next instruction for the invoice can send the mail again',
      },
      undeliverableMails.map(
        ({ action, invoiceId, reason, at }) =>
          `${describeAction(action)} for ${invoiceId} at ${exactMoment(at)}: ${firstLine(reason)}`,
      ),
    ),
    part(
      {
        about: 'delayedMails',
        title: 'Mails that wait for the mail server',
        advice: 'retried every 15 minutes for three days; check SMTP_URL',
      },
      delayedMails.map(
        ({ account, action, invoiceId, since, reason }) =>
          `${describeAction(action)} for ${invoiceId}${of(account)} since ${exactMoment(since)}: ${firstLine(reason)}`,
      ),
    ),
  ];
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
  const why = reason === null ? '' : `, ${firstLine(describeReason(reason))}`;
  const stuck = isStuck ? '; it has not moved for an hour: is a process running?' : '';
  return `account ${account}, ${when}: incomplete, ${listed} subscriptions read so far${why}${stuck}`;
}

const OBSERVED: ReadonlyMap<string, string> = new Map([
  ['pay', 'payments attempted'],
  ['email', 'mails sent'],
  ['ending', 'invoices ended as AFTER_GIVING_UP says'],
]);

function hasHoldout({ report }: KeptTimingReport): boolean {
  return report.holdoutPercent > 0 || report.drawnPercent !== undefined;
}

function describeTiming({ account, readAt, report }: KeptTimingReport): string {
  const who = account === OWN_ACCOUNT ? '' : `account ${account}: `;
  return `${who}${report.summary} (${exactMoment(readAt)})`;
}

/** One that waits for less is on its way. */
const WAITING_MINUTES = 15;

function describeCallbacks({ account, readAt, report }: KeptCallbackCounts): string[] {
  const { waiting, waitingSince, undelivered } = report;
  const since = DateTime.fromISO(waitingSince ?? '', { zone: 'utc' });
  const isLate = since.isValid && since.plus({ minutes: WAITING_MINUTES }) <= DateTime.fromJSDate(readAt);
  const parts = [
    ...(isLate ? [`${waiting} waiting, the oldest since ${exactMoment(since.toJSDate())}`] : []),
    ...(undelivered > 0
      ? [`${undelivered} given up, sent again by \`callbacks resend\` once the cause is fixed`]
      : []),
  ];
  return parts.length === 0 ? [] : [`account ${account}, ${exactMoment(readAt)}: ${parts.join('; ')}`];
}

/** Named only where it is not our own. */
function of(account: string): string {
  return account === OWN_ACCOUNT ? '' : ` of ${account}`;
}

function firstLine(value: string | Reason | null): string {
  const text = typeof value === 'string' ? value : value && describeReason(value);
  return text?.split('\n')[0]?.slice(0, 300) ?? 'no reason is recorded';
}
