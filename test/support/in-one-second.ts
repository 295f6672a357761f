import { jest } from '@jest/globals';

/** The service's rates are counted in real seconds: the one that has begun does not end before `work` does. */
export async function inOneSecond<T>(work: () => Promise<T>): Promise<T> {
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}
