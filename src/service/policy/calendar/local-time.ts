/** Moments as days and hours of the customer's calendar, without a luxon object for each. */
import { Info, type Zone } from 'luxon';
import type { LocalDay } from './pay-calendar.ts';

const MS_PER_HOUR = 3_600_000;
const MS_PER_DAY = 24 * MS_PER_HOUR;

/** The local hour from which retries are made. Wages land before it (stripe-facts 13.3); a morning is a business hour everywhere. */
const RETRY_HOUR = 9;

/** The zone of that name; UTC if there is none. */
export function zoneNamed(name: string): Zone {
  const zone = Info.normalizeZone(name);
  return zone.isValid ? zone : Info.normalizeZone('utc');
}

const QUARTER_MS = 900_000;
const MAX_KNOWN = 50_000;
const known = new Map<string, Map<number, number>>();

/** The offset in milliseconds. Clocks change on quarters of an hour; asking Intl each time would cost more than the decision. */
function offsetAt(ms: number, zone: Zone): number {
  if (zone.isUniversal) return zone.offset(ms) * 60_000;
  let ofZone = known.get(zone.name);
  if (!ofZone || ofZone.size > MAX_KNOWN) {
    ofZone = new Map();
    known.set(zone.name, ofZone);
  }
  const quarter = Math.floor(ms / QUARTER_MS);
  const offset = ofZone.get(quarter) ?? zone.offset(quarter * QUARTER_MS) * 60_000;
  ofZone.set(quarter, offset);
  return offset;
}

/**
 * The day to which a moment belongs when money is concerned: what arrives in the small hours is there at nine, so the
 * day begins at nine.
 */
export function moneyDay(ms: number, zone: Zone): LocalDay {
  return Math.floor((ms + offsetAt(ms, zone) - RETRY_HOUR * MS_PER_HOUR) / MS_PER_DAY);
}

/** Nine in the morning of a local day and some time after, by its own clock, even if that changed in the night. */
export function morningOf(day: LocalDay, zone: Zone, afterNineMs = 0): number {
  const local = day * MS_PER_DAY + RETRY_HOUR * MS_PER_HOUR + afterNineMs;
  const near = local - offsetAt(local, zone);
  return local - offsetAt(near, zone);
}

/** That time of all mornings later than one moment and no later than another; none if either is not a time. */
export function listMornings(
  zone: Zone,
  { after, until, afterNineMs = 0 }: Readonly<{ after: number; until: number; afterNineMs?: number }>,
): { ms: number; day: LocalDay }[] {
  const mornings: { ms: number; day: LocalDay }[] = [];
  for (let day = moneyDay(after, zone); ; day += 1) {
    const ms = morningOf(day, zone, afterNineMs);
    // Said this way round, because no comparison with NaN holds: it must not go on for ever.
    if (!(ms <= until)) return mornings;
    if (ms > after) mornings.push({ ms, day });
  }
}
