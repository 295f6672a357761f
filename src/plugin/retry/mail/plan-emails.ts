import type { DateTime } from 'luxon';
import type { RetryDeps } from '../actions/retry-deps.ts';
import { planExpiryEmails } from './expiry-notice.ts';
import { planFirstNotices } from './first-notice.ts';

/** Plans emails that only depend on time, at most once an hour: it reads many rows. */
export function createEmailPlanner(
  deps: Pick<RetryDeps, 'database' | 'enqueue' | 'config' | 'clock'>,
): () => Promise<void> {
  let next: DateTime | undefined;
  return async () => {
    const now = deps.clock.now();
    if (next && now < next && now.plus({ hours: 1 }) >= next) return;
    await planExpiryEmails(deps);
    await planFirstNotices(deps);
    next = now.plus({ hours: 1 });
  };
}
