import type { DateTime } from 'luxon';
import { describeDecisionReason } from '../../../src/service/http/describe-decision-reason.ts';
import { createPolicy } from '../../../src/service/policy/create-policy.ts';
import type {
  Decision,
  FailedAttempt,
  PastAttempt,
  PaymentCase,
} from '../../../src/service/policy/payment-case.ts';
import { listOwnMornings } from '../../../src/service/policy/timing/own-mornings.ts';
import { drawHoldout } from '../../../src/service/policy/timing/static-schedule.ts';
import { buildCase, FIRST, failed, given } from './policy-cases.ts';

const CARD = 'ACTION_SUGGESTION_CARD_CHANGE';
const RETRY = 'ACTION_SUGGESTION_RETRY';

function decide(overrides: Partial<PaymentCase>, day = 0): Decision {
  return createPolicy().decide(buildCase(overrides), FIRST.plus({ days: day }));
}

const iso = (time: DateTime) => time.toUTC().toISO({ suppressMilliseconds: true });

function summarize(decision: Decision): string {
  if ('stop' in decision) return `stop ${decision.reason}`;
  if ('waitUntil' in decision) return `wait ${iso(decision.waitUntil)} ${decision.reason}`;
  return `${decision.suggestion.slice(18)} ${iso(decision.at)}`;
}

const kind = (decision: Decision) => summarize(decision).split(' ')[0];

describe('what must not be retried is not', () => {
  test.each([
    ...['lost_card', 'stolen_card', 'pickup_card', 'incorrect_number', 'invalid_account'],
    ...['revocation_of_authorization', 'revocation_of_all_authorizations', 'stop_payment_order'],
    ...[
      'transaction_not_allowed',
      'do_not_try_again',
      'fraudulent',
      'expired_card',
      'incorrect_cvc',
      'not_permitted',
    ],
  ])('a decline with %s asks for another card, at once', (code) => {
    expect(summarize(decide({ attempts: [failed(0, code)] }))).toBe('CARD_CHANGE 2026-03-02T10:00:00Z');
  });

  test('where there is no payment method the customer is asked for one, in words of its own', () => {
    expect(decide({ attempts: [failed(0, 'missing_payment_method')] })).toMatchObject({
      suggestion: CARD,
      reason: 'missing_payment_method',
      reasons: [{ code: 'no_payment_method' }],
    });
  });

  test.each(['highest_risk_level', 'rule', 'merchant_blacklist', 'recipient_deceased'])(
    'a decline with %s leads to neither a retry nor an email',
    (code) => {
      const decision = decide({ attempts: [failed(0, code)] });
      expect(summarize(decision)).toBe('stop blocked_by_the_merchant_or_final');
    },
  );

  test.each(['authentication_required', 'authentication_not_handled'])(
    'a decline with %s asks for a confirmation',
    (code) => {
      expect(kind(decide({ attempts: [failed(0, code)] }))).toBe('CARD_CONFIRMATION');
    },
  );

  const signs: [string, string, Partial<FailedAttempt>][] = [
    ['Stripe says so', 'visa', { adviceCode: 'do_not_try_again' }],
    ['Stripe doubts the data', 'visa', { adviceCode: 'confirm_card_data' }],
    ...['04', '07', '12', '14', '15', '41', '43', '46', '57', 'R0', 'R1', 'R3'].map(
      (networkCode): (typeof signs)[number] => [`Visa ${networkCode}`, 'visa', { networkCode }],
    ),
    ...['03', '21', '41', '42'].map((code): (typeof signs)[number] => [
      `Mastercard ${code}`,
      'mastercard',
      { networkAdviceCode: code },
    ]),
  ];
  test.each(signs)(
    'a hard sign asks for another card (%s), although the decline itself is soft',
    (_name, brand, sign) => {
      const attempts = [{ ...failed(0, 'insufficient_funds'), ...sign }];
      expect(kind(decide({ brand, attempts }))).toBe('CARD_CHANGE');
    },
  );

  test.each([
    ['another network’s code', 'mastercard', { networkCode: '14' }],
    ['another network’s advice', 'visa', { networkAdviceCode: '03' }],
  ])('%s says nothing against a retry', (_name, brand, signs) => {
    expect(kind(decide({ brand, attempts: [{ ...failed(0, 'insufficient_funds'), ...signs }] }))).toBe(
      'RETRY',
    );
  });

  test('a card stays barred after a softer answer, another card is not', () => {
    const lost = { ...failed(0, 'lost_card'), fingerprint: 'one' };
    const soft = (fingerprint: string) => ({ ...failed(4, 'insufficient_funds'), fingerprint });
    expect(kind(decide({ attempts: [lost, soft('one')] }, 4))).toBe('CARD_CHANGE');
    expect(kind(decide({ attempts: [lost, soft('two')] }, 4))).toBe('RETRY');
  });
});

