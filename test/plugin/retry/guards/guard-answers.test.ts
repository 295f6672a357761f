/** The whole answer of each guard of payments, on both sides of what it decides by. */
import '../../../support/runner/luxon-equality.ts';
import type { Follows } from '../../../../src/plugin/retry/actions/objection.ts';
import { type GuardContext, judge } from '../../../../src/plugin/retry/guards/guards.ts';
import { CEILINGS } from '../../../../src/plugin/settings/read-limits.ts';
import type { WatchedPayment } from '../../../../src/plugin/store/tables/retry/signals.ts';
import {
  buildAction,
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
const past = { id: 'sub_1', status: 'past_due', isPaused: false };
const ofOperator = buildAction({ cause: 'operator' });

test('what stands against collecting an invoice is said with its reason', () => {
  const closed = buildAction({ closedAt: NOW });
  const canceled = { ...past, status: 'canceled', endedAt: hoursAgo(2) };
  const resumesAt = NOW.plus({ days: 3 }).setZone('Asia/Tokyo');
  const givenUp = { reason: 'user_forgiven', at: NOW };
  const old = hoursAgo(60 * 24);
  expectAnswers([
    [{ action: closed }, {}, { guard: 'action_closed', reason: { code: 'stopped' } }],
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
          code: 'collection_paused',
          subscriptionId: 'sub_1',
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
    code: 'cancel_requested' as const,
    subscriptionId: 'sub_1',
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
    code: 'postponed_by_person' as const,
    until: '2026-11-20T15:00:00.000Z',
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
      account: 'own',
      invoiceId: 'in_1Basic',
      paymentIntent: 'pi_1',
      evaluationId: null,
      status: 'monitoring',
      reason: null,
      signalId: null,
      action: null,
      because: 'too soon',
      signalAt: hoursAgo(48),
      lookedAt: hoursAgo(1),
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
      { nextStripeAttemptAt: hoursAhead(1).setZone('Asia/Tokyo') },
      {
        guard: 'stripe_retry_near',
        reason: { code: 'stripe_tries', at: '2026-11-20T11:00:00.000Z' },
        until: hoursAhead(2),
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
    [{ action, paidByNewCards: { ...paidByNewCards, total: 4001 }, isNamedInEmail: true }, {}],
    [{ action, ...amounts({ usd: 2000 }) }, {}],
    [{ action, ...amounts({ usd: 1999 }), isNamedInEmail: true }, {}, tooMuch(2000, 1999)],
    [{ action, ...amounts({ eur: 9000 }) }, {}, tooMuch(2000, 0)],
  ]);
});

test('an objection carries what follows from it', () => {
  const warning = { id: 'dp_1', openedAt: hoursAgo(30) };
  const asks = { email: 'card_update_email', cause: 'instruction' } as const;
  const paused = { ...past, isPaused: true };
  const cases: [Partial<GuardContext>, Parameters<typeof buildGuardContext>[1], Follows | undefined][] = [
    [holds({ isForgotten: true }), {}, { bindsStripe: true }],
    [holds({ isDisputed: true }), {}, { bindsStripe: true }],
    [holds({ isStoppedByService: true }), {}, { bindsStripe: true }],
    [holds({ holdReason: 'She called.' }), {}, { bindsStripe: true, forNewCard: { asksPerson: true } }],
    [{}, { subscription: paused }, { forNewCard: { until: hoursAhead(12) } }],
    [{}, { subscription: { ...paused, resumesAt: hoursAhead(2) } }, { forNewCard: { until: hoursAhead(2) } }],
    [{ warning }, {}, { asks, untried: 'card_reported_fraudulent' }],
    [{ method: undefined }, { chosenMethods: [] }, { asks, untried: 'missing_payment_method' }],
    [{ method: undefined }, {}, { asks }],
    [{}, { status: 'void' }, undefined],
  ];
  const follows = cases.map(([changes, invoice]) => judge(buildGuardContext(changes, invoice))?.follows);
  expect(follows).toEqual(cases.map(([, , expected]) => expected));
  const held = buildGuardContext({ ...holds({ holdReason: 'She called.' }), action: CARD_CHANGE });
  expect(judge(held)).toMatchObject({ guard: 'stopped', asksPerson: true });
});
