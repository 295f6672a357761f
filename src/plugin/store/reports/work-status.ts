/** Status of all work, and what needs attention. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import { listStalledQueues, type StalledQueue } from '../../../core/database/queued-jobs.ts';
import { type Reason, readReason, withReason } from '../../reasons/reason.ts';
import { listUndeliveredEvents, type UndeliveredEvents } from '../tables/host-events.ts';
import { listWrongClocks, type WrongClock } from '../tables/process-clocks.ts';
import { type AnyAction, aboutOf, findAction, listOverdueActions } from '../tables/retry/actions.ts';
import {
  type FailedInstruction,
  listFailedInstructions,
  listUnknownInvoices,
  type UnknownInvoices,
} from '../tables/retry/instructions.ts';
import { listPausedWork, type PausedWork } from '../tables/retry/pauses.ts';
import { listWithoutSignal, type WithoutSignal } from '../tables/retry/signals.ts';
import { listUndecided, type UndecidedAction } from '../tables/retry/undecided.ts';
import { type CursorPosition, type DeliveryPause, listDeliveryPauses } from '../tables/sync/cursors.ts';
import { type DeadEvent, listDeadEvents } from '../tables/sync/events.ts';
import { listCursorPositions } from '../tables/sync/listing-state.ts';
import { listMissedWebhooks, type MissedWebhooks } from '../tables/sync/missed-webhooks.ts';
import {
  countUndelivered,
  listDirtyAccounts,
  listOddAnswers,
  listQuarantined,
  type OddAnswers,
  type QuarantinedRecord,
  type Undelivered,
} from '../tables/sync/outbox.ts';
import { listUnmapped, type UnmappedRecord } from '../tables/sync/unmapped.ts';
import { listUntaken, type Untaken } from '../tables/sync/untaken.ts';
import { listRefused, type RefusedWebhooks } from '../tables/sync/webhook-refusals.ts';
import { type AccessRefused, countAccessRefused } from './access-refused.ts';
import { type Completeness, readCompleteness } from './completeness.ts';
import { countWork, type WorkCount } from './counters.ts';
import { type Experiment, readExperiment } from './experiment.ts';
import { type KeptTimes, readKeptTimes } from './instruction-fates.ts';
import { countObserved, type ObservedCount } from './observed.ts';
import { callbackReports, type KeptCallbackCounts } from './service-reports.ts';
import {
  type DelayedEmail,
  listDelayedEmails,
  listUndeliverableEmails,
  type UndeliverableEmail,
} from './unsent-emails.ts';
import { listVerifications, type Verification } from './verifications.ts';

export interface PausedDelivery extends DeliveryPause {
  account: string;
  /** The pause has lasted for more than an hour. */
  isLong: boolean;
}

export interface CursorLag extends CursorPosition {
  lagSeconds: number;
  /** Unmoved for more than a day: the process is not running, or access was refused. */
  isStuck: boolean;
}

export interface WorkStatus {
  /** Pauses of payments and emails. */
  pausedEffects: PausedWork[];
  /** Payments that wait for a person's decision. */
  undecided: UndecidedAction[];
  counts: WorkCount[];
  undelivered: Undelivered;
  pauses: PausedDelivery[];
  cursors: CursorLag[];
  /** Accounts whose events come from Stripe's list alone. */
  missedWebhooks: MissedWebhooks[];
  /** Last seven days. */
  refusedWebhooks: RefusedWebhooks[];
  quarantined: QuarantinedRecord[];
  /** Deliveries answered with a success that confirms nothing; they are repeated. */
  answeredOddly: OddAnswers[];
  /** Kinds of records that a service does not accept. */
  untaken: Untaken[];
  /** Records that fit no message, so that the service does not get them. */
  unmapped: UnmappedRecord[];
  deadEvents: DeadEvent[];
  failedInstructions: FailedInstruction[];
  /** Accounts whose service names many invoices unknown to Stripe. */
  unknownInvoices: UnknownInvoices[];
  undeliverableEmails: UndeliverableEmail[];
  /** Invoices given up whose end a person decides. */
  openEndings: OpenEnding[];
  /** Longest overdue first, at most a hundred; before a renewal, `invoiceId` is the subscription. */
  overdueActions: (Pick<AnyAction, 'id' | 'account' | 'kind' | 'dueAt' | 'state'> & { invoiceId: string })[];
  completeness: Completeness[];
  /** Last comparison with Stripe, by account. */
  verifications: Verification[];
  /** This month's retries at the service's time. */
  keptTimes: KeptTimes;
  /** Comparison with the control group; null before its first customer. */
  experiment: Experiment | null;
  /** The embedded service's callbacks at the last query, by account. */
  callbacks: KeptCallbackCounts[];
  stalledQueues: StalledQueue[];
  /** Processes with a clock, or a database clock, a minute off. */
  clocks: WrongClock[];
  /** Host events and webhooks given up, by channel. */
  undeliveredEvents: UndeliveredEvents[];
  /** Accounts without access to Stripe's retry signal (RETRY_SIGNAL). */
  withoutSignal: WithoutSignal[];
  /** Work that waits until Stripe accepts our key again, by account. */
  accessRefused: AccessRefused[];
  /** Payments and emails that `observe` mode left out, by kind. */
  observed: ObservedCount[];
  /** Emails that the mail server deferred; they are retried automatically. */
  delayedEmails: DelayedEmail[];
  /** The parts that need attention. */
  concerns: Concern[];
  needsPerson: boolean;
}

