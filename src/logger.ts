import { type DestinationStream, pino } from 'pino';
import pretty, { type PrettyOptions } from 'pino-pretty';

/** What our code asks of a logger; pino's own, or the host application's. */
export type Logger = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'>;

const SECRET_PATHS = ['authorization', 'secretKey', 'apiKey', 'token', 'password'].flatMap((key) => [
  key,
  `*.${key}`,
  `*.*.${key}`,
]);

/** Fields that could hold a secret are blanked whatever a caller passes. */
export function createLogger(level: string, destination: DestinationStream = standardOutput()): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRET_PATHS, censor: '[hidden]' },
    },
    destination,
  );
}

/** JSON lines, or readable ones where it is a terminal. */
function standardOutput(): DestinationStream {
  return process.stdout.isTTY ? readableLines() : pino.destination(1);
}

/** Written at once, so that the last lines before an exit are there, too. */
export function readableLines(options: PrettyOptions = {}): DestinationStream {
  return pretty({ sync: true, ...options });
}

export const silentLogger: Logger = pino({ level: 'silent' });
