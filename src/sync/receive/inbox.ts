/**
 * The events table is the inbox: whoever records an event wakes the job that takes what waits, many events at once. It is
 * one job for an account, however many events come.
 */
import type { JobHandler } from '../../jobs/jobs.ts';
import type { PluginQueues } from '../../jobs/plugin-queues.ts';
import type { Carried } from '../../telemetry/spans.ts';
import type { SyncDeps } from './event-step.ts';
import { toInboxJob } from './inbox-job.ts';
import { takeBatch } from './take-batch.ts';

export interface Inbox {
  /** Events of these accounts were recorded, each under the trace given. */
  wake(accounts: ReadonlyMap<string, Carried>): Promise<void>;
  readonly job: JobHandler<PluginQueues['take-events']>;
  /** Takes no further batch; what waits is left to the next job. */
  stop(): void;
}

/** So that one job ends well before it expires; what is left gets a job of its own. */
const JOB_SECONDS = 60;

interface Turn {
  isWoken: boolean;
}

export function createInbox(deps: SyncDeps): Inbox {
  /** Accounts whose events this process is taking just now. They need no job to be woken. */
  const turns = new Map<string, Turn>();
  let isStopping = false;

  /** False if events may be left. Its turn ends in the same moment as its last look. */
  async function empty(account: string): Promise<boolean> {
    const end = deps.clock.now().plus({ seconds: JOB_SECONDS });
    const turn: Turn = { isWoken: false };
    turns.set(account, turn);
    try {
      do {
        turn.isWoken = false;
        while ((await takeBatch(deps, account)) > 0) if (isStopping || deps.clock.now() >= end) return false;
      } while (turn.isWoken);
      return true;
    } finally {
      if (turns.get(account) === turn) turns.delete(account);
    }
  }

  return {
    wake: async (accounts) => {
      const asleep: ReturnType<typeof toInboxJob>[] = [];
      for (const [account, trace] of accounts) {
        const turn = turns.get(account);
        if (turn) turn.isWoken = true;
        else asleep.push(toInboxJob(account, trace));
      }
      await deps.enqueue('take-events', asleep);
    },
    job: {
      handle: async ({ account }) => {
        if (!(await empty(account))) await deps.enqueue('take-events', [toInboxJob(account)]);
      },
    },
    stop: () => {
      isStopping = true;
    },
  };
}
