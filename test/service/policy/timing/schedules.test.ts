/** Times that follow from rules alone: of the holdout, of bank debits, and of the clock in a case's zone. */
import { DateTime } from 'luxon';
import {
  listOwnMornings,
  moneyDay,
  morningOf,
  zoneNamed,
} from '../../../../src/service/policy/timing/own-mornings.ts';
import { drawHoldout, listStaticTimes } from '../../../../src/service/policy/timing/static-schedule.ts';
import { timeBankDebit } from '../../../../src/service/policy/timing/time-bank-debit.ts';
import { buildCase, FIRST, failed } from '../policy-cases.ts';

const HOUR = 3_600_000;
const iso = (ms: number | undefined) =>
  ms === undefined ? undefined : new Date(ms).toISOString().replace(':00.000Z', 'Z');

test('the static schedule is at the hour of the first failure', () => {
  expect(listStaticTimes(FIRST).map(iso)).toEqual([
    ...['2026-03-03T10:00Z', '2026-03-05T10:00Z', '2026-03-07T10:00Z', '2026-03-09T10:00Z'],
  ]);
});

test('a case is held out by its id and seed, never at no percent, always at a hundred, and only once', () => {
  const draw = (id: string, seed: number, percent: number) => drawHoldout(buildCase({ id }), seed, percent);
  const ids = Array.from({ length: 60 }, (_, index) => `in_${index}`);
  const heldOut = (seed: number, percent: number) =>
    ids.filter((id) => draw(id, seed, percent).isHeldOut).join();
  expect([heldOut(1, 0), heldOut(1, 100)]).toEqual(['', ids.join()]);
  expect(heldOut(1, 50)).not.toBe(heldOut(2, 50));
  expect(ids.every((id) => draw(id, 1, 60).isHeldOut || !draw(id, 1, 30).isHeldOut)).toBe(true);
  expect(draw('in_1', 3, 20)).toMatchObject({ percent: 20, seed: 3 });
  const before = { isHeldOut: true, percent: 5, seed: 9 };
  expect(drawHoldout(buildCase({ draw: before }), 1, 0)).toBe(before);
});

/** All days on which a bank debit may be presented again, asked from a day after the first failure on. */
function presented(first: DateTime, method: string, after = 0, minGapHours = 24) {
  const attempt = { ...failed(0, 'insufficient_funds', method), at: first };
  const latest = { ...attempt, at: first.plus({ hours: after }) };
  const paymentCase = buildCase({ attempts: [attempt], limits: { minGapHours } });
  const days: string[] = [];
  let now = latest.at;
  for (;;) {
    const ms = timeBankDebit(paymentCase, { first: attempt, latest, now });
    if (ms === undefined) return days.join(' ');
    days.push(DateTime.fromMillis(ms, { zone: 'utc' }).toFormat('EEE d'));
    now = DateTime.fromMillis(ms);
  }
}
const monday = DateTime.fromISO('2026-06-01T10:00:00Z', { zone: 'utc' });

test.each([
  ['a Monday', monday, 'sepa_debit', 'Mon 8 Tue 16 Tue 23 Mon 29'],
  ['a Monday, by Bacs', monday, 'bacs_debit', 'Mon 8 Tue 16 Tue 23'],
  ['a Friday', monday.plus({ days: 4 }), 'sepa_debit', 'Fri 12 Mon 22 Mon 29 Fri 3'],
  ['a Saturday', monday.plus({ days: 5 }), 'us_bank_account', 'Mon 15 Mon 22 Mon 29 Mon 6'],
  ['a Sunday', monday.plus({ days: 6 }), 'us_bank_account', 'Mon 15 Mon 22 Mon 29 Mon 6'],
])('a debit of %s is presented on bank days, a week later and on', (_name, first, method, days) => {
  expect(presented(first, method)).toBe(days);
});

test('a debit rests after its latest presentment, as long as the merchant wants', () => {
  expect(presented(monday, 'sepa_debit', 7 * 24)).toBe('Tue 16 Tue 23 Mon 29');
  expect(presented(monday, 'sepa_debit', 14 * 24, 24 * 9)).toBe('Mon 29');
  const nine = { ...failed(0, 'x', 'sepa_debit'), at: monday };
  const own = (hours: number) => {
    const due = timeBankDebit(buildCase(), { first: nine, latest: nine, now: monday });
    const latest = { ...nine, at: DateTime.fromMillis(due ?? 0).minus({ hours }) };
    return timeBankDebit(buildCase(), { first: nine, latest, now: monday }) === due;
  };
  expect([own(24), own(23.99)]).toEqual([true, false]);
});

test('the day of money begins at nine, by the clock of its zone, on both sides of a change of clocks', () => {
  const berlin = zoneNamed('Europe/Berlin');
  const day = (text: string) => Date.parse(text) / 86_400_000;
  const dayOf = (text: string, zone = berlin) => moneyDay(Date.parse(text), zone);
  expect([dayOf('2026-03-28T07:59:59Z'), dayOf('2026-03-28T08:00:00Z')]).toEqual([
    day('2026-03-27'),
    day('2026-03-28'),
  ]);
  expect([dayOf('2026-03-29T06:59:59Z'), dayOf('2026-03-29T07:00:00Z')]).toEqual([
    day('2026-03-28'),
    day('2026-03-29'),
  ]);
  const fixed = zoneNamed('UTC+2');
  expect([dayOf('2026-03-29T06:59:59Z', fixed), dayOf('2026-03-29T07:00:00Z', fixed)]).toEqual([
    ...[day('2026-03-28'), day('2026-03-29')],
  ]);
  expect(iso(morningOf(day('2026-03-29'), berlin, HOUR))).toBe('2026-03-29T08:00Z');
});

test('mornings are later than one moment and no later than another', () => {
  const list = (after: number, until: number) =>
    listOwnMornings(buildCase(), { after, until }).map(({ ms }) => ms);
  const [monday = 0, tuesday = 0] = list(FIRST.toMillis(), FIRST.plus({ days: 2 }).toMillis());
  expect(list(monday, tuesday)).toEqual([tuesday]);
  expect(list(monday - 1, tuesday)).toEqual([monday, tuesday]);
  expect(list(monday - 1, tuesday - 1)).toEqual([monday]);
});
