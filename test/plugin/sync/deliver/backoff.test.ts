import fc from 'fast-check';
import { backoffMs, pauseMs } from '../../../../src/plugin/sync/deliver/backoff.ts';

const failures = fc.integer({ min: 0, max: 5_000 });
const random = fc.double({ min: 0, max: 1, noNaN: true });

describe('backoffMs', () => {
  it.each([
    [0, 0, 500],
    [0, 1, 1_000],
    [1, 1, 2_000],
    [3, 0.5, 6_000],
    [8, 1, 256_000],
    [9, 1, 300_000],
    [9, 0, 150_000],
    [1_000_000, 1, 300_000],
  ])('backoffMs after %d failures with jitter %d is %d ms', (count, jitter, expected) => {
    expect(backoffMs(count, jitter)).toBe(expected);
  });

  it('backoffMs lies between half a second and five minutes', () => {
    fc.assert(
      fc.property(failures, random, (count, jitter) => {
        const wait = backoffMs(count, jitter);
        expect(Number.isInteger(wait) && wait >= 500 && wait <= 300_000).toBe(true);
      }),
    );
  });

  it('backoffMs does not shrink with more failures', () => {
    fc.assert(
      fc.property(failures, failures, random, (some, more, jitter) => {
        expect(backoffMs(some + more, jitter)).toBeGreaterThanOrEqual(backoffMs(some, jitter));
      }),
    );
  });

  it('a random half of backoffMs is jitter', () => {
    fc.assert(
      fc.property(failures, random, (count, jitter) => {
        const [least, most] = [backoffMs(count, 0), backoffMs(count, 1)];
        expect(least * 2).toBe(most);
        expect(backoffMs(count, jitter)).toBeCloseTo(least + least * jitter, -1);
      }),
    );
  });
});

describe('pauseMs', () => {
  it.each([
    ['our own, when the service asks for nothing', undefined, 2_000, 2_000],
    ['what the service asks for', 30_000, 2_000, 30_000],
    ['never sooner than our own, so that a zero makes no loop', 0, 2_000, 2_000],
  ])('pauseMs is %s', (_name, asked, own, expected) => {
    expect(pauseMs(asked, own)).toBe(expected);
  });
});
