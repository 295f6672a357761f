/** The whole answer of the guards of a card, on both sides of what they decide by. */
import '../../../support/runner/luxon-equality.ts';
import { equalAmountHours } from '../../../../src/core/limits/usual-limits.ts';
import {
  countUsed,
  findUsedUp,
  type GuardContext,
  judge,
  judgeCard,
} from '../../../../src/plugin/retry/guards/guards.ts';
import type { StoredAttempt } from '../../../../src/plugin/store/tables/retry/attempts.ts';
import {
  A_DAY_APART,
  buildAttempt,
  buildGuardContext,
  CARD_CHANGE,
  hoursAgo,
  NO_HOLDS,
  NOW,
  VISA,
} from '../../../support/database/stored-rows.ts';
import { expectAnswers } from '../../../support/verdicts.ts';

const hoursAhead = (hours: number) => NOW.plus({ hours });
const holds = (changes: Partial<GuardContext['holds']>) => ({ holds: { ...NO_HOLDS, ...changes } });
const UNEXPLAINED = { declineCode: 'do_not_honor', adviceCode: null, networkCode: '05' };
const ADVISED_TO_WAIT = { ...UNEXPLAINED, brand: 'mastercard', networkAdvice: '02' };
const FEW = { limits: { ...A_DAY_APART, unexplained: 6 } };
const NO_GAP = { limits: { ...A_DAY_APART, minGapHours: 1 } };

test('what a bank said of the card is repeated, and until when it binds', () => {
  const waits = (changes: Partial<StoredAttempt>) => buildAttempt({ ...ADVISED_TO_WAIT, ...changes });
  const because = expect.stringMatching(/\w/);
  const few = Array.from({ length: 6 }, (_, at) =>
    buildAttempt({ ...UNEXPLAINED, id: `a${at}`, startedAt: hoursAgo((7 - at) * 25) }),
  );
  const stopped = (startedAt: string) => ({
    guard: 'hard_decline',
    reason: { code: 'hard_decline' as const, because, declinedAt: startedAt },
  });
  expectAnswers([
    [
      { attempts: [waits({ startedAt: hoursAgo(50) })] },
      {},
      {
        guard: 'hard_decline',
        reason: { code: 'decline_asks_to_wait', because },
        until: hoursAhead(22),
      },
    ],
    [{ attempts: [waits({ startedAt: hoursAgo(72) })] }, {}],
    [
      {
        attempts: [buildAttempt({ declineCode: 'lost_card', startedAt: hoursAgo(48).setZone('Asia/Tokyo') })],
      },
      {},
      stopped('2026-11-18T10:00:00.000Z'),
    ],
    [
      { attempts: few, ...FEW },
      {},
      { guard: 'few_attempts', reason: { code: 'few_attempts', count: 6, because } },
    ],
    [{ attempts: few.map((attempt) => ({ ...attempt, cardExpiry: '2029-12' })), ...FEW }, {}],
    [
      { attempts: [buildAttempt({ declineCode: 'authentication_required', startedAt: hoursAgo(50) })] },
      {},
      stopped('2026-11-18T08:00:00.000Z'),
    ],
  ]);
});

