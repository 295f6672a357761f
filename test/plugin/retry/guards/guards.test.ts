import '../../../support/runner/luxon-equality.ts';
import { GUARDS, type GuardContext } from '../../../../src/plugin/retry/guards/guards.ts';
import type { PayableInvoice } from '../../../../src/plugin/retry/invoice/payable-invoice.ts';
import type { StoredAttempt } from '../../../../src/plugin/store/tables/retry/attempts.ts';
import {
  A_DAY_APART,
  buildAction,
  buildAttempt,
  buildGuardContext,
  CARD_CHANGE,
  hoursAgo,
  NO_HOLDS,
  NOW,
  VISA,
} from '../../../support/database/stored-rows.ts';
import { judge } from '../../../support/verdicts.ts';

/** As a merchant may want. */
const FEW = { limits: { ...A_DAY_APART, unexplained: 6 } };

describe('guards', () => {
  it('guards let an open invoice with a card and no history pass', () => {
    expect(judge(buildGuardContext())).toEqual({ kind: 'pass' });
  });

  it('guards are asked in the order in which they are read', () => {
    const names = GUARDS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual([
      'action_closed',
      'horizon',
      'forgotten',
      'stopped',
      'status',
      'disputed',
      'amount_remaining',
      'collection_method',
      'customer',
      'subscription',
      'sign_up',
      'pause_collection',
      'cancel_requested',
      'charge_unwanted',
      'postponed',
      'subscribed_again',
      'retry_signal',
      'processing',
      'payment_method',
      'fraud_reported',
      'payer_disputes',
      'indian_card',
      'stripe_retry_near',
      'hard_decline',
      'few_attempts',
      'network_limits',
      'equal_amount',
      'ceiling',
    ]);
  });

  const stops: [string, Partial<GuardContext>, Partial<PayableInvoice>][] = [
    [
      'action_closed',
      {
        action: buildAction({
          closedAt: NOW,
          reason: { code: 'dispute_opened', disputeId: 'dp_1' },
        }),
      },
      {},
    ],
    ['stopped', { holds: { ...NO_HOLDS, isStoppedByService: true } }, {}],
    ['stopped', { holds: { ...NO_HOLDS, holdReason: 'the customer called' } }, {}],
    ['status', {}, { status: 'paid' }],
    ['status', {}, { status: 'void' }],
    ['status', {}, { status: 'draft' }],
    ['status', {}, { status: 'from_the_future' }],
    ['status', {}, { status: 'uncollectible', writtenOff: { reason: 'user_forgiven', at: NOW } }],
    ['disputed', { holds: { ...NO_HOLDS, isDisputed: true } }, {}],
    ['amount_remaining', {}, { amountRemaining: 0 }],
    ['amount_remaining', {}, { amountRemaining: -5 }],
    ['collection_method', {}, { collectionMethod: 'send_invoice' }],
    ['customer', {}, { customer: undefined }],
    ['subscription', {}, { subscription: { id: 'sub_1', status: 'canceled', isPaused: false } }],
    ['subscription', {}, { subscription: { id: 'sub_1', status: 'incomplete_expired', isPaused: false } }],
    ['sign_up', {}, { isSignUp: true }],
    ['pause_collection', {}, { subscription: { id: 'sub_1', status: 'past_due', isPaused: true } }],
    ['payment_method', { method: undefined }, {}],
    ['payment_method', { action: CARD_CHANGE }, { chosenMethods: ['pm_2'] }],
    ['fraud_reported', { warning: { id: 'dp_1', openedAt: hoursAgo(30) } }, {}],
    ['indian_card', { method: { ...VISA, country: 'IN' }, attempts: [buildAttempt()] }, {}],
    ['hard_decline', { attempts: [buildAttempt({ declineCode: 'stolen_card' })] }, {}],
    [
      'hard_decline',
      {
        attempts: [
          buildAttempt({ outcome: 'requires_action', declineCode: null, code: 'authentication_required' }),
        ],
      },
      {},
    ],
    ['few_attempts', { attempts: series(6, 25).map(withoutReason), ...FEW }, {}],
    ['network_limits', { attempts: series(9, 25) }, {}],
  ];
  it.each(stops)('the guard %s stops the action %#', (guard, changes, invoice) => {
    expect(judge(buildGuardContext(changes, invoice))).toMatchObject({ kind: 'stop', guard });
  });

  it.each(stops.map((row, at) => [row[0], at, row] as const))(
    'the guard %s objects before every later guard %#',
    (guard, at, [, changes, invoice]) => {
      for (const [, laterChanges, laterInvoice] of stops.slice(at + 1)) {
        const both = buildGuardContext({ ...laterChanges, ...changes }, { ...laterInvoice, ...invoice });
        expect(judge(both)).toMatchObject({ guard });
      }
    },
  );

  it('the guards give the reason of a stop unchanged', () => {
    const action = buildAction({
      closedAt: NOW,
      reason: { code: 'dispute_opened', disputeId: 'dp_1' },
    });
    expect(judge(buildGuardContext({ action }))).toMatchObject({ reason: action.reason });
  });

  it('an Indian card that its holder has entered again since its decline is charged once more', () => {
    const indian = { method: { ...VISA, country: 'IN' }, attempts: [buildAttempt()] };
    expect(judge(buildGuardContext(indian))).toMatchObject({ kind: 'stop', guard: 'indian_card' });
    expect(judge(buildGuardContext({ ...indian, action: CARD_CHANGE }))).toEqual({ kind: 'pass' });
  });

  it('an uncollectible invoice and one without a subscription pass the guards', () => {
    expect(judge(buildGuardContext({}, { status: 'uncollectible' }))).toEqual({ kind: 'pass' });
    expect(judge(buildGuardContext({}, { subscription: undefined }))).toEqual({ kind: 'pass' });
  });

  it.each([
    [1, 'pass'],
    [3, 'stop'],
  ])('an invoice given up 2 hours ago and released %d hours ago gets the verdict %s', (hours, kind) => {
    const holds = { ...NO_HOLDS, releasedAt: hoursAgo(hours) };
    const writtenOff = { reason: 'subscription_paused', at: NOW.minus({ hours: 2 }) };
    expect(judge(buildGuardContext({ holds }, { status: 'uncollectible', writtenOff }))).toMatchObject({
      kind,
    });
  });

  it.each([
    [1, 'pass'],
    [3, 'stop'],
  ])(
    'a subscription canceled 2 hours ago, with its invoice released %d hours ago, gets the verdict %s',
    (hours, kind) => {
      const holds = { ...NO_HOLDS, releasedAt: hoursAgo(hours) };
      const subscription = {
        id: 'sub_1',
        status: 'canceled',
        isPaused: false,
        endedAt: NOW.minus({ hours: 2 }),
      };
      expect(judge(buildGuardContext({ holds }, { subscription }))).toMatchObject({ kind });
    },
  );

  it('a payment that is processing postpones the action by a day', () => {
    expect(judge(buildGuardContext({}, { isProcessing: true }))).toMatchObject({
      kind: 'postpone',
      guard: 'processing',
      until: NOW.plus({ hours: 24 }),
    });
  });
});

