import fc from 'fast-check';
import { DateTime } from 'luxon';
import { listOwnMornings, MORNING_MINUTES } from '../../../../src/service/policy/timing/own-mornings.ts';
import { runs } from '../../../support/runner/full-run.ts';

const DAY_MS = 86_400_000;
const START = DateTime.fromISO('2026-01-01T00:00:00Z').toMillis();

function localTimes(id: string, zone: string): DateTime[] {
  const mornings = listOwnMornings({ id, zone }, { after: START, until: START + 365 * DAY_MS });
  return mornings.map(({ ms }) => DateTime.fromMillis(ms, { zone }));
}

test('ten thousand retries of one morning are spread over its minutes', () => {
  const minutes = new Map<number, number>();
  const retries = 10_000;
  for (let invoice = 0; invoice < retries; invoice += 1) {
    const zone = 'Europe/Berlin';
    const paymentCase = { id: `in_1Q${invoice.toString(36).padStart(8, '0')}`, zone };
    const [slot] = listOwnMornings(paymentCase, { after: START, until: START + 2 * DAY_MS });
    const minute = Math.floor((slot?.ms ?? Number.NaN) / 60_000);
    minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
  }
  expect(minutes.size).toBe(MORNING_MINUTES);
  expect(Math.max(...minutes.values())).toBeLessThan((1.5 * retries) / MORNING_MINUTES);
});

test('a case keeps its time of the morning all year, between nine and half past ten on the clock of its zone', () => {
  const zones = ['UTC', 'America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kolkata'];
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...zones), (id, zone) => {
      const times = localTimes(id, zone);
      expect(times).toHaveLength(365);
      expect(new Set(times.map((time) => time.toFormat('HH:mm:ss'))).size).toBe(1);
      const afterNine = times[0]?.diff(times[0].set({ hour: 9, minute: 0, second: 0 })).as('minutes');
      expect(afterNine).toBeGreaterThanOrEqual(0);
      expect(afterNine).toBeLessThan(MORNING_MINUTES);
    }),
    { numRuns: runs(50) },
  );
});
