import fc from 'fast-check';
import { DateTime } from 'luxon';
import '../../../support/runner/luxon-equality.ts';
import type { MirrorVersion } from '../../../../src/plugin/store/tables/sync/mirror-version.ts';
import { judgeFreshness, readVersion } from '../../../../src/plugin/sync/events/freshness.ts';
import { runs } from '../../../support/runner/full-run.ts';

const BASE = DateTime.fromISO('2026-11-20T10:00:00Z', { zone: 'utc' }).toMillis();
const at = (ms: number) => DateTime.fromMillis(BASE + ms, { zone: 'utc' });
const stored = (source: MirrorVersion['source'], ms = 0): MirrorVersion => ({
  version: at(ms),
  source,
});

describe('judgeFreshness', () => {
  it('judgeFreshness applies what is seen for the first time', () => {
    expect(judgeFreshness(undefined, at(0), at(0))).toBe('apply');
  });

  it.each<[MirrorVersion['source'], number, string]>([
    ['event', 1_000, 'apply'],
    ['event', 0, 'read'],
    ['event', -1_000, 'stale'],
    ['read', 300_001, 'apply'],
    ['read', 300_000, 'read'],
    ['read', 0, 'read'],
    ['read', -301_000, 'read'],
    ['read', -301_001, 'stale'],
  ])('judgeFreshness, after a stored %s, judges an event %d ms later as %s', (source, lead, verdict) => {
    expect(judgeFreshness(stored(source), at(lead), at(10_000))).toBe(verdict);
  });
});

describe('after the clock was set back', () => {
  it('an event of now is not dropped for what was read by a clock that was ahead', () => {
    expect(judgeFreshness(stored('read', 3_600_000), at(0), at(1_000))).toBe('read');
  });
});

describe('readVersion', () => {
  it('readVersion is the time of the read, where that is later than all that is known', () => {
    expect(readVersion(at(5_000), at(0), stored('event'))).toEqual(at(5_000));
    expect(readVersion(at(5_000), at(0), undefined)).toEqual(at(5_000));
  });

  it('readVersion is just after the event and what is stored, where our clock is behind', () => {
    expect(readVersion(at(-3_000), at(0), undefined)).toEqual(at(1));
    expect(readVersion(at(-3_000), at(0), stored('event', 2_000))).toEqual(at(2_001));
    expect(readVersion(at(0), at(0), undefined)).toEqual(at(1));
  });

  it('readVersion is always newer than what it replaces and than the event that led to it', () => {
    const moment = fc.integer({ min: -10_000_000, max: 10_000_000 });
    fc.assert(
      fc.property(moment, moment, fc.option(moment, { nil: undefined }), (start, created, known) => {
        const version = readVersion(
          at(start),
          at(created),
          known === undefined ? undefined : stored('read', known),
        );
        expect(version >= at(start) && version > at(created)).toBe(true);
        if (known !== undefined) expect(version > at(known)).toBe(true);
      }),
    );
  });
});

/** The truth changes at these moments, to the states 0, 1, 2 …; each change emits an event with its snapshot. */
interface Story {
  readonly changes: readonly number[];
  /** What is delivered, in this order: which event, and how long after the delivery before it. Every event occurs. */
  readonly deliveries: readonly { readonly event: number; readonly pauseMs: number }[];
  /** Our clock minus Stripe's. */
  readonly skewMs: number;
}

/** The mirror's own steps (mirror-invoice, mirror-subscription) over plain values. */
function mirror({ changes, deliveries, skewMs }: Story): { state: number; wentBack: boolean } {
  let known: (MirrorVersion & { state: number }) | undefined;
  let trueMs = 0;
  let wentBack = false;
  for (const { event, pauseMs } of deliveries) {
    const changedAt = changes[event] ?? 0;
    trueMs = Math.max(trueMs + pauseMs, changedAt + 1);
    const createdAt = at(Math.floor(changedAt / 1_000) * 1_000);
    const verdict = judgeFreshness(known, createdAt, at(trueMs + skewMs));
    if (verdict === 'stale') continue;
    const truth = changes.findLastIndex((change) => change <= trueMs);
    const before: number | undefined = known?.version.toMillis();
    known =
      verdict === 'apply'
        ? { state: event, version: createdAt, source: 'event' }
        : {
            state: truth,
            version: readVersion(at(trueMs + skewMs), createdAt, known),
            source: 'read',
          };
    wentBack ||= before !== undefined && known.version.toMillis() <= before;
  }
  return { state: known?.state ?? -1, wentBack };
}

describe('the mirror of an object', () => {
  const skew = fc.oneof(fc.integer({ min: -5_000, max: 5_000 }), fc.integer({ min: -300_000, max: 300_000 }));
  // Changes within a second tie; gaps around the clocks' difference are where an error would hide.
  const gap = fc.oneof(
    fc.integer({ min: 1, max: 400 }),
    fc.integer({ min: 800, max: 8_000 }),
    fc.integer({ min: 60_000, max: 90_000 }),
    fc.integer({ min: 240_000, max: 700_000 }),
  );
  const pause = fc.oneof(
    fc.integer({ min: 1, max: 50 }),
    fc.integer({ min: 500, max: 9_000 }),
    fc.integer({ min: 100_000, max: 400_000 }),
  );
  const story: fc.Arbitrary<Story> = fc.array(gap, { minLength: 1, maxLength: 7 }).chain((gaps) => {
    const changes = gaps.map((_, index) => gaps.slice(0, index + 1).reduce((sum, one) => sum + one, 0));
    const indexes = changes.map((_, index) => index);
    const repeated = fc.array(fc.constantFrom(...indexes), { maxLength: 6 });
    return fc.record({
      changes: fc.constant(changes),
      deliveries: repeated
        .chain((again) => {
          const all = [...indexes, ...again];
          return fc.tuple(
            fc.shuffledSubarray(all, { minLength: all.length }),
            fc.array(pause, { minLength: all.length, maxLength: all.length }),
          );
        })
        .map(([order, pauses]) => order.map((event, index) => ({ event, pauseMs: pauses[index] ?? 1 }))),
      skewMs: skew,
    });
  });

  it('the mirror of an object ends at the newest truth, whatever the order and number of its events', () => {
    fc.assert(
      fc.property(story, (told) => {
        expect(mirror(told).state).toBe(told.changes.length - 1);
      }),
      { numRuns: runs(20_000) },
    );
  });

  it('the mirror of an object never takes a version that is not newer than the one before', () => {
    fc.assert(
      fc.property(story, (told) => {
        expect(mirror(told).wentBack).toBe(false);
      }),
      { numRuns: runs(5_000) },
    );
  });

  it('the mirror of an object sees a change that follows a read within the second, and one minutes after it, with our clock five minutes ahead', () => {
    const changes = [100, 10_900, 10_950, 200_000];
    const deliveries = [0, 1, 1, 2, 3].map((event) => ({ event, pauseMs: 1 }));
    expect(mirror({ changes, deliveries, skewMs: 300_000 }).state).toBe(3);
  });
});
