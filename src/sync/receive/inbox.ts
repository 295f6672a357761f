/**
 * The events table is the inbox: whoever records an event wakes the job that takes what waits, many events at once. It is
 * one job for an account, however many events come.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobHandler } from '../../jobs/queue-table.ts';
import type { PluginQueues } from '../../jobs/queues.ts';
import { isAlone } from '../../store/engine/processes.ts';
import { leaveInboxTurn, takeInboxTurn } from '../../store/tables/sync/inbox-turns.ts';
import type { Carried } from '../../telemetry/spans.ts';
import type { SyncDeps } from '../events/event-step.ts';
import { toInboxJob } from '../events/inbox-job.ts';
import { takeBatch } from './take-batch.ts';

export interface InboxDeps extends SyncDeps {
  /** The number of this process. */
  readonly processId: () => number | undefined;
}

export interface Inbox {
  /** Events of these accounts were recorded, each under the trace given. */
  wake(accounts: ReadonlyMap<string, Carried>): Promise<void>;
  readonly job: JobHandler<PluginQueues['take-events']>;
  /** Takes no further batch; what waits is left to the next job. */
  stop(): void;
}

/** So that one job ends well before it expires; what is left gets a job of its own. */
const JOB_SECONDS = 60;

/** After so long a process asks again for the turn that another one has. */
const ASK_AGAIN_MS = 100;
const RENEW_MS = 1_000;

interface Turn {
  isWoken: boolean;
}

export function createInbox(deps: InboxDeps): Inbox {
  /** Accounts whose events this process is taking just now, or is about to. They need no job to be woken. */
  const turns = new Map<string, Turn>();
  let isStopping = false;

  /** False if events may be left. Its turn ends in the same moment as its last look. */
  async function empty(account: string): Promise<boolean> {
    const end = deps.clock.now().plus({ seconds: JOB_SECONDS });
    const isOver = () => isStopping || deps.clock.now() >= end;
    const turn: Turn = { isWoken: false };
    const claim = claimTurn(deps, account);
    turns.set(account, turn);
    try {
      while (!(await claim.keep())) {
        if (isOver()) return false;
        await sleep(ASK_AGAIN_MS);
      }
      do {
        turn.isWoken = false;
        while ((await takeBatch(deps, account)) > 0) if (isOver() || !(await claim.keep())) return false;
      } while (turn.isWoken);
      return true;
    } finally {
      if (turns.get(account) === turn) turns.delete(account);
      await claim.leave();
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

/** Among several processes one at a time takes an account's events: the others would read and plan the same ones for nothing. */
function claimTurn({ database, clock, processId }: InboxDeps, account: string) {
  const process = processId();
  if (process === undefined || isAlone(database, clock))
    return { keep: async () => true, leave: async () => {} };
  let keptAtMs = Number.NEGATIVE_INFINITY;
  return {
    /** False while it is another process's. */
    keep: async (): Promise<boolean> => {
      const now = clock.now();
      const sinceMs = now.toMillis() - keptAtMs;
      if (sinceMs >= 0 && sinceMs < RENEW_MS) return true;
      const isOurs = await takeInboxTurn(database, { account, process }, now);
      if (isOurs) keptAtMs = now.toMillis();
      return isOurs;
    },
    leave: () => leaveInboxTurn(database, { account, process }),
  };
}
