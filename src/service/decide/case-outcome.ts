/** What looks at cases change, as data; written for many cases in one go. */
import type { DateTime } from 'luxon';
import type { Transaction } from '../../core/database/database.ts';
import type { Enqueue } from '../../core/jobs/enqueue.ts';
import type { ServicePayloads } from '../service-queues.ts';
import { type CaseUpdate, updateCases } from '../store/payment-cases.ts';
import {
  type ActionClosure,
  closeRecoveryActions,
  insertRecoveryActions,
  lockActions,
  type NewRecoveryAction,
  recordLateOutcomes,
} from '../store/recovery-actions.ts';

export interface CaseOutcome extends CaseChange {
  readonly invoiceId: string;
  /** Actions that had ended without an outcome and have one after all. */
  readonly late: readonly ActionClosure[];
}

/** How a case goes on from here; nothing in it: as before. */
export interface CaseChange {
  /** The outstanding action ends. */
  readonly closed?: ActionClosure | undefined;
  /** The new request; it is sent. */
  readonly action?: NewRecoveryAction | undefined;
  /** The case's update. An open case is reviewed at its `reviewAt`, with any outcome of the instruction. */
  readonly update?: CaseUpdate | undefined;
  /** A line for the log, once the decision is stored. */
  readonly news?: { readonly message: string; readonly fields: object } | undefined;
}

export interface WriteDeps {
  readonly organization: string;
  readonly enqueue: Enqueue<ServicePayloads>;
}

export async function writeOutcomes(
  tx: Transaction,
  { organization, enqueue }: WriteDeps,
  outcomes: readonly CaseOutcome[],
  now: DateTime,
): Promise<void> {
  const late = outcomes.flatMap((outcome) => outcome.late);
  const closed = outcomes.flatMap((outcome) => outcome.closed ?? []);
  const actions = outcomes.flatMap((outcome) => outcome.action ?? []);
  const updates = outcomes.flatMap((outcome) => outcome.update ?? []);
  const ended = [...late, ...closed].map(({ id }) => id);
  if (ended.length > 0) await lockActions(tx, ended);
  if (late.length > 0) await recordLateOutcomes(tx, late, now);
  if (closed.length > 0) await closeRecoveryActions(tx, closed, now);
  if (actions.length > 0) await insertRecoveryActions(tx, organization, actions, now);
  if (updates.length > 0) await updateCases(tx, organization, updates, now);
  await enqueue(
    'send',
    actions.map(({ id }) => ({ data: { organization, actionId: id } })),
    tx,
  );
  const reviews = updates.flatMap(({ invoiceId, reviewAt }) =>
    reviewAt ? { data: { organization, invoiceId }, startAfter: reviewAt } : [],
  );
  await enqueue('decide', reviews, tx);
}
