import { Writable } from 'node:stream';
import { createLogger, readableLines } from '../../../src/core/base/logger.ts';

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
