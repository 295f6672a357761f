/** What is decided for each kind of decline, and the reasons that are given. */
import '../../support/runner/luxon-equality.ts';
import { createPolicy } from '../../../src/service/policy/create-policy.ts';
import { explainDebit, explainRetry } from '../../../src/service/policy/explain-retry.ts';
import type {
  Decision,
  FailedAttempt,
  PastAttempt,
  PaymentCase,
} from '../../../src/service/policy/payment-case.ts';
import type { ChosenMorning } from '../../../src/service/policy/timing/choose-morning.ts';
import { PAY_SCHEDULES } from '../../../src/service/policy/timing/pay-calendar.ts';
import type { TimedRetry } from '../../../src/service/policy/timing/time-retry.ts';
import { buildCase, FIRST, failed, given } from './policy-cases.ts';

const CARD = 'ACTION_SUGGESTION_CARD_CHANGE';
const RETRY = 'ACTION_SUGGESTION_RETRY';
const at = (day: number) => FIRST.plus({ days: day });

function decide(changes: Partial<PaymentCase>, day = 0): Decision {
  return createPolicy().decide(buildCase(changes), at(day));
}
const on = (code: string | undefined, changes: Partial<FailedAttempt> = {}): PaymentCase['attempts'] => [
  { ...failed(0, code), fingerprint: 'one', ...changes },
];

test.each<[string, Partial<PaymentCase>, string, string, Decision['reasons'][number]]>([
  [
    'another card',
    { attempts: on('lost_card') },
    'CARD_CHANGE',
    'hard_decline',
    { code: 'bank_answered', remedy: 'another_card', declineCode: 'lost_card' },
  ],
  [
    'new details',
    { attempts: on('expired_card') },
    'CARD_CHANGE',
    'payment_details_must_change',
    { code: 'bank_answered', remedy: 'new_details', declineCode: 'expired_card' },
  ],
  [
    'a first card',
    { attempts: on('missing_payment_method') },
    'CARD_CHANGE',
    'missing_payment_method',
    { code: 'no_payment_method' },
  ],
  [
    'a confirmation',
    { attempts: on('authentication_required') },
    'CARD_CONFIRMATION',
    'authentication_required',
    { code: 'bank_answered', remedy: 'confirmation', declineCode: 'authentication_required' },
  ],
  [
    'another card, by advice alone',
    { attempts: on(undefined, { adviceCode: 'do_not_try_again' }) },
    'CARD_CHANGE',
    'hard_decline',
    { code: 'bank_answered', remedy: 'another_card' },
  ],
  [
    'a confirmation, of a card of India',
    { attempts: on('insufficient_funds'), country: 'IN' },
    'CARD_CONFIRMATION',
    'card_not_retried',
    { code: 'card_not_retried', country: 'IN' },
  ],
  [
    'another card, where no retry is carried out',
    { attempts: on('insufficient_funds'), cardBarredBy: 'dispute' },
    'CARD_CHANGE',
    'attempts_used_up',
    { code: 'not_carried_out', because: 'dispute' },
  ],
])('the customer is asked for %s', (_name, changes, suggestion, reason, why) => {
  const decision = decide(changes);
  expect(decision).toMatchObject({ suggestion: `ACTION_SUGGESTION_${suggestion}`, reason, at: FIRST });
  expect(decision.reasons[0]).toEqual(why);
});

test.each<[string, Partial<PaymentCase>, number, string, Decision['reasons']]>([
  ['nothing failed', { attempts: [] }, 0, 'no_failed_transaction', [{ code: 'no_failed_payment' }]],
  [
    'a final decline',
    { attempts: on('highest_risk_level') },
    0,
    'blocked_by_the_merchant_or_final',
    [{ code: 'final_decline' }],
  ],
  [
    'a failure before the window',
    {},
    35.001,
    'older_than_the_retry_window_when_first_seen',
    [{ code: 'first_failure_before_window', failedOn: '2026-03-02', days: 30 }],
  ],
  [
    'a failure before the merchant’s own window',
    { limits: { windowDays: 10 } },
    15.001,
    'older_than_the_retry_window_when_first_seen',
    [{ code: 'first_failure_before_window', failedOn: '2026-03-02', days: 10 }],
  ],
  [
    'a pause after the window',
    { pause: { until: at(40) } },
    30,
    'collection_is_paused',
    [{ code: 'collection_paused', until: '2026-04-11T10:00:00Z' }, { code: 'window_closed' }],
  ],
  [
    'a pause without an end',
    { pause: {} },
    30,
    'collection_is_paused',
    [{ code: 'collection_paused' }, { code: 'window_closed' }],
  ],
])('a case is given up after %s', (_name, changes, day, reason, reasons) => {
  expect(decide(changes, day)).toEqual({ stop: true, reason, reasons });
});

test('a case is history only when nothing was asked yet and the days of grace are over', () => {
  const old = 'older_than_the_retry_window_when_first_seen';
  expect(decide({}, 35).reason).not.toBe(old);
  expect(decide({ instructions: [given(1, RETRY)] }, 36).reason).not.toBe(old);
});

