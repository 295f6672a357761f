import fc from 'fast-check';
import { DateTime } from 'luxon';
import { nextInWindow, parseWindow, type SendingWindow } from '../../../src/core/limits/sending-window.ts';

const ZONES = [
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Africa/Casablanca',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  // Their clocks are changed at midnight: the day begins at 01:00.
  'Africa/Cairo',
  'Asia/Beirut',
  'America/Santiago',
  'UTC',
];

const anyWindow = fc
  .record({ fromMinute: fc.integer({ min: 0, max: 1439 }), toMinute: fc.integer({ min: 0, max: 1440 }) })
  .filter(({ fromMinute, toMinute }) => fromMinute !== toMinute);
const anyInstant = fc
  .integer({ min: Date.UTC(2024, 0), max: Date.UTC(2031, 0) })
  .map((ms) => DateTime.fromMillis(ms, { zone: 'utc' }));
const anyZone = fc.constantFrom(...ZONES);

function isOpen(instant: DateTime, zone: string, { fromMinute, toMinute }: SendingWindow): boolean {
  const local = instant.setZone(zone);
  const minute = local.hour * 60 + local.minute;
  const openMinutes = fromMinute < toMinute ? toMinute - fromMinute : 1440 - fromMinute + toMinute;
  return (minute - fromMinute + 1440) % 1440 < openMinutes;
}

function hours(text: string): SendingWindow {
  const parsed = parseWindow(text);
  if (!parsed) throw new Error(`${text} is not a window`);
  return parsed;
}

describe('parseWindow', () => {
  test.each([
    ['08:00-20:00', 480, 1200],
    ['8:30 - 20:00', 510, 1200],
    ['20:00-02:00', 1200, 120],
    ['00:00-24:00', 0, 1440],
    ['20:00-00:00', 1200, 0],
  ])('parseWindow reads %p', (text, fromMinute, toMinute) => {
    expect(parseWindow(text)).toEqual({ fromMinute, toMinute });
  });

  test.each(['', '8-20', '08:00', '08:00-08:00', '24:00-08:00', '08:00-24:01', '08:60-20:00', 'x'])(
    'parseWindow refuses %p',
    (text) => {
      expect(parseWindow(text)).toBeUndefined();
    },
  );
});

