/** Compares the clocks of this process, its database and Stripe, and reports a wrong one. */
import { DateTime } from 'luxon';
import type { Clock } from '../../core/base/clock.ts';
import { DatabaseAwayError } from '../../core/base/errors.ts';
import type { Logger } from '../../core/base/logger.ts';
import type { Database } from '../../core/database/database.ts';
import { createDatabaseClock } from '../../core/database/database-clock.ts';
import { repeatEvery } from '../../core/jobs/repeat-every.ts';
import { type ClockDifferences, keepClocks } from '../store/tables/process-clocks.ts';

export interface ClockWatch {
  /** The database's time. */
  readonly clock: Clock;
  /** Must be called before the clock is used. */
  measure(database: Database): Promise<void>;
  /** Takes the `Date` header of Stripe's answers. */
  hearStripe(date: string | undefined): void;
  /** Compares regularly once started, and shows differences to all processes. */
  watch(deps: WatchDeps): { start(): void; look(): Promise<void>; stop(): void };
}

interface WatchDeps {
  readonly database: Database;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly processId: () => number | undefined;
}

const LOOK_MS = 10_000;
/** Signatures and claims tolerate less; Stripe's `Date` has whole seconds and the answer's age. */
const WRONG_SECONDS = 60;

export function createClockWatch(own: Clock): ClockWatch {
  const { clock, measure, aheadSeconds } = createDatabaseClock(own);
  let ofStripe = 0;
  let kept: ClockDifferences = {};

  function differences(): ClockDifferences {
    const wrong = (seconds: number) => (Math.abs(seconds) < WRONG_SECONDS ? undefined : seconds);
    return { aheadOfDatabase: wrong(aheadSeconds()), aheadOfStripe: wrong(ofStripe) };
  }

  async function look({ database, logger, processId }: WatchDeps): Promise<void> {
    await measure(database);
    const found = differences();
    const id = processId();
    const isSame = (name: keyof ClockDifferences) =>
      Math.abs((found[name] ?? 0) - (kept[name] ?? 0)) < WRONG_SECONDS;
    if (id === undefined || (isSame('aheadOfDatabase') && isSame('aheadOfStripe'))) return;
    await keepClocks(database, id, found);
    kept = found;
    if (found.aheadOfDatabase === undefined && found.aheadOfStripe === undefined)
      logger.info({ process: id }, 'the clocks agree again');
    else logger.warn({ process: id, ...found }, describe(found, database));
  }

  return {
    clock,
    measure,
    hearStripe: (date) => {
      const theirs = DateTime.fromHTTP(date ?? '');
      if (theirs.isValid && !own.isSimulated)
        ofStripe = Math.round((clock.now().toMillis() - theirs.toMillis()) / 1_000);
    },
    watch: (deps) => {
      let stop = () => {};
      const lookSafely = () =>
        look(deps).catch((error) => {
          if (error instanceof DatabaseAwayError) return;
          deps.logger.warn({ err: error }, 'the clocks could not be compared; it is tried again');
        });
      return {
        start: () => {
          if (!own.isSimulated) stop = repeatEvery(LOOK_MS, lookSafely);
        },
        look: lookSafely,
        stop: () => stop(),
      };
    },
  };
}

function describe({ aheadOfDatabase }: ClockDifferences, { kind }: Database): string {
  if (aheadOfDatabase !== undefined)
    return "this machine's clock differs from the database's, by which all work goes: synchronize it (NTP)";
  const whose =
    kind === 'embedded' ? "this machine's clock" : "the database's clock, by which all work goes,";
  return `${whose} differs from Stripe's: signatures are refused and payments come at the wrong time; synchronize it (NTP)`;
}
