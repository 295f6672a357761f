import type { Reason } from '../../store/reasons/reason.ts';
import { describeRevocation, holdsRevocation } from '../../store/tables/stored-accounts.ts';
import { ConcurrentUpdateError, type EventPlan } from './event-step.ts';

/** The event is kept with the reason why nothing is done about it. */
export function toIgnored(account: string, reason: string): EventPlan {
  const result = `ignored: ${reason}`;
  if (result !== revokedResult(account)) return { result };
  return {
    result,
    // Whoever gives access back puts such events back: this one must be seen then, or see that access is there.
    apply: async (tx) => {
      if (!(await holdsRevocation(tx, account))) throw new ConcurrentUpdateError(`Access to ${account}`);
    },
  };
}

export function accountSentence(reason: Reason): string {
  if (reason.code === 'access_revoked') return describeRevocation(reason.account);
  if (reason.code !== 'account_not_configured') return reason.code;
  return `account ${reason.account} is not configured; add it, or "*", to CONNECTED_ACCOUNTS`;
}

/** Of an event that came while our access to its account was revoked. */
export function revokedResult(account: string): string {
  return `ignored: ${describeRevocation(account)}`;
}