describe("Stripe's own next attempt", () => {
  it.each([
    [1, 'postpone'],
    [1.01, 'pass'],
    [0, 'postpone'],
    [-3, 'postpone'],
  ])("Stripe's own next attempt %d hours away gives the verdict %s", (hours, kind) => {
    const verdict = judge(buildGuardContext({}, { nextStripeAttemptAt: NOW.plus({ minutes: hours * 60 }) }));
    expect(verdict.kind).toBe(kind);
    if (verdict.kind === 'postpone') {
      expect(verdict.guard).toBe('stripe_retry_near');
      expect(verdict.until).toEqual(NOW.plus({ hours: Math.max(0, hours) + 1 }));
    }
  });

  it("Stripe's own next attempt does not hold back a payment with a new card", () => {
    const near = { nextStripeAttemptAt: NOW.plus({ hours: 1 }) };
    expect(judge(buildGuardContext({ action: CARD_CHANGE }, near))).toEqual({ kind: 'pass' });
  });
});

describe('earlier declines', () => {
  const hard = { declineCode: 'lost_card' };

  it('a new card starts afresh after earlier declines', () => {
    const method = { ...VISA, id: 'pm_2', fingerprint: 'fp_2' };
    const attempts = [buildAttempt(hard), ...series(8, 25)];
    expect(judge(buildGuardContext({ method, attempts }, { chosenMethods: ['pm_2'] }))).toEqual({
      kind: 'pass',
    });
  });

  it('the same card under another id stays declined', () => {
    const method = { ...VISA, id: 'pm_2' };
    expect(judge(buildGuardContext({ method, attempts: [buildAttempt(hard)] }))).toMatchObject({
      guard: 'hard_decline',
    });
  });

  it('a payment method without a fingerprint is identified by its id', () => {
    const method = { ...VISA, fingerprint: undefined };
    expect(
      judge(buildGuardContext({ method, attempts: [buildAttempt({ ...hard, fingerprint: null })] })),
    ).toMatchObject({
      guard: 'hard_decline',
    });
    expect(
      judge(buildGuardContext({ method, attempts: [buildAttempt({ ...hard, paymentMethod: 'pm_2' })] })),
    ).toEqual({
      kind: 'pass',
    });
  });

  it('a hard decline on another invoice binds the card', () => {
    const attempts = [buildAttempt({ ...hard, invoiceId: 'in_other' })];
    expect(judge(buildGuardContext({ attempts }))).toMatchObject({ kind: 'stop', guard: 'hard_decline' });
  });

  const renewed = { ...VISA, expiry: '2034-12' };

  it('a decline before the network renewed the card does not bind it, a decline after does', () => {
    const before = buildAttempt({ ...hard, startedAt: hoursAgo(30) });
    for (const action of [CARD_CHANGE, buildAction()])
      expect(judge(buildGuardContext({ action, method: renewed, attempts: [before] }))).toEqual({
        kind: 'pass',
      });
    const after = buildAttempt({ ...hard, cardExpiry: '2034-12', startedAt: hoursAgo(25) });
    expect(judge(buildGuardContext({ method: renewed, attempts: [before, after] }))).toMatchObject({
      kind: 'stop',
      guard: 'hard_decline',
    });
  });

  it.each(['lost_card', 'revocation_of_authorization', 'do_not_try_again', 'account_closed', 'fraudulent'])(
    'another card in between does not lift the decline %s',
    (declineCode) => {
      const [onA, onB] = [
        buildAttempt({ declineCode, startedAt: hoursAgo(80) }),
        buildAttempt({ paymentMethod: 'pm_2', fingerprint: 'fp_2', startedAt: hoursAgo(30) }),
      ];
      const back = judge(buildGuardContext({ action: CARD_CHANGE, attempts: [onA, onB] }));
      expect(back).toMatchObject({
        kind: 'stop',
        guard: 'hard_decline',
        reason: { declinedAt: expect.stringMatching(/^2026-11-17T\d\d:\d\d.*Z$/) },
      });
      const enteredAgain = buildAction({ ...CARD_CHANGE, paymentMethod: 'pm_3' });
      const method = { ...VISA, id: 'pm_3' };
      const again = { action: enteredAgain, method, attempts: [onA, onB] };
      expect(judge(buildGuardContext(again, { chosenMethods: ['pm_3'] })).kind).toBe('stop');
      const unknownBefore = { ...onA, cardExpiry: null };
      expect(judge(buildGuardContext({ action: CARD_CHANGE, attempts: [unknownBefore, onB] })).kind).toBe(
        'stop',
      );
    },
  );

  it.each(['incorrect_cvc', 'incorrect_zip', 'invalid_expiry_year', 'authentication_not_handled'])(
    'the decline %s binds the details as they were given, not the same card entered again',
    (declineCode) => {
      const attempts = [buildAttempt({ declineCode, startedAt: hoursAgo(80) })];
      expect(judge(buildGuardContext({ attempts })).kind).toBe('stop');
      expect(judge(buildGuardContext({ action: CARD_CHANGE, attempts })).kind).toBe('stop');
      const method = { ...VISA, id: 'pm_3' };
      expect(judge(buildGuardContext({ method, attempts }))).toEqual({ kind: 'pass' });
      const unknownExpiry = [buildAttempt({ declineCode, cardExpiry: null, startedAt: hoursAgo(80) })];
      expect(judge(buildGuardContext({ action: CARD_CHANGE, attempts: unknownExpiry }))).toEqual({
        kind: 'pass',
      });
      expect(judge(buildGuardContext({ attempts: unknownExpiry })).kind).toBe('stop');
    },
  );

  it('a wait that Mastercard asked for outlasts a change of card and back', () => {
    const told = buildAttempt({ brand: 'mastercard', networkAdvice: '30', startedAt: hoursAgo(100) });
    expect(judge(buildGuardContext({ action: CARD_CHANGE, attempts: [told] }))).toMatchObject({
      kind: 'postpone',
      guard: 'hard_decline',
      until: NOW.plus({ hours: 140 }),
    });
    expect(judge(buildGuardContext({ method: renewed, attempts: [told] }))).toEqual({ kind: 'pass' });
  });

  const OTHER = { invoiceId: 'in_other' };
  it.each([
    ['lost_card', 29.9, OTHER, 'stop'],
    ['lost_card', 400, OTHER, 'stop'],
    ['expired_card', 29.9, OTHER, 'stop'],
    ['expired_card', 30, OTHER, 'pass'],
    ['expired_card', 400, {}, 'stop'],
    ['testmode_decline', 29.9, OTHER, 'stop'],
    ['testmode_decline', 30, OTHER, 'pass'],
    ['previously_declined_do_not_retry', 29.9, {}, 'stop'],
    ['previously_declined_do_not_retry', 30, {}, 'pass'],
  ])('the decline %s from %d days ago, with %j, gives the verdict %s', (declineCode, days, where, kind) => {
    const attempts = [buildAttempt({ declineCode, startedAt: hoursAgo(days * 24), ...where })];
    expect(judge(buildGuardContext({ attempts })).kind).toBe(kind);
  });

  it('a card that the customer has entered again need not rest a day; one that was tried as it is must', () => {
    const soft = { declineCode: 'insufficient_funds', startedAt: hoursAgo(3) };
    const asOther = buildAttempt({ ...soft, paymentMethod: 'pm_entered_before' });
    expect(judge(buildGuardContext({ action: CARD_CHANGE, attempts: [asOther] }))).toEqual({ kind: 'pass' });
    expect(judge(buildGuardContext({ attempts: [asOther] }))).toMatchObject({ guard: 'network_limits' });
    const asItIs = buildAttempt({ ...soft, paymentMethod: 'pm_1Visa' });
    expect(judge(buildGuardContext({ action: CARD_CHANGE, attempts: [asItIs] }))).toMatchObject({
      kind: 'postpone',
      guard: 'network_limits',
    });
  });

  it('a payment with a new card is still held by the limits of its network', () => {
    expect(judge(buildGuardContext({ action: CARD_CHANGE, attempts: series(9, 25) }))).toMatchObject({
      guard: 'network_limits',
    });
  });

  it.each([
    ['02', 72],
    ['27', 96],
    ['30', 240],
  ])('Mastercard advice %s postpones until %d hours after the attempt', (networkAdvice, hours) => {
    const told = buildAttempt({ brand: 'mastercard', networkAdvice, declineCode: 'do_not_honor' });
    const until = told.startedAt.plus({ hours });
    expect(judge(buildGuardContext({ attempts: [told] }))).toMatchObject({
      kind: 'postpone',
      guard: 'hard_decline',
      until,
    });
    expect(judge(buildGuardContext({ now: until, attempts: [told] }))).toEqual({ kind: 'pass' });
  });

  it('of several waits after declines the longest counts, and a hard decline counts more than any of them', () => {
    const told = (networkAdvice: string, hours: number) =>
      buildAttempt({
        brand: 'mastercard',
        networkAdvice,
        declineCode: 'do_not_honor',
        startedAt: hoursAgo(hours),
      });
    const waits = [told('30', 100), told('27', 48)];
    expect(judge(buildGuardContext({ attempts: waits }))).toMatchObject({ until: NOW.plus({ hours: 140 }) });
    expect(judge(buildGuardContext({ attempts: [...waits, told('03', 30)] }))).toMatchObject({
      kind: 'stop',
    });
  });

  it.each([
    [8, 25, {}, 'pass'],
    [9, 25, {}, 'stop'],
    [5, 25, FEW, 'pass'],
    [6, 25, FEW, 'stop'],
    [7, 25, FEW, 'stop'],
    [6, 25, { ...FEW, method: { ...VISA, id: 'pm_2', fingerprint: 'fp_2' } }, 'pass'],
    [6, 25, { ...FEW, action: CARD_CHANGE }, 'pass'],
  ] as const)(
    '%d attempts %d hours apart without a reason, with %j, give the verdict %s',
    (count, hours, changes, kind) => {
      const attempts = series(count, hours).map(withoutReason);
      const invoice = { chosenMethods: [VISA.id, 'pm_2'] };
      expect(judge(buildGuardContext({ attempts, ...changes }, invoice)).kind).toBe(kind);
    },
  );

  it('the last decline says whether few attempts are enough, and other invoices do not count', () => {
    const named = [...series(6, 25).map(withoutReason), buildAttempt({ startedAt: hoursAgo(24) })];
    expect(judge(buildGuardContext({ attempts: named, ...FEW }))).toEqual({ kind: 'pass' });
    const others = series(7, 25).map((attempt) => withoutReason({ ...attempt, invoiceId: 'in_2' }));
    expect(judge(buildGuardContext({ attempts: others, ...FEW }))).toEqual({ kind: 'pass' });
  });

  it('attempts that were not declined say nothing about the card', () => {
    for (const outcome of ['paid', 'pending', 'not_payable', null])
      expect(judge(buildGuardContext({ attempts: [buildAttempt({ ...hard, outcome })] }))).toEqual({
        kind: 'pass',
      });
  });
});

/** Attempts on the invoice, so many hours apart, the last one as many hours ago. */
function series(count: number, hoursApart: number): StoredAttempt[] {
  return Array.from({ length: count }, (_, at) =>
    buildAttempt({ id: `attempt-${at}`, startedAt: hoursAgo((count - at) * hoursApart) }),
  );
}

function withoutReason(attempt: StoredAttempt): StoredAttempt {
  return { ...attempt, declineCode: 'do_not_honor', adviceCode: null, networkCode: '05' };
}
