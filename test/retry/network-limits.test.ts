import fc from 'fast-check';
import type { DateTime } from 'luxon';
import '../support/luxon-equality.ts';
import { type CountedAttempt, checkLimits, type LimitContext } from '../../src/retry/network-limits.ts';
import { NOW } from '../support/stored-rows.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MINE = 'in_mine';

function context(changes: Partial<LimitContext> = {}): LimitContext {
  return {
    now: NOW,
    invoiceId: MINE,
    amount: 2000,
    brand: 'visa',
    methodType: 'card',
    isNewMethod: false,
    ...changes,
  };
}

/** Attempts so long ago, oldest first, on another invoice unless said otherwise. */
function attempts(hoursAgo: readonly number[], changes: Partial<CountedAttempt> = {}): CountedAttempt[] {
  return [...hoursAgo]
    .sort((left, right) => right - left)
    .map((hours) => ({
      invoiceId: 'in_other',
      amount: 2000,
      startedAt: NOW.minus(hours * HOUR),
      ...changes,
    }));
}

const spread = (count: number, fromHours: number, toHours: number) =>
  Array.from({ length: count }, (_, at) => fromHours + ((toHours - fromHours) * at) / Math.max(1, count - 1));

describe('the limits of a card', () => {
  it.each<[string, Partial<LimitContext>, number, number]>([
    ['Visa, 30 days', { brand: 'visa' }, 15, 720],
    ['Mastercard, a day', { brand: 'mastercard' }, 8, 24],
    ['Mastercard, one amount in 30 days', { brand: 'mastercard' }, 30, 720],
    ['American Express', { brand: 'amex' }, 8, 720],
    ['a brand nobody knows', { brand: undefined }, 8, 720],
    ['no method type', { brand: undefined, methodType: undefined }, 8, 720],
  ])(
    '%s: one below the limit is allowed, at it and over it waits for the window',
    (_name, changes, max, hours) => {
      const from = hours > 24 ? 25 : 1;
      const at = (count: number) => attempts(spread(count, from, hours - 1));
      expect(checkLimits(at(max - 1), context(changes))).toEqual({ kind: 'allowed' });
      const first = NOW.minus((hours - 1) * HOUR);
      expect(checkLimits(at(max), context(changes))).toMatchObject({
        kind: 'wait',
        until: first.plus({ hours }),
      });
      const over = checkLimits(at(max + 1), context(changes));
      expect(over.kind === 'wait' && over.until > first.plus({ hours })).toBe(true);
    },
  );

  it('an attempt leaves the window exactly when it is as old as the window', () => {
    const recent = spread(14, 25, 700);
    expect(checkLimits(attempts([...recent, 720]), context())).toEqual({ kind: 'allowed' });
    expect(checkLimits(attempts([...recent, 720 - 1 / 3600]), context()).kind).toBe('wait');
  });

  it('Mastercard counts other amounts for the day but not for the 30 days', () => {
    const mastercard = context({ brand: 'mastercard' });
    const others = attempts(spread(40, 25, 700), { amount: 999 });
    expect(checkLimits(others, mastercard)).toEqual({ kind: 'allowed' });
    expect(checkLimits(attempts(spread(8, 1, 23), { amount: 999 }), mastercard).kind).toBe('wait');
  });

  it.each([
    [23.9, 'wait'],
    [24, 'allowed'],
  ])('%d hours after the last attempt on the invoice: %s', (hours, kind) => {
    const last = attempts([hours], { invoiceId: MINE });
    const verdict = checkLimits(last, context());
    expect(verdict.kind).toBe(kind);
    if (verdict.kind === 'wait') expect(verdict.until).toEqual(NOW.plus((24 - hours) * HOUR));
  });

  it('the gap is between attempts on one invoice, not on one card', () => {
    expect(checkLimits(attempts([1]), context())).toEqual({ kind: 'allowed' });
  });

  it.each([
    [7, 'allowed'],
    [8, 'exhausted'],
    [9, 'exhausted'],
  ])('%d attempts on one invoice, however old: %s', (count, kind) => {
    const old = attempts(spread(count, 2000, 9000), { invoiceId: MINE });
    expect(checkLimits(old, context({ brand: 'mastercard' })).kind).toBe(kind);
  });

  it('waits for the latest of several limits', () => {
    const all = [...attempts(spread(14, 30, 719)), ...attempts([2], { invoiceId: MINE })];
    expect(checkLimits(all, context())).toMatchObject({ kind: 'wait', until: NOW.plus({ hours: 22 }) });
  });
});

