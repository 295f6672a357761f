/** Decides when to look for due jobs: often while there is work, and otherwise when the next one falls due. */
import { AsyncResource } from 'node:async_hooks';

export interface DueWatch {
  /** Something was enqueued, or has ended: more may follow. */
  attend(): void;
  stop(): void;
}

/** How late a due job may be noticed. */
const LOOK_MS = 500;
/** After a rest there is nothing to gather. */
const FIRST_LOOK_MS = 20;
/** What is enqueued in a transaction can be seen after its end, and work makes more work. */
const LOOKS_AFTER_WORK = 10;

/**
 * `look` resolves to how long it takes until the next job is due that is known of; zero or less where one is due now. `restMs` is the
 * longest rest: other processes and the queue's own schedules enqueue, too.
 */
export function watchDue(look: () => Promise<number | undefined>, restMs: number): DueWatch {
  let looksLeft = LOOKS_AFTER_WORK;
  let isStopped = false;
  let isLooking = false;
  /** In the context of the start: whoever enqueues may be in the middle of a transaction, or of a trace. */
  const turn = AsyncResource.bind(lookAgain);
  let timer = setTimeout(turn, LOOK_MS);

  async function lookAgain(): Promise<void> {
    isLooking = true;
    looksLeft -= 1;
    const waitMs = (await look()) ?? restMs;
    isLooking = false;
    if (waitMs <= 0) looksLeft = LOOKS_AFTER_WORK;
    if (isStopped) return;
    const longestMs = looksLeft > 0 ? LOOK_MS : restMs;
    timer = setTimeout(turn, waitMs <= 0 ? LOOK_MS : Math.min(waitMs, longestMs));
  }

  return {
    attend: () => {
      const isResting = looksLeft <= 0 && !isLooking && !isStopped;
      looksLeft = LOOKS_AFTER_WORK;
      if (!isResting) return;
      clearTimeout(timer);
      timer = setTimeout(turn, FIRST_LOOK_MS);
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
