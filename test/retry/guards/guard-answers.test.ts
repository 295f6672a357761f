/** The whole answer of each guard of payments, on both sides of what it decides by. */
import '../../support/runner/luxon-equality.ts';
import { ATTEMPT_LIMITS, CEILINGS } from '../../../src/config/attempt-limits.ts';
import type { Objection } from '../../../src/retry/actions/objection.ts';
import {
  countUsed,
  findUsedUp,
  type GuardContext,
  judge,
  judgeCard,
} from '../../../src/retry/guards/guards.ts';
import type { PayableInvoice } from '../../../src/retry/invoice/payable-invoice.ts';
import type { StoredAttempt } from '../../../src/store/tables/retry/attempts.ts';
import type { WatchedPayment } from '../../../src/store/tables/retry/signals.ts';
import {
  buildAction,
  buildAttempt,
  buildGuardContext,
  CARD_CHANGE,
  hoursAgo,
  NO_HOLDS,
  NOW,
  VISA,
} from '../../support/database/stored-rows.ts';

type Case = [
  changes: Partial<GuardContext>,
  invoice: Partial<PayableInvoice>,
  answer?: Objection | undefined,
];

const hoursAhead = (hours: number) => NOW.plus({ hours });
const holds = (changes: Partial<GuardContext['holds']>) => ({ holds: { ...NO_HOLDS, ...changes } });
const past = { id: 'sub_1', status: 'past_due', isPaused: false };
const UNEXPLAINED = { declineCode: 'do_not_honor', adviceCode: null, networkCode: '05' };
const ADVISED_TO_WAIT = { ...UNEXPLAINED, brand: 'mastercard', networkAdvice: '02' };
const NO_GAP = { limits: { ...ATTEMPT_LIMITS, minGapHours: 1 } };
const ofOperator = buildAction({ cause: 'operator' });

function expectAnswers(cases: readonly Case[]): void {
  const answers = cases.map(([changes, invoice]) => judge(buildGuardContext(changes, invoice)));
  expect(answers).toEqual(cases.map(([, , answer]) => answer));
}

test('what stands against collecting an invoice is said with its reason', () => {
  const closed = buildAction({ closedAt: NOW });
  const canceled = { ...past, status: 'canceled', endedAt: hoursAgo(2) };
  const resumesAt = NOW.plus({ days: 3 }).setZone('Asia/Tokyo');
  const givenUp = { reason: 'user_forgiven', at: NOW };
  const old = hoursAgo(60 * 24);
  expectAnswers([
    [{ action: closed }, {}, { guard: 'stopped', reason: { code: 'stopped' } }],
    [
      { action: buildAction({ dueAt: old.minus({ seconds: 1 }) }) },
      {},
      {
        guard: 'horizon',
        reason: { code: 'past_horizon', dueAt: '2026-09-21T09:59:59.000Z', days: 60 },
      },
    ],
    [{ action: buildAction({ dueAt: old }) }, {}],
    [holds({ isForgotten: true }), {}, { guard: 'forgotten', reason: { code: 'customer_forgotten' } }],
    [holds({ isStoppedByService: true }), {}, { guard: 'stopped', reason: { code: 'stopped_by_service' } }],
    [
      holds({ holdReason: 'She called.' }),
      {},
      { guard: 'stopped', reason: { code: 'stopped_by_person', note: 'She called.' } },
    ],
    [{}, { status: 'void' }, { guard: 'status', reason: { code: 'invoice_status', status: 'void' } }],
    [
      {},
      { status: 'uncollectible', writtenOff: givenUp },
      { guard: 'status', reason: { code: 'written_off', stripeReason: 'user_forgiven' } },
    ],
    [holds({ isDisputed: true }), {}, { guard: 'disputed', reason: { code: 'disputed' } }],
    [{}, { amountRemaining: 0 }, { guard: 'amount_remaining', reason: { code: 'nothing_remaining' } }],
    [
      {},
      { collectionMethod: 'send_invoice' },
      { guard: 'collection_method', reason: { code: 'sent_to_customer' } },
    ],
    [{}, { customer: undefined }, { guard: 'customer', reason: { code: 'customer_deleted' } }],
    [
      {},
      { customer: undefined, customerId: 'acct_1' },
      { guard: 'customer', reason: { code: 'customer_hidden', account: 'acct_1' } },
    ],
    [
      {},
      { subscription: canceled },
      {
        guard: 'subscription',
        reason: { code: 'subscription_status', subscriptionId: 'sub_1', status: 'canceled' },
      },
    ],
    [holds({ releasedAt: hoursAgo(2) }), { subscription: canceled }],
    [
      {},
      { isSignUp: true },
      {
        guard: 'sign_up',
        reason: { code: 'sign_up', subscriptionId: 'sub_1Basic', status: 'past_due' },
      },
    ],
    [{ recoverSignUps: true }, { isSignUp: true }],
    [
      {},
      { subscription: { ...past, isPaused: true, resumesAt } },
      {
        guard: 'pause_collection',
        reason: {
          ...{ code: 'collection_paused', subscriptionId: 'sub_1' },
          until: '2026-11-23T10:00:00.000Z',
        },
      },
    ],
    [
      {},
      { subscription: { ...past, isPaused: true } },
      {
        guard: 'pause_collection',
        reason: { code: 'collection_paused', subscriptionId: 'sub_1', until: undefined },
      },
    ],
  ]);
});

