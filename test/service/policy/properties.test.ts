/** What holds for the policy whatever happened before. */
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { createPolicy } from '../../../src/service/policy/create-policy.ts';
import type {
  FailedAttempt,
  GivenInstruction,
  PaymentCase,
} from '../../../src/service/policy/payment-case.ts';
import { runs } from '../../support/runner/full-run.ts';
import { buildCase, FIRST } from './policy-cases.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RETRY = 'ACTION_SUGGESTION_RETRY';

const anyCode = fc.constantFrom(
  ...['insufficient_funds', 'do_not_honor', 'processing_error', 'lost_card', 'expired_card', 'x'],
  'authentication_required',
);
const anyMethod = fc.constantFrom('card', 'us_bank_account', 'sepa_debit', 'bacs_debit', 'link');
const anyZone = fc.constantFrom(
  ...['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata', 'Pacific/Apia', 'America/Sao_Paulo'],
  ...['Africa/Casablanca', 'Australia/Lord_Howe', 'America/St_Johns', 'Nowhere/Unknown'],
);

const anyCase = fc
  .record({
    startMs: fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2027, 0, 1) }),
    gaps: fc.array(fc.integer({ min: 1000, max: 9 * DAY_MS }), { maxLength: 10 }),
    past: fc.array(fc.record({ daysBefore: fc.integer({ min: 1, max: 300 }), isPaid: fc.boolean() }), {
      maxLength: 50,
    }),
    amount: fc.integer({ min: 0, max: 500_000 }),
    code: anyCode,
    methodType: anyMethod,
    zone: anyZone,
    brand: fc.constantFrom('visa', 'mastercard', 'amex', undefined),
    perInvoice: fc.integer({ min: 1, max: 12 }),
    lateMs: fc.integer({ min: 0, max: 40 * DAY_MS }),
    id: fc.string(),
  })
  .map(({ startMs, gaps, past, code, methodType, perInvoice, lateMs, ...rest }) => {
    let ms = startMs;
    const attempts = [0, ...gaps].map((gap) => {
      ms += gap;
      return { at: DateTime.fromMillis(ms, { zone: 'utc' }), code, methodType };
    });
    const paymentCase: PaymentCase = {
      ...rest,
      currency: 'EUR',
      attempts,
      instructions: [],
      past: past
        .sort((one, other) => other.daysBefore - one.daysBefore)
        .map(({ daysBefore, isPaid }) => ({
          at: DateTime.fromMillis(startMs - daysBefore * DAY_MS, { zone: 'utc' }),
          isPaid,
        })),
      limits: { perInvoice },
    };
    return { paymentCase, now: DateTime.fromMillis(ms + lateMs, { zone: 'utc' }) };
  });

test('a suggestion is inside every cap, and a retry from nine to half past ten in the customer’s morning, or soon after a technical fault', () => {
  fc.assert(
    fc.property(anyCase, ({ paymentCase, now }) => {
      const policy = createPolicy();
      const decision = policy.decide(paymentCase, now);
      expect(decision.reasons.length).toBeGreaterThan(0);
      if (!('suggestion' in decision)) return;
      expect(decision.at >= now).toBe(true);
      if (decision.suggestion !== RETRY) return;
      const { attempts, zone, limits } = paymentCase;
      const first = attempts.at(0)?.at ?? now;
      const last = attempts.at(-1)?.at ?? now;
      const isDebit = /debit|us_bank/.test(attempts[0]?.methodType ?? '');
      expect(attempts.length).toBeLessThan(isDebit ? 3 : (limits?.perInvoice ?? 0));
      const known = DateTime.fromMillis(0, { zone }).isValid ? zone : 'utc';
      const local = decision.at.setZone(known);
      const isFault = attempts.at(-1)?.code === 'processing_error';
      const afterNine = local
        .diff(local.set({ hour: 9, minute: 0, second: 0, millisecond: 0 }))
        .as('minutes');
      if (!isFault) expect(afterNine).toBeGreaterThanOrEqual(0);
      if (!isFault) expect(afterNine).toBeLessThan(90);
      const rest = isFault ? HOUR_MS : DAY_MS;
      expect(decision.at.toMillis() - last.toMillis()).toBeGreaterThanOrEqual(rest);
      expect(decision.at <= first.plus({ days: 31 })).toBe(true);
    }),
    { numRuns: runs(150) },
  );
});

test('a case that is only ever declined ends within its caps', () => {
  fc.assert(
    fc.property(
      anyCode,
      anyMethod,
      anyZone,
      fc.boolean(),
      fc.string(),
      (code, methodType, zone, isRun, id) => {
        const attempts: FailedAttempt[] = [{ at: FIRST, code, methodType }];
        const instructions: GivenInstruction[] = [];
        const policy = createPolicy();
        let now: DateTime = FIRST;
        for (let step = 0; step < 100; step += 1) {
          const decision = policy.decide(buildCase({ id, zone, attempts, instructions }), now);
          if ('stop' in decision) {
            const retries = instructions.filter((one) => one.suggestion === RETRY);
            const most = methodType.endsWith('debit') || methodType === 'us_bank_account' ? 3 : 9;
            expect(attempts.length).toBeLessThanOrEqual(most);
            expect(retries.length).toBeLessThan(most);
            expect(instructions.length - retries.length).toBeLessThanOrEqual(4);
            return;
          }
          if ('waitUntil' in decision) {
            expect(decision.waitUntil > now).toBe(true);
            now = decision.waitUntil;
          } else {
            instructions.push(decision);
            now = decision.at.plus({ hours: isRun ? 1 : 24 });
            if (isRun && decision.suggestion === RETRY) attempts.push({ at: now, code, methodType });
          }
        }
        throw new Error('the case never ended');
      },
    ),
  );
});