test.each([
  [12, 2, 12],
  [12, 13, 30],
  [30, 2, 30],
  [40, 2, 30],
])('a pause until day %d is awaited on day %d until day %d', (until, day, expected) => {
  expect(decide({ pause: { until: at(until) } }, day)).toMatchObject({ waitUntil: at(expected) });
});

const short = (...days: number[]) =>
  days.map((day) => ({ ...failed(day, 'insufficient_funds'), fingerprint: 'one' }));
const paid: PastAttempt = {
  id: 'txn',
  at: at(2),
  isPaid: true,
  fingerprint: 'one',
  methodType: 'card',
  amount: 900,
};

describe('a retry', () => {
  test('a retry has a time by the clock of Greenwich, its odds, and its reasons', () => {
    const decision = decide({ zone: 'Asia/Tokyo', attempts: short(0, 4) }, 4);
    if (!('odds' in decision) || !decision.odds) throw new Error(decision.reason);
    const { odds, reasons } = decision;
    expect(decision).toMatchObject({
      suggestion: RETRY,
      reason: 'soft_decline',
      draw: { isHeldOut: false, percent: 0 },
    });
    expect(decision.at.zoneName).toBe('UTC');
    expect(odds.retry).toBeGreaterThan(0.02);
    expect(odds.plan).toBeGreaterThan(odds.retry);
    expect(reasons).toMatchObject([{ zone: 'Asia/Tokyo' }, { code: 'retries_used', used: 1, max: 8 }]);
    expect(reasons).toHaveLength(2);
  });

  test('a decline without a cause is retried for that reason', () => {
    const decision = decide({ attempts: on('do_not_honor') });
    expect(decision).toMatchObject({
      suggestion: RETRY,
      reason: 'generic_decline',
      odds: { retry: expect.any(Number), plan: expect.any(Number) },
    });
    expect(decision.reasons.slice(1)).toEqual([
      { code: 'retries_used', used: 0, max: 8 },
      { code: 'unexplained_declines', count: 1, max: 9 },
    ]);
  });

  test('a card that only had to rest is retried then, at whatever hour', () => {
    const decision = decide({ attempts: on('processing_error') }, 0.01);
    expect(decision).toMatchObject({ suggestion: RETRY, at: FIRST.plus({ hours: 1 }) });
    expect(decision).not.toHaveProperty('odds');
    expect(decision.reasons[0]).toEqual({ code: 'card_has_rested', at: '2026-03-02T11:00:00Z', zone: 'UTC' });
  });

  test('a card that has paid another invoice is retried as soon as it has rested', () => {
    const decision = decide({ attempts: short(0), past: [paid] }, 2.5);
    expect(decision).toMatchObject({ suggestion: RETRY, at: at(2.5) });
    expect(decision.reasons[0]).toMatchObject({ code: 'card_has_paid' });
    const asMuch = { ...paid, amount: 2000 };
    expect(decide({ attempts: short(0), past: [asMuch] }, 2.1)).toMatchObject({ at: at(2 + 8 / 24) });
  });

  test('a final request ends retries, until the card pays another invoice', () => {
    const instructions = [given(1, CARD, 'attempts_used_up')];
    const asked = { attempts: short(0), instructions };
    expect(decide(asked, 2.5)).toMatchObject({
      reason: 'attempts_used_up',
      reasons: [{ code: 'no_attempt_worth_its_cost' }, {}],
    });
    expect(decide({ ...asked, past: [paid] }, 2.5)).toMatchObject({ suggestion: RETRY });
    const isHeldOut = { isHeldOut: true, percent: 20, seed: 1 };
    expect(decide({ ...asked, draw: isHeldOut }, 2.5).reasons[0]).toEqual({ code: 'static_schedule_over' });
    const refused = { ...paid, isPaid: false, code: 'insufficient_funds' };
    expect(decide({ ...asked, past: [refused] }, 2.5)).toMatchObject({ reason: 'attempts_used_up' });
  });

  test('a request for a card takes the place of retries that are worth less', () => {
    const draw = { isHeldOut: false, percent: 20, seed: 1 };
    const faults = (...days: number[]) => days.map((day) => failed(day, 'processing_error'));
    expect(decide({ attempts: faults(0, 3, 6, 9, 13, 17, 21, 25), draw }, 25)).toMatchObject({
      suggestion: CARD,
      reason: 'card_change_is_worth_more',
      draw,
      reasons: [{ code: 'retries_worth_less_than_card_change' }],
    });
    const rested = [...faults(0, 5, 9, 13, 17), failed(21, 'insufficient_funds'), ...faults(24)];
    expect(decide({ attempts: rested, draw }, 24)).toMatchObject({ suggestion: RETRY });
    // Of so little no try is worth its cost.
    const little = { amount: 10, attempts: short(0) };
    expect(decide({ ...little, draw }).reasons[0]).toEqual({ code: 'no_attempt_worth_its_cost' });
    expect(decide({ ...little, draw: { ...draw, isHeldOut: true } })).toMatchObject({
      suggestion: RETRY,
      at: at(1),
    });
    expect(decide({ ...little, attempts: faults(0) })).toMatchObject({ suggestion: RETRY });
  });

  test('the most attempts, and the most without a cause, are told', () => {
    const attempts = [0, 2, 4].map((day) => ({ ...failed(day, 'do_not_honor'), fingerprint: 'one' }));
    const concluded = (limits: PaymentCase['limits'], code: string | undefined = 'do_not_honor') =>
      decide({ attempts: attempts.map((one) => ({ ...one, code })), limits }, 4).reasons[0];
    expect(concluded({ perInvoice: 3 })).toEqual({ code: 'retries_used_up', max: 2 });
    const used = { code: 'unexplained_declines_used_up', count: 3 };
    expect(concluded({ unexplained: 3 })).toEqual({ ...used, declineCode: 'do_not_honor' });
    expect(
      decide(
        { attempts: attempts.map((one) => ({ ...one, code: undefined })), limits: { unexplained: 3 } },
        4,
      ).reasons[0],
    ).toEqual(used);
    expect(concluded({ unexplained: 3 }, 'insufficient_funds')).not.toMatchObject({ code: used.code });
  });
});