type Work = Omit<WorkStatus, 'concerns' | 'needsPerson'>;

/** A due action older than this has no process to carry it out. */
const OVERDUE_MINUTES = 5;
const MOST_OVERDUE = 100;
const LONG_PAUSE_HOURS = 1;
/** Many actions fall due in the same morning hour, and Stripe limits requests; after this time none should be left. */
const LONG_OVERDUE_HOURS = 1;
const STUCK_CURSOR_HOURS = 24;
/** Webhooks count as missing only if list reads keep finding events for this long; one read after a downtime does not count. */
const MISSED_MINUTES = 30;

const isAny = ({ length }: readonly unknown[]) => length > 0;

const CONCERNS = [
  { about: 'pausedEffects', holds: ({ pausedEffects }: Work) => isAny(pausedEffects) },
  { about: 'undecided', holds: ({ undecided }: Work) => isAny(undecided) },
  { about: 'stalledQueues', holds: ({ stalledQueues }: Work) => isAny(stalledQueues) },
  { about: 'clocks', holds: ({ clocks }: Work) => isAny(clocks) },
  { about: 'undeliveredEvents', holds: ({ undeliveredEvents }: Work) => isAny(undeliveredEvents) },
  { about: 'accessRefused', holds: ({ accessRefused }: Work) => isAny(accessRefused) },
  { about: 'cursors', holds: ({ cursors }: Work) => cursors.some(({ isStuck }) => isStuck) },
  { about: 'missedWebhooks', holds: ({ missedWebhooks }: Work) => isAny(missedWebhooks) },
  { about: 'pauses', holds: ({ pauses }: Work) => pauses.some(({ isLong }) => isLong) },
  { about: 'completeness', holds: ({ completeness }: Work) => completeness.some(({ isStuck }) => isStuck) },
  {
    about: 'verifications',
    holds: ({ verifications }: Work) =>
      verifications.some(({ differing, isRepaired }) => differing > 0 && !isRepaired),
  },
  { about: 'quarantined', holds: ({ quarantined }: Work) => isAny(quarantined) },
  { about: 'answeredOddly', holds: ({ answeredOddly }: Work) => isAny(answeredOddly) },
  { about: 'unmapped', holds: ({ unmapped }: Work) => isAny(unmapped) },
  { about: 'deadEvents', holds: ({ deadEvents }: Work) => isAny(deadEvents) },
  { about: 'failedInstructions', holds: ({ failedInstructions }: Work) => isAny(failedInstructions) },
  { about: 'unknownInvoices', holds: ({ unknownInvoices }: Work) => isAny(unknownInvoices) },
  { about: 'openEndings', holds: ({ openEndings }: Work) => isAny(openEndings) },
  { about: 'undeliverableEmails', holds: ({ undeliverableEmails }: Work) => isAny(undeliverableEmails) },
  {
    about: 'delayedEmails',
    holds: ({ delayedEmails }: Work, now: DateTime) =>
      delayedEmails.some(({ since }) => since < now.minus({ hours: LONG_PAUSE_HOURS })),
  },
  {
    about: 'overdueActions',
    holds: ({ overdueActions }: Work, now: DateTime) =>
      overdueActions.some(({ dueAt }) => dueAt < now.minus({ hours: LONG_OVERDUE_HOURS })),
  },
] as const;

export type Concern = (typeof CONCERNS)[number]['about'];

