import fc from 'fast-check';
import { DateTime } from 'luxon';
import {
  buildAction,
  buildAttempt,
  buildGuardContext,
  CARD_CHANGE,
  hoursAgo,
  NO_HOLDS,
  NOW,
  PAYER,
  VISA,
} from '../../../support/database/stored-rows.ts';
import { judge } from '../../../support/verdicts.ts';

describe('a verdict of pass', () => {
  const seldom = fc.constantFrom(false, false, false, false, true);
  const anyInvoice = fc.record({
    status: fc.constantFrom(
      'open',
      'open',
      'open',
      'open',
      'uncollectible',
      'draft',
      'paid',
      'void',
      'new_status',
    ),
    amountRemaining: fc.integer({ min: -2, max: 10 }),
    collectionMethod: fc.constantFrom('charge_automatically', 'charge_automatically', 'send_invoice'),
    isProcessing: seldom,
    isSignUp: seldom,
    customer: fc.constantFrom(PAYER, PAYER, undefined),
    nextStripeAttemptAt: fc.option(
      fc.integer({ min: -48, max: 48 }).map((hours) => NOW.plus({ hours })),
      {
        nil: undefined,
      },
    ),
    subscription: fc.option(
      fc.record({
        id: fc.constant('sub_1'),
        status: fc.constantFrom('active', 'past_due', 'past_due', 'unpaid', 'canceled', 'incomplete_expired'),
        isPaused: seldom,
      }),
      { nil: undefined },
    ),
    chosenMethods: fc.constantFrom([VISA.id], [VISA.id], ['pm_2']),
  });
  const anyAttempts = fc.array(
    fc.record({
      hours: fc.integer({ min: 0, max: 900 }),
      fingerprint: fc.constantFrom('fp_1', 'fp_2'),
      declineCode: fc.constantFrom('insufficient_funds', 'do_not_honor', 'do_not_honor', 'lost_card'),
      outcome: fc.constantFrom('declined', 'paid', 'not_payable'),
    }),
    { maxLength: 6 },
  );

  it('a verdict of pass means that every precondition of stripe-facts 3.6 holds', () => {
    let passed = 0;
    fc.assert(
      fc.property(
        anyInvoice,
        anyAttempts,
        fc.boolean(),
        seldom,
        (facts, history, isCardChange, isStopped) => {
          const attempts = history
            .sort((left, right) => right.hours - left.hours)
            .map(({ hours, ...rest }, at) =>
              buildAttempt({ id: `a${at}`, startedAt: hoursAgo(hours), ...rest }),
            );
          const action = isCardChange ? CARD_CHANGE : buildAction();
          const verdict = judge(
            buildGuardContext(
              { action, attempts, holds: { ...NO_HOLDS, isStoppedByService: isStopped } },
              facts,
            ),
          );
          if (verdict.kind === 'postpone') expect(verdict.until > NOW).toBe(true);
          if (verdict.kind !== 'pass') return;
          passed += 1;
          expect(isStopped).toBe(false);
          expect(['open', 'uncollectible']).toContain(facts.status);
          expect(facts.amountRemaining).toBeGreaterThan(0);
          expect(facts.collectionMethod).toBe('charge_automatically');
          expect([facts.isProcessing, facts.isSignUp]).toEqual([false, false]);
          expect(facts.customer).toBeDefined();
          expect(facts.subscription?.isPaused ?? false).toBe(false);
          expect(['canceled', 'incomplete_expired']).not.toContain(facts.subscription?.status);
          if (!isCardChange && facts.nextStripeAttemptAt)
            expect(facts.nextStripeAttemptAt > NOW.plus({ hours: 1 })).toBe(true);
          const bound = attempts.filter(
            ({ fingerprint, startedAt }) =>
              fingerprint === 'fp_1' && (!isCardChange || startedAt >= action.createdAt),
          );
          const paid =
            bound.findLast(({ outcome }) => outcome === 'paid')?.startedAt ?? DateTime.fromMillis(0);
          expect(
            bound.filter(
              (one) => one.outcome === 'declined' && one.declineCode === 'lost_card' && one.startedAt >= paid,
            ),
          ).toEqual([]);
          const latest = attempts.findLast(({ fingerprint }) => fingerprint === 'fp_1');
          if (latest)
            expect(NOW.toMillis() - latest.startedAt.toMillis()).toBeGreaterThanOrEqual(24 * 3_600_000);
        },
      ),
      { numRuns: 5_000 },
    );
    expect(passed).toBeGreaterThan(50);
  });
});