test('what another invoice asked of the card keeps an equal or a larger amount waiting', () => {
  const equal = (changes: Partial<StoredAttempt> = {}) =>
    buildAttempt({
      ...UNEXPLAINED,
      invoiceId: 'in_other',
      subscriptionId: 'sub_other',
      startedAt: hoursAgo(7),
      ...changes,
    });
  const paid = { outcome: 'paid', code: null, declineCode: null };
  const answer = (hours: number, invoiceId = 'in_other') => ({
    guard: 'equal_amount',
    reason: { code: 'equal_amount' as const, invoiceId },
    until: hoursAhead(hours),
  });
  const poor = (changes: Partial<StoredAttempt> = {}) =>
    equal({ declineCode: 'insufficient_funds', amount: 1900, ...changes });
  const lacked = (hours: number, invoiceId = 'in_other') => ({
    guard: 'equal_amount',
    reason: { code: 'funds_lacked' as const, invoiceId },
    until: hoursAhead(hours),
  });
  const debit = { ...VISA, type: 'sepa_debit', brand: undefined, networks: [] };
  const clear = equalAmountHours({ isPaid: true, isOfOther: true });
  expectAnswers([
    [{ attempts: [equal()] }, {}, answer(1)],
    [{ attempts: [equal({ startedAt: hoursAgo(8) })] }, {}],
    [{ attempts: [equal(paid)] }, {}],
    [
      { attempts: [equal({ ...paid, startedAt: hoursAgo(0.25) })] },
      {},
      { ...answer(0), until: hoursAgo(0.25).plus({ hours: clear }) },
    ],
    [{ attempts: [equal({ ...paid, subscriptionId: 'sub_1Basic' })] }, {}, answer(1)],
    [{ attempts: [equal({ ...paid, subscriptionId: null })] }, {}, answer(1)],
    [{ attempts: [equal(paid)] }, { subscription: undefined }, answer(1)],
    [{ attempts: [equal({ amount: 1999 })] }, {}],
    [{ attempts: [equal({ currency: 'eur' })] }, {}],
    [{ attempts: [equal({ fingerprint: 'fp_2' })] }, {}],
    [{ attempts: [equal({ ...paid, subscriptionId: null, methodType: 'sepa_debit' })], method: debit }, {}],
    [{ attempts: [equal({ invoiceId: 'in_a' }), equal({ startedAt: hoursAgo(6) })] }, {}, answer(2)],
    [{ attempts: [equal({ startedAt: hoursAgo(6) }), equal({ ...paid, invoiceId: 'in_a' })] }, {}, answer(2)],
    [
      { attempts: [equal({ startedAt: hoursAgo(7) }), equal({ invoiceId: 'in_b', startedAt: hoursAgo(7) })] },
      {},
      answer(1, 'in_b'),
    ],
    [{ attempts: [poor()] }, {}, lacked(17)],
    [{ attempts: [poor({ startedAt: hoursAgo(24) })] }, {}],
    [{ attempts: [poor({ amount: 2000 })] }, {}, lacked(17)],
    [{ attempts: [poor({ amount: 2001 })] }, {}],
    [{ attempts: [poor({ amount: null })] }, {}],
    [{ attempts: [poor({ currency: 'eur' })] }, {}],
    [{ attempts: [poor(), equal({ ...paid, amount: 1900, startedAt: hoursAgo(6) })] }, {}],
    [{ attempts: [poor(), equal({ ...paid, amount: 1899, startedAt: hoursAgo(6) })] }, {}, lacked(17)],
    [{ attempts: [poor(), buildAttempt({ ...paid, amount: 1900, startedAt: hoursAgo(6) })], ...NO_GAP }, {}],
    [{ attempts: [poor(), equal({ ...paid, amount: 1900, startedAt: hoursAgo(7) })] }, {}, lacked(17)],
    [{ attempts: [equal({ ...paid, amount: 1900, startedAt: hoursAgo(8) }), poor()] }, {}, lacked(17)],
    [{ attempts: [poor(), poor({ invoiceId: 'in_a', startedAt: hoursAgo(2) })] }, {}, lacked(22, 'in_a')],
    [{ attempts: [poor({ invoiceId: 'in_a', startedAt: hoursAgo(2) }), poor()] }, {}, lacked(22, 'in_a')],
    [{ attempts: [poor(), poor({ invoiceId: 'in_a' })] }, {}, lacked(17)],
    [{ attempts: [poor()], action: CARD_CHANGE }, {}],
    [{ attempts: [poor({ startedAt: hoursAgo(1) })], action: CARD_CHANGE }, {}, lacked(23)],
    [{ attempts: [poor({ startedAt: hoursAgo(0.5) })], action: CARD_CHANGE }, {}, lacked(23.5)],
    [{ attempts: [poor({ startedAt: hoursAgo(23) }), equal({ startedAt: hoursAgo(2) })] }, {}, answer(6)],
    [{ attempts: [poor({ invoiceId: 'in_a' }), equal({ startedAt: hoursAgo(2) })] }, {}, lacked(17, 'in_a')],
    [{ attempts: [buildAttempt({ startedAt: hoursAgo(30), amount: 1500 })] }, {}],
  ]);
});

test('whether attempts are left is told without the waits, and how many were made', () => {
  const made = (count: number, changes: Partial<StoredAttempt> = {}) =>
    Array.from({ length: count }, (_, at) =>
      buildAttempt({ id: `a${at}`, startedAt: hoursAgo((count - at) * 25), ...changes }),
    );
  const used = (attempts: StoredAttempt[]) => {
    const context = buildGuardContext({ attempts });
    return [countUsed(context), findUsedUp(context)];
  };
  expect([
    used([]),
    used([...made(3), ...made(2, { invoiceId: 'in_other' }), ...made(1, { fingerprint: 'fp_2' })]),
    used([...made(1), buildAttempt({ outcome: 'paid' })]),
    used(made(1, { startedAt: hoursAgo(1) })),
    used(made(9)),
  ]).toEqual([
    [0, undefined],
    [3, undefined],
    [1, undefined],
    [1, undefined],
    [9, { code: 'attempts_on_invoice', max: 9 }],
  ]);
});

