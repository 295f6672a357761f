import { type Clock, systemClock } from '../../../src/core/base/clock.ts';
import { type Database, RESULTS } from '../../../src/core/database/database.ts';
import { createClockWatch } from '../../../src/plugin/jobs/clock-watch.ts';
import { captureLog } from '../../support/log-lines.ts';

let kept: (readonly unknown[])[];
let databaseMs: () => number;
beforeEach(() => {
  kept = [];
  databaseMs = () => Date.now();
});

function open(kind: Database['kind'] = 'postgres') {
  const refuse = () => Promise.reject(new Error('nothing else is asked for'));
  const database: Database = {
    ...RESULTS,
    kind,
    query: async (text, params) => {
      if (params) kept.push(params);
      return JSON.parse(text.includes('clock_timestamp') ? `[{ "ms": ${databaseMs()} }]` : '[]');
    },
    queue: { executeSql: refuse },
    exec: refuse,
    transaction: refuse,
    damaged: new Promise(() => {}),
    showPresence: refuse,
    close: async () => {},
  };
  let minutes = 0;
  const own: Clock = { ...systemClock, now: () => systemClock.now().plus({ minutes }) };
  const clocks = createClockWatch(own);
  const { logger, lines } = captureLog();
  const { look } = clocks.watch({ database, logger, processId: () => 7 });
  const setOwn = (to: number) => {
    minutes = to;
  };
  const answer = (minutesAgo: number) =>
    clocks.hearStripe(new Date(Date.now() - minutesAgo * 60_000).toUTCString());
  return { look, lines, setOwn, answer };
}

const near = (seconds: number) => ({
  asymmetricMatch: (value: unknown) => Math.abs(Number(value) - seconds) <= 2,
});

test('a machine that is set wrong is named once, and again when it differs otherwise, and its end is said', async () => {
  const { look, lines, setOwn } = open();
  await look();
  expect(kept).toEqual([]);
  for (const minutes of [40, 40, -60 * 24, 0, 0]) {
    setOwn(minutes);
    await look();
  }
  expect(kept).toEqual([
    [7, near(2_400), undefined],
    [7, near(-86_400), undefined],
    [7, undefined, undefined],
  ]);
  expect(lines).toEqual([
    expect.stringContaining("this machine's clock differs from the database's"),
    expect.stringContaining("this machine's clock differs from the database's"),
    expect.stringContaining('the clocks agree again'),
  ]);
});

test.each([
  ['postgres', "the database's clock, by which all work goes, differs from Stripe's"],
  ['embedded', "this machine's clock differs from Stripe's"],
] as const)('on %s an answer of Stripe says that %s', async (kind, sentence) => {
  const { look, lines, answer } = open(kind);
  answer(0.5);
  await look();
  expect(lines).toEqual([]);
  answer(10);
  await look();
  expect(kept).toEqual([[7, undefined, near(600)]]);
  expect(lines).toEqual([expect.stringContaining(sentence)]);
});
