/** Notices within seconds that another process on the same database died, and gives its work to the living. */
import type { Clock } from '../../core/base/clock.ts';
import { DatabaseAwayError } from '../../core/base/errors.ts';
import type { Logger } from '../../core/base/logger.ts';
import type { Database } from '../../core/database/database.ts';
import {
  forgetProcesses,
  isAlone,
  isOdd,
  listMissing,
  noteMissing,
  registerAgain,
  registerProcess,
  unregisterProcess,
} from '../../core/database/processes.ts';
import { repeatEvery } from '../../core/jobs/repeat-every.ts';
import { releaseActionsOf } from '../store/tables/retry/actions.ts';
import { releaseDeliveriesOf } from '../store/tables/sync/outbox.ts';

export interface ProcessWatch {
  /** The number of this process; its claims carry it. */
  readonly processId: number;
  /** Looks once. For a simulated clock, which fires no timers. */
  look(): Promise<void>;
  /** For a process whose work is done: the others find nothing missing. */
  stop(): Promise<void>;
}

export interface ProcessWatchDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Has the work of the processes that died found: what they claimed is free, but its jobs may be gone with them. */
  readonly onDeath: (processIds: readonly number[]) => Promise<void>;
}

const LOOK_MS = 2_000;
/**
 * Time to come back for a process that lives and has lost its connection: for a moment, or with all others, which begin their sessions
 * anew at the same time.
 */
const GRACE_SECONDS = { usual: 5, afterOutage: 30 } as const;
const OUTAGE_SECONDS = 60;

/**
 * Registers this process and watches the others. A process counts as dead when its session, which ends with it, has
 * been gone for the grace. One that is slow keeps its session and is left alone.
 */
export async function watchProcesses(deps: ProcessWatchDeps): Promise<ProcessWatch> {
  const { database, clock, logger } = deps;
  const processId = await registerProcess(database, clock.now());
  const presence = await database.showPresence(processId);
  logger.info({ process: processId }, 'registered among the processes on this database');
  let looking: Promise<void> = Promise.resolve();
  let awayAt = clock.now().minus({ seconds: OUTAGE_SECONDS });
  const lookOnce = async () => {
    const isBack = clock.now().diff(awayAt).as('seconds') < OUTAGE_SECONDS;
    try {
      await look(deps, processId, isBack ? GRACE_SECONDS.afterOutage : GRACE_SECONDS.usual);
    } catch (error) {
      if (error instanceof DatabaseAwayError) awayAt = clock.now();
      throw error;
    }
  };
  const lookInTurn = () => {
    looking = looking.catch(() => {}).then(lookOnce);
    return looking;
  };
  const lookSafely = () =>
    lookInTurn().catch((error) => {
      if (error instanceof DatabaseAwayError) return;
      logger.warn({ err: error }, 'checking the other processes failed; it is tried again');
    });
  // One check, at the start, is enough for who stays alone.
  const end = isAlone(database, clock) ? () => {} : repeatEvery(LOOK_MS, lookSafely);
  return {
    processId,
    look: lookInTurn,
    stop: async () => {
      end();
      await looking.catch(() => {});
      await unregisterProcess(database, processId).finally(presence.end);
    },
  };
}

async function look(
  { database, clock, logger, onDeath }: ProcessWatchDeps,
  self: number,
  graceSeconds: number,
): Promise<void> {
  if (!(await isOdd(database, self))) return;
  const now = clock.now();
  if (await registerAgain(database, self, now))
    logger.warn({ process: self }, 'the other processes took this one for dead; it is back');
  await noteMissing(database, self, now);
  // Who opened the embedded database is alone, so whoever else is in its table died.
  const grace = { seconds: database.kind === 'embedded' ? 0 : graceSeconds };
  const dead = await listMissing(database, self, now.minus(grace));
  if (dead.length === 0) return;
  logger.warn({ processes: dead }, 'a process died; its work is taken over');
  await releaseActionsOf(database, dead);
  await releaseDeliveriesOf(database, dead);
  await onDeath(dead);
  // Last: if this process dies here too, another one does it all again, which changes nothing.
  await forgetProcesses(database, dead);
}
