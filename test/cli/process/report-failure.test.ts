import { mock } from 'node:test';
import { reportFailure } from '../../../src/cli/process/report-failure.ts';
import { ConfigError, DatabaseAwayError, PluginError } from '../../../src/core/base/errors.ts';

/** What a person reads, and the exit code. */
function reported(error: unknown): { code: number; text: string } {
  let text = '';
  const write = mock.method(process.stderr, 'write', (chunk: unknown) => {
    text += String(chunk);
    return true;
  });
  try {
    return { code: reportFailure(error), text };
  } finally {
    write.mock.restore();
  }
}

test.each([
  ['connect ECONNREFUSED 10.0.0.1:5432', 'ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.1:5432'],
  // All addresses of a name, each in vain.
  ['', 'ECONNREFUSED', 'ECONNREFUSED'],
  ['password authentication failed for user "retry"', '28P01', 'user "retry"'],
  ['database "retry" does not exist', '3D000', 'database "retry"'],
])('a database that cannot be reached is told without a stack: "%s"', (message, code, told) => {
  const { code: exitCode, text } = reported(
    new DatabaseAwayError(Object.assign(new Error(message), { code })),
  );
  expect(exitCode).toBe(1);
  expect(text).toContain(`The database cannot be reached: `);
  expect(text).toContain(told);
  expect(text).toContain('DATABASE_URL');
  expect(text.split('\n')).toHaveLength(3);
});

test('our own errors say what to do; settings have an exit code of their own', () => {
  expect(reported(new PluginError('NOT_FOUND', 'No such thing.', { help: 'Look elsewhere.' }))).toEqual({
    code: 1,
    text: 'No such thing.\nLook elsewhere.\n',
  });
  expect(reported(new ConfigError(['STRIPE_SECRET_KEY is required'])).code).toBe(2);
});

test.each([
  ['ENOSPC: no space left on device, write', { syscall: 'write' }, ''],
  [
    'relation "events" already exists',
    { severity: 'ERROR', code: '42P07' },
    '. Another program has this schema: set DATABASE_SCHEMA.',
  ],
])('a failure that a person can help is told without a stack: "%s"', (message, facts, help) => {
  const { code, text } = reported(Object.assign(new Error(message), facts));
  expect(code).toBe(1);
  expect(text).toMatch(new RegExp(`^${message}${help}\n$`));
});

test('anything else keeps its stack', () => {
  const error = new Error('odd');
  expect(reported(error)).toEqual({
    code: 1,
    text: expect.stringMatching(/^Error: odd\n +at .*report-failure/),
  });
});
