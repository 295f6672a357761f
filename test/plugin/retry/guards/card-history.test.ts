/** What a card was declined with, and what it paid since. */

import { methodFacts } from '../../../../src/plugin/retry/invoice/payable-invoice.ts';
import type { StoredAttempt } from '../../../../src/plugin/store/tables/retry/attempts.ts';
import { buildAttempt, buildGuardContext, hoursAgo, VISA } from '../../../support/database/stored-rows.ts';
import { buildPaymentMethod } from '../../../support/stripe/stripe-payers.ts';
import { judge } from '../../../support/verdicts.ts';

const hard = { declineCode: 'lost_card' };

const paid = (hours: number, changes: Partial<StoredAttempt> = {}) =>
  buildAttempt({
    id: `paid ${hours}`,
    source: 'stripe',
    outcome: 'paid',
    invoiceId: 'in_other',
    code: null,
    declineCode: null,
    adviceCode: null,
    networkCode: null,
    startedAt: hoursAgo(hours),
    ...changes,
  });

test.each<[string, StoredAttempt[], string]>([
  ['a payment of another invoice ends it', [paid(30)], 'pass'],
  ['ours as well as Stripe’s own', [paid(30, { source: 'ours' })], 'pass'],
  ['one before it does not', [paid(49)], 'stop'],
  ['one of the same second does not', [paid(48)], 'stop'],
  ['one of another card does not', [paid(30, { fingerprint: 'fp_2', paymentMethod: 'pm_2' })], 'stop'],
  ['one of the renewed card does not', [paid(30, { cardExpiry: '2034-12' })], 'stop'],
  ['an invoice that was settled without a charge does not', [paid(30, { chargeId: null })], 'stop'],
  [
    'a new hard decline bars the card again',
    [paid(40), buildAttempt({ ...hard, startedAt: hoursAgo(30) })],
    'stop',
  ],
])('what a card was declined with binds it until it pays: %s', (_name, since, verdict) => {
  for (const declineCode of ['lost_card', 'authentication_required', 'expired_card', 'highest_risk_level']) {
    const attempts = [buildAttempt({ declineCode, adviceCode: null }), ...since];
    expect([declineCode, judge(buildGuardContext({ attempts })).kind]).toEqual([declineCode, verdict]);
  }
});

test("a payment ends the network's count, except in Brazil, and never that of the invoice", () => {
  const onOthers = Array.from({ length: 15 }, (_, index) =>
    buildAttempt({ ...hard, invoiceId: `in_${index}`, startedAt: hoursAgo(60 + index) }),
  );
  const attempts = [...onOthers, paid(30)];
  expect(judge(buildGuardContext({ attempts })).kind).toBe('pass');
  const method = { ...VISA, country: 'BR' };
  expect(judge(buildGuardContext({ attempts, method }))).toMatchObject({
    kind: 'postpone',
    guard: 'network_limits',
  });
  const onThis = Array.from({ length: 9 }, (_, index) =>
    buildAttempt({ startedAt: hoursAgo(60 + 24 * index) }),
  );
  expect(judge(buildGuardContext({ attempts: [...onThis.reverse(), paid(30)] }))).toMatchObject({
    kind: 'stop',
    guard: 'network_limits',
  });
});

test.each([
  ['with a number of its own is another card', 'fp_of_wallet', 'pass'],
  ['with the fingerprint of the card is that card', 'fp_1', 'stop'],
])('a card in a wallet %s', (_name, fingerprint, kind) => {
  const attempts = [buildAttempt({ ...hard, adviceCode: null })];
  const plain = buildPaymentMethod({ id: 'pm_wallet' }, fingerprint);
  const wallet = { type: 'apple_pay', apple_pay: {}, dynamic_last4: '1881' };
  const method = methodFacts({ ...plain, ...(plain.card ? { card: { ...plain.card, wallet } } : {}) });
  const invoice = { defaultMethod: method, chosenMethods: [method.id] };
  expect(judge(buildGuardContext({ attempts, method }, invoice)).kind).toBe(kind);
});