test('a request to end or to pause the subscription keeps ours from charging, or all from collecting', () => {
  const ending = { ...past, endsAt: NOW.plus({ days: 9 }).setZone('Asia/Tokyo'), endAskedAt: hoursAgo(5) };
  const subscription = ending;
  const until = NOW.plus({ days: 1 });
  const reason = {
    ...{ code: 'cancel_requested' as const, subscriptionId: 'sub_1' },
    endsAt: '2026-11-29T10:00:00.000Z',
  };
  expectAnswers([
    [{}, { subscription }, { guard: 'charge_unwanted', reason, until }],
    [
      {},
      { subscription: { ...ending, isPauseAsked: true } },
      { guard: 'charge_unwanted', reason: { code: 'pause_requested', subscriptionId: 'sub_1' }, until },
    ],
    [{}, { subscription: { ...past, endAskedAt: hoursAgo(5) } }],
    [{ action: CARD_CHANGE }, { subscription }],
    [{ action: ofOperator }, { subscription }],
    [holds({ releasedAt: hoursAgo(5) }), { subscription }],
    [holds({ releasedAt: hoursAgo(6) }), { subscription }, { guard: 'charge_unwanted', reason, until }],
    [{ afterCancelRequest: 'stop' }, { subscription }, { guard: 'cancel_requested', reason, until }],
    [
      { afterCancelRequest: 'stop', action: ofOperator },
      { subscription },
      { guard: 'cancel_requested', reason, until },
    ],
    [{ afterCancelRequest: 'collect' }, { subscription }],
  ]);
});

test('what a person put off waits, unless a person or a new card asks', () => {
  const until = hoursAhead(5);
  const postponed = holds({ postponed: { until, note: 'Holiday.' } });
  const reason = {
    ...{ code: 'postponed_by_person' as const, until: '2026-11-20T15:00:00.000Z' },
    note: 'Holiday.',
  };
  expectAnswers([
    [postponed, {}, { guard: 'postponed', reason, until }],
    [
      holds({ postponed: { until, note: null } }),
      {},
      { guard: 'postponed', reason: { ...reason, note: undefined }, until },
    ],
    [holds({ postponed: { until: NOW, note: null } }), {}],
    [holds({ postponed: { until: hoursAgo(1), note: null } }), {}],
    [{ ...postponed, action: CARD_CHANGE }, {}],
    [{ ...postponed, action: ofOperator }, {}],
  ]);
});

