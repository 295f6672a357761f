import type { AuditKind } from '../../actions/audit-kinds.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import type { Objection } from './objection.ts';
import type { RetryDeps } from './retry-deps.ts';

/** An audit entry, written in the transaction that changes the action. */
export interface AuditLine {
  readonly kind: AuditKind;
  readonly detail: Record<string, unknown>;
}

/** The action took effect, or is not needed any more; `closed`: its attempt failed for good. */
export interface Ending {
  readonly state: 'done' | 'closed';
  readonly reason: Reason;
  /** Audit entry, if no row of its own records the effect. */
  readonly audit?: AuditLine;
}

/** An objection, for good or until a time. */
export interface Obstacle extends Objection {
  /** Replaces the entry about the guard. */
  readonly audit?: AuditLine;
}

/** Result of one run of an action. */
export type ActionResult = Ending | Obstacle;

/** Carries out one kind of action. It runs alone for its customer; an interrupted run starts over. */
export type ActionExecutor = (deps: RetryDeps, action: StoredAction) => Promise<ActionResult>;
