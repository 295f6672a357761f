import { once } from 'node:events';
import { createServer } from 'node:net';
import { jest } from '@jest/globals';
import { reportFailure } from '../../../src/cli/process/report-failure.ts';
import { ConfigError, PluginError } from '../../../src/errors.ts';

/** What a person reads, and the exit code. */
function reported(error: unknown): { code: number; text: string } {
  let text = '';
  const write = jest.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  try {
    return { code: reportFailure(error), text };
  } finally {
    write.mockRestore();
  }
}

test('a port in use is named, with what to do, instead of a stack', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const second = createServer().listen(port, '127.0.0.1');
  const [error] = await once(second, 'error');
  taken.close();

  const { code, text } = reported(error);
  expect(code).toBe(1);
  expect(text).toContain(`Port ${port} is in use`);
  expect(text).toContain('SERVICE_PORT');
  expect(text.split('\n')).toHaveLength(3);
});

test.each([
  ['connect ECONNREFUSED 10.0.0.1:5432', 'ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.1:5432'],
  // All addresses of a name, each in vain.
  ['', 'ECONNREFUSED', 'ECONNREFUSED'],
  ['password authentication failed for user "retry"', '28P01', 'user "retry"'],
  ['database "retry" does not exist', '3D000', 'database "retry"'],
])('a database that cannot be reached is told without a stack: "%s"', (message, code, told) => {
  const { text } = reported(Object.assign(new Error(message), { code }));
  expect(text).toContain(`The database cannot be reached: `);
  expect(text).toContain(told);
  expect(text).toContain('DATABASE_URL');
  expect(text.split('\n')).toHaveLength(3);
});

test('a folder that cannot be made is named, with what to do', () => {
  const message = "EACCES: permission denied, mkdir '/root/data'";
  const { text } = reported(Object.assign(new Error(message), { code: 'EACCES', syscall: 'mkdir' }));
  expect(text).toBe(
    `The folder for the database cannot be made: ${message}\nChoose another DATA_DIR, or set DATABASE_URL.\n`,
  );
});

test('our own errors say what to do; settings have an exit code of their own', () => {
  expect(reported(new PluginError('NOT_FOUND', 'No such thing.', { help: 'Look elsewhere.' }))).toEqual({
    code: 1,
    text: 'No such thing.\nLook elsewhere.\n',
  });
  expect(reported(new ConfigError(['STRIPE_SECRET_KEY is required'])).code).toBe(2);
});

test('anything else keeps its stack', () => {
  const error = new Error('odd');
  expect(reported(error)).toEqual({ code: 1, text: `${error.stack}\n` });
});
