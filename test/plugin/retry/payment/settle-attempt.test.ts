import fc from 'fast-check';
import type { DateTime } from 'luxon';
import type Stripe from 'stripe';
import '../../../support/runner/luxon-equality.ts';
import {
  canRepeat,
  inFlightUntil,
  listCandidates,
  nextRepeatAt,
  settleByReading,
} from '../../../../src/plugin/retry/payment/settle-attempt.ts';
import type { StoredAttempt } from '../../../../src/plugin/store/tables/retry/attempts.ts';
import { buildAttempt, hoursAgo, NOW } from '../../../support/database/stored-rows.ts';
import { buildCharge, buildOutcome } from '../../../support/stripe/charge-objects.ts';

const OPEN = buildAttempt({ id: 'mine', chargeId: null, outcome: null, startedAt: NOW });
const second = NOW.toUnixInteger();

describe('repeating a call under its key', () => {
  it.each([
    [0, 1, true],
    [22.99, 1, true],
    [23, 1, false],
    [24, 1, false],
    [1, 0, true],
    [1, 4, true],
    [1, 5, false],
  ])(
    'whether a call may be repeated under its key %d hours after the start and after %d calls: %p',
    (hours, calls, expected) => {
      expect(canRepeat({ startedAt: hoursAgo(hours), calls }, NOW)).toBe(expected);
    },
  );

  it.each([
    [1, 0.5],
    [2, 2],
    [3, 10],
    [4, 60],
    [5, 60],
    [99, 60],
  ])('after %d calls under one key the next look is %d minutes away', (calls, minutes) => {
    expect(nextRepeatAt(NOW, calls)).toEqual(NOW.plus({ seconds: minutes * 60 }));
  });

  it('every call of an attempt is made well inside the life of its key, and reading follows', () => {
    let now: DateTime = NOW;
    let calls = 0;
    while (canRepeat({ startedAt: NOW, calls }, now)) {
      calls += 1;
      now = nextRepeatAt(now, calls);
    }
    expect(calls).toBe(5);
    expect(now.diff(NOW).as('hours')).toBeLessThan(23);
  });

  it('a call to pay may be on its way for five minutes', () => {
    const startedAt = hoursAgo(1);
    expect(inFlightUntil({ startedAt, calledAt: NOW })).toEqual(NOW.plus({ minutes: 5 }));
  });
});

describe('settleByReading', () => {
  /** All that may be ours is ours here; the scenarios ask by which key a charge was made. */
  const settle = (seen: { isPaid?: boolean; charges?: Stripe.Charge[]; recorded?: StoredAttempt[] }) => {
    const { isPaid = false, charges = [], recorded = [OPEN] } = seen;
    return settleByReading({ isPaid, own: listCandidates(OPEN, { charges, recorded }) });
  };
  const mine = (changes: Partial<Stripe.Charge> = {}) =>
    buildCharge({ id: 'ch_mine', created: second + 2, ...changes });

  it('without a charge, settleByReading finds that the call never reached one', () => {
    expect(settle({})).toMatchObject({ kind: 'not_executed' });
  });

  it('settleByReading does not take a charge from before the attempt for its own', () => {
    expect(settle({ charges: [mine({ created: second - 6 })] })).toMatchObject({ kind: 'not_executed' });
    expect(settle({ charges: [mine({ created: second - 5 })] })).toMatchObject({ kind: 'declined' });
  });

  it('settleByReading gives the decline of a failed charge with its codes', () => {
    const outcome = buildOutcome({
      reason: 'do_not_honor',
      network_decline_code: '05',
      network_advice_code: '02',
    });
    expect(settle({ charges: [mine({ outcome })] })).toEqual({
      kind: 'declined',
      chargeId: 'ch_mine',
      code: 'card_declined',
      declineCode: 'do_not_honor',
      adviceCode: 'try_again_later',
      networkCode: '05',
      networkAdvice: '02',
      detail: 'Your card has insufficient funds.',
    });
  });

  it('settleByReading takes a block by a rule that nobody knows for a block all the same', () => {
    const outcome = buildOutcome({ type: 'blocked', reason: 'a_rule_of_tomorrow' });
    expect(settle({ charges: [mine({ outcome })] })).toMatchObject({ declineCode: 'blocked' });
  });

  it('settleByReading goes by the failure code of a debit that was accepted and failed later', () => {
    const outcome = buildOutcome({ type: 'authorized', reason: 'some_rule' });
    const settled = settle({ charges: [mine({ outcome, failure_code: 'account_closed' })] });
    expect(settled).toMatchObject({ kind: 'declined', code: 'account_closed', declineCode: undefined });
  });

  it.each(['pending', 'succeeded', 'from_the_future'])(
    'settleByReading takes a charge that is %s on an unpaid invoice for pending',
    (status) => {
      const charge: Stripe.Charge = JSON.parse(JSON.stringify({ ...mine(), status }));
      expect(settle({ charges: [charge] })).toEqual({ kind: 'pending', chargeId: 'ch_mine' });
    },
  );

  it('settleByReading takes a paid invoice for paid, with our charge where it is the one', () => {
    expect(settle({ isPaid: true, charges: [mine({ status: 'succeeded' })] })).toEqual({
      kind: 'paid',
      chargeId: 'ch_mine',
    });
    expect(settle({ isPaid: true, charges: [mine()] })).toEqual({ kind: 'paid', chargeId: undefined });
    expect(settle({ isPaid: true })).toEqual({ kind: 'paid', chargeId: undefined });
  });

  it("settleByReading does not take a charge of another attempt of ours, but takes Stripe's record of ours", () => {
    const charges = [mine()];
    const other = buildAttempt({ id: 'other', chargeId: 'ch_mine' });
    expect(settle({ charges, recorded: [OPEN, other] })).toMatchObject({ kind: 'not_executed' });
    const byEvent = buildAttempt({ id: 'event', source: 'stripe', actionId: null, chargeId: 'ch_mine' });
    expect(settle({ charges, recorded: [OPEN, byEvent] })).toMatchObject({ chargeId: 'ch_mine' });
  });

  it('settleByReading goes by the latest of several charges', () => {
    const charges = [mine({ id: 'ch_1' }), mine({ id: 'ch_2', created: second + 60 })];
    expect(settle({ charges })).toMatchObject({ chargeId: 'ch_2' });
  });

  it('settleByReading always settles, whatever charges there are', () => {
    const anyCharge = fc.record({
      id: fc.constantFrom('ch_1', 'ch_2', 'ch_3'),
      created: fc.integer({ min: second - 100, max: second + 100 }),
      status: fc.constantFrom('failed' as const, 'pending' as const, 'succeeded' as const),
      outcome: fc.constantFrom(null, buildOutcome()),
    });
    fc.assert(
      fc.property(fc.array(anyCharge), fc.boolean(), (facts, isPaid) => {
        const settled = settle({ isPaid, charges: facts.map((fact) => buildCharge(fact)) });
        expect(['paid', 'pending', 'declined', 'not_executed']).toContain(settled.kind);
        expect(settled.kind === 'paid').toBe(isPaid);
      }),
    );
  });
});
