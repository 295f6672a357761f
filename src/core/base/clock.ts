import { DateTime, FixedOffsetZone } from 'luxon';
import { systemClock as queueSystemClock, TestClock } from 'pg-boss';

/** pg-boss's clock: its own declaration does not compile in applications that check declarations. */
export interface QueueClock {
  /** Milliseconds since 1970. */
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
  setInterval(run: () => void, ms: number): unknown;
  clearInterval(timer: unknown): void;
}

/**
 * The source of time. The job queue reads it through `queue`, in SQL, too, so that a simulated clock moves delays, back-off and schedules
 * together with our code.
 */
export interface Clock {
  /** Always UTC. */
  now(): DateTime<true>;
  /** Same time in milliseconds, for the queue. */
  readonly queue: QueueClock;
  /** Moves only by hand and fires no timers: work is done on request, not in the background. */
  readonly isSimulated: boolean;
}

/** A clock that moves only when set, for the demo and tests. */
export interface SimulatedClock extends Clock {
  /** Jumps to an instant in either direction; waits until the queue has stored it. */
  set(instant: DateTime): Promise<void>;
}

/** The machine's time; the default. */
export const systemClock: Clock = {
  now: () => fromUnixMs(Date.now()),
  // A monotonic time for intervals: setting the clock back would prolong them. The queue corrects the difference.
  queue: { ...queueSystemClock, now: () => performance.timeOrigin + performance.now() },
  isSimulated: false,
};

export function createSimulatedClock(start: DateTime): SimulatedClock {
  const queue = new TestClock(start.toMillis());
  return {
    now: () => fromUnixMs(queue.now()),
    queue,
    isSimulated: true,
    set: (instant) => queue.setTime(instant.toMillis()),
  };
}

/**
 * Formats as ISO 8601 in UTC with whole seconds and `Z`, as in messages; years 0 to 9999. Messages have several, and luxon's formatting
 * takes ten times the platform's.
 */
export function toIsoSeconds(instant: DateTime): string {
  return isoSecondsOf(instant.toMillis());
}

/** Same from Stripe's integer seconds. */
export function unixToIsoSeconds(seconds: number): string {
  return isoSecondsOf(seconds * 1000);
}

function isoSecondsOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/**
 * Formats as ISO 8601 in UTC with milliseconds.
 *
 * @throws RangeError for an invalid time, which would be stored as null.
 */
export function toIso(instant: DateTime): string {
  const iso = instant.toUTC().toISO();
  if (iso === null) throw new RangeError(`${instant.invalidReason}: not a time`);
  return iso;
}

/** `toIsoSeconds` for versions, with milliseconds unless they are zero. */
export function toIsoVersion(instant: DateTime): string {
  return instant.millisecond === 0 ? toIsoSeconds(instant) : toIso(instant);
}

/** Reads Stripe's integer seconds. */
export function fromUnixSeconds(seconds: number): DateTime<true> {
  return fromUnixMs(seconds * 1000);
}

/** The zone itself: a name would be looked up each time. */
const UTC = { zone: FixedOffsetZone.utcInstance };

export function fromUnixMs(ms: number): DateTime<true> {
  const instant = DateTime.fromMillis(ms, UTC);
  if (!instant.isValid) throw new RangeError(`${ms} ms is outside the range of dates`);
  return instant;
}