const soft = (days: number[]) => days.map((day) => failed(day, 'insufficient_funds'));

describe('caps', () => {
  test.each([
    [9, 9, 'CARD_CHANGE'],
    [8, 9, 'RETRY'],
    [4, 4, 'CARD_CHANGE'],
    [3, 4, 'RETRY'],
  ])('after %i attempts of at most %i, the suggestion is %s', (made, maxAttempts, expected) => {
    const attempts = soft(Array.from({ length: made }, (_, index) => index * 2));
    const instructions = [given(0, CARD)];
    expect(
      kind(
        decide({ attempts, instructions, limits: { perInvoice: maxAttempts, unexplained: maxAttempts } }, 16),
      ),
    ).toBe(expected);
  });

  test('retries of unknown outcome count toward the cap on attempts', () => {
    const instructions = [1, 3, 5, 7, 9, 11, 13, 15].map((day) => given(day, RETRY));
    expect(kind(decide({ instructions: instructions.slice(1) }, 16))).toBe('RETRY');
    expect(kind(decide({ instructions }, 16))).toBe('CARD_CHANGE');
  });

  test.each([
    ['visa', 15, 'CARD_CHANGE'],
    ['visa', 14, 'RETRY'],
    ['mastercard', 30, 'CARD_CHANGE'],
    ['amex', 8, 'CARD_CHANGE'],
    ['amex', 7, 'RETRY'],
  ])('for %s, %i declines within 30 days, of all invoices, lead to %s', (brand, declines, expected) => {
    const at = FIRST.minus({ hours: 1 });
    const past = Array.from({ length: declines - 1 }, () => ({ at, isPaid: false }));
    // The whole window lies within 30 days of them.
    expect(kind(decide({ brand, past, limits: { windowDays: 29 } }))).toBe(expected);
  });

  test('declines of an invoice that failed after this one count toward the cap of the network as well', () => {
    const later = FIRST.plus({ days: 1 });
    const past = Array.from({ length: 14 }, () => ({ at: later, isPaid: false }));
    expect(kind(decide({ brand: 'visa', past }, 1))).toBe('CARD_CHANGE');
    expect(kind(decide({ brand: 'visa', past: past.slice(1) }, 1))).toBe('RETRY');
  });

  test.each([
    ['26', 2],
    ['28', 6],
    ['30', 10],
    ['02', 3],
  ])('a retry awaits Mastercard’s advice %s for %i days', (networkAdviceCode, days) => {
    const attempts = [{ ...failed(0, 'insufficient_funds'), networkAdviceCode }];
    const decision = decide({ brand: 'mastercard', attempts });
    if (!('at' in decision)) throw new Error(decision.reason);
    expect(decision.suggestion).toBe(RETRY);
    expect(decision.at >= FIRST.plus({ days })).toBe(true);
  });

  // Each is a name that every object of JavaScript has.
  test.each(['constructor', 'toString', '__proto__'])(
    "a network's advice that is called %s says nothing",
    (advice) => {
      const attempts = [{ ...failed(0, 'insufficient_funds'), networkAdviceCode: advice }];
      const plain = decide({ brand: 'mastercard', attempts: [failed(0, 'insufficient_funds')] });
      expect(decide({ brand: 'mastercard', attempts })).toEqual(plain);
    },
  );
});

test('there is no morning before or after what is not a time', () => {
  expect(listOwnMornings(buildCase(), { after: Number.NaN, until: FIRST.toMillis() })).toEqual([]);
  expect(listOwnMornings(buildCase(), { after: FIRST.toMillis(), until: Number.NaN })).toEqual([]);
});

