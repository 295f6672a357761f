import { DateTime } from 'luxon';
import { systemClock as queueSystemClock, TestClock } from 'pg-boss';

/** pg-boss's clock, whose own declaration does not compile for applications that check the declarations of packages. */
export interface QueueClock {
  /** Milliseconds since 1970. */
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
  setInterval(run: () => void, ms: number): unknown;
  clearInterval(timer: unknown): void;
}

/**
 * The one source of time. `now` is always UTC. The job queue reads the same time through `queue`, in its
 * SQL as well, so that a simulated clock moves delays, back-off and schedules together with our own code.
 */
export interface Clock {
  /** In UTC. */
  now(): DateTime<true>;
  /** The same time for the queue, in milliseconds. */
  readonly queue: QueueClock;
  /** Moves only by hand and fires no timers: work is done when asked for, not in the background. */
  readonly isSimulated: boolean;
}

/** A clock that moves only when it is set. For the demo and the tests. */
export interface SimulatedClock extends Clock {
  /** Jumps to an instant, forwards or backwards; waits until the queue has stored it. */
  set(instant: DateTime): Promise<void>;
}

/** The machine's own time; the default. */
export const systemClock: Clock = {
  now: () => fromUnixMs(Date.now()),
  // Its intervals go by it: where the clock is set back, they would last for as much longer. What the difference is it looks up.
  queue: { ...queueSystemClock, now: () => performance.timeOrigin + performance.now() },
  isSimulated: false,
};

/** Stands at `start` until it is set. */
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
 * ISO 8601 in UTC with whole seconds and `Z`, the form of timestamps that leave this package; years 0 to 9999. Every
 * message has several, and luxon's formatting costs ten times the platform's.
 */
export function toIsoSeconds(instant: DateTime): string {
  return isoSecondsOf(instant.toMillis());
}

/** The same of Stripe's integer seconds. */
export function unixToIsoSeconds(seconds: number): string {
  return isoSecondsOf(seconds * 1000);
}

function isoSecondsOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/**
 * ISO 8601 in UTC with milliseconds.
 *
 * @throws RangeError of a time that is none, which would otherwise be stored as nothing.
 */
export function toIso(instant: DateTime): string {
  const iso = instant.toUTC().toISO();
  if (iso === null) throw new RangeError(`${instant.invalidReason}: not a time`);
  return iso;
}

/** `toIsoSeconds` for versions, which differ in milliseconds where several fall in one second. Whole seconds have no fraction. */
export function toIsoVersion(instant: DateTime): string {
  return instant.millisecond === 0 ? toIsoSeconds(instant) : toIso(instant);
}

/** An instant from Stripe's integer seconds. */
export function fromUnixSeconds(seconds: number): DateTime<true> {
  return fromUnixMs(seconds * 1000);
}

/** The same from milliseconds. */
export function fromUnixMs(ms: number): DateTime<true> {
  const instant = DateTime.fromMillis(ms, { zone: 'utc' });
  if (!instant.isValid) throw new RangeError(`${ms} ms is outside the range of dates`);
  return instant;
}
