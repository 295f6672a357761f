/** The loggers that applications have, each with the text and the fields of a line. */
import { Console } from 'node:console';
import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { type GivenLogger, toLogger } from '../../../src/core/base/given-logger.ts';
import { guardLogger } from '../../../src/core/base/logger.ts';

/** The part of winston that is used; without its types, a checkout that has not installed it yet still compiles. */
interface WinstonModule {
  readonly createLogger: (options: object) => GivenLogger;
  readonly transports: { readonly Stream: new (options: { stream: Writable }) => object };
}
const load: (name: string) => WinstonModule = createRequire(import.meta.url);
const winston = load('winston');

function collect() {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, stream };
}

const LOGGERS: readonly [name: string, create: (stream: Writable, lines: string[]) => GivenLogger][] = [
  ['pino', (stream) => pino({ level: 'debug' }, stream)],
  [
    'winston',
    (stream) =>
      winston.createLogger({ level: 'debug', transports: [new winston.transports.Stream({ stream })] }),
  ],
  ['console', (stream) => new Console({ stdout: stream, stderr: stream })],
  [
    'a function',
    (_stream, lines) => (level, message, fields) =>
      void lines.push(JSON.stringify({ level, message, ...fields })),
  ],
];

test.each(LOGGERS)('%s gets the text and the fields', (_name, create) => {
  const { lines, stream } = collect();
  const logger = guardLogger(toLogger(create(stream, lines)));
  logger.warn({ invoice: 'in_1' }, 'a payment waits');
  logger.error('no fields');
  logger.debug({ err: new Error('outer', { cause: new Error('inner') }) }, 'with a cause');
  logger.info({ list: ['one', 'two'] }, 'with a list');
  expect(lines.join('')).toMatch(/in_1/);
  expect(lines.join('')).toMatch(/a payment waits/);
  expect(lines.join('')).toMatch(/no fields/);
  expect(lines.join('')).toMatch(/inner/);
  expect(lines.join('')).toMatch(/with a cause/);
  expect(lines.join('')).toMatch(/one[\s\S]*two[\s\S]*with a list|with a list[\s\S]*one[\s\S]*two/);
});

const fail = () => {
  throw new Error('no room for sk_live_123456');
};
const ended = winston.createLogger({ transports: [new winston.transports.Stream(collect())] });
if ('end' in ended && typeof ended.end === 'function') ended.end();

test.each<[string, GivenLogger, string]>([
  ['throws', fail, 'no room for [hidden]'],
  ['rejects', async () => fail(), 'no room for [hidden]'],
  ['is ended', ended, 'write after end'],
])('a logger that %s stops no work, and Node warns of it', async (_name, given, reason) => {
  const warning = new Promise((resolve) => {
    jest.spyOn(process, 'emitWarning').mockImplementationOnce(resolve);
  });
  guardLogger(toLogger(given)).warn({ invoice: 'in_1' }, 'a payment waits');
  expect(await warning).toBe(`The logger of stripe-payment-retry failed: ${reason}`);
});
