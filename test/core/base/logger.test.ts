import { Writable } from 'node:stream';
import { createLogger, readableLines } from '../../../src/core/base/logger.ts';
import { spawnProgram } from '../../support/process/command-process.ts';
import { TSX } from '../../support/runner/prepared.ts';

const FIELDS = { invoice: 'in_1', apiKey: 'sk_test_hidden' };

test('a program gets a line of JSON for each message, without secrets', () => {
  const written: string[] = [];
  createLogger('info', { write: (line) => written.push(line) }).info(FIELDS, 'an invoice was paid');
  expect(written.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'an invoice was paid', invoice: 'in_1', apiKey: '[hidden]' },
  ]);
});

test('a terminal gets readable lines, without secrets', () => {
  let written = '';
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      written += String(chunk);
      done();
    },
  });
  createLogger('info', readableLines({ destination, colorize: false })).warn(FIELDS, 'an invoice was paid');
  expect(written).toMatch(/^\[.*\] WARN: an invoice was paid\n {4}invoice: "in_1"/);
  expect(written).toContain('[hidden]');
  expect(written).not.toContain('sk_test_hidden');
});

/** Writes a line when the one before has failed, and two for the exit. */
const LOGS = `
  import { createLogger } from '${new URL('../../../src/core/base/logger.ts', import.meta.url).href}';
  const logger = createLogger('info');
  logger.info('one');
  setImmediate(() => logger.info('two'));
  process.on('exit', () => logger.info('three'));
  process.on('exit', () => process.stderr.write('at its end'));
`;

(process.platform === 'linux' ? test : test.skip)(
  'a program goes on and ends although the disk of its output is full',
  async () => {
    const within = ['sh', '-c', 'exec "$@" >/dev/full', 'sh'];
    const flags = ['--import', TSX, '--input-type=module', '--eval', LOGS];
    const program = spawnProgram(flags, {}, { within });
    try {
      expect([await program.ended, program.output()]).toEqual([0, 'at its end']);
    } finally {
      await program.kill();
    }
  },
);