test('where it binds, the retry signal of Stripe is followed for one attempt each', () => {
  const watched = (changes: Partial<WatchedPayment> = {}): Partial<GuardContext> => ({
    watched: {
      ...{ account: 'own', invoiceId: 'in_1Basic', paymentIntent: 'pi_1', evaluationId: null },
      ...{ status: 'monitoring', reason: null, signalId: null, action: null, because: 'too soon' },
      ...{ signalAt: hoursAgo(48), lookedAt: hoursAgo(1) },
      ...changes,
    },
  });
  const answer = (action: string, because: string) =>
    ({ guard: 'retry_signal', reason: { code: 'signal_says', action, because } }) as const;
  const wait = (because: string) => ({ ...answer('wait', because), until: hoursAhead(24) });
  const now = { action: 'retry_now' };
  const tried = (changes: Parameters<typeof buildAttempt>[0]) => ({
    attempts: [buildAttempt({ source: 'stripe' }), buildAttempt(changes)],
  });
  expectAnswers([
    [watched(), {}, wait('too soon')],
    [watched({ because: null }), {}, wait('')],
    [watched({ action: 'wait' }), {}, wait('too soon')],
    [watched({ action: 'give_up' }), {}, answer('give_up', 'too soon')],
    [watched({ action: 'in_another_way' }), {}],
    [watched({ status: 'ended' }), {}],
    [{ ...watched(), action: ofOperator }, {}],
    [watched(now), {}],
    [{ ...watched(now), ...tried({}) }, {}, wait('')],
    [{ ...watched({ action: 'wait' }), ...tried({}) }, {}, wait('')],
    [{ ...watched(now), ...tried({ startedAt: hoursAgo(48.1) }) }, {}],
    [{ ...watched({ ...now, signalAt: null }), ...tried({}) }, {}],
    [{ ...watched(now), ...tried({ source: 'stripe' }) }, {}],
    [{ ...watched(now), ...tried({ invoiceId: 'in_other' }) }, {}],
    [{ ...watched(now), ...tried({ outcome: 'not_payable' }) }, {}],
    [{ ...watched(now), ...tried({ outcome: 'not_executed' }) }, {}],
  ]);
});

test('a payment under way, a card that may not be charged and a payer who disputes are named', () => {
  const until = hoursAhead(24);
  const method = { ...VISA, country: 'IN' };
  const indian = { method, attempts: [buildAttempt()] };
  const dispute = { id: 'dp_1', reason: 'fraudulent', asksPerson: false };
  const reason = { code: 'payer_disputes', disputeId: 'dp_1', because: 'fraudulent' } as const;
  const warning = { id: 'dp_1', openedAt: hoursAgo(30) };
  const other = { chosenMethods: ['pm_2'] };
  const chosen = buildAction({ paymentMethod: 'pm_1Visa' });
  expectAnswers([
    [{}, { isProcessing: true }, { guard: 'processing', reason: { code: 'processing' }, until }],
    [{ method: undefined }, {}, { guard: 'payment_method', reason: { code: 'no_payment_method' } }],
    [
      { action: chosen },
      other,
      { guard: 'payment_method', reason: { code: 'method_not_chosen', paymentMethod: 'pm_1Visa' } },
    ],
    [{ action: chosen }, {}],
    [{}, other],
    [{ action: { ...chosen, cause: 'backup' } }, other],
    [{ warning }, {}, { guard: 'fraud_reported', reason: { code: 'fraud_reported', warningId: 'dp_1' } }],
    [{ warning, ...holds({ releasedAt: hoursAgo(30) }) }, {}],
    [holds({ payersDispute: dispute }), {}, { guard: 'payer_disputes', reason, until }],
    [
      holds({ payersDispute: { ...dispute, asksPerson: true } }),
      {},
      { guard: 'payer_disputes', reason, asksPerson: true },
    ],
    [indian, {}, { guard: 'indian_card', reason: { code: 'card_not_retried', country: 'IN' } }],
    [
      { method, attempts: [buildAttempt({ invoiceId: 'in_other', amount: 3 }), ...indian.attempts] },
      {},
      {
        guard: 'indian_card',
        reason: { code: 'card_not_retried', country: 'IN' },
      },
    ],
    [{ method, attempts: [buildAttempt({ invoiceId: 'in_other' })] }, {}],
    [
      {},
      { nextStripeAttemptAt: hoursAhead(2).setZone('Asia/Tokyo') },
      {
        guard: 'stripe_retry_near',
        reason: { code: 'stripe_tries', at: '2026-11-20T12:00:00.000Z' },
        until: hoursAhead(3),
      },
    ],
  ]);
});

