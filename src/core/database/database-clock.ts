/** Time by the database, which all processes on it share: one whose own clock is wrong does nothing early and takes nothing from others. */
import { type Clock, fromUnixMs } from '../base/clock.ts';
import type { Database } from './database.ts';

export interface DatabaseClock {
  readonly clock: Clock;
  /** Compares the clocks; the database's time applies from then on. */
  measure(database: Database): Promise<void>;
  /** Seconds by which the machine's own clock is ahead of the database's; less than zero: behind. */
  aheadSeconds(): number;
}

/** An answer that takes longer says too little. */
const MOST_MS = 2_000;
/** Smaller differences may come from the answer's travel time. */
const JITTER_MS = 250;

/** The embedded database has the machine's clock, and a simulated one is moved by hand: they are left alone. */
export function createDatabaseClock(own: Clock): DatabaseClock {
  /** The last measurement; a monotonic clock counts between two looks. */
  let known: { readonly ms: number; readonly at: number } | undefined;
  const shared = () =>
    known === undefined ? own.now().toMillis() : known.ms + Math.round(performance.now() - known.at);
  return {
    clock: { ...own, now: () => fromUnixMs(shared()) },
    aheadSeconds: () => (known ? Math.round((own.now().toMillis() - shared()) / 1_000) : 0),
    measure: async (database) => {
      if (own.isSimulated || database.kind === 'embedded') return;
      const sentAt = performance.now();
      const ms = await database.getValue<number>(
        'select 1000 * extract(epoch from clock_timestamp())::float8',
      );
      const answeredAt = performance.now();
      if (known && answeredAt - sentAt > MOST_MS) return;
      const at = (sentAt + answeredAt) / 2;
      const difference = known ? ms - (known.ms + at - known.at) : Number.POSITIVE_INFINITY;
      if (Math.abs(difference) > JITTER_MS) known = { ms: Math.round(ms), at };
    },
  };
}
