import fc from 'fast-check';
import { DateTime } from 'luxon';
import { admit, afterFailure, comeBackAt, pauseOf } from '../../../src/service/send/circuit-breaker.ts';
import type { ReceiverState } from '../../../src/service/store/callback-receivers.ts';

const START = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const at = (seconds: number) => START.plus({ seconds });

interface Told {
  after: number;
  by: string;
  retryAt?: DateTime;
}

function failWith(...told: Told[]): ReceiverState | undefined {
  return told.reduce<ReceiverState | undefined>(
    (state, { after, by, retryAt }) =>
      afterFailure(state, { actionId: by, answer: '503', retryAt, now: at(after) }),
    undefined,
  );
}
const five = ['a', 'b', 'c', 'd', 'e'].map((by, after) => ({ after, by }));

test('an address that never failed, or failed a few times, may be called', () => {
  expect(admit(undefined, START)).toEqual({ kind: 'pass' });
  expect(admit(failWith(...five.slice(0, 4)), at(4))).toEqual({ kind: 'pass' });
});

test('after five failures of different instructions it is left alone for a minute', () => {
  const state = failWith(...five);
  expect(state).toMatchObject({ failures: 5, failingSince: at(0), openUntil: at(64) });
  expect(admit(state, at(63))).toEqual({ kind: 'wait', until: at(64), spreadSeconds: 15 });
});

test('one instruction that fails by itself never shuts the others out', () => {
  const alone = Array.from({ length: 100 }, (_, index) => ({ after: index * 60, by: 'a' }));
  expect(failWith(...alone)).toMatchObject({ failures: 1, openUntil: null });
});

test('after the pause one tries, and the others wait for it, but not for ever', () => {
  const state = failWith(...five);
  expect(admit(state, at(64))).toEqual({ kind: 'probe' });
  const probed = state && { ...state, probeUntil: at(94) };
  expect(admit(probed, at(65))).toEqual({ kind: 'wait', until: at(94), spreadSeconds: 15 });
  expect(admit(probed, at(94))).toEqual({ kind: 'probe' });
});

test('each failed try doubles the pause, up to half an hour', () => {
  let state = failWith(...five);
  const pauses: number[] = [];
  for (let tries = 0; tries < 7; tries += 1) {
    const now = state?.openUntil ?? START;
    state = afterFailure(state, { actionId: 'a', answer: '503', retryAt: undefined, now });
    pauses.push(state.openUntil?.diff(now).as('seconds') ?? 0);
    expect(state.probeUntil).toBeNull();
  }
  expect(pauses).toEqual([120, 240, 480, 960, 1800, 1800, 1800]);
});

test('what was on its way when the address was given up does not lengthen the pause', () => {
  const state = failWith(...five, { after: 5, by: 'f' }, { after: 6, by: 'g' });
  expect(state).toMatchObject({ failures: 5, pauseSeconds: 60, openUntil: at(64) });
});

test('a receiver that names a later time is left alone until then', () => {
  const retryAt = at(3600);
  expect(failWith(...five.slice(0, 4), { after: 4, by: 'e', retryAt })).toMatchObject({ openUntil: retryAt });
});

test('those that wait come back within a quarter of the pause, in another order each time', () => {
  const order = (until: DateTime) =>
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].sort(
      (one, other) =>
        comeBackAt({ until, spreadSeconds: 60 }, one).toMillis() -
        comeBackAt({ until, spreadSeconds: 60 }, other).toMillis(),
    );
  expect(order(at(0))).not.toEqual(order(at(120)));
  const state = failWith(...five);
  expect(state && pauseOf({ ...state, pauseSeconds: 1800 }, at(0)).spreadSeconds).toBe(450);
  fc.assert(
    fc.property(fc.string(), fc.nat(1_000_000), fc.nat(450), (id, seconds, spreadSeconds) => {
      const back = comeBackAt({ until: at(seconds), spreadSeconds }, id);
      expect(back >= at(seconds) && back <= at(seconds + spreadSeconds)).toBe(true);
      expect(comeBackAt({ until: at(seconds), spreadSeconds }, id)).toEqual(back);
    }),
  );
});
