/** Counts the webhooks that are refused, by cause, for `status`: a wrong secret or clock shows there first. */
import type { Clock } from '../../../core/base/clock.ts';
import { InvalidRequestError, PluginError, SignatureError } from '../../../core/base/errors.ts';
import type { Logger } from '../../../core/base/logger.ts';
import type { Database } from '../../../core/database/database.ts';
import { SignatureTimeError } from '../../clients/stripe-signatures.ts';
import { noteRefused, type RefusalCause } from '../../store/tables/sync/webhook-refusals.ts';

/** Anybody can be refused, so the database is updated at most once in this time. */
const NOTED_EVERY_MS = 10_000;

interface RefusalDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

export function createRefusalCount({ database, clock, logger }: RefusalDeps) {
  let counts = new Map<RefusalCause, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    if (counts.size === 0) return;
    const noted = counts;
    counts = new Map();
    await noteRefused(database, noted, clock.now()).catch((error: unknown) => {
      logger.warn(
        { err: error, refused: Object.fromEntries(noted) },
        'refused webhooks could not be counted',
      );
    });
  };
  const flush = (): Promise<void> => {
    writing = writing.then(write);
    return writing;
  };
  const look = (): void => {
    timer = counts.size === 0 ? undefined : setTimeout(look, NOTED_EVERY_MS).unref();
    void flush();
  };
  return {
    count: (error: unknown): void => {
      const cause = causeOf(error);
      if (cause === undefined) return;
      counts.set(cause, (counts.get(cause) ?? 0) + 1);
      if (timer === undefined) look();
    },
    settled: flush,
    stop: async (): Promise<void> => {
      clearTimeout(timer);
      await flush();
    },
  };
}

/** Undefined where the sender is to send it again. */
function causeOf(error: unknown): RefusalCause | undefined {
  if (error instanceof SignatureError) {
    if (error.cause instanceof SignatureTimeError) return 'time';
    return error.cause === undefined ? 'unsigned' : 'secret';
  }
  const isTooLarge = error instanceof PluginError && error.code === 'REQUEST_TOO_LARGE';
  return error instanceof InvalidRequestError || isTooLarge ? 'body' : undefined;
}
