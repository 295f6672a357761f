import { lazy } from '../../../src/core/base/lazy.ts';

test('a value is made at its first use, once, even if it is undefined', () => {
  let times = 0;
  const value = lazy(() => {
    times += 1;
  });
  expect(times).toBe(0);
  expect([value(), value()]).toEqual([undefined, undefined]);
  expect(times).toBe(1);
});