describe('declines that name no cause', () => {
  const unexplained = (days: number[], fingerprint = 'one') =>
    days.map((day) => ({ ...failed(day, 'do_not_honor'), fingerprint }));
  /** As a merchant may want. */
  const limits = { unexplained: 6 };

  test('they leave as many attempts as any other', () => {
    const days = [0, 2, 4, 5, 6, 9, 11, 13, 15];
    expect(kind(decide({ attempts: unexplained(days.slice(0, -1)) }, 13))).toBe('RETRY');
    const { reasons } = decide({ attempts: unexplained(days) }, 15);
    expect(reasons[0]).toEqual({ code: 'retries_used_up', max: 8 });
  });

  test('where six are the most, five leave one more attempt, six with one card end in a request for another', () => {
    expect(kind(decide({ attempts: unexplained([0, 2, 4, 5, 6]), limits }, 6))).toBe('RETRY');
    const decision = decide({ attempts: unexplained([0, 2, 4, 5, 6, 9]), limits }, 9);
    expect(summarize(decision)).toBe('CARD_CHANGE 2026-03-11T10:00:00Z');
    expect(decision.reasons[0]).toEqual({
      code: 'unexplained_declines_used_up',
      count: 6,
      declineCode: 'do_not_honor',
    });
  });

  test('another card begins the count of declines without a cause anew, and so does a decline with a cause', () => {
    expect(
      kind(decide({ attempts: [...unexplained([0, 2, 4, 5, 6]), ...unexplained([9], 'two')], limits }, 9)),
    ).toBe('RETRY');
    const short = { ...failed(9, 'insufficient_funds'), fingerprint: 'one' };
    expect(kind(decide({ attempts: [...unexplained([0, 2, 4, 6]), short], limits }, 9))).toBe('RETRY');
    const again = [...unexplained([0, 2, 4, 6]), short, ...unexplained([12])];
    expect(kind(decide({ attempts: again, limits }, 12))).toBe('CARD_CHANGE');
  });

  test('attempts of unknown outcome count with the declines that name no cause', () => {
    const instructions = [2, 4, 5, 7, 8].map((day) => given(day, RETRY));
    expect(kind(decide({ attempts: unexplained([0]), instructions, limits }, 9))).toBe('CARD_CHANGE');
    expect(kind(decide({ attempts: unexplained([0]), instructions: instructions.slice(1), limits }, 9))).toBe(
      'RETRY',
    );
  });

  test('the reasons of a decision count the declines that name no cause', () => {
    const { reasons } = decide({ attempts: unexplained([0, 3]), limits }, 3);
    expect(reasons).toContainEqual({ code: 'unexplained_declines', count: 2, max: 6 });
  });
});