test('a new card pays at once up to an age and a total, and a person releases more', () => {
  const action = CARD_CHANGE;
  const day = NOW.minus({ days: 90 });
  const old = { issuedAt: day.minus({ seconds: 1 }) };
  const paidByNewCards = { total: 4000, largest: 1000 };
  const amounts = (of: Record<string, number>) => ({
    ceilings: { ...CEILINGS, cardChangeMaxTotal: { kind: 'amounts' as const, of } },
  });
  const tooMuch = (total: number, max: number) =>
    ({
      guard: 'ceiling',
      reason: { code: 'card_change_total', total, max, currency: 'usd' },
      asksPerson: true,
    }) as const;
  expectAnswers([
    [
      { action },
      old,
      {
        guard: 'ceiling',
        reason: { code: 'invoice_too_old', issuedAt: '2026-08-22T09:59:59.000Z', days: 90 },
        asksPerson: true,
      },
    ],
    [{ action }, { issuedAt: day }],
    [{}, old],
    [{ action, ...holds({ releasedAt: hoursAgo(1) }) }, old],
    [{ action, paidByNewCards }, {}],
    [{ action, paidByNewCards: { ...paidByNewCards, total: 4001 } }, {}, tooMuch(6001, 6000)],
    [{ action, paidByNewCards: { total: 7001, largest: 3000 } }, {}, tooMuch(9001, 9000)],
    [{ action, paidByNewCards: { ...paidByNewCards, total: 4001 }, isNamedInMail: true }, {}],
    [{ action, ...amounts({ usd: 2000 }) }, {}],
    [{ action, ...amounts({ usd: 1999 }), isNamedInMail: true }, {}, tooMuch(2000, 1999)],
    [{ action, ...amounts({ eur: 9000 }) }, {}, tooMuch(2000, 0)],
  ]);
});

test('what a bank said of the card is repeated, and until when it binds', () => {
  const waits = (changes: Partial<StoredAttempt>) => buildAttempt({ ...ADVISED_TO_WAIT, ...changes });
  const because = expect.stringMatching(/\w/);
  const limits = { ...ATTEMPT_LIMITS, unexplained: 6 };
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
      { attempts: few, limits },
      {},
      { guard: 'few_attempts', reason: { code: 'few_attempts', count: 6, because } },
    ],
    [{ attempts: few.map((attempt) => ({ ...attempt, cardExpiry: '2029-12' })), limits }, {}],
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
      ...{ ...UNEXPLAINED, invoiceId: 'in_other', subscriptionId: 'sub_other', startedAt: hoursAgo(7) },
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
  expectAnswers([
    [{ attempts: [equal()] }, {}, answer(1)],
    [{ attempts: [equal({ startedAt: hoursAgo(8) })] }, {}],
    [{ attempts: [equal(paid)] }, {}],
    [{ attempts: [equal({ ...paid, startedAt: hoursAgo(0.25) })] }, {}, answer(0.1)],
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
    used(made(8)),
  ]).toEqual([
    [0, undefined],
    [3, undefined],
    [1, undefined],
    [1, undefined],
    [8, { code: 'attempts_on_invoice', max: 8 }],
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
        ...{ ...UNEXPLAINED, id: `o${at}`, invoiceId: `in_${at}`, startedAt: hoursAgo((count - at) * 23) },
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
      },
      undefined,
    ],
    [{ attempts: [buildAttempt(brief)] }, undefined],
    [{ attempts: [buildAttempt({ ...brief, outcome: 'not_payable' })] }, ['network_limits', 22]],
    [
      {
        attempts: [
          buildAttempt(brief),
          buildAttempt({ ...UNEXPLAINED, invoiceId: 'in_o', amount: 3, startedAt: hoursAgo(1) }),
        ],
      },
      undefined,
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
