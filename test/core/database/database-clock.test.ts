import { DateTime } from 'luxon';
import { type Clock, createSimulatedClock, systemClock } from '../../../src/core/base/clock.ts';
import { type Database, RESULTS } from '../../../src/core/database/database.ts';
import { createDatabaseClock } from '../../../src/core/database/database-clock.ts';

/** A database that says what time it is. */
function telling(now: () => number, kind: Database['kind'] = 'postgres'): Database {
  const refuse = () => Promise.reject(new Error('only the time is asked for'));
  return {
    ...RESULTS,
    kind,
    query: async () => JSON.parse(JSON.stringify([{ ms: now() }])),
    queue: { executeSql: refuse },
    exec: refuse,
    transaction: refuse,
    damaged: new Promise(() => {}),
    showPresence: refuse,
    close: async () => {},
  };
}

const aheadOf = (minutes: number): Clock => ({
  ...systemClock,
  now: () => systemClock.now().plus({ minutes }),
});
const right = () => Date.now();
const apart = (one: Clock, other: Clock) => Math.abs(one.now().diff(other.now()).as('seconds'));

test.each([40, -40, 23 * 60 + 30, 3 * 365 * 24 * 60])(
  'a machine that is %i minutes off has the time of its database, and knows how far it is off',
  async (minutes) => {
    const { clock, measure, aheadSeconds } = createDatabaseClock(aheadOf(minutes));
    await measure(telling(right));
    expect(apart(clock, systemClock)).toBeLessThan(2);
    expect(Math.abs(aheadSeconds() - minutes * 60)).toBeLessThan(2);
  },
);

test('processes whose machines are a day apart agree', async () => {
  const clocks = [aheadOf(0), aheadOf(24 * 60)].map(createDatabaseClock);
  for (const { measure } of clocks) await measure(telling(right));
  const [first = systemClock, second = systemClock] = clocks.map(({ clock }) => clock);
  expect(apart(first, second)).toBeLessThan(2);
});

test('a machine whose clock is set while it works keeps the time, and follows a database that is set', async () => {
  let minutes = 0;
  const jumping: Clock = { ...systemClock, now: () => systemClock.now().plus({ minutes }) };
  const { clock, measure, aheadSeconds } = createDatabaseClock(jumping);
  await measure(telling(right));
  minutes = 60;
  expect(apart(clock, systemClock)).toBeLessThan(2);
  expect(Math.abs(aheadSeconds() - 3_600)).toBeLessThan(2);
  await measure(telling(() => right() - 600_000));
  expect(Math.abs(apart(clock, systemClock) - 600)).toBeLessThan(2);
});

test("the embedded database has the machine's clock, and a simulated one stands where it was set", async () => {
  let looks = 0;
  const own = { ...systemClock, now: () => aheadOf(40).now().plus({ milliseconds: looks++ }) };
  const embedded = createDatabaseClock(own);
  await embedded.measure(telling(right, 'embedded'));
  expect(apart(embedded.clock, own)).toBeLessThan(2);
  expect(embedded.aheadSeconds()).toBe(0);
  const simulated = createSimulatedClock(DateTime.fromISO('2026-03-02T10:00:00Z'));
  const { clock, measure } = createDatabaseClock(simulated);
  await measure(telling(right));
  expect(clock.now().toISO()).toBe('2026-03-02T10:00:00.000Z');
  await simulated.set(DateTime.fromISO('2026-03-03T10:00:00Z'));
  expect(clock.now().toISO()).toBe('2026-03-03T10:00:00.000Z');
});