describe('what the card was told on other invoices', () => {
  const soft = { ...failed(0, 'insufficient_funds'), fingerprint: 'one' };
  const elsewhere = (daysBefore: number, code: string, fingerprint = 'one') => ({
    ...failed(-daysBefore, code),
    fingerprint,
    isPaid: false,
  });

  test.each([
    ['a stolen card', elsewhere(9, 'stolen_card'), 'CARD_CHANGE'],
    ['one that had to be confirmed', elsewhere(9, 'authentication_required'), 'CARD_CONFIRMATION'],
    ['another stolen card', elsewhere(9, 'stolen_card', 'two'), 'RETRY'],
    ['one that was refused for lack of funds', elsewhere(9, 'insufficient_funds'), 'RETRY'],
    ['a refusal longer ago than the networks count', elsewhere(31, 'stolen_card'), 'RETRY'],
  ])('the decision weighs what the card was told on other invoices: %s', (_name, one, expected) => {
    expect(kind(decide({ attempts: [soft], past: [one] }))).toBe(expected);
  });

  const passed = (daysBefore: number, more: Partial<PastAttempt> = {}): PastAttempt => ({
    at: FIRST.minus({ days: daysBefore }),
    fingerprint: 'one',
    isPaid: true,
    ...more,
  });
  const stolen = elsewhere(9, 'stolen_card');
  const confirm = elsewhere(9, 'authentication_required');

  test.each<[string, PastAttempt[], string]>([
    ['a stolen card that has paid since', [stolen, passed(8)], 'RETRY'],
    ['a payment that was confirmed and made', [confirm, passed(8)], 'RETRY'],
    ['a payment before it', [passed(10), confirm], 'CARD_CONFIRMATION'],
    ['a payment of the same second', [confirm, passed(9)], 'CARD_CONFIRMATION'],
    ['a payment with another card', [confirm, passed(8, { fingerprint: 'two' })], 'CARD_CONFIRMATION'],
    [
      'a payment with the renewed card',
      [{ ...confirm, expiry: '2030-12' }, passed(8, { expiry: '2034-12' })],
      'CARD_CONFIRMATION',
    ],
    ['a hard decline after the payment', [confirm, passed(8), elsewhere(7, 'stolen_card')], 'CARD_CHANGE'],
  ])('what a card was told on other invoices ends when the card pays: %s', (_name, past, expected) => {
    expect(kind(decide({ attempts: [soft], past }))).toBe(expected);
  });

  test.each(['stolen_card', 'expired_card', 'authentication_required', 'highest_risk_level'])(
    'an invoice declined with %s is tried again once its card has paid another one',
    (code) => {
      const attempts = [{ ...soft, code }];
      expect(kind(decide({ attempts }, 3))).not.toBe('RETRY');
      expect(kind(decide({ attempts, past: [passed(-2)] }, 3))).toBe('RETRY');
    },
  );

  test('payments of other invoices that succeeded count for the networks in Brazil alone', () => {
    const past = Array.from({ length: 7 }, (_, index) => ({
      at: FIRST.minus({ hours: index + 1 }),
      isPaid: true,
      fingerprint: 'one',
    }));
    const limits = { windowDays: 29 };
    const asked = { brand: 'amex', attempts: [soft], limits };
    expect(kind(decide({ ...asked, past, country: 'BR' }))).toBe('CARD_CHANGE');
    expect(kind(decide({ ...asked, past }))).toBe('RETRY');
    const others = past.map((one) => ({ ...one, fingerprint: 'two' }));
    expect(kind(decide({ ...asked, past: others, country: 'BR' }))).toBe('RETRY');
  });

  test('Mastercard’s advice that is not final asks for other details, or leaves it to the merchant', () => {
    const told = (networkAdviceCode: string, networkCode?: string) =>
      kind(decide({ brand: 'mastercard', attempts: [{ ...soft, networkAdviceCode, networkCode }] }));
    expect([told('01'), told('01', '83'), told('40'), told('04')]).toEqual([
      ...['CARD_CHANGE', 'CARD_CONFIRMATION', 'CARD_CHANGE', 'stop'],
    ]);
  });
});

describe('while collection is paused', () => {
  const until = FIRST.plus({ days: 12 });

  test('while collection is paused, nothing is asked before its end, or the end of the window', () => {
    expect(summarize(decide({ pause: { until } }, 2))).toBe('wait 2026-03-14T10:00:00Z collection_is_paused');
    expect(summarize(decide({ pause: {} }, 2))).toBe('wait 2026-04-01T10:00:00Z collection_is_paused');
    expect(summarize(decide({ pause: { until } }, 12))).toBe(
      'wait 2026-04-01T10:00:00Z collection_is_paused',
    );
    expect(summarize(decide({ pause: {} }, 30))).toBe('stop collection_is_paused');
    expect(decide({ pause: { until } }, 2).reasons).toEqual([
      { code: 'collection_paused', until: '2026-03-14T10:00:00Z' },
    ]);
  });

  test('while collection is paused, no card is asked for', () => {
    expect(kind(decide({ pause: {}, attempts: [failed(0, 'stolen_card')] }))).toBe('wait');
  });
});

