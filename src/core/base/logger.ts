import { createRequire } from 'node:module';
import { types } from 'node:util';
import { type DestinationStream, pino } from 'pino';
import type pretty from 'pino-pretty';
import { isError, messageOf } from './errors.ts';
import { cleanText, describeError, onlyFrames } from './logged-text.ts';

interface Write {
  (fields: object, message?: string): void;
  (message: string): void;
}

/** A logger, pino's or the host application's. */
export type Logger = Readonly<Record<'debug' | 'info' | 'warn' | 'error', Write>>;

/** Fields that are always hidden. */
const SECRET_FIELDS = new Set(['authorization', 'cookie', 'secretKey', 'apiKey', 'token', 'password']);
/** Operators' names, which may be addresses. */
const NAME_FIELDS: ReadonlySet<string> = new Set(['operator', 'by']);
const HIDDEN = '[hidden]';
const DEPTH = 4;

export function createLogger(level: string, destination: DestinationStream = standardOutput()): Logger {
  const timestamp = pino.stdTimeFunctions.isoTime;
  return guardLogger(pino({ level, base: null, timestamp }, destination));
}

/** Cleans everything before it reaches a logger, whose failure costs a line and no work. `secrets` are hidden everywhere. */
export function guardLogger(logger: Logger, secrets: readonly string[] = []): Logger {
  const hide = (text: string) =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), cleanText(text));
  const guard = (level: keyof Logger) => async (first: unknown, message?: unknown) => {
    try {
      const text = message === undefined ? undefined : hide(String(message));
      if (typeof first === 'string') await logger[level](hide(first));
      else await logger[level](Object(clean(first, hide, DEPTH)), text);
    } catch (error) {
      process.emitWarning(`The logger of stripe-payment-retry failed: ${hide(messageOf(error))}`);
    }
  };
  return { debug: guard('debug'), info: guard('info'), warn: guard('warn'), error: guard('error') };
}

function clean(value: unknown, hide: (text: string) => string, depth: number, name = ''): unknown {
  if (SECRET_FIELDS.has(name)) return HIDDEN;
  if (name === 'stack') return onlyFrames(String(value));
  if (typeof value === 'string') return NAME_FIELDS.has(name) ? value : hide(value);
  if (isError(value)) return clean(describeError(value), hide, DEPTH + 1);
  if (typeof value !== 'object' || value === null || types.isDate(value)) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value)) return value.map((one) => clean(one, hide, depth - 1, name));
  if (!isPlain(value)) return hide(toJson(value) ?? value.constructor.name);
  const entries = Object.entries(value).map(([key, one]) => [key, clean(one, hide, depth - 1, key)]);
  return Object.fromEntries(entries);
}

/** False for requests, responses and clients, which contain too much. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** Text of instants and addresses only. */
function toJson(value: object): string | undefined {
  return 'toISO' in value || value instanceof URL ? String(value) : undefined;
}

/** JSON lines, or readable ones on a terminal. A full disk costs lines, but never the process: a megabyte waits for space. */
function standardOutput(): DestinationStream {
  if (process.stdout.isTTY) return readableLines();
  const lines = pino.destination({ dest: 1, maxLength: 1_000_000 });
  // At the exit, sonic-boom would repeat a failed write forever.
  return lines.on('error', () => Object.assign(lines, { flushSync: say }));
}

/** Synchronous, so that the last lines before an exit appear. Loaded here, because few processes have a terminal. */
export function readableLines(options: pretty.PrettyOptions = {}): DestinationStream {
  const load: (name: string) => { readonly default: typeof pretty } = createRequire(import.meta.url);
  return load('pino-pretty').default({ sync: true, ...options });
}

const say = () => {};
export const silentLogger: Logger = { debug: say, info: say, warn: say, error: say };
