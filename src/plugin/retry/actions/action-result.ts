import type { AuditKind } from '../../actions/audit-kinds.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import type { Objection } from './objection.ts';
import type { RetryDeps } from './retry-deps.ts';

/** A line of the audit, written in the transaction that changes the action. */
export interface AuditLine {
  readonly kind: AuditKind;
  readonly detail: Record<string, unknown>;
}

/** It had its effect, or learned that none is needed any more; `closed`: its attempt came to nothing for good. */
export interface Ending {
  readonly state: 'done' | 'closed';
  readonly reason: Reason;
  /** What it did, where no row of its own records it. */
  readonly audit?: AuditLine;
}

/** Something stood against it: for good, or until a time. */
export interface Obstacle extends Objection {
  /** In place of the line about the guard. */
  readonly audit?: AuditLine;
}

/** What became of one run of an action. */
export type ActionResult = Ending | Obstacle;

/** Carries out one kind of action. It runs alone for its customer; when cut off, it is run again from the start. */
export type ActionExecutor = (deps: RetryDeps, action: StoredAction) => Promise<ActionResult>;
