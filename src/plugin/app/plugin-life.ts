/** The life of a plugin: it starts once, stops once, and never does both at the same time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseAwayError, PluginError } from '../../core/base/errors.ts';
import type { Logger } from '../../core/base/logger.ts';
import type { Assembly } from './assemble.ts';

/** How `start` behaves while something is away. */
export interface StartOptions {
  /**
   * Keeps trying while the database, or the place of another process, is unavailable; `false` rejects immediately, for a
   * process that a supervisor restarts. True by default.
   */
  readonly wait?: boolean;
}

interface Living {
  readonly assembleAll: () => Promise<Assembly>;
  readonly logger: Logger;
  readonly onFailure: (error: PluginError) => void;
}

interface Failure {
  /** The reason for the application. */
  readonly reason: PluginError;
  /** The reason for senders, who read the code alone: `reason` may name folders and addresses. */
  readonly shown: PluginError;
  readonly isPassing: boolean;
}

/** Another process has its place, and may end. */
const OTHERS: ReadonlySet<string> = new Set(['DATA_DIR_LOCKED', 'LISTEN_FAILED']);

/** Waiting helps: a folder or a setting that is wrong stays so. */
const isPassing = (cause: unknown): cause is PluginError =>
  cause instanceof DatabaseAwayError || (cause instanceof PluginError && OTHERS.has(cause.code));

const AGAIN_MS = 1_000;
const TRIES_BETWEEN_LINES = 60;

export function createLife({ assembleAll, logger, onFailure }: Living) {
  let starting: Promise<Assembly> | undefined;
  let stopping: Promise<void> = Promise.resolve();
  let assembly: Assembly | undefined;
  let failure: Failure | undefined;
  let waiting = new AbortController();

  function stop(): Promise<void> {
    waiting.abort();
    if (starting) stopping = end(starting);
    starting = undefined;
    assembly = undefined;
    return stopping;
  }
  /** Its own workers would only fail, again and again. */
  function fail(begun: Assembly, error: PluginError): void {
    if (assembly !== begun) return;
    failure = { reason: error, shown: error, isPassing: false };
    stop().catch(() => {});
    onFailure(error);
  }
  async function start({ wait = true }: StartOptions = {}): Promise<void> {
    await stopping.catch(() => undefined);
    if (starting === undefined) {
      failure = undefined;
      waiting = new AbortController();
      starting = wait ? assemblePatiently(waiting.signal) : assembleAll();
    }
    const mine = starting;
    try {
      const begun = await mine;
      if (starting !== mine || assembly === begun) return;
      failure = undefined;
      assembly = begun;
      void begun.database.damaged.then((error) => fail(begun, error));
    } catch (error) {
      // Stopped while it waited: that is no failure.
      if (starting !== mine && error === STOPPED) return;
      if (starting === mine) {
        failure = failedStart(error, false);
        starting = undefined;
      }
      throw error;
    }
  }
  async function assemblePatiently(signal: AbortSignal): Promise<Assembly> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await assembleAll();
      } catch (cause) {
        if (!isPassing(cause)) throw cause;
        if (signal.aborted) throw STOPPED;
        failure = failedStart(cause, true);
        if (tries % TRIES_BETWEEN_LINES === 0)
          logger.error(
            { code: cause.code, err: cause, help: cause.help },
            'the plugin cannot start yet: it keeps trying, and answers 503 meanwhile',
          );
      }
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => {
        throw STOPPED;
      });
    }
  }
  return {
    running: () => assembly,
    isBegun: () => starting !== undefined,
    failure: () => failure,
    start,
    stop,
  };
}

const STOPPED = new PluginError('NOT_STARTED', 'The plugin was stopped while it started.');

async function end(begun: Promise<Assembly>): Promise<void> {
  const running = await begun.catch(() => undefined);
  await running?.stop();
}

function failedStart(cause: unknown, isPassing: boolean): Failure {
  const reason =
    cause instanceof PluginError ? cause : new PluginError('INTERNAL', 'The log has the cause.', { cause });
  const message = `The plugin could not start (${reason.code}). Its log says why, and what to do.`;
  return { reason, shown: new PluginError('STORE_UNAVAILABLE', message, { cause }), isPassing };
}
