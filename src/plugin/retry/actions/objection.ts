import type { DateTime } from 'luxon';
import type { InstructedMail } from '../../actions/action-kinds.ts';
import type { Reason } from '../../reasons/reason.ts';

/** Not now, because. */
export interface Objection {
  /** The name of what stands against it. */
  readonly guard: string;
  readonly reason: Reason;
  /** When it is looked at again; without it, it ends, and only a new instruction can bring it back. */
  readonly until?: DateTime;
  /** It waits for a person instead of ending: `release` lets it happen. */
  readonly asksPerson?: true;
  /** The card ends it: what the customer can do instead, and the email that asks for that. */
  readonly asks?: InstructedMail;
}

/** One thing that may stand against what is planned. */
export interface Guard<Context> {
  readonly name: string;
  readonly check: (context: Context) => Omit<Objection, 'guard'> | undefined;
}

/** The first guard that objects decides. */
export function findObjection<Context>(
  guards: readonly Guard<Context>[],
  context: Context,
): Objection | undefined {
  for (const { name, check } of guards) {
    const objection = check(context);
    if (objection !== undefined) return { guard: name, ...objection };
  }
  return undefined;
}
