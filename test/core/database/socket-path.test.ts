import { join } from 'node:path';
import { socketPathOf } from '../../../src/core/database/owner-socket.ts';

const DEEP = join('/', ...Array.from({ length: 20 }, () => 'a-long-folder'), 'operator.sock');

test('on Windows a socket is a pipe with a name of its own, however long the path, and whatever its letters', () => {
  const name = socketPathOf(DEEP, 'win32');
  expect(name).toMatch(/^\\\\\.\\pipe\\stripe-payment-retry-[0-9a-f]{64}$/);
  expect(socketPathOf(DEEP.toUpperCase(), 'win32')).toBe(name);
  expect(socketPathOf(join(DEEP, 'other'), 'win32')).not.toBe(name);
});

test('elsewhere it is a file, unless its path is too long', () => {
  expect(socketPathOf('/data/operator.sock', 'linux')).toBe('/data/operator.sock');
  expect(socketPathOf(DEEP, 'darwin')).toBeUndefined();
});
