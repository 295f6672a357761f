/** Takes away what is old, in small steps: each is a transaction of its own, and what it locks it locks for milliseconds. */
import type { DateTime } from 'luxon';
import type { RetentionDays } from '../../config/config.ts';
import type { Database } from '../engine/database.ts';
import { deletePassed } from '../engine/passed-rows.ts';
import { eraseOldCards } from '../erasure/erase-customer.ts';
import { readKnownTime } from './known-time.ts';
import { dropAddresses, dropEventBodies, dropInstructionBodies, type Portion } from './old-bodies.ts';
import {
  deleteInvoices,
  deleteLiftedWarnings,
  deleteOldAudit,
  deleteOldEvents,
  deleteOldRuns,
  listSettledInvoices,
  type SettledInvoice,
} from './old-rows.ts';

/** What it came to, by kind. Nothing is left that could go if `isDone`. */
export interface Pruned {
  readonly counts: Readonly<Record<string, number>>;
  readonly isDone: boolean;
}

const ROWS_IN_A_STEP = 500;
/** An invoice takes its attempts, actions and entries of the audit with it. */
const INVOICES_IN_A_STEP = 100;

/** Each returns how many rows it changed; called again while that is not 0. */
type Step = (database: Database, portion: Portion) => Promise<number>;

const BODY_STEPS: Readonly<Record<string, Step>> = {
  eventBodies: dropEventBodies,
  instructionBodies: dropInstructionBodies,
  mailAddresses: dropAddresses,
  backfillRuns: (database, portion) => database.transaction((tx) => deleteOldRuns(tx, portion)),
};
/** For so long card networks count attempts with a card (stripe-facts 5.10). */
const CARD_DAYS = 30;
const CUSTOMERS_IN_A_STEP = 20;

const ROW_STEPS: Readonly<Record<string, Step>> = {
  events: deleteOldEvents,
  cardWarnings: deleteLiftedWarnings,
};

export async function prune(
  database: Database,
  { days, now, maxSteps }: { days: RetentionDays; now: DateTime; maxSteps: number },
): Promise<Pruned> {
  const known = await readKnownTime(database, now);
  if (!known) return { counts: {}, isDone: true };
  const budget = { steps: maxSteps };
  const [bodies, rows] = [known.minus({ days: days.bodies }), known.minus({ days: days.rows })];
  const counts: Record<string, number> = {};
  for (const [what, step] of Object.entries(BODY_STEPS))
    counts[what] = await repeat(step, database, { before: bodies, limit: ROWS_IN_A_STEP }, budget);
  const cards = { before: known.minus({ days: CARD_DAYS }), limit: CUSTOMERS_IN_A_STEP };
  counts.cardsOfForgotten = await repeat(
    (db, { before, limit }) => eraseOldCards(db, before, limit),
    database,
    cards,
    budget,
  );
  counts.passed = await repeat(
    (db, { before: now, limit }) => deletePassed(db, 'payment_retry', { now, limit }),
    database,
    { before: known, limit: ROWS_IN_A_STEP },
    budget,
  );
  for (const [what, step] of Object.entries(ROW_STEPS))
    counts[what] = await repeat(step, database, { before: rows, limit: ROWS_IN_A_STEP }, budget);
  counts.ofInvoices = await pruneInvoices(database, { before: rows, today: known }, budget);
  counts.audit = await pruneAudit(database, rows, budget);
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  return { counts: Object.fromEntries(found), isDone: budget.steps > 0 };
}

interface Budget {
  steps: number;
}

async function repeat(step: Step, database: Database, portion: Portion, budget: Budget): Promise<number> {
  let total = 0;
  for (; budget.steps > 0; budget.steps -= 1) {
    const count = await step(database, portion);
    if (count === 0) break;
    total += count;
  }
  return total;
}

async function pruneInvoices(
  database: Database,
  { before, today }: { before: DateTime; today: DateTime },
  budget: Budget,
): Promise<number> {
  let total = 0;
  let after: SettledInvoice | undefined;
  for (; budget.steps > 0; budget.steps -= 1) {
    const page = await listSettledInvoices(database, { before, limit: INVOICES_IN_A_STEP }, after);
    for (const [account, ids] of byAccount(page))
      total += await database.transaction((tx) => deleteInvoices(tx, account, ids, { before, today }));
    after = page[INVOICES_IN_A_STEP - 1];
    if (!after) break;
  }
  return total;
}

function byAccount(page: readonly SettledInvoice[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { account, id } of page) ids.set(account, [...(ids.get(account) ?? []), id]);
  return ids;
}

async function pruneAudit(database: Database, before: DateTime, budget: Budget): Promise<number> {
  let total = 0;
  let after = 0;
  for (; budget.steps > 0; budget.steps -= 1) {
    const { deleted, last } = await deleteOldAudit(database, { before, limit: ROWS_IN_A_STEP }, after);
    total += deleted;
    if (last === undefined) break;
    after = last;
  }
  return total;
}