describe('the holdout', () => {
  const heldOut = { isHeldOut: true, percent: 20, seed: 1 };
  const timed = { isHeldOut: false, percent: 20, seed: 1 };

  test('the holdout keeps the static schedule at the hour of the failure, then asks for a card', () => {
    const times = [0, 1, 3, 5].map((day) => {
      const attempts = soft([0, 1, 3, 5].filter((one) => one <= day));
      return summarize(decide({ draw: heldOut, attempts }, day));
    });
    expect(times).toEqual([
      ...['RETRY 2026-03-03T10:00:00Z', 'RETRY 2026-03-05T10:00:00Z'],
      ...['RETRY 2026-03-07T10:00:00Z', 'RETRY 2026-03-09T10:00:00Z'],
    ]);
    const over = decide({ draw: heldOut, attempts: soft([0, 1, 3, 5, 7]) }, 7);
    expect(summarize(over)).toBe('CARD_CHANGE 2026-03-09T10:00:00Z');
    expect(over.reasons[0]).toEqual({ code: 'static_schedule_over' });
  });

  test('the holdout rests after an attempt by Stripe, as every card does', () => {
    const attempts = [failed(0, 'insufficient_funds'), failed(2.5, 'insufficient_funds')];
    expect(summarize(decide({ draw: heldOut, attempts }, 2.5))).toBe('RETRY 2026-03-07T10:00:00Z');
  });

  test('the holdout is drawn once, with the chance that every decision names', () => {
    const drawn = Array.from({ length: 4000 }, (_, index) => {
      return drawHoldout(buildCase({ id: `in_${index}` }), 7, 20).isHeldOut;
    });
    const share = drawn.filter(Boolean).length / drawn.length;
    expect(share).toBeGreaterThan(0.18);
    expect(share).toBeLessThan(0.22);
    const again = createPolicy({ seed: 7, holdoutPercent: 50 }).decide(buildCase({ draw: timed }), FIRST);
    expect(again.draw).toEqual(timed);
    expect(decide({ attempts: [failed(0, 'stolen_card')] })).not.toHaveProperty('draw');
  });
});

describe('what an attempt is worth', () => {
  test('an attempt that costs more than it brings is held back', () => {
    const instructions = [given(0, CARD)];
    expect(kind(decide({ amount: 10, instructions }))).toBe('wait');
    expect(kind(decide({ amount: 2000, instructions }))).toBe('RETRY');
  });

  test('another card is asked for when that is worth more than an attempt, and once', () => {
    const attempts = [0, 3, 6, 9, 13, 17, 21, 25].map((day) => failed(day, 'processing_error'));
    const decision = decide({ attempts }, 25);
    expect(decision).toMatchObject({
      suggestion: CARD,
      reason: 'card_change_is_worth_more',
    });
    const instructions = [given(25, CARD, decision.reason)];
    expect(decide({ attempts, instructions }, 25)).not.toMatchObject({ reason: 'card_change_is_worth_more' });
  });

  test('a decision by what an attempt is worth says why, in sentences', () => {
    const decision = decide({ attempts: soft([0, 4, 7]) }, 7);
    expect(decision.reasons.flatMap(describeDecisionReason).join(' ')).toMatch(
      /^.+\. \w+day 2026-03-\d\d 09:54 in the customer's zone, .+\. 2 of 8 retries made or requested\.$/,
    );
  });
});

