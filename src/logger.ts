import { pino } from 'pino';

/** What our code asks of a logger; pino's own, or the host application's. */
export type Logger = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'>;

const SECRET_PATHS = ['authorization', 'secretKey', 'apiKey', 'token', 'password'].flatMap((key) => [
  key,
  `*.${key}`,
  `*.*.${key}`,
]);

/** JSON lines on standard output. Fields that could hold a secret are blanked whatever a caller passes. */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_PATHS, censor: '[hidden]' },
  });
}

export const silentLogger: Logger = pino({ level: 'silent' });
