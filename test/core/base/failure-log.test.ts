import { mock } from 'node:test';
import express from 'express';
import request from 'supertest';
import { StoreUnavailableError } from '../../../src/core/base/errors.ts';
import { createFailureLog } from '../../../src/core/base/failure-log.ts';
import { answerErrors } from '../../../src/core/web/http-errors.ts';
import { captureLog } from '../../support/log-lines.ts';

const parse = (lines: readonly string[]) => lines.map((line): Record<string, unknown> => JSON.parse(line));

test('a failure that lasts is logged once, then counted each minute until a minute has none', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const { logger, lines } = captureLog();
    const log = createFailureLog(logger);
    const fail = (times: number, code: string) => {
      for (let index = 0; index < times; index += 1) {
        const error = new StoreUnavailableError(Object.assign(new Error('of the database'), { code }));
        log({ level: 'error', error, fields: { code, index }, message: 'failed' });
      }
    };
    fail(300, 'ECONNREFUSED');
    fail(1, '42P01');
    mock.timers.tick(60_000);
    fail(20, 'ECONNREFUSED');
    mock.timers.tick(60_000);
    mock.timers.tick(60_000);
    fail(1, 'ECONNREFUSED');
    expect(parse(lines).map(({ code, index, kind, count }) => [code ?? kind, index ?? count])).toEqual([
      ['ECONNREFUSED', 0],
      ['42P01', 0],
      ['STORE_UNAVAILABLE ECONNREFUSED', 299],
      ['STORE_UNAVAILABLE ECONNREFUSED', 20],
      ['ECONNREFUSED', 0],
    ]);
  } finally {
    mock.timers.reset();
  }
});

test('answers of 503 are one line in the log, and other failures a line each', async () => {
  const { logger, lines } = captureLog();
  const app = express();
  app.get('/readyz', () => {
    throw new StoreUnavailableError(new Error('the connection was refused'));
  });
  app.get('/status', () => {
    throw new Error('of the program');
  });
  app.use(answerErrors(logger));
  for (let index = 0; index < 5; index += 1) {
    await request(app).get('/readyz').expect(503);
    await request(app).get('/status').expect(500);
  }
  const codes = parse(lines).map(({ code }) => code);
  expect(codes.filter((code) => code === 'STORE_UNAVAILABLE')).toHaveLength(1);
  expect(codes.filter((code) => code === 'INTERNAL')).toHaveLength(5);
});