describe('the limits of a bank debit', () => {
  const presented = (count: number, daysAgo: number) =>
    attempts(
      Array.from({ length: count }, (_, at) => daysAgo * 24 - at * 48),
      { invoiceId: MINE },
    );

  it.each(['us_bank_account', 'sepa_debit', 'bacs_debit'])('%s: two presentments more', (methodType) => {
    const debit = context({ methodType, brand: undefined });
    expect(checkLimits([], debit)).toEqual({ kind: 'allowed' });
    expect(checkLimits(presented(1, 10), debit)).toEqual({ kind: 'allowed' });
    expect(checkLimits(presented(2, 10), debit)).toEqual({ kind: 'allowed' });
    expect(checkLimits(presented(3, 10), debit).kind).toBe('exhausted');
    expect(checkLimits(presented(4, 10), debit).kind).toBe('exhausted');
  });

  it.each<[string, number | undefined]>([
    ['us_bank_account', 180],
    ['bacs_debit', 30],
    ['sepa_debit', undefined],
  ])('%s: within %p days of the first', (methodType, days) => {
    const debit = context({ methodType, brand: undefined });
    const aged = (age: number) => checkLimits(attempts([age * 24], { invoiceId: MINE }), debit).kind;
    expect(aged(days ?? 3650)).toBe('allowed');
    if (days !== undefined) expect(aged(days + 1 / 86_400)).toBe('exhausted');
  });

  it('other invoices of the account do not count, and a day lies between presentments', () => {
    const debit = context({ methodType: 'sepa_debit', brand: undefined });
    expect(checkLimits(attempts(spread(20, 25, 700)), debit)).toEqual({ kind: 'allowed' });
    expect(checkLimits(attempts([3], { invoiceId: MINE }), debit).kind).toBe('wait');
  });
});

/** Facts 5.10, counted independently of the code under test: no more than `max` in any window of that length. */
interface Cap {
  max: number;
  windowMs: number;
  of: (attempt: CountedAttempt) => string;
}
const perCard = () => 'card';
const perAmount = ({ amount }: CountedAttempt) => `${amount}`;
const CAPS: Record<string, Cap[]> = {
  visa: [{ max: 15, windowMs: 30 * DAY, of: perCard }],
  mastercard: [
    { max: 8, windowMs: DAY, of: perCard },
    { max: 30, windowMs: 30 * DAY, of: perAmount },
  ],
  amex: [{ max: 8, windowMs: 30 * DAY, of: perCard }],
};

function mostInAnyWindow(made: readonly CountedAttempt[], { windowMs, of }: Cap): number {
  const times = made.map((attempt) => ({ at: attempt.startedAt.toMillis(), group: of(attempt) }));
  return Math.max(
    0,
    ...times.map(
      ({ at, group }) =>
        times.filter((other) => other.group === group && other.at <= at && other.at > at - windowMs).length,
    ),
  );
}

/** Follows the verdicts for one invoice until it is exhausted. */
function follow(
  made: CountedAttempt[],
  ask: Omit<LimitContext, 'now'>,
  start: DateTime,
  times: number,
): DateTime {
  let now = start;
  for (let step = 0; step < times; step += 1) {
    const verdict = checkLimits(made, { ...ask, now });
    if (verdict.kind === 'exhausted') return now;
    if (verdict.kind === 'wait') {
      expect(verdict.until > now).toBe(true);
      now = verdict.until;
      expect(checkLimits(made, { ...ask, now }).kind).not.toBe('wait');
    } else made.push({ invoiceId: ask.invoiceId, amount: ask.amount, startedAt: now });
  }
  return now;
}

describe('following the verdict', () => {
  const plans = fc.array(
    fc.record({
      amount: fc.constantFrom(2000, 2500),
      times: fc.integer({ min: 1, max: 20 }),
      pauseHours: fc.integer({ min: 0, max: 48 }),
    }),
    { minLength: 1, maxLength: 8 },
  );

  it.each(Object.keys(CAPS))('%s: never exceeds a cap in any window and always makes progress', (brand) => {
    fc.assert(
      fc.property(plans, (invoices) => {
        const made: CountedAttempt[] = [];
        let now: DateTime = NOW;
        for (const [at, { amount, times, pauseHours }] of invoices.entries()) {
          const ask = { invoiceId: `in_${at}`, amount, brand, methodType: 'card', isNewMethod: false };
          now = follow(made, ask, now.plus({ hours: pauseHours }), times);
        }
        for (const cap of CAPS[brand] ?? []) expect(mostInAnyWindow(made, cap)).toBeLessThanOrEqual(cap.max);
        for (const id of new Set(made.map(({ invoiceId }) => invoiceId))) {
          const mine = made.filter(({ invoiceId }) => invoiceId === id);
          expect(mine.length).toBeLessThanOrEqual(8);
          for (const [index, { startedAt }] of mine.entries())
            if (index > 0)
              expect(
                startedAt.diff(mine[index - 1]?.startedAt ?? startedAt).as('hours'),
              ).toBeGreaterThanOrEqual(24);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('a wait ends in an attempt or in the end of the invoice, from any past', () => {
    const past = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 40 * 24 }), fc.boolean(), fc.constantFrom(2000, 900)),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(past, fc.constantFrom('visa', 'mastercard', 'amex', undefined), (entries, brand) => {
        const made = entries
          .map(([hours, isMine, amount]) => ({
            invoiceId: isMine ? MINE : 'in_other',
            amount,
            startedAt: NOW.minus({ hours }),
          }))
          .sort((left, right) => left.startedAt.toMillis() - right.startedAt.toMillis());
        const verdict = checkLimits(made, context({ brand }));
        if (verdict.kind !== 'wait') return;
        expect(verdict.until > NOW).toBe(true);
        expect(checkLimits(made, context({ brand, now: verdict.until })).kind).toBe('allowed');
        const justBefore = context({ brand, now: verdict.until.minus(1) });
        expect(checkLimits(made, justBefore).kind).toBe('wait');
      }),
    );
  });
});
