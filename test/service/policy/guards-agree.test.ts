/** What the policy suggests is what the plugin's guards would let pass: they share no state, only what was told. */
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { ATTEMPT_LIMITS } from '../../../src/core/limits/attempt-limits.ts';
import type { StoredAttempt } from '../../../src/plugin/store/tables/retry/attempts.ts';
import { createPolicy } from '../../../src/service/policy/create-policy.ts';
import type { FailedAttempt, PastAttempt } from '../../../src/service/policy/payment-case.ts';
import { buildAction, buildAttempt, buildGuardContext, VISA } from '../../support/database/stored-rows.ts';
import { judge } from '../../support/verdicts.ts';
import { buildCase, FIRST } from './policy-cases.ts';

const RETRY = 'ACTION_SUGGESTION_RETRY';
const CARDS = ['print_1', 'print_2'];

const anyAnswer = fc.record({
  code: fc.constantFrom(
    ...['insufficient_funds', 'do_not_honor', 'generic_decline', 'processing_error', 'call_issuer'],
    ...['card_velocity_exceeded', 'authentication_required', 'expired_card', 'stolen_card', 'fraudulent'],
    'duplicate_transaction',
  ),
  adviceCode: fc.constantFrom(
    undefined,
    undefined,
    'try_again_later',
    'confirm_card_data',
    'do_not_try_again',
  ),
  networkCode: fc.constantFrom(undefined, undefined, '51', '83', '14'),
  networkAdviceCode: fc.constantFrom(undefined, undefined, '01', '02', '04', '24', '30', '03', '40'),
  fingerprint: fc.constantFrom(...CARDS),
  expiry: fc.constantFrom(undefined, '2030-12', '2030-12', '2034-12'),
});
const anySoftAnswer = anyAnswer.map((answer) => ({
  ...answer,
  code: /^(exp|stol|frau|auth)/.test(answer.code) ? 'do_not_honor' : answer.code,
  adviceCode: undefined,
  networkCode: undefined,
  networkAdviceCode: answer.networkAdviceCode === '30' ? '30' : undefined,
}));

/** As a merchant may make them stricter. */
const anyLimits = fc.record({
  perInvoice: fc.integer({ min: 2, max: 8 }),
  unexplained: fc.integer({ min: 2, max: 8 }),
  minGapHours: fc.constantFrom(undefined, 1, 12, 24, 150),
  visaPer30Days: fc.integer({ min: 3, max: 15 }),
  mastercardPer24Hours: fc.integer({ min: 1, max: 8 }),
  mastercardPer30Days: fc.integer({ min: 3, max: 30 }),
  otherCardPer30Days: fc.integer({ min: 3, max: 8 }),
  debitPresentments: fc.integer({ min: 1, max: 3 }),
});

const anyHistory = fc.record({
  limits: fc.oneof(fc.constant(ATTEMPT_LIMITS), anyLimits),
  brand: fc.constantFrom('visa', 'mastercard', 'amex'),
  country: fc.constantFrom(undefined, undefined, 'BR', 'BR', 'IN'),
  zone: fc.constantFrom('UTC', 'America/New_York'),
  holdout: fc.constantFrom(0, 50),
  id: fc.string(),
  hours: fc.integer({ min: 0, max: 200 }),
  attempts: fc.array(
    fc.record({
      answer: fc.oneof(anyAnswer, anySoftAnswer, anySoftAnswer),
      gap: fc.integer({ min: 1, max: 120 }),
    }),
    {
      minLength: 1,
      maxLength: 8,
    },
  ),
  past: fc.array(
    fc.record({
      answer: anyAnswer,
      // Of the invoice's first failure: some are answers to invoices that came after it.
      hoursBefore: fc.integer({ min: -300, max: 900 }),
      isPaid: fc.boolean(),
      amount: fc.constantFrom(2000, 900),
    }),
    { maxLength: 12 },
  ),
});

function toStored(
  one: FailedAttempt | PastAttempt,
  { invoiceId, brand, isPaid }: { invoiceId: string; brand: string; isPaid: boolean },
): StoredAttempt {
  return buildAttempt({
    invoiceId,
    brand,
    methodType: 'card',
    fingerprint: one.fingerprint ?? null,
    cardExpiry: one.expiry ?? null,
    paymentMethod: `pm_${one.fingerprint}`,
    amount: one.amount ?? 2000,
    startedAt: one.at,
    outcome: isPaid ? 'paid' : 'declined',
    code: isPaid ? null : 'card_declined',
    declineCode: isPaid ? null : (one.code ?? null),
    adviceCode: isPaid ? null : (one.adviceCode ?? null),
    networkCode: isPaid ? null : (one.networkCode ?? null),
    networkAdvice: isPaid ? null : (one.networkAdviceCode ?? null),
  });
}

test('no retry is suggested that a guard would decline or put off', () => {
  let suggested = 0;
  fc.assert(
    fc.property(
      anyHistory,
      ({ limits, brand, country, zone, holdout, id, hours, attempts: drawn, past: earlier }) => {
        let at: DateTime = FIRST;
        const attempts = drawn.map(({ answer, gap }) => {
          at = at.plus({ hours: gap });
          return { ...answer, at, methodType: 'card' };
        });
        const past = earlier
          .map(({ answer, hoursBefore, isPaid, amount }) => ({
            ...answer,
            ...(isPaid
              ? {
                  code: undefined,
                  adviceCode: undefined,
                  networkCode: undefined,
                  networkAdviceCode: undefined,
                }
              : {}),
            methodType: 'card',
            amount,
            at: FIRST.minus({ hours: hoursBefore }),
            isPaid,
          }))
          .sort((one, other) => one.at.toMillis() - other.at.toMillis());
        const now = DateTime.max(at, ...past.map((one) => one.at)).plus({ hours });
        const policy = createPolicy({ holdoutPercent: holdout });
        const decision = policy.decide(buildCase({ id, brand, country, zone, attempts, past, limits }), now);
        if (!('suggestion' in decision) || decision.suggestion !== RETRY) return;
        suggested += 1;
        const due = decision.at;
        const { fingerprint: card = '', expiry } = attempts.at(-1) ?? {};
        const since = due.minus({ days: 30 });
        const stored = [
          ...past
            .filter((one) => one.fingerprint === card && one.at >= since)
            .map((one) => toStored(one, { invoiceId: 'in_other', brand, isPaid: one.isPaid })),
          ...attempts.map((one) => toStored(one, { invoiceId: 'in_1', brand, isPaid: false })),
        ];
        const method = {
          ...VISA,
          id: `pm_${card}`,
          brand,
          networks: [brand],
          fingerprint: card,
          expiry,
          country,
        };
        const action = buildAction({ invoiceId: 'in_1' });
        const context = {
          now: DateTime.fromMillis(due.toMillis(), { zone: 'utc' }),
          action,
          method,
          attempts: stored,
          limits,
        };
        expect(judge(buildGuardContext(context, { id: 'in_1', nextStripeAttemptAt: undefined }))).toEqual({
          kind: 'pass',
        });
      },
    ),
    { numRuns: 600 },
  );
  expect(suggested).toBeGreaterThan(100);
});
