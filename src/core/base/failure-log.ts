/** Logs a lasting failure, such as a database outage, as one line and counts, instead of a line each. */

import { codeOf, isError } from './errors.ts';
import type { Logger } from './logger.ts';

const COUNT_EVERY_SECONDS = 60;

export interface Failure {
  readonly level: 'info' | 'warn' | 'error';
  /** Failures with the same code, and the same code of their cause, are counted together. */
  readonly error: unknown;
  /** The failed part, such as a queue's name; counted separately. */
  readonly about?: string;
  readonly fields: object;
  readonly message: string;
}

/** Logs the first failure of a kind, then a count each minute, until a minute has none. */
export function createFailureLog(logger: Pick<Logger, Failure['level']>): (failure: Failure) => void {
  const followed = new Map<string, number>();

  function countNext(level: Failure['level'], kind: string): void {
    followed.set(kind, 0);
    const timer = setTimeout(() => {
      const count = followed.get(kind) ?? 0;
      followed.delete(kind);
      if (count === 0) return;
      logger[level]({ kind, count, seconds: COUNT_EVERY_SECONDS }, 'more failed in the same way');
      countNext(level, kind);
    }, COUNT_EVERY_SECONDS * 1000);
    timer.unref();
  }
  return ({ level, error, about, fields, message }) => {
    const causes = [error, isError(error) ? error.cause : undefined];
    const kind = [...(about ? [about] : []), ...causes.flatMap(kindOf)].join(' ');
    const count = followed.get(kind);
    if (count !== undefined) {
      followed.set(kind, count + 1);
      return;
    }
    logger[level](fields, message);
    countNext(level, kind);
  };
}

function kindOf(error: unknown): string[] {
  return isError(error) ? [codeOf(error) ?? error.name] : [];
}
