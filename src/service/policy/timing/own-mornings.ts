/** Days of the customer's calendar and the morning that a case keeps on them, without a luxon object for each. */
import { Info, type Zone } from 'luxon';
import type { PaymentCase } from '../payment-case.ts';
import type { LocalDay } from './pay-calendar.ts';
import { chanceOf } from './static-schedule.ts';

export interface Morning {
  readonly ms: number;
  readonly day: LocalDay;
}

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

/** Everybody's pay day is the same one: at nine sharp, all who wait for it would be due in one second. */
export const MORNING_MINUTES = 90;

/** Later than one moment and no later than another, in milliseconds: the same minute and second on each morning. */
export function listOwnMornings(
  { id, zone: name }: Pick<PaymentCase, 'id' | 'zone'>,
  { after, until }: { readonly after: number; readonly until: number },
): Morning[] {
  const zone = zoneNamed(name);
  // In whole seconds, as an instruction is written.
  const afterNineMs = Math.floor(chanceOf(`morning ${id}`) * MORNING_MINUTES * 60) * 1000;
  const mornings: Morning[] = [];
  for (let day = moneyDay(after, zone); ; day += 1) {
    const ms = morningOf(day, zone, afterNineMs);
    // Said this way round, because no comparison with NaN holds: it must not go on for ever.
    if (!(ms <= until)) return mornings;
    if (ms > after) mornings.push({ ms, day });
  }
}