export async function readWorkStatus(db: Queryable, now: DateTime): Promise<WorkStatus> {
  const pauses = await listPauses(db, now);
  const cursors = (await listCursorPositions(db)).map((position) => toLag(position, now));
  const work: Work = {
    pausedEffects: await listPausedWork(db, now),
    undecided: await listUndecided(db),
    counts: await countWork(db),
    undelivered: await countUndelivered(db),
    pauses,
    cursors,
    missedWebhooks: (await listMissedWebhooks(db)).filter(isLongMissed),
    refusedWebhooks: await listRefused(db, now.minus({ days: 7 })),
    quarantined: await listQuarantined(db),
    answeredOddly: await listOddAnswers(db),
    untaken: await listUntaken(db),
    unmapped: await listUnmapped(db),
    deadEvents: await listDeadEvents(db),
    failedInstructions: await listFailedInstructions(db),
    unknownInvoices: await listUnknownInvoices(db, now),
    openEndings: await listOpenEndings(db),
    undeliverableEmails: await listUndeliverableEmails(db),
    overdueActions: await readOverdueActions(db, now),
    stalledQueues: await listStalledQueues(db),
    clocks: await listWrongClocks(db),
    undeliveredEvents: await listUndeliveredEvents(db),
    // An account is checked daily; one not checked any more has turned the signal off or has nothing to check.
    withoutSignal: await listWithoutSignal(db, now.minus({ days: 2 })),
    accessRefused: await countAccessRefused(db),
    completeness: await readCompleteness(db, now),
    verifications: await listVerifications(db),
    keptTimes: await readKeptTimes(db, now),
    experiment: (await readExperiment(db, now)) ?? null,
    callbacks: await callbackReports.list(db),
    observed: await countObserved(db),
    delayedEmails: await listDelayedEmails(db),
  };
  const concerns = CONCERNS.filter(({ holds }) => holds(work, now)).map(({ about }) => about);
  return { ...work, concerns, needsPerson: concerns.length > 0 };
}

async function listPauses(db: Queryable, now: DateTime): Promise<PausedDelivery[]> {
  const pauses: PausedDelivery[] = [];
  for (const account of await listDirtyAccounts(db)) {
    const long = now.minus({ hours: LONG_PAUSE_HOURS });
    for (const pause of await listDeliveryPauses(db, account, now))
      pauses.push({ account, ...pause, isLong: pause.since < long });
  }
  return pauses;
}

function isLongMissed({ since, lastAt }: MissedWebhooks): boolean {
  return lastAt.diff(since).as('minutes') >= MISSED_MINUTES;
}

function toLag(position: CursorPosition, now: DateTime): CursorLag {
  return {
    ...position,
    lagSeconds: Math.max(0, Math.round(now.diff(position.at).as('seconds'))),
    isStuck: position.at < now.minus({ hours: STUCK_CURSOR_HOURS }),
  };
}

async function readOverdueActions(db: Queryable, now: DateTime): Promise<WorkStatus['overdueActions']> {
  const before = now.minus({ minutes: OVERDUE_MINUTES });
  const actions: WorkStatus['overdueActions'] = [];
  for (const id of await listOverdueActions(db, before, MOST_OVERDUE)) {
    const action = await findAction(db, id);
    if (action) {
      const { account, kind, dueAt, state } = action;
      actions.push({ id, account, kind, invoiceId: aboutOf(action), dueAt, state });
    }
  }
  return actions;
}

interface OpenEnding {
  account: string;
  invoiceId: string;
  subscriptionId: string | null;
  amountRemaining: number;
  currency: string;
  givenUpAt: DateTime<true>;
  reason: Reason | null;
  /** Why the AFTER_GIVING_UP step was not done; null if none was planned. */
  obstacle: Reason | null;
}

/**
 * Lists given-up invoices without a done or planned ending, for a person to decide, oldest first. Leaves out those settled in
 * Stripe, stopped by a person or handed back.
 */
async function listOpenEndings(db: Queryable): Promise<OpenEnding[]> {
  const rows = await db.query<OpenEnding>(
    `select e.account, e.invoice_id, i.subscription_id, i.amount_remaining, i.currency, e.given_up_at, e.reason,
            (select a.reason from payment_retry.actions a where a.account = e.account and a.invoice_id = e.invoice_id
               and a.kind = 'end_dunning' order by a.created_at desc limit 1) as obstacle
     from payment_retry.endings e
     join payment_retry.invoices i on i.account = e.account and i.id = e.invoice_id and i.status = 'open'
     left join payment_retry.subscriptions s on s.account = i.account and s.id = i.subscription_id
     where e.ended_at is null and coalesce(s.status, '') not in ('canceled', 'incomplete_expired')
       and not exists (select 1 from payment_retry.actions a where a.account = e.account
         and a.invoice_id = e.invoice_id and a.kind = 'end_dunning' and a.state in ('scheduled', 'running'))
       and not exists (select 1 from payment_retry.hold_on(e.account, e.invoice_id) h where h.released_at is null)
       and not exists (select 1 from payment_retry.takeovers t where t.account = e.account
         and t.invoice_id = e.invoice_id and t.handed_back_at is not null)
     order by e.given_up_at`,
  );
  return rows.map(withReason).map((row) => ({ ...row, obstacle: row.obstacle && readReason(row.obstacle) }));
}
