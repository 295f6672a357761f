import { mock } from 'node:test';

/** The service's rates are counted in real seconds: the one that has begun does not end before `work` does. */
export async function inOneSecond<T>(work: () => Promise<T>): Promise<T> {
  const start = Date.now();
  const clock = mock.method(Date, 'now', () => start);
  try {
    return await work();
  } finally {
    clock.mock.restore();
  }
}
