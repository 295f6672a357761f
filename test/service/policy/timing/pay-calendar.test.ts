import { DateTime, IANAZone } from 'luxon';
import { moneyDay, morningOf, zoneNamed } from '../../../../src/service/policy/timing/own-mornings.ts';
import { PAY_SCHEDULES } from '../../../../src/service/policy/timing/pay-calendar.ts';

const dayOf = (iso: string) => DateTime.fromISO(iso, { zone: 'utc' }).toMillis() / 86_400_000;
const isoOf = (day: number) => DateTime.fromMillis(day * 86_400_000, { zone: 'utc' }).toISODate();

function lastPayday(name: string, iso: string): string | null {
  const schedule = PAY_SCHEDULES.find(({ cycle, days }) => `${cycle} ${days}` === name);
  if (!schedule) throw new Error(name);
  return isoOf(schedule.lastPayday(dayOf(iso)));
}

test.each([
  ['weekly 5', '2026-03-06', '2026-03-06'],
  ['weekly 5', '2026-03-05', '2026-02-27'],
  ['weekly 1', '2026-03-08', '2026-03-02'],
  ['monthly 15', '2026-03-12', '2026-02-13'],
  ['monthly 15', '2026-03-16', '2026-03-13'],
  ['monthly 1', '2026-01-31', '2026-01-30'],
  ['monthly 1', '2026-01-29', '2026-01-01'],
  ['monthly 0', '2026-02-28', '2026-02-27'],
  ['monthly 0', '2028-02-29', '2028-02-29'],
  ['semimonthly 1,15', '2026-04-16', '2026-04-15'],
  ['semimonthly 15,0', '2026-12-31', '2026-12-31'],
])('paid %s: before or on %s it was %s', (name, on, expected) => {
  expect(lastPayday(name, on)).toBe(expected);
});

test('a schedule never names a day that is not paid, over years', () => {
  for (let day = dayOf('2025-01-01'); day < dayOf('2027-01-01'); day += 1) {
    const isWorkday = (payday: number) => new Date(payday * 86_400_000).getUTCDay() % 6 !== 0;
    const isRight = (payday: number) => payday <= day && day - payday <= 34 && isWorkday(payday);
    expect(PAY_SCHEDULES.map((one) => one.lastPayday(day)).filter((payday) => !isRight(payday))).toEqual([]);
  }
});

test.each(['Europe/Berlin', 'America/New_York', 'Africa/Casablanca', 'Australia/Lord_Howe', 'Pacific/Apia'])(
  'mornings in %s are at nine, one for each day of a year',
  (name) => {
    const zone = zoneNamed(name);
    const start = dayOf('2026-01-01');
    for (let day = start; day < start + 365; day += 1) {
      const ms = morningOf(day, zone);
      expect(DateTime.fromMillis(ms, { zone: IANAZone.create(name) }).toFormat('yyyy-MM-dd HH:mm')).toBe(
        `${isoOf(day)} 09:00`,
      );
      expect(moneyDay(ms, zone)).toBe(day);
      expect(moneyDay(ms - 1, zone)).toBe(day - 1);
    }
  },
);

test('a zone that does not exist counts as UTC', () => {
  expect(zoneNamed('Nowhere/Unknown').name).toBe('UTC');
});
