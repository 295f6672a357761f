/** Where the work stands, and what of it a person has to look at. */
import type { DateTime } from 'luxon';
import { findAction, listOverdueActions, type StoredAction } from './actions.ts';
import { findDeliveryPause } from './cursors.ts';
import type { Queryable } from './database.ts';
import { type DeadEvent, listDeadEvents } from './events.ts';
import { type FailedInstruction, listFailedInstructions } from './instructions.ts';
import {
  countUndelivered,
  listDirtyAccounts,
  listQuarantined,
  type QuarantinedRecord,
  type Undelivered,
} from './outbox.ts';
import { countWork, type WorkCount } from './work-counts.ts';

export interface PausedDelivery {
  account: string;
  until: DateTime;
  failures: number;
  /** It has gone on for more than an hour. */
  isLong: boolean;
}

export interface WorkStatus {
  counts: WorkCount[];
  undelivered: Undelivered;
  pauses: PausedDelivery[];
  quarantined: QuarantinedRecord[];
  deadEvents: DeadEvent[];
  failedInstructions: FailedInstruction[];
  /** The longest overdue, at most a hundred. */
  overdueActions: Pick<StoredAction, 'id' | 'kind' | 'invoiceId' | 'dueAt' | 'state'>[];
  needsPerson: boolean;
}

/** A due action that waits longer than this has no process to carry it out. */
const OVERDUE_MINUTES = 5;
const MOST_OVERDUE = 100;
const LONG_PAUSE_HOURS = 1;
/** So many back-offs in a row, jitter included, are an hour at the least that can be expected. */
const FAILURES_OF_AN_HOUR = 23;

export async function readWorkStatus(db: Queryable, now: DateTime): Promise<WorkStatus> {
  const undelivered = await countUndelivered(db);
  const pauses = await listPauses(db, undelivered, now);
  const quarantined = await listQuarantined(db);
  const deadEvents = await listDeadEvents(db);
  const failedInstructions = await listFailedInstructions(db);
  return {
    counts: await countWork(db),
    undelivered,
    pauses,
    quarantined,
    deadEvents,
    failedInstructions,
    overdueActions: await readOverdueActions(db, now),
    needsPerson:
      quarantined.length + deadEvents.length + failedInstructions.length > 0 ||
      pauses.some(({ isLong }) => isLong),
  };
}

/** How long the failures have lasted is not stored; the oldest waiting change and their number tell. */
async function listPauses(
  db: Queryable,
  { oldestAt }: Undelivered,
  now: DateTime,
): Promise<PausedDelivery[]> {
  const isOld = oldestAt !== null && oldestAt.getTime() < now.minus({ hours: LONG_PAUSE_HOURS }).toMillis();
  const pauses: PausedDelivery[] = [];
  for (const account of await listDirtyAccounts(db)) {
    const pause = await findDeliveryPause(db, account);
    if (pause) pauses.push({ account, ...pause, isLong: isOld || pause.failures >= FAILURES_OF_AN_HOUR });
  }
  return pauses;
}

async function readOverdueActions(db: Queryable, now: DateTime): Promise<WorkStatus['overdueActions']> {
  const before = now.minus({ minutes: OVERDUE_MINUTES });
  const actions: WorkStatus['overdueActions'] = [];
  for (const id of await listOverdueActions(db, before, MOST_OVERDUE)) {
    const action = await findAction(db, id);
    if (action) {
      const { kind, invoiceId, dueAt, state } = action;
      actions.push({ id, kind, invoiceId, dueAt, state });
    }
  }
  return actions;
}
