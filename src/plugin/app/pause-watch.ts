/** Notices within seconds that any process paused or resumed payments and emails: logs it, and looks for waiting work. */

import type { Clock } from '../../core/base/clock.ts';
import { DatabaseAwayError, EffectsPausedError } from '../../core/base/errors.ts';
import type { Logger } from '../../core/base/logger.ts';
import type { Queryable } from '../../core/database/database.ts';
import { repeatEvery } from '../../core/jobs/repeat-every.ts';
import { findPause, listPauses, type Pause } from '../store/tables/retry/pauses.ts';

interface PauseWatchDeps {
  readonly database: Queryable;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Has the work that waited found; each occasion is a pause's own, in every process. */
  readonly onResume: (occasion: string) => Promise<void>;
}

const LOOK_MS = 5_000;

/**
 * What keeps effects back are the rows themselves, read with each claim and before each write: this watch only logs, and
 * hurries what waits once they are gone.
 */
export function watchPauses({ database, clock, logger, onResume }: PauseWatchDeps) {
  let known = new Map<string, Pause>();

  /** Looks once. For a simulated clock, which fires no timers. */
  async function look(): Promise<void> {
    const current = new Map((await listPauses(database)).map((pause) => [keyOf(pause), pause]));
    for (const [key, { account, reason, pausedBy: by }] of current)
      if (!known.has(key))
        logger.error({ account, reason, by }, 'PAUSED: nothing is paid, emailed or changed');
    const ended = [...known].filter(([key]) => !current.has(key));
    known = current;
    for (const [key, { account }] of ended) {
      logger.warn({ account }, 'payments and emails are resumed; overdue work continues');
      await onResume(`after the pause ${key}: `);
    }
  }
  const lookSafely = () =>
    look().catch((error: unknown) => {
      if (error instanceof DatabaseAwayError) return;
      logger.warn({ err: error }, 'could not look for pauses; it is tried again');
    });
  return { look, stop: clock.isSimulated ? () => {} : repeatEvery(LOOK_MS, lookSafely) };
}

function keyOf({ account, pausedAt }: Pause): string {
  return `${account} ${pausedAt.toISO()}`;
}

/** Makes the Stripe client reject while payments and emails are paused. */
export function refuseWhilePaused(database: Queryable): (account: string) => Promise<void> {
  return async (account) => {
    const pause = await findPause(database, account);
    if (pause) throw new EffectsPausedError(account, pause.reason);
  };
}
