import { DateTime } from 'luxon';
import { OWN_ACCOUNT } from '../../../settings/account.ts';
import { KNOWS_LITTLE } from '../../../settings/forwarding.ts';
import type { Completeness } from '../../../store/reports/backfill-report.ts';
import type { KeptTimes } from '../../../store/reports/instruction-fates.ts';
import type { Verification } from '../../../store/reports/verifications.ts';
import type { WorkStatus } from '../../../store/reports/work-status.ts';
import type { Undelivered } from '../../../store/tables/sync/outbox.ts';
import { resumeCommand } from '../../operations/switch-effects.ts';
import { describeCompared, describeDrawn } from '../describe-experiment.ts';
import { describePausedWork } from '../describe-pauses.ts';
import { describeReason } from '../describe-reason.ts';
import { describeState } from '../describe-state.ts';
import { exactMoment } from '../exact-moment.ts';
import { firstLine, TROUBLES } from './describe-troubles.ts';
import { type StatusPart, type StatusRows, toParts } from './status-part.ts';

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

/** Titles for stopped progress, which the usual titles do not mention. */
const STANDING_STILL: ReadonlyMap<StatusPart['about'], string> = new Map([
  ['cursors', 'Not read for a while'],
  ['completeness', 'The backfill does not continue'],
]);

export function nameStandstill(part: StatusPart): StatusPart {
  return { ...part, title: STANDING_STILL.get(part.about) ?? part.title };
}

/** Not urgent, and yet worth a look. */
export const WATCHED: readonly StatusPart['about'][] = [
  'overdueActions',
  'pauses',
  'delayedEmails',
  'callbacks',
];
/** Matters of single invoices, which *Needs attention* lists. */
const OF_INVOICES: readonly StatusPart['about'][] = ['undecided', 'openEndings', 'undeliverableEmails'];

export interface SystemState {
  readonly tone: 'good' | 'warn' | 'bad';
  readonly words: string;
}

/** The state of the system in two words: the same on every page, in the health and in the checks. */
export function describeSystem(status: WorkStatus, now: DateTime): SystemState {
  const parts = listStatusParts(status, now);
  const isProblem = ({ about }: StatusPart) =>
    status.concerns.some((concern) => concern === about) && !OF_INVOICES.includes(about);
  const problems = parts.filter(isProblem);
  const warnings = parts.filter((part) => !isProblem(part) && WATCHED.includes(part.about));
  const words = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
  if (problems.length > 0) return { tone: 'bad', words: words(problems.length, 'problem') };
  if (warnings.length > 0) return { tone: 'warn', words: words(warnings.length, 'warning') };
  return { tone: 'good', words: 'All systems normal' };
}

