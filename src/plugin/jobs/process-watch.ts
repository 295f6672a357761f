/** Notices within seconds that another process on the same database died, and takes over its work. */
import { DatabaseAwayError } from '../../core/base/errors.ts';
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
import type { BaseDeps } from '../../core/jobs/work-deps.ts';
import { releaseActionsOf } from '../store/tables/retry/actions.ts';
import { releaseDeliveriesOf } from '../store/tables/sync/outbox.ts';

export interface ProcessWatch {
  /** Number of this process, used in its claims. */
  readonly processId: number;
  /** Checks once; for a simulated clock, which fires no timers. */
  look(): Promise<void>;
  /** Unregisters a finished process. */
  stop(): Promise<void>;
}

export interface ProcessWatchDeps extends BaseDeps {
  /** Called after deaths: claims are free, but their jobs may be lost. */
  readonly onDeath: (processIds: readonly number[]) => Promise<void>;
}

const LOOK_MS = 2_000;
/** Seconds for a live process to restore a lost session; more after an outage, when all processes reconnect. */
const GRACE_SECONDS = { usual: 5, afterOutage: 30 } as const;
const OUTAGE_SECONDS = 60;

/** Registers this process and watches the others. A process is dead once its session has been gone for the grace; a slow one keeps it. */
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
  // A lone process checks once, at its start.
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
  // The embedded database has one process, so any other registered one died.
  const grace = { seconds: database.kind === 'embedded' ? 0 : graceSeconds };
  const dead = await listMissing(database, self, now.minus(grace));
  if (dead.length === 0) return;
  logger.warn({ processes: dead }, 'a process died; its work is taken over');
  await releaseActionsOf(database, dead);
  await releaseDeliveriesOf(database, dead);
  await onDeath(dead);
  // Last, so that another process can repeat all of it if this one dies here.
  await forgetProcesses(database, dead);
}
