import { pino } from 'pino';
import type { Logger } from '../../src/core/base/logger.ts';

/** A logger whose lines a test can read. Nothing is redacted here: what must not be logged must not be given to it. */
export function captureLog(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const logger = pino({ level: 'debug', base: null }, { write: (line: string) => void lines.push(line) });
  return { logger, lines };
}
