import type { EventResult } from '../../store/reasons/event-result.ts';
import { holdsRevocation } from '../../store/tables/stored-accounts.ts';
import { ConcurrentUpdateError, type EventPlan } from '../events/event-step.ts';

/** The event is kept with the reason why nothing is done about it. */
export function toIgnored(account: string, result: EventResult): EventPlan {
  if (result.code !== 'access_revoked') return { result };
  return {
    result,
    // Whoever gives access back puts such events back: this one must be seen then, or see that access is there.
    apply: async (tx) => {
      if (!(await holdsRevocation(tx, account))) throw new ConcurrentUpdateError(`Access to ${account}`);
    },
  };
}
