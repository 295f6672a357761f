/** Sharing a stretch of numbers among readers: each number is read once, whatever stops them and when. */
import fc from 'fast-check';
import { type Step, shareRanges } from '../../../../src/plugin/sync/backfill/share-ranges.ts';

interface Span {
  from: number;
  to: number;
}

/** Reads `page` numbers from the top; gives the lower half of the rest away when asked. */
function readerOf(page: number, read: number[], onStep: (step: number) => void = () => {}) {
  let steps = 0;
  return async (range: Span, isAskedToShare: boolean): Promise<Step<Span>> => {
    steps += 1;
    const step = steps;
    await Promise.resolve();
    onStep(step);
    const bottom = Math.max(range.from, range.to - page + 1);
    for (let number = range.to; number >= bottom; number -= 1) read.push(number);
    if (bottom === range.from) return { rest: undefined, given: undefined };
    const rest = { from: range.from, to: bottom - 1 };
    const middle = Math.floor((rest.from + rest.to) / 2);
    if (!isAskedToShare || middle >= rest.to) return { rest, given: undefined };
    return { rest: { from: middle + 1, to: rest.to }, given: { from: rest.from, to: middle } };
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const sorted = (read: readonly number[]) => [...read].sort((a, b) => a - b);
const forever = () => false;

test('every number is read once, however many readers there are', async () => {
  const cases = fc.record({
    count: fc.integer({ min: 1, max: 400 }),
    page: fc.integer({ min: 1, max: 30 }),
    readers: fc.integer({ min: 1, max: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ count, page, readers }) => {
      const read: number[] = [];
      const advance = readerOf(page, read);
      const range = { from: 0, to: count - 1 };
      const { isDone } = await shareRanges([range], {
        readers,
        budget: 10_000,
        shouldStop: forever,
        advance,
      });
      expect(isDone).toBe(true);
      expect(sorted(read)).toEqual(numbers(count));
    }),
  );
});

test('all readers have something to read as long as there is enough of it', async () => {
  let running = 0;
  let most = 0;
  const advance = readerOf(1, []);
  await shareRanges([{ from: 0, to: 2_000 }], {
    readers: 12,
    budget: 10_000,
    shouldStop: forever,
    advance: async (range, isAsked) => {
      running += 1;
      most = Math.max(most, running);
      const step = await advance(range, isAsked);
      running -= 1;
      return step;
    },
  });
  expect(most).toBe(12);
});

test('the budget ends the reading between two steps', async () => {
  const read: number[] = [];
  const sharing = { readers: 3, budget: 7, shouldStop: forever, advance: readerOf(5, read) };
  expect(await shareRanges([{ from: 0, to: 999 }], sharing)).toEqual({ isDone: false, steps: 7 });
  expect(read).toHaveLength(35);
});

test('told to stop, readers finish the step at hand and take no other', async () => {
  let isStopping = false;
  const read: number[] = [];
  const advance = readerOf(5, read, (step) => {
    isStopping = step >= 4;
  });
  const { isDone } = await shareRanges([{ from: 0, to: 999 }], {
    readers: 2,
    budget: 1_000,
    shouldStop: () => isStopping,
    advance,
  });
  expect(isDone).toBe(false);
  expect(read.length).toBeLessThanOrEqual(25);
});

test('a step that fails is thrown after the others have finished theirs', async () => {
  const read: number[] = [];
  const advance = readerOf(5, read, (step) => {
    if (step === 6) throw new Error('Stripe is away.');
  });
  const sharing = { readers: 4, budget: 1_000, shouldStop: forever, advance };
  await expect(shareRanges([{ from: 0, to: 999 }], sharing)).rejects.toThrow('Stripe is away.');
  expect(read.length).toBeGreaterThanOrEqual(25);
  expect(read.length).toBeLessThan(60);
});

test('nothing to read is done at once', async () => {
  const sharing = { readers: 4, budget: 10, shouldStop: forever, advance: readerOf(5, []) };
  expect(await shareRanges<Span>([], sharing)).toEqual({ isDone: true, steps: 0 });
});
