import type { DateTime } from 'luxon';
import type { StoredAction } from '../../store/tables/retry/actions.ts';
import type { RetryDeps } from './retry-deps.ts';

/** What became of one run of an action. */
export type ActionResult =
  /** It had its effect, or learned that none is needed any more. */
  | { kind: 'done'; reason: string }
  /** Something stood against it for good. */
  | ({ kind: 'closed'; reason: string } & Told)
  | ({ kind: 'postponed'; until: DateTime; reason: string } & Told);

/** By what; the audit gets it with the new state. `isTold`: the action's story says it already. */
type Told = { guard: string } | { isTold: true };

/** Carries out one kind of action. It runs alone for its customer; when cut off, it is run again from the start. */
export type ActionExecutor = (deps: RetryDeps, action: StoredAction) => Promise<ActionResult>;
