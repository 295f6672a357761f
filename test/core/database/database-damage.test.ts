import { isDamage } from '../../../src/core/database/embedded-database.ts';

/** As PGlite raises them. */
const ofServer = (code: string, severity = 'ERROR') => Object.assign(new Error('told'), { code, severity });

test.each([
  ['a file that exists already', ofServer('58P02')],
  ['a file that is gone', ofServer('58P01')],
  ['an error of the disk', ofServer('58030')],
  ['too many open files', ofServer('53000')],
  ['an invalid page', ofServer('XX001')],
  ['a broken index', ofServer('XX002')],
  ['a panic', ofServer('53100', 'PANIC')],
  ['the end of the server', ofServer('57P01', 'FATAL')],
  ['an aborted machine', new WebAssembly.RuntimeError('Aborted()')],
  ['an error of the file system below', { name: 'ErrnoError', errno: 33 }],
])('%s is damage', (_what, error) => {
  expect(isDamage(error)).toBe(true);
});

test.each([
  ['a full disk', ofServer('53100')],
  ['a value that exists already', ofServer('23505')],
  ['a text with a NUL', ofServer('22021')],
  ['an error of our own', new Error('changed my mind')],
  ['nothing', undefined],
])('%s is no damage', (_what, error) => {
  expect(isDamage(error)).toBe(false);
});
