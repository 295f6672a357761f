/** Deletes old data in small transactions that lock rows for milliseconds. */
import { DateTime, Duration } from 'luxon';
import type { Database, Queryable } from '../../../core/database/database.ts';
import { deletePassed } from '../../../core/database/passed-rows.ts';
import type { RetentionDays } from '../../settings/schema/retention-settings.ts';
import { eraseOldCards } from '../erasure/erase-customer.ts';
import {
  deleteInvoices,
  deleteOldAudit,
  dropOld,
  listSettledInvoices,
  type OldRows,
  type Portion,
  type SettledInvoice,
} from './old-rows.ts';

/** The last row looked at, in tables with rows that may stay. */
interface Looked {
  readonly invoice?: SettledInvoice;
  readonly auditId?: number;
}

/** Where the next pass resumes: this step, after that row. */
export interface PrunePosition extends Looked {
  readonly step: string;
}

/** Counts by kind of data. Without `next` the pass is complete. */
export interface Pruned {
  readonly counts: Readonly<Record<string, number>>;
  readonly next?: PrunePosition;
}

export interface PruneRequest {
  readonly days: RetentionDays;
  readonly now: DateTime;
  readonly maxSteps: number;
  readonly from?: PrunePosition | undefined;
}

const ROWS_IN_A_STEP = 500;
/** An invoice includes its attempts, actions and audit entries. */
const INVOICES_IN_A_STEP = 100;
/** Card networks count attempts for this long (stripe-facts 5.10). */
const CARD_DAYS = 30;
const CUSTOMERS_IN_A_STEP = 20;

/** The time known, and the times before which settled rows lose their bodies, or are deleted. */
interface Times {
  readonly known: DateTime;
  readonly bodies: DateTime;
  readonly rows: DateTime;
}

/** Changed rows. Without `next` the step is complete. */
interface Changed {
  readonly count: number;
  readonly next?: Looked;
}

interface Step {
  readonly name: string;
  run(database: Database, times: Times, looked: Looked): Promise<Changed>;
}

const STEPS: readonly Step[] = [
  drop('eventBodies', 'bodies'),
  drop('instructionBodies', 'bodies'),
  drop('emailAddresses', 'bodies'),
  drop('backfillRuns', 'bodies'),
  untilNone('cardsOfForgotten', (db, { known }) =>
    eraseOldCards(db, known.minus({ days: CARD_DAYS }), CUSTOMERS_IN_A_STEP),
  ),
  untilNone('passed', (db, { known }) =>
    deletePassed(db, 'payment_retry', { now: known, limit: ROWS_IN_A_STEP }),
  ),
  drop('events', 'rows'),
  drop('cardWarnings', 'rows'),
  { name: 'ofInvoices', run: pruneInvoices },
  { name: 'audit', run: pruneAudit },
];

function drop(rows: OldRows, age: 'bodies' | 'rows'): Step {
  return untilNone(rows, (db, times) => dropOld(db, rows, older(times[age])));
}

function older(before: DateTime): Portion {
  return { before, limit: ROWS_IN_A_STEP };
}

function untilNone(name: string, change: (database: Database, times: Times) => Promise<number>): Step {
  return {
    name,
    run: async (database, times) => {
      const count = await change(database, times);
      return count === 0 ? { count } : { count, next: {} };
    },
  };
}

/** Looks at each row once a pass, across any number of calls. */
export async function prune(
  database: Database,
  { days, now, maxSteps, from = { step: '' } }: PruneRequest,
): Promise<Pruned> {
  const known = await readKnownTime(database, now);
  if (!known) return { counts: {} };
  const times = { known, bodies: known.minus({ days: days.bodies }), rows: known.minus({ days: days.rows }) };
  const counts: Record<string, number> = {};
  const begun = STEPS.findIndex(({ name }) => name === from.step);
  let looked: Looked | undefined = from;
  let left = maxSteps;
  for (const { name, run } of STEPS.slice(Math.max(0, begun))) {
    for (looked ??= {}; looked; left -= 1) {
      if (left === 0) return { counts, next: { ...looked, step: name } };
      const { count, next } = await run(database, times, looked);
      if (count > 0) counts[name] = (counts[name] ?? 0) + count;
      looked = next;
    }
  }
  return { counts };
}

async function pruneInvoices(database: Database, { rows, known }: Times, looked: Looked): Promise<Changed> {
  const limit = INVOICES_IN_A_STEP;
  const page = await listSettledInvoices(database, { before: rows, limit }, looked.invoice);
  let count = 0;
  for (const [account, ids] of byAccount(page))
    count += await database.transaction((tx) =>
      deleteInvoices(tx, account, ids, { before: rows, today: known }),
    );
  const invoice = page[limit - 1];
  return invoice ? { count, next: { invoice } } : { count };
}

function byAccount(page: readonly SettledInvoice[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { account, id } of page) ids.set(account, [...(ids.get(account) ?? []), id]);
  return ids;
}

async function pruneAudit(database: Database, { rows }: Times, looked: Looked): Promise<Changed> {
  const { deleted, last } = await deleteOldAudit(database, older(rows), looked.auditId ?? 0);
  return last === undefined ? { count: deleted } : { count: deleted, next: { auditId: last } };
}

/** Stripe may send nothing for this long. */
const SILENCE = Duration.fromObject({ days: 1 });

/**
 * The time from which ages count: ours, but at most a day after Stripe's latest event, so that a clock set years ahead ages
 * nothing. Undefined before the first event.
 */
export async function readKnownTime(db: Queryable, now: DateTime) {
  const latest = await db.findValue<DateTime<true>>(
    `select greatest(
       (select max(created_at) from payment_retry.events
        where payload is not null and processed_at is not null and results->0->>'code' <> 'dead'),
       (select max(created_at) from payment_retry.events where payload is null)) as latest`,
  );
  return latest && DateTime.min(now, latest.plus(SILENCE));
}

/** Makes deleted space reusable and updates statistics. Only the embedded database needs it: PostgreSQL has autovacuum. */
export async function reclaimSpace(database: Database) {
  if (database.kind === 'embedded') await database.exec('vacuum analyze');
}
