/** Status of all work, and what needs attention. */
import type { DateTime } from 'luxon';
import type { Queryable } from '../../../core/database/database.ts';
import { listStalledQueues } from '../../../core/database/queued-jobs.ts';
import type { Reason } from '../../reasons/reason.ts';
import { listUndeliveredEvents } from '../tables/host-events.ts';
import { listWrongClocks } from '../tables/process-clocks.ts';
import { aboutOf, findAction, listOverdueActions } from '../tables/retry/actions.ts';
import { listFailedInstructions, listUnknownInvoices } from '../tables/retry/instructions.ts';
import { listPausedWork } from '../tables/retry/pauses.ts';
import { listUndecided } from '../tables/retry/planned-actions.ts';
import { listWithoutSignal } from '../tables/retry/signals.ts';
import { listDeliveryPauses } from '../tables/sync/cursors.ts';
import { listDeadEvents } from '../tables/sync/events.ts';
import { type CursorPosition, listCursorPositions } from '../tables/sync/listing-state.ts';
import { listMissedWebhooks, type MissedWebhooks } from '../tables/sync/missed-webhooks.ts';
import {
  countUndelivered,
  listDirtyAccounts,
  listOddAnswers,
  listQuarantined,
} from '../tables/sync/outbox.ts';
import { listUnmapped } from '../tables/sync/unmapped.ts';
import { listUntaken } from '../tables/sync/untaken.ts';
import { listRefused } from '../tables/sync/webhook-refusals.ts';
import { readCompleteness } from './backfill-report.ts';
import { countWork } from './counters.ts';
import { readExperiment } from './experiment.ts';
import { readKeptTimes } from './instruction-fates.ts';
import { listKeptCallbacks } from './kept-cases.ts';
import { countObserved } from './observed.ts';
import { countAccessRefused, listDelayedEmails, listUndeliverableEmails } from './unsent-emails.ts';
import { listVerifications } from './verifications.ts';

/** A due action older than this has no process to carry it out. */
const OVERDUE_MINUTES = 5;
const MOST_OVERDUE = 100;
const LONG_PAUSE_HOURS = 1;
/** Many actions fall due in the same morning hour, and Stripe limits requests; after this time none should be left. */
const LONG_OVERDUE_HOURS = 1;
const STUCK_CURSOR_HOURS = 24;
/** Webhooks count as missing only if list reads keep finding events for this long; one read after a downtime does not count. */
const MISSED_MINUTES = 30;

async function readWork(db: Queryable, now: DateTime) {
  return {
    pausedEffects: await listPausedWork(db, now),
    undecided: await listUndecided(db),
    counts: await countWork(db),
    undelivered: await countUndelivered(db),
    pauses: await listPauses(db, now),
    cursors: (await listCursorPositions(db)).map((position) => toLag(position, now)),
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
    callbacks: await listKeptCallbacks(db),
    observed: await countObserved(db),
    delayedEmails: await listDelayedEmails(db),
  };
}

type Work = Awaited<ReturnType<typeof readWork>>;

function concern<Part extends keyof Work>(about: Part, holds: (part: Work[Part], now: DateTime) => boolean) {
  return { about, holds: (work: Work, now: DateTime) => holds(work[about], now) };
}

const isAny = ({ length }: readonly unknown[]) => length > 0;

/** The parts that need attention, and when. */
const CONCERNS = [
  concern('pausedEffects', isAny),
  concern('undecided', isAny),
  concern('stalledQueues', isAny),
  concern('clocks', isAny),
  concern('undeliveredEvents', isAny),
  concern('accessRefused', isAny),
  concern('cursors', (cursors) => cursors.some(({ isStuck }) => isStuck)),
  concern('missedWebhooks', isAny),
  concern('pauses', (pauses) => pauses.some(({ isLong }) => isLong)),
  concern('completeness', (accounts) => accounts.some(({ isStuck }) => isStuck)),
  concern('verifications', (found) =>
    found.some(({ differing, isRepaired }) => differing > 0 && !isRepaired),
  ),
  concern('quarantined', isAny),
  concern('answeredOddly', isAny),
  concern('unmapped', isAny),
  concern('deadEvents', isAny),
  concern('failedInstructions', isAny),
  concern('unknownInvoices', isAny),
  concern('openEndings', isAny),
  concern('undeliverableEmails', isAny),
  concern('delayedEmails', (emails, now) => {
    const before = now.minus({ hours: LONG_PAUSE_HOURS });
    return emails.some(({ since }) => since < before);
  }),
  concern('overdueActions', (actions, now) => {
    const before = now.minus({ hours: LONG_OVERDUE_HOURS });
    return actions.some(({ dueAt }) => dueAt < before);
  }),
];

export type Concern = (typeof CONCERNS)[number]['about'];

export interface WorkStatus extends Work {
  readonly concerns: readonly Concern[];
  readonly needsPerson: boolean;
}

export async function readWorkStatus(db: Queryable, now: DateTime): Promise<WorkStatus> {
  const work = await readWork(db, now);
  const concerns = CONCERNS.filter(({ holds }) => holds(work, now)).map(({ about }) => about);
  return { ...work, concerns, needsPerson: concerns.length > 0 };
}

async function listPauses(db: Queryable, now: DateTime) {
  const long = now.minus({ hours: LONG_PAUSE_HOURS });
  const pauses = [];
  for (const account of await listDirtyAccounts(db))
    for (const pause of await listDeliveryPauses(db, account, now))
      pauses.push({ account, ...pause, isLong: pause.since < long });
  return pauses;
}

function isLongMissed({ since, lastAt }: MissedWebhooks): boolean {
  return lastAt.diff(since).as('minutes') >= MISSED_MINUTES;
}

function toLag(position: CursorPosition, now: DateTime) {
  return {
    ...position,
    lagSeconds: Math.max(0, Math.round(now.diff(position.at).as('seconds'))),
    // The process is not running, or access was refused.
    isStuck: position.at < now.minus({ hours: STUCK_CURSOR_HOURS }),
  };
}

/** Longest overdue first; before a renewal, `invoiceId` is the subscription. */
async function readOverdueActions(db: Queryable, now: DateTime) {
  const actions = [];
  for (const id of await listOverdueActions(db, now.minus({ minutes: OVERDUE_MINUTES }), MOST_OVERDUE)) {
    const action = await findAction(db, id);
    if (!action) continue;
    const { account, kind, dueAt, state } = action;
    actions.push({ id, account, kind, invoiceId: aboutOf(action), dueAt, state });
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
function listOpenEndings(db: Queryable) {
  return db.query<OpenEnding>(
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
}
