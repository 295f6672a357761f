/** Adapts the application's logger, with arguments in either order. */
import type { Logger } from './logger.ts';

/** Any logger, as one function. */
export type LogLine = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields: Readonly<Record<string, unknown>>,
) => void;

/** winston takes the message first, and would lose the text after fields. */
interface Winston {
  log(entry: { level: string; message: string }): unknown;
}

/** The application's logger: pino, winston, `console` or a function. */
export type GivenLogger = Logger | LogLine;

export function toLogger(given: GivenLogger): Logger {
  if (typeof given === 'function') return fromFunction(given);
  if (isWinston(given))
    return fromFunction((level, message, fields) => void given.log({ ...fields, level, message }));
  return given;
}

function isWinston(given: object): given is Winston {
  return 'transports' in given && 'log' in given && typeof given.log === 'function';
}

function fromFunction(log: LogLine): Logger {
  const on = (level: Parameters<LogLine>[0]) => (first: unknown, message?: unknown) =>
    typeof first === 'object' && first !== null
      ? log(level, String(message ?? ''), { ...first })
      : log(level, String(first), {});
  return { debug: on('debug'), info: on('info'), warn: on('warn'), error: on('error') };
}
