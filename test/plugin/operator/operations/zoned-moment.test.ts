/** Days and times on the clocks of a zone. */
import { toMoment, zonedMoment, zoneName } from '../../../../src/plugin/operator/operations/postpone.ts';

test.each([
  ['2026-04-01', 'UTC', '2026-04-01T00:00:00.000Z'],
  ['2026-04-01', 'Europe/Berlin', '2026-03-31T22:00:00.000Z'],
  ['2026-04-01T09:00', 'Europe/Berlin', '2026-04-01T07:00:00.000Z'],
  // The text's own zone counts.
  ['2026-04-01T09:00Z', 'Europe/Berlin', '2026-04-01T09:00:00.000Z'],
  ['2026-04-01T09:00-03:00', 'Europe/Berlin', '2026-04-01T12:00:00.000Z'],
  ['2026-04-01T09:00[Asia/Tokyo]', 'Europe/Berlin', '2026-04-01T00:00:00.000Z'],
  ['2026-03-29T02:30Z', 'Europe/Berlin', '2026-03-29T02:30:00.000Z'],
  // Clocks go forward over it.
  ['2026-03-29T02:30', 'Europe/Berlin', undefined],
  ['2026-03-29T01:30', 'Europe/London', undefined],
  ['2026-03-29T02:30[Europe/Berlin]', 'UTC', undefined],
  ['2026-09-06T00:00', 'America/Santiago', undefined],
  ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
  // Twice on that day.
  ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T01:30:00.000Z'],
  ['2026-11-01T01:30', 'America/New_York', '2026-11-01T06:30:00.000Z'],
])('%s on the clocks of %s is %s', (given, zone, expected) => {
  expect(toMoment(zonedMoment.parse(given), zone)?.toJSDate().toISOString()).toBe(expected);
});

test.each([
  '',
  'soon',
  '09:00',
  'T09:00',
  '2026-02-30',
  '2026-04-01T25:00',
  '275760-09-13T00:00',
  '2026-04-01T09:00[Mars/Base]',
])('%j is neither a day nor a time', (given) => expect(zonedMoment.safeParse(given).success).toBe(false));

test.each(['', 'Mars/Base', 'CET+1', '../UTC'])('%j is no time zone', (given) =>
  expect(zoneName.safeParse(given).success).toBe(false),
);