test.each([
  [
    'after a hard decline the customer has some days',
    { attempts: [failed(0, 'lost_card')], instructions: [given(0, CARD)] },
    2,
    'wait 2026-03-05T10:00:00Z waiting_for_the_customer',
  ],
  [
    'and is reminded on the third',
    { attempts: [failed(0, 'lost_card')], instructions: [given(0, CARD)] },
    3,
    'CARD_CHANGE 2026-03-05T10:00:00Z',
  ],
  [
    'the last time two weeks after the first',
    { attempts: [failed(0, 'lost_card')], instructions: [0, 3, 7].map((day) => given(day, CARD)) },
    7,
    'wait 2026-03-16T10:00:00Z waiting_for_the_customer',
  ],
  [
    'then no more until the window ends',
    { attempts: [failed(0, 'lost_card')], instructions: [0, 3, 7, 14].map((day) => given(day, CARD)) },
    15,
    'wait 2026-04-01T10:00:00Z waiting_for_the_customer',
  ],
  [
    'on the days that the merchant chose',
    {
      attempts: [failed(0, 'lost_card')],
      instructions: [given(0, CARD)],
      limits: { reminderDays: [0, 10] },
    },
    4,
    'wait 2026-03-12T10:00:00Z waiting_for_the_customer',
  ],
  [
    'once, where the merchant wants that',
    { attempts: [failed(0, 'lost_card')], instructions: [given(0, CARD)], limits: { reminderDays: [0] } },
    4,
    'wait 2026-04-01T10:00:00Z waiting_for_the_customer',
  ],
  [
    'a new hard decline waits for days between emails',
    { attempts: [failed(0, 'lost_card'), failed(1, 'lost_card')], instructions: [given(0, CARD)] },
    1,
    'CARD_CHANGE 2026-03-05T10:00:00Z',
  ],
  [
    'four emails for a case, whatever is refused after them',
    {
      attempts: [0, 4, 8, 12, 16].map((day) => failed(day, 'lost_card')),
      instructions: [0, 4, 8, 12].map((day) => given(day, CARD)),
    },
    16,
    'wait 2026-04-01T10:00:00Z waiting_for_the_customer',
  ],
  [
    'the customer did not act',
    { attempts: [failed(0, 'lost_card')], instructions: [given(0, CARD)] },
    30,
    'stop the_customer_did_not_act',
  ],
  [
    'the last email is in time where the attempts took most of the window',
    {
      attempts: [failed(0, 'do_not_honor')],
      instructions: [25, 28, 32].map((day) => given(day, CARD, 'attempts_used_up')),
    },
    33,
    'wait 2026-04-10T10:00:00Z attempts_used_up',
  ],
  [
    'and goes out when the case would else be over',
    {
      attempts: [failed(0, 'do_not_honor')],
      instructions: [25, 28, 32].map((day) => given(day, CARD, 'attempts_used_up')),
    },
    39,
    'CARD_CHANGE 2026-04-10T10:00:00Z',
  ],
  [
    'where funds are missing a request has a week',
    { instructions: [given(29, CARD, 'attempts_used_up')] },
    29.5,
    'wait 2026-04-07T10:00:00Z attempts_used_up',
  ],
  [
    'is made a second time',
    { instructions: [given(29, CARD, 'attempts_used_up')] },
    36,
    'CARD_CHANGE 2026-04-07T10:00:00Z',
  ],
  [
    'and no third time',
    { instructions: [22, 29].map((day) => given(day, CARD, 'attempts_used_up')) },
    30,
    'wait 2026-04-07T10:00:00Z attempts_used_up',
  ],
  [
    'nor sooner for a new card that lacks them too',
    {
      attempts: [...Array(8).keys(), 23].map((day) => failed(day, 'insufficient_funds')),
      instructions: [given(22, CARD, 'attempts_used_up')],
    },
    23,
    'wait 2026-03-31T10:00:00Z attempts_used_up',
  ],
  [
    'after the last request the case waits a week, and is given up',
    { instructions: [22, 29].map((day) => given(day, CARD, 'attempts_used_up')) },
    37,
    'stop attempts_used_up',
  ],
  ['history is no work', {}, 36, 'stop older_than_the_retry_window_when_first_seen'],
  [
    'a bank debit short of funds',
    { attempts: [failed(0, 'insufficient_funds', 'us_bank_account')] },
    0,
    'RETRY 2026-03-09T09:54:33Z',
  ],
  [
    'a bank debit falls on a bank day: not on Saturday the 21st',
    {
      attempts: [
        failed(-2, 'insufficient_funds', 'sepa_debit'),
        failed(6, 'insufficient_funds', 'sepa_debit'),
      ],
    },
    6,
    'RETRY 2026-03-16T09:54:33Z',
  ],
  [
    'two re-presentments at most',
    { attempts: [0, 6, 14].map((day) => failed(day, 'insufficient_funds', 'sepa_debit')) },
    14,
    'CARD_CHANGE 2026-03-16T10:00:00Z',
  ],
  [
    'those of unknown outcome included',
    {
      attempts: [failed(0, 'insufficient_funds', 'sepa_debit')],
      instructions: [given(6, RETRY), given(14, RETRY)],
    },
    20,
    'CARD_CHANGE 2026-03-22T10:00:00Z',
  ],
  [
    'a bank debit refused otherwise',
    { attempts: [failed(0, 'debit_not_authorized', 'sepa_debit')] },
    0,
    'CARD_CHANGE 2026-03-02T10:00:00Z',
  ],
  [
    'generic_could_not_process: Bacs retries',
    { attempts: [failed(0, 'generic_could_not_process', 'bacs_debit')] },
    0,
    'RETRY 2026-03-09T09:54:33Z',
  ],
  [
    'generic_could_not_process: SEPA does not',
    { attempts: [failed(0, 'generic_could_not_process', 'sepa_debit')] },
    0,
    'CARD_CHANGE 2026-03-02T10:00:00Z',
  ],
])('%s', (_name, overrides, day, expected) => {
  expect(summarize(decide(overrides, day))).toBe(expected);
});
