/** When the queue is asked for due jobs, on timers that a test moves. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { mock } from 'node:test';
import { setImmediate as afterOthers } from 'node:timers/promises';
import { type DueWatch, watchDue } from '../../../src/core/jobs/jobs.ts';
import { eventually } from '../../support/eventually.ts';

const REST_MS = 5_000;
let watch: DueWatch;
let waitMs: number | undefined;
let looks: number[];
let nowMs: number;
/** As the embedded database knows who is in a transaction. */
const transaction = new AsyncLocalStorage<string>();
let contexts: (string | undefined)[];

beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout'] });
  waitMs = undefined;
  looks = [];
  contexts = [];
  nowMs = 0;
  watch = watchDue(async () => {
    looks.push(nowMs);
    contexts.push(transaction.getStore());
    return waitMs;
  }, REST_MS);
});
afterEach(() => {
  watch.stop();
  mock.timers.reset();
});

/** In steps of ten milliseconds. */
async function pass(ms: number): Promise<void> {
  for (const endMs = nowMs + ms; nowMs < endMs; ) {
    nowMs += 10;
    mock.timers.tick(10);
    await afterOthers();
  }
}
const looksIn = async (ms: number): Promise<number> => {
  const before = looks.length;
  await pass(ms);
  return looks.length - before;
};

test('an idle queue is asked after half a second, one, two and four, and then once in five', async () => {
  await pass(60_000);
  expect(looks.slice(0, 6)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 13_000]);
  expect(await looksIn(60_000)).toBe(12);
});

test('a queue with due jobs is asked twice a second', async () => {
  waitMs = -3;
  expect(await looksIn(20_000)).toBe(40);
});

test('a queue at rest is asked again when its next job falls due', async () => {
  await pass(5_000);
  waitMs = 700;
  await pass(6_000);
  const [last = 0, before = 0] = looks.toReversed();
  expect(last - before).toBe(700);
});

test('what is enqueued ends a rest at once, and is looked for again for as long as its transaction may take', async () => {
  await pass(20_000);
  const enqueuedMs = nowMs;
  const before = looks.length;
  watch.attend();
  await pass(10_000);
  expect(looks.slice(before).map((lookedMs) => lookedMs - enqueuedMs)).toEqual([
    20, 520, 1_520, 3_520, 7_520,
  ]);
});

test('work that is enqueued all the time keeps no look from its time', async () => {
  await pass(20_000);
  const before = looks.length;
  for (let turn = 0; turn < 100; turn += 1) {
    watch.attend();
    await pass(10);
  }
  expect(looks.length - before).toBe(2);
});

test('what is enqueued in the middle of a transaction is looked for outside of it', async () => {
  await pass(20_000);
  mock.timers.reset();
  const before = looks.length;
  transaction.run('open', watch.attend);
  await eventually(() => expect(looks.length).toBeGreaterThan(before));
  expect(contexts.at(-1)).toBeUndefined();
});

test('nobody looks after the end', async () => {
  watch.stop();
  watch.attend();
  expect(await looksIn(20_000)).toBe(0);
});
