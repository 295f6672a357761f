import fc from 'fast-check';
import type { DateTime } from 'luxon';
import '../../../support/runner/luxon-equality.ts';
import type { AttemptLimits } from '../../../../src/core/limits/attempt-limits.ts';
import { describeReason } from '../../../../src/plugin/operator/text/describe-reason.ts';
import type { CountedAttempt, LimitContext } from '../../../../src/plugin/retry/guards/network-limits.ts';
import { A_DAY_APART, NOW } from '../../../support/database/stored-rows.ts';
import { runs } from '../../../support/runner/full-run.ts';
import { checkLimits } from '../../../support/verdicts.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MINE = 'in_mine';

function context(changes: Partial<LimitContext> = {}): LimitContext {
  return {
    now: NOW,
    invoiceId: MINE,
    amount: 2000,
    limits: A_DAY_APART,
    networks: ['visa'],
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
      network: undefined,
      startedAt: NOW.minus(hours * HOUR),
      ...changes,
    }));
}

const spread = (count: number, fromHours: number, toHours: number) =>
  Array.from({ length: count }, (_, at) => fromHours + ((toHours - fromHours) * at) / Math.max(1, count - 1));

describe('the limits of a card', () => {
  it.each<[string, Partial<LimitContext>, number, number]>([
    ['Visa, 30 days', { networks: ['visa'] }, 15, 720],
    ['Mastercard, a day', { networks: ['mastercard'] }, 8, 24],
    ['Mastercard, one amount in 30 days', { networks: ['mastercard'] }, 30, 720],
    ['American Express', { networks: ['amex'] }, 8, 720],
    ['a brand nobody knows', { networks: [] }, 8, 720],
    ['no method type', { networks: [], methodType: undefined }, 8, 720],
  ])(
    'for %s, one below the limit of attempts is allowed, and at it and over it a payment waits for the window',
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

  it('an attempt leaves the window of a card limit exactly when it is as old as the window', () => {
    const recent = spread(14, 25, 700);
    expect(checkLimits(attempts([...recent, 720]), context())).toEqual({ kind: 'allowed' });
    expect(checkLimits(attempts([...recent, 720 - 1 / 3600]), context()).kind).toBe('wait');
  });

  it("Mastercard's limit counts other amounts for the day but not for the 30 days", () => {
    const mastercard = context({ networks: ['mastercard'] });
    const others = attempts(spread(40, 25, 700), { amount: 999 });
    expect(checkLimits(others, mastercard)).toEqual({ kind: 'allowed' });
    expect(checkLimits(attempts(spread(8, 1, 23), { amount: 999 }), mastercard).kind).toBe('wait');
  });

  it.each([
    [23.9, 'wait'],
    [24, 'allowed'],
  ])('an attempt %d hours after the last one on the invoice gets the verdict %s', (hours, kind) => {
    const last = attempts([hours], { invoiceId: MINE });
    const verdict = checkLimits(last, context());
    expect(verdict.kind).toBe(kind);
    if (verdict.kind === 'wait') expect(verdict.until).toEqual(NOW.plus((24 - hours) * HOUR));
  });

  it('the gap of the limits is between attempts on one invoice, not on one card', () => {
    expect(checkLimits(attempts([1]), context())).toEqual({ kind: 'allowed' });
  });

  it.each([
    [8, 'allowed'],
    [9, 'exhausted'],
    [9, 'exhausted'],
  ])('%d attempts on one invoice, however old, give the verdict %s', (count, kind) => {
    const old = attempts(spread(count, 2000, 9000), { invoiceId: MINE });
    expect(checkLimits(old, context({ networks: ['mastercard'] })).kind).toBe(kind);
  });

  it('a card waits for the latest of several limits', () => {
    const all = [...attempts(spread(14, 30, 719)), ...attempts([2], { invoiceId: MINE })];
    expect(checkLimits(all, context())).toMatchObject({ kind: 'wait', until: NOW.plus({ hours: 22 }) });
  });
});

describe('a card with two brands', () => {
  const coBadged = (changes: Partial<LimitContext> = {}) =>
    context({ networks: ['visa', 'cartes_bancaires'], ...changes });
  const over = (network: string | undefined, count: number) => attempts(spread(count, 25, 700), { network });

  it.each([
    ['visa', 14, 'allowed'],
    ['visa', 15, 'wait'],
    ['cartes_bancaires', 7, 'allowed'],
    ['cartes_bancaires', 8, 'wait'],
    [undefined, 7, 'allowed'],
    [undefined, 8, 'wait'],
    ['another', 8, 'wait'],
  ])('for a card with two brands, on %s, %d attempts give the verdict %s', (network, count, kind) => {
    expect(checkLimits(over(network, count), coBadged()).kind).toBe(kind);
  });

  it('a card with two brands has the limits of each network apart, and waits for the later of both', () => {
    const both = [...over('visa', 14), ...over('cartes_bancaires', 7)].sort(
      (left, right) => left.startedAt.toMillis() - right.startedAt.toMillis(),
    );
    expect(checkLimits(both, coBadged())).toEqual({ kind: 'allowed' });
    const full = [...both, ...attempts([3], { network: 'cartes_bancaires' })];
    expect(checkLimits(full, coBadged())).toMatchObject({
      kind: 'wait',
      reason: { code: 'attempts_with_card', max: 8, hours: 720 },
    });
  });
});

describe('stricter limits', () => {
  it.each<[Partial<AttemptLimits>, Partial<LimitContext>, number, Partial<CountedAttempt>, string]>([
    [{ visaPer30Days: 3 }, {}, 3, {}, 'Visa: 3 in 30 days (rule: 20)'],
    [
      { mastercardPer24Hours: 2 },
      { networks: ['mastercard'] },
      2,
      {},
      'Mastercard: 2 in 24 hours (rule: 10)',
    ],
    [
      { mastercardPer30Days: 4 },
      { networks: ['mastercard'] },
      4,
      {},
      'Mastercard: 4 of one amount in 30 days (rule: 35)',
    ],
    [{ otherCardPer30Days: 1 }, { networks: ['amex'] }, 1, {}, '1 in 30 days'],
    [{ perInvoice: 2 }, {}, 2, { invoiceId: MINE }, '2 attempts on one invoice with one card'],
    [
      { debitPresentments: 2 },
      { methodType: 'sepa_debit', networks: [] },
      2,
      { invoiceId: MINE },
      'SEPA: 2 presentments of one invoice',
    ],
  ])('the stricter limits %j take effect', (changes, ask, max, of, limit) => {
    const stricter = context({ ...ask, limits: { ...A_DAY_APART, ...changes } });
    const [from, to] = 'mastercardPer24Hours' in changes ? [1, 20] : [30, 600];
    const made = (count: number) => attempts(count === 1 ? [from] : spread(count, from, to), of);
    expect(checkLimits(max === 1 ? [] : made(max - 1), stricter)).toEqual({ kind: 'allowed' });
    const reached = checkLimits(made(max), stricter);
    expect(reached.kind !== 'allowed' && describeReason(reached.reason)).toContain(limit);
    expect(checkLimits(made(max), context(ask))).toEqual({ kind: 'allowed' });
  });

  it('attempts may be an hour apart where the merchant names no hours', () => {
    const limits = { ...A_DAY_APART, minGapHours: undefined };
    const ask = (hours: number) =>
      checkLimits(attempts([hours], { invoiceId: MINE }), context({ limits })).kind;
    expect([ask(0.99), ask(1)]).toEqual(['wait', 'allowed']);
  });

  it('a stricter limit asks for a longer rest, to the minute', () => {
    const ask = (hours: number) =>
      checkLimits(
        attempts([hours], { invoiceId: MINE }),
        context({ limits: { ...A_DAY_APART, minGapHours: 96 } }),
      ).kind;
    expect([ask(95.99), ask(96)]).toEqual(['wait', 'allowed']);
  });

  it('stricter limits never allow what the plain ones refuse', () => {
    const figure = (max: number) => fc.integer({ min: 1, max });
    const anyLimits = fc.record({
      perInvoice: figure(9),
      unexplained: figure(9),
      minGapHours: fc.integer({ min: 24, max: 200 }),
      visaPer30Days: figure(15),
      mastercardPer24Hours: figure(8),
      mastercardPer30Days: figure(30),
      otherCardPer30Days: figure(8),
      debitPresentments: figure(3),
    });
    const anyPast = fc.array(
      fc.record({
        hours: fc.integer({ min: 0, max: 900 }),
        invoiceId: fc.constantFrom(MINE, 'in_other'),
        amount: fc.constantFrom(2000, 900),
        network: fc.constantFrom(undefined, 'visa', 'mastercard', 'cartes_bancaires'),
      }),
      { maxLength: 20 },
    );
    const anyMethod = fc.constantFrom<Partial<LimitContext>>(
      { networks: ['visa'] },
      { networks: ['mastercard', 'cartes_bancaires'] },
      { networks: [], methodType: 'bacs_debit' },
      { networks: [], methodType: 'us_bank_account' },
      { networks: ['visa'], isNewMethod: true },
    );
    let refused = 0;
    fc.assert(
      fc.property(anyLimits, anyPast, anyMethod, (limits, past, method) => {
        const made = past
          .sort((left, right) => right.hours - left.hours)
          .map(({ hours, ...rest }) => ({ ...rest, startedAt: NOW.minus({ hours }) }));
        if (checkLimits(made, context(method)).kind === 'allowed') return;
        refused += 1;
        expect(checkLimits(made, context({ ...method, limits })).kind).not.toBe('allowed');
      }),
      { numRuns: 1000 },
    );
    expect(refused).toBeGreaterThan(50);
  });
});

describe('the limits of a bank debit', () => {
  const presented = (count: number, daysAgo: number) =>
    attempts(
      Array.from({ length: count }, (_, at) => daysAgo * 24 - at * 48),
      { invoiceId: MINE },
    );

  it.each(['us_bank_account', 'sepa_debit', 'bacs_debit', 'au_becs_debit', 'ach_debit'])(
    'a bank debit by %s may be presented two more times after the first',
    (methodType) => {
      const debit = context({ methodType, networks: [] });
      expect(checkLimits([], debit)).toEqual({ kind: 'allowed' });
      expect(checkLimits(presented(1, 10), debit)).toEqual({ kind: 'allowed' });
      expect(checkLimits(presented(2, 10), debit)).toEqual({ kind: 'allowed' });
      expect(checkLimits(presented(3, 10), debit).kind).toBe('exhausted');
      expect(checkLimits(presented(4, 10), debit).kind).toBe('exhausted');
    },
  );

  it.each<[string, number | undefined]>([
    ['us_bank_account', 180],
    ['bacs_debit', 30],
    ['sepa_debit', undefined],
  ])('a bank debit by %s may be presented within %p days of the first time', (methodType, days) => {
    const debit = context({ methodType, networks: [] });
    const aged = (age: number) => checkLimits(attempts([age * 24], { invoiceId: MINE }), debit).kind;
    expect(aged(days ?? 3650)).toBe('allowed');
    if (days !== undefined) expect(aged(days + 1 / 86_400)).toBe('exhausted');
  });

  it.each([
    ['us_bank_account', 'allowed'],
    ['ach_debit', 'allowed'],
    ['bacs_debit', 'allowed'],
    ['sepa_debit', 'exhausted'],
    ['acss_debit', 'exhausted'],
  ])('a bank debit by %s of another amount than the three before gets the verdict %s', (methodType, kind) => {
    const debit = context({ methodType, networks: [], amount: 1500 });
    expect(checkLimits(presented(1, 10), debit).kind).toBe('allowed');
    expect(checkLimits(presented(3, 10), debit).kind).toBe(kind);
    expect(checkLimits(presented(3, 10), { ...debit, amount: 2000 }).kind).toBe('exhausted');
    const ever = attempts(spread(9, 48, 240), { invoiceId: MINE, amount: 900 });
    expect(checkLimits(ever, debit).kind).toBe('exhausted');
  });

  it('for a bank debit, other invoices of the account do not count, and a day lies between presentments', () => {
    const debit = context({ methodType: 'sepa_debit', networks: [] });
    expect(checkLimits(attempts(spread(20, 25, 700)), debit)).toEqual({ kind: 'allowed' });
    expect(checkLimits(attempts([3], { invoiceId: MINE }), debit).kind).toBe('wait');
  });
});

/** stripe-facts 5.10, counted independently of the code under test: no more than `max` in any window of that length. */
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
    } else
      made.push({ invoiceId: ask.invoiceId, amount: ask.amount, network: ask.networks[0], startedAt: now });
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

  it.each(Object.keys(CAPS))(
    'following the verdict for %s never exceeds a cap in any window and always makes progress',
    (brand) => {
      fc.assert(
        fc.property(plans, (invoices) => {
          const made: CountedAttempt[] = [];
          let now: DateTime = NOW;
          for (const [at, { amount, times, pauseHours }] of invoices.entries()) {
            const ask = context({ invoiceId: `in_${at}`, amount, networks: [brand] });
            now = follow(made, ask, now.plus({ hours: pauseHours }), times);
          }
          for (const cap of CAPS[brand] ?? [])
            expect(mostInAnyWindow(made, cap)).toBeLessThanOrEqual(cap.max);
          for (const id of new Set(made.map(({ invoiceId }) => invoiceId))) {
            const mine = made.filter(({ invoiceId }) => invoiceId === id);
            expect(mine.length).toBeLessThanOrEqual(9);
            for (const [index, { startedAt }] of mine.entries())
              if (index > 0)
                expect(
                  startedAt.diff(mine[index - 1]?.startedAt ?? startedAt).as('hours'),
                ).toBeGreaterThanOrEqual(24);
          }
        }),
        { numRuns: runs(60) },
      );
    },
  );

  it('a wait that the limits ask for ends in an attempt or in the end of the invoice, from any past', () => {
    const past = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 40 * 24 }), fc.boolean(), fc.constantFrom(2000, 900)),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(past, fc.constantFrom('visa', 'mastercard', 'amex', undefined), (entries, brand) => {
        const networks = brand === undefined ? [] : [brand];
        const made = entries
          .map(([hours, isMine, amount]) => ({
            invoiceId: isMine ? MINE : 'in_other',
            amount,
            network: brand,
            startedAt: NOW.minus({ hours }),
          }))
          .sort((left, right) => left.startedAt.toMillis() - right.startedAt.toMillis());
        const verdict = checkLimits(made, context({ networks }));
        if (verdict.kind !== 'wait') return;
        expect(verdict.until > NOW).toBe(true);
        expect(checkLimits(made, context({ networks, now: verdict.until })).kind).toBe('allowed');
        const justBefore = context({ networks, now: verdict.until.minus(1) });
        expect(checkLimits(made, justBefore).kind).toBe('wait');
      }),
    );
  });
});