/** Parts of the status; empty ones are left out. */
export function listStatusParts(status: WorkStatus, now: DateTime): StatusPart[] {
  return toParts({ ...DECISIONS, ...PROGRESS, ...TROUBLES }, status, now).filter(
    ({ about, lines }) => lines.length > 0 || about === 'undelivered',
  );
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

/** What waits for a person's decision. */
const DECISIONS: StatusRows = {
  pausedEffects: {
    title: 'PAUSED',
    adviceOn: (pausedEffects) =>
      `incoming events are still recorded, and due actions wait until: ${pausedEffects.map(resumeCommand).join('; ')}`,
    each: describePausedWork,
  },
  undecided: {
    title: 'Payments with a new card that need a decision',
    advice: '`invoices release in_…` makes the payment, `invoices stop in_…` ends it',
    each: ({ account, invoiceId, customerId, createdAt, reason }) => {
      const who = account === OWN_ACCOUNT ? '' : ` of ${account}`;
      const why = reason ? describeReason(reason) : '';
      return `${invoiceId}${who}, customer ${customerId ?? 'unknown'}, since ${exactMoment(createdAt)}: ${why}`;
    },
  },
};

const PROGRESS: StatusRows = {
  counts: {
    title: 'Work',
    each: ({ table, state, count }) => `${table} ${describeState(state)}: ${count}`,
    isWhole: true,
  },
  undelivered: { title: 'Undelivered changes', titleNow: describeUndelivered, each: () => [] },
  pauses: {
    title: 'Deliveries paused',
    advice: 'retried automatically; check that the service answers and RETRY_SERVICE_URL is right',
    each: describePause,
  },
  untaken: {
    title: 'The service does not take',
    advice: 'they are left out; FORWARD_INVOICES or FORWARD_TRANSACTIONS=true sends records anyway',
    each: ({ account, kind, service }) => `${kind.replace('_', ' ')}, account ${account}: ${service}`,
    also: (untaken) =>
      (['invoices', 'transactions'] as const).every((kind) => untaken.some((one) => one.kind === kind))
        ? [KNOWS_LITTLE]
        : [],
  },
  completeness: {
    title: 'Stripe and the service compared',
    each: describeCompleteness,
  },
  verifications: {
    title: 'Verified against Stripe',
    advice: '`verify` says what differs',
    each: describeVerification,
  },
  cursors: { title: 'Read up to', each: describeCursor },
  keptTimes: {
    title: "The service's retries this month",
    each: describeKeptTimes,
  },
  experiment: {
    title: 'Experiment',
    advice: 'refunds and lost disputes are taken off; open disputes count as paid',
    each: (all) =>
      all === null ? [] : [describeDrawn(all), ...all.compared.map((one) => describeCompared(all, one))],
  },
  callbacks: {
    title: 'Callbacks of the embedded service that do not arrive',
    advice: 'its list delivers them within minutes; `queue callbacks` shows why',
    each: describeCallbacks,
  },
};

const FATES: Readonly<Record<KeptTimes['others'][number]['fate'], string>> = {
  kept: 'kept',
  late: 'made later',
  postponed: 'postponed',
  undecided: 'waiting for a person',
  settled: 'not needed any more',
  refused: 'not made',
};

/** The reasons of the rest by their codes, which the history of each invoice explains. */
function describeKeptTimes({ asked, kept, others }: KeptTimes): string[] {
  if (asked === 0) return [];
  const rest = others.map(
    ({ fate, reason, count }) => `${count} ${FATES[fate]}${reason === null ? '' : `: ${reason}`}`,
  );
  return [`kept at its time: ${Math.round((kept / asked) * 100)} % of ${asked} this month`, ...rest];
}

function describeUndelivered({ count, oldestAt }: Undelivered, now: DateTime): string {
  if (oldestAt === null) return 'Undelivered changes: none';
  const minutes = Math.max(0, Math.floor(now.diff(oldestAt).as('minutes')));
  return `Undelivered changes: ${count}, the oldest for ${minutes} min (${exactMoment(oldestAt)})`;
}

function describePause({ account, kind, until, failures, since }: WorkStatus['pauses'][number]): string {
  const failed = `after ${failures} failure(s) in a row since ${exactMoment(since)}`;
  return `account ${account}, ${kind}: until ${exactMoment(until)}, ${failed}`;
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

function describeVerification(verification: Verification): string {
  const { account, startedAt, finishedAt, reason, compared, differing, isRepaired } = verification;
  const what = `account ${account}, ${exactMoment(startedAt)}: ${compared} objects compared, ${differing} differ`;
  if (finishedAt === null)
    return `${what} so far${reason === null ? '' : `, ${firstLine(describeReason(reason))}`}`;
  return differing > 0 && isRepaired ? `${what}; everything was read again since` : what;
}

/** One that waits for less is on its way. */
const WAITING_MINUTES = 15;

function describeCallbacks({ account, readAt, report }: WorkStatus['callbacks'][number]): string[] {
  const { waiting, waitingSince, undelivered } = report;
  const since = DateTime.fromISO(waitingSince ?? '', { zone: 'utc' });
  const isLate = since.isValid && since.plus({ minutes: WAITING_MINUTES }) <= readAt;
  const parts = [
    ...(isLate ? [`${waiting} waiting, the oldest since ${exactMoment(since)}`] : []),
    ...(undelivered > 0
      ? [`${undelivered} given up, sent again by \`queue callbacks resend\` once the cause is fixed`]
      : []),
  ];
  return parts.length === 0 ? [] : [`account ${account}, ${exactMoment(readAt)}: ${parts.join('; ')}`];
}

const CURSORS: ReadonlyMap<string, string> = new Map([
  ['events', "Stripe's events"],
  ['listing', "the service's list of actions"],
]);

export function nameCursor(name: string): string {
  return CURSORS.get(name) ?? name;
}

/** What to check if a cursor does not move. */
const STUCK: ReadonlyMap<string, string> = new Map([
  ['events', 'check that a process is running and Stripe accepts its key'],
  ['listing', 'is a process running, and does the service answer GET /v1/recovery_actions?'],
]);

function describeCursor({ account, name, at, lagSeconds, isStuck }: WorkStatus['cursors'][number]): string {
  const minutes = Math.floor(lagSeconds / 60);
  const behind = `${minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`} behind`;
  const stuck = isStuck ? `; ${STUCK.get(name) ?? 'is a process running?'}` : '';
  return `${nameCursor(name)}, account ${account}: ${exactMoment(at)}, ${behind}${stuck}`;
}