test('what was tried is read of the same card, and of this invoice where that counts', () => {
  const hard = (changes: Partial<StoredAttempt> = {}) =>
    buildAttempt({ declineCode: 'lost_card', adviceCode: null, ...changes });
  const stops = (context: Partial<GuardContext>) => {
    const objection = judge(buildGuardContext(context));
    return objection && [objection.guard, objection.until?.diff(NOW).as('hours')];
  };
  const paid = { outcome: 'paid', code: null, declineCode: null, adviceCode: null, networkCode: null };
  const debit = { ...VISA, type: 'sepa_debit', brand: undefined, networks: [], expiry: undefined };
  const ofDebit = { methodType: 'sepa_debit', brand: null, cardExpiry: null };
  const brief = { declineCode: 'processing_error', startedAt: hoursAgo(2) };
  const six = Array.from({ length: 5 }, (_, at) =>
    buildAttempt({ ...UNEXPLAINED, id: `a${at}`, startedAt: hoursAgo((6 - at) * 25) }),
  );
  const twoBrands = { ...VISA, networks: ['visa', 'cartes_bancaires'] };
  const mastercard = { ...VISA, brand: 'mastercard', networks: ['mastercard'] };
  const others = (count: number, changes: Partial<StoredAttempt>) =>
    Array.from({ length: count }, (_, at) =>
      buildAttempt({
        ...UNEXPLAINED,
        id: `o${at}`,
        invoiceId: `in_${at}`,
        startedAt: hoursAgo((count - at) * 23),
        ...changes,
      }),
    );
  const final = ['hard_decline', undefined];
  const double = (hours: number, changes: Partial<StoredAttempt> = {}) =>
    hard({ declineCode: 'duplicate_transaction', startedAt: hoursAgo(hours), ...changes });
  const risky = hard({ declineCode: 'highest_risk_level' });
  const verdicts = [
    [{ attempts: [hard({ fingerprint: null })] }, final],
    [{ attempts: [hard({ fingerprint: null, paymentMethod: 'pm_2' })] }, undefined],
    [{ attempts: [hard()], method: { ...VISA, expiry: undefined } }, final],
    [{ attempts: [hard({ declineCode: 'incorrect_cvc', paymentMethod: null })] }, final],
    [
      {
        method: debit,
        attempts: [hard(ofDebit), buildAttempt({ ...paid, ...ofDebit, startedAt: hoursAgo(30) })],
      },
      final,
    ],
    [{ attempts: [risky] }, final],
    [{ attempts: [risky], ...holds({ releasedAt: hoursAgo(48) }) }, undefined],
    [{ attempts: [risky], ...holds({ releasedAt: hoursAgo(49) }) }, final],
    [{ attempts: [hard()], ...holds({ releasedAt: hoursAgo(1) }) }, final],
    [{ attempts: [double(50)] }, undefined],
    [{ attempts: [double(80), double(50)] }, final],
    [{ attempts: [double(80, { invoiceId: 'in_o', amount: 3 }), double(50)] }, undefined],
    [{ attempts: [double(80), double(50)], ...holds({ releasedAt: hoursAgo(80) }) }, undefined],
    [{ attempts: [double(80), hard({ declineCode: 'do_not_honor', startedAt: hoursAgo(50) })] }, undefined],
    [
      {
        attempts: [
          buildAttempt({ ...UNEXPLAINED, outcome: 'not_payable', startedAt: hoursAgo(175) }),
          ...six,
        ],
        ...FEW,
      },
      undefined,
    ],
    [{ attempts: [buildAttempt(brief)] }, ['network_limits', 22]],
    [{ attempts: [buildAttempt({ ...brief, outcome: 'not_payable' })] }, ['network_limits', 22]],
    [
      {
        attempts: [
          buildAttempt(brief),
          buildAttempt({ ...UNEXPLAINED, invoiceId: 'in_o', amount: 3, startedAt: hoursAgo(1) }),
        ],
      },
      ['network_limits', 22],
    ],
    [{ method: twoBrands, attempts: others(8, {}) }, undefined],
    [{ method: twoBrands, attempts: others(8, { brand: null }) }, ['network_limits', 720 - 8 * 23]],
    [{ method: mastercard, attempts: others(30, { brand: 'mastercard' }) }, ['network_limits', 30]],
    [{ method: mastercard, attempts: others(30, { brand: 'mastercard', amount: 1 }) }, undefined],
    [
      {
        action: CARD_CHANGE,
        attempts: [
          buildAttempt({ paymentMethod: 'pm_2', startedAt: hoursAgo(50) }),
          buildAttempt({ startedAt: hoursAgo(3) }),
        ],
      },
      ['network_limits', 21],
    ],
  ] satisfies [Partial<GuardContext>, unknown][];
  expect(verdicts.map(([context]) => stops(context))).toEqual(verdicts.map(([, verdict]) => verdict));
  const unknown = { ...buildGuardContext({ attempts: [hard({ paymentMethod: null })] }), method: undefined };
  expect(judgeCard(unknown)).toBeUndefined();
});