describe('a bank debit', () => {
  const debit = (...days: number[]) => days.map((day) => failed(day, 'insufficient_funds', 'sepa_debit'));

  test('a bank debit is presented again on a bank day', () => {
    const decision = decide({ zone: 'Europe/Berlin', attempts: debit(0) });
    if (!('at' in decision)) throw new Error(decision.reason);
    expect(decision).toMatchObject({
      suggestion: RETRY,
      reason: 'bank_debit_returned',
      reasons: [
        { code: 'bank_day', at: '2026-03-09T08:54:33Z', zone: 'Europe/Berlin', methodType: 'sepa_debit' },
        { code: 'presentments_used', used: 1, max: 3 },
      ],
    });
    expect(decision.at.zoneName).toBe('UTC');
  });

  test('a bank debit ends in a request for another method, for a reason', () => {
    const used = decide({ attempts: debit(0, 7, 15) }, 15);
    expect(used).toMatchObject({ suggestion: CARD, reasons: [{ code: 'presentments_used_up', max: 3 }, {}] });
    expect(decide({ attempts: debit(0), instructions: [given(20, RETRY)] }, 31)).toMatchObject({
      suggestion: CARD,
      reason: 'attempts_used_up',
      reasons: [{ code: 'no_bank_day_left' }, { code: 'card_change_is_last_chance' }],
    });
  });
});

const morning = (because: ChosenMorning['because']): TimedRetry => ({
  way: 'morning',
  ms: at(1).toMillis(),
  day: 0,
  odds: { retry: 0.204, plan: 0.3 },
  because,
});
const FRIDAYS = PAY_SCHEDULES[4];

test.each<[string, TimedRetry, [object]]>([
  [
    'a pay day',
    morning({ kind: 'payday', schedule: FRIDAYS, share: 0.616 }),
    [{ code: 'pay_schedule', cycle: 'weekly', days: [5], percent: 62 }],
  ],
  [
    'a pay day of several',
    morning({ kind: 'payday', schedule: undefined, share: 0.5 }),
    [{ code: 'pay_day_of_several', percent: 50 }],
  ],
  [
    'money without a pattern',
    morning({ kind: 'renewal', schedule: undefined, share: 0.4 }),
    [{ code: 'no_pay_day', percent: 40 }],
  ],
  [
    'an obstacle that passes',
    morning({ kind: 'passes', schedule: undefined, share: 0.7 }),
    [{ code: 'obstacle_passes', percent: 70 }],
  ],
  [
    'the control group',
    { way: 'static_schedule', ms: at(1).toMillis() },
    [{ code: 'static_schedule', days: [1, 3, 5, 7] }],
  ],
  ['a rested card', { way: 'card_has_rested', ms: at(1).toMillis() }, [{ code: 'card_has_rested' }]],
])('a time is explained by %s', (_name, retry, [why]) => {
  const used = { made: 2, unexplained: undefined };
  const moment = { at: '2026-03-03T10:00:00Z', zone: 'UTC' };
  expect(explainRetry(retry, buildCase(), used)).toEqual([
    { ...moment, ...why },
    { code: 'retries_used', used: 1, max: 8 },
  ]);
});

test('the attempts used are told with the limits of the merchant', () => {
  const own = buildCase({ limits: { perInvoice: 5, unexplained: 4, debitPresentments: 2 } });
  const rested = { way: 'card_has_rested', ms: at(1).toMillis() } as const;
  expect(explainRetry(rested, own, { made: 2, unexplained: 0 }).slice(1)).toEqual([
    { code: 'retries_used', used: 1, max: 4 },
    { code: 'unexplained_declines', count: 0, max: 4 },
  ]);
  expect(explainDebit(at(1).toMillis(), own, { made: 1, methodType: 'bacs_debit' })).toEqual([
    { code: 'bank_day', at: '2026-03-03T10:00:00Z', zone: 'UTC', methodType: 'bacs_debit' },
    { code: 'presentments_used', used: 1, max: 2 },
  ]);
});