describe('nextInWindow', () => {
  test.each([
    ['inside', 'Asia/Kolkata', '2026-06-01T09:15:30.5', '08:00-20:00', '2026-06-01T09:15:30.5'],
    ['at the opening', 'Asia/Kolkata', '2026-06-01T08:00', '08:00-20:00', '2026-06-01T08:00'],
    ['just before it', 'Asia/Kolkata', '2026-06-01T07:59:59.999', '08:00-20:00', '2026-06-01T08:00'],
    ['at the close', 'Asia/Kolkata', '2026-06-01T20:00', '08:00-20:00', '2026-06-02T08:00'],
    ['over midnight', 'Asia/Kolkata', '2026-06-01T01:59', '20:00-02:00', '2026-06-01T01:59'],
    ['by day, over midnight', 'Asia/Kolkata', '2026-06-01T02:00', '20:00-02:00', '2026-06-01T20:00'],
    ['over the end of a year', 'Asia/Kolkata', '2026-12-31T22:00', '08:00-20:00', '2027-01-01T08:00'],
    ['before a skipped hour', 'America/New_York', '2026-03-07T21:00', '08:00-20:00', '2026-03-08T08:00'],
    ['before a repeated hour', 'America/New_York', '2026-10-31T21:00', '08:00-20:00', '2026-11-01T08:00'],
    ['opening in the gap', 'America/New_York', '2026-03-08T01:00', '02:30-20:00', '2026-03-08T03:00'],
    ['window in the gap', 'America/New_York', '2026-03-08T01:00', '02:10-02:50', '2026-03-09T02:10'],
    ['opening in the gap', 'Europe/Berlin', '2026-03-28T21:00', '02:15-04:00', '2026-03-29T03:00'],
    ['before a repeated hour', 'Europe/Berlin', '2026-10-24T21:00', '08:00-20:00', '2026-10-25T08:00'],
    ['on the shorter day', 'Europe/Berlin', '2026-03-29T01:30', '08:00-20:00', '2026-03-29T08:00'],
    ['on the longer day', 'Europe/Berlin', '2026-10-25T01:30', '08:00-20:00', '2026-10-25T08:00'],
    ['closing on the shorter day', 'Europe/Berlin', '2026-03-29T20:00', '08:00-20:00', '2026-03-30T08:00'],
    ['closing on the longer day', 'Europe/Berlin', '2026-10-25T20:00', '08:00-20:00', '2026-10-26T08:00'],
    ['a half-hour zone', 'Asia/Kolkata', '2026-03-29T07:29', '07:30-20:00', '2026-03-29T07:30'],
    ['midnight skipped', 'Africa/Cairo', '2026-04-23T22:00', '08:00-20:00', '2026-04-24T08:00'],
    ['opening at a skipped midnight', 'Africa/Cairo', '2026-04-23T22:00', '00:00-06:00', '2026-04-24T01:00'],
    ['window in a skipped midnight', 'Africa/Cairo', '2026-04-23T22:00', '00:10-00:50', '2026-04-25T00:10'],
    ['midnight skipped', 'America/Santiago', '2026-09-05T21:00', '08:00-20:00', '2026-09-06T08:00'],
    ['midnight repeated', 'America/Santiago', '2026-04-04T21:00', '08:00-20:00', '2026-04-05T08:00'],
    ['a whole day skipped', 'Pacific/Apia', '2011-12-29T21:00', '08:00-20:00', '2011-12-31T08:00'],
    [
      'opening in the half-hour gap',
      'Australia/Lord_Howe',
      '2026-10-04T01:00',
      '02:15-9:00',
      '2026-10-04T02:30',
    ],
    ['before a half-hour gap', 'Australia/Lord_Howe', '2026-10-03T21:00', '08:00-20:00', '2026-10-04T08:00'],
    [
      'before a repeated half-hour',
      'Australia/Lord_Howe',
      '2026-04-04T21:00',
      '08:00-20:00',
      '2026-04-05T08:00',
    ],
  ])('nextInWindow finds the next moment for the case %s in %s', (_, zone, from, text, expected) => {
    const result = nextInWindow(DateTime.fromISO(from, { zone }), zone, hours(text));
    expect(result.setZone(zone).toISO()).toBe(DateTime.fromISO(expected, { zone }).toISO());
  });

  test('nextInWindow opens again when a repeated hour comes round', () => {
    const instant = DateTime.fromISO('2026-11-01T01:45:00-04:00', { setZone: true });
    const result = nextInWindow(instant, 'America/New_York', hours('01:30-01:40'));
    expect(result.toUTC().toISO()).toBe('2026-11-01T06:30:00.000Z');
  });

  test('nextInWindow keeps the zone in which the instant was given', () => {
    const instant = DateTime.fromISO('2026-06-01T00:00:00Z', { zone: 'utc' });
    expect(nextInWindow(instant, 'Asia/Kolkata', hours('08:00-20:00')).toISO()).toBe(
      '2026-06-01T02:30:00.000Z',
    );
  });

  test('nextInWindow takes a zone that does not exist as UTC', () => {
    const instant = DateTime.fromISO('2026-06-01T03:00:00Z', { zone: 'utc' });
    expect(nextInWindow(instant, 'Mars/Base', hours('08:00-20:00')).toISO()).toBe('2026-06-01T08:00:00.000Z');
  });

  test('nextInWindow gives a moment inside the window, never before the instant, that stays put', () => {
    fc.assert(
      fc.property(anyInstant, anyZone, anyWindow, (instant, zone, window) => {
        const result = nextInWindow(instant, zone, window);
        expect(result >= instant).toBe(true);
        expect(isOpen(result, zone, window)).toBe(true);
        expect(nextInWindow(result, zone, window).toMillis()).toBe(result.toMillis());
      }),
    );
  });

  test('nextInWindow gives the earliest moment inside the window', () => {
    fc.assert(
      fc.property(anyInstant, anyZone, anyWindow, (instant, zone, window) => {
        const result = nextInWindow(instant, zone, window);
        const step = { minutes: 30 };
        for (let t = instant; t < result; t = t.plus(step)) expect(isOpen(t, zone, window)).toBe(false);
        if (result > instant) expect(isOpen(result.minus(1), zone, window)).toBe(false);
      }),
    );
  });
});
