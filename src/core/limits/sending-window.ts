import { DateTime } from 'luxon';

/**
 * The hours of a customer's day in which email may go out: from `fromMinute` up to, but not at, `toMinute`,
 * both counted from local midnight. A `fromMinute` after `toMinute` spans midnight.
 */
export interface SendingWindow {
  /** 0 to 1439. */
  fromMinute: number;
  /** 0 to 1440, never equal to `fromMinute`. */
  toMinute: number;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** Reads `08:00-20:00`; `00:00-24:00` is the whole day. Undefined when the text is not a window. */
export function parseWindow(text: string): SendingWindow | undefined {
  const match = /^\s*(\d{1,2}):([0-5]\d)\s*-\s*(\d{1,2}):([0-5]\d)\s*$/.exec(text);
  if (!match) return undefined;
  const fromMinute = Number(match[1]) * 60 + Number(match[2]);
  const toMinute = Number(match[3]) * 60 + Number(match[4]);
  if (fromMinute >= DAY_MINUTES || toMinute > DAY_MINUTES || fromMinute === toMinute) return undefined;
  return { fromMinute, toMinute };
}

export function getWindow(text: string): SendingWindow {
  const window = parseWindow(text);
  if (window === undefined) throw new TypeError(`${text} is not a window such as 08:00-20:00`);
  return window;
}

export function isWindow(text: string): boolean {
  return parseWindow(text) !== undefined;
}

/**
 * The earliest moment, not before `instant`, at which a clock on the wall of `zone` shows a time in the
 * window: `instant` itself, or the next opening. An opening that a change of clocks skips moves to the end
 * of the gap. A zone that this machine does not know counts as UTC.
 */
export function nextInWindow(instant: DateTime, zone: string, window: SendingWindow): DateTime {
  let local = inZone(instant, zone);
  if (!local.isValid || isInside(local, window)) return instant;
  while (!isInside(local, window)) local = nextOpeningOrClockChange(local, window);
  return local.setZone(instant.zone);
}

function inZone(instant: DateTime, zone: string): DateTime {
  const local = instant.setZone(zone);
  return local.isValid ? local : instant.toUTC();
}

function isInside(local: DateTime, { fromMinute, toMinute }: SendingWindow): boolean {
  const minute = local.hour * 60 + local.minute;
  if (fromMinute < toMinute) return minute >= fromMinute && minute < toMinute;
  return minute >= fromMinute || minute < toMinute;
}

/** The opening, as long as the clocks are not changed on the way to it; else the moment they are. */
function nextOpeningOrClockChange(local: DateTime, { fromMinute }: SendingWindow): DateTime {
  const elapsedMs = ((local.hour * 60 + local.minute) * 60 + local.second) * 1000 + local.millisecond;
  const dayMs = DAY_MINUTES * MINUTE_MS;
  const waitMs = (fromMinute * MINUTE_MS - elapsedMs + dayMs) % dayMs;
  const opening = local.plus(waitMs);
  return opening.offset === local.offset ? opening : findClockChange(local, opening);
}

/** Bisects to the first millisecond with the later moment's offset. */
function findClockChange(before: DateTime, after: DateTime): DateTime {
  let low = before.toMillis();
  let high = after.toMillis();
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (DateTime.fromMillis(middle, { zone: before.zone }).offset === before.offset) low = middle;
    else high = middle;
  }
  return DateTime.fromMillis(high, { zone: before.zone });
}
