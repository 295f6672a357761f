/** Decides when to look for due jobs: often while there is work, and otherwise when the next one falls due. */
import { AsyncResource } from 'node:async_hooks';

export interface DueWatch {
  /** Something was enqueued, or has ended: more may follow. */
  attend(): void;
  stop(): void;
}

/** How late a due job may be noticed while there is work. */
const LOOK_MS = 500;
/** After a rest there is nothing to gather. */
const FIRST_LOOK_MS = 20;

/**
 * `look` resolves to how long it takes until the next job is due that is known of; zero or less where one is due now. Where none is, the
 * pauses double, up to `restMs`: what is enqueued in a transaction can be seen after its end, and other processes and the queue's own
 * schedules enqueue, too.
 */
export function watchDue(look: () => Promise<number | undefined>, restMs: number): DueWatch {
  let pauseMs = LOOK_MS;
  let isResting = false;
  let isStopped = false;
  /** In the context of the start: whoever enqueues may be in the middle of a transaction, or of a trace. */
  const turn = AsyncResource.bind(lookAgain);
  let timer = setTimeout(turn, LOOK_MS);

  async function lookAgain(): Promise<void> {
    isResting = false;
    const waitMs = (await look()) ?? restMs;
    if (isStopped) return;
    if (waitMs <= 0) pauseMs = LOOK_MS;
    const nextMs = waitMs <= 0 ? pauseMs : Math.min(waitMs, pauseMs);
    isResting = nextMs > LOOK_MS;
    timer = setTimeout(turn, nextMs);
    pauseMs = Math.min(2 * pauseMs, restMs);
  }

  return {
    attend: () => {
      pauseMs = LOOK_MS;
      if (!isResting) return;
      isResting = false;
      clearTimeout(timer);
      timer = setTimeout(turn, FIRST_LOOK_MS);
    },
    stop: () => {
      isStopped = true;
      isResting = false;
      clearTimeout(timer);
    },
  };
}