test('a limit is named with its figure', () => {
  const mine = { invoiceId: MINE };
  const debit = { methodType: 'sepa_debit', networks: [] };
  const paid = { ...mine, isPaid: true };
  const strict = { ...A_DAY_APART, perInvoice: 2 };
  const all = { code: 'attempts_on_invoice' as const };
  expect([
    checkLimits(attempts(spread(9, 30, 700), mine), context()),
    checkLimits([...attempts(spread(7, 60, 700), mine), ...attempts([30], paid)], context()),
    checkLimits(attempts([30, 60], mine), context({ ...debit, limits: strict })),
    checkLimits(attempts([365 * 24], mine), context({ methodType: 'us_bank_account', networks: [] })),
    checkLimits(attempts([2], mine), context()),
    checkLimits(attempts([2], mine), context(debit)),
    checkLimits(attempts([2], { ...mine, amount: undefined }), context(debit)),
  ]).toEqual([
    { kind: 'exhausted', reason: { ...all, max: 9 } },
    { kind: 'allowed' },
    { kind: 'exhausted', reason: { ...all, max: 2 } },
    {
      kind: 'exhausted',
      reason: { code: 'debit_window_over', scheme: 'ACH', days: 180 },
    },
    ...Array.from({ length: 3 }, () => ({
      kind: 'wait',
      until: NOW.plus({ hours: 22 }),
      reason: { code: 'hours_between_attempts', hours: 24 },
    })),
  ]);
});
