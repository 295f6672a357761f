/** Who may use the merchant's product, until when, and why. */
import { DateTime } from 'luxon';
import { type AccessRules, decideAccess } from '../../../../src/plugin/operator/lists/access.ts';
import type {
  HeldSubscription,
  OwedRow,
} from '../../../../src/plugin/store/reports/money/customer-record.ts';

const NOW = DateTime.fromISO('2026-03-10T12:00:00Z', { zone: 'utc' }) as DateTime<true>;
const inDays = (days: number) => NOW.plus({ days });

const ADVISORY: AccessRules = {
  mode: 'advisory',
  afterGivingUp: 'leave',
  accessGrace: { days: undefined, plans: [] },
};
const CANCELS: AccessRules = { ...ADVISORY, mode: 'exclusive', afterGivingUp: 'cancel' };

const sub = (changes: Partial<HeldSubscription> = {}): HeldSubscription => ({
  id: 'sub_1',
  status: 'active',
  endsAt: null,
  hasLost: false,
  ...changes,
});
const owes = (changes: Partial<OwedRow> = {}): OwedRow => ({
  invoiceId: 'in_1',
  subscriptionId: 'sub_1',
  plan: 'Gold',
  planIds: ['price_1', 'prod_1'],
  amount: 2000,
  currency: 'usd',
  state: 'open',
  failedAt: inDays(-4),
  attempts: 1,
  reason: 'insufficient_funds',
  nextKind: null,
  nextAt: null,
  stripeTriesAt: null,
  isTakenOver: true,
  isHeld: false,
  promisedAt: null,
  endingAt: null,
  givenUpAt: null,
  ...changes,
});
const late = sub({ status: 'past_due' });

function ask(
  subscriptions: readonly HeldSubscription[],
  { rules = ADVISORY, owed = [] }: { rules?: AccessRules; owed?: readonly OwedRow[] } = {},
) {
  const { allowed, reason, until } = decideAccess(rules, { isKnown: true, subscriptions, owed }, NOW);
  return [allowed, reason, until];
}
const iso = (days: number) => inDays(days).toISO();

test.each([
  ['active', true, 'good'],
  ['trialing', true, 'good'],
  ['a_status_of_tomorrow', true, 'good'],
  ['paused', false, 'paused'],
  ['unpaid', false, 'payment_failed'],
  ['canceled', false, 'canceled'],
  ['incomplete', false, 'sign_up_unpaid'],
  ['incomplete_expired', false, 'sign_up_unpaid'],
])('a subscription that is %s and owes nothing: %s, %s', (status, allowed, reason) => {
  expect(ask([sub({ status })])).toEqual([allowed, reason, null]);
});

test('a requested cancellation keeps access until its time, and not longer', () => {
  expect(ask([sub({ endsAt: inDays(5) })])).toEqual([true, 'cancel_requested', iso(5)]);
  expect(ask([sub({ endsAt: inDays(-1) })])).toEqual([false, 'canceled', iso(-1)]);
  expect(ask([sub({ status: 'canceled', endsAt: inDays(-1), hasLost: true })])).toEqual([
    false,
    'payment_failed',
    iso(-1),
  ]);
  const owed = [owes()];
  expect(ask([sub({ status: 'past_due', endsAt: inDays(5) })], { rules: CANCELS, owed })).toEqual([
    true,
    'in_recovery',
    iso(5),
  ]);
});

test.each([
  ['runs in exclusive mode', CANCELS, {}, [true, 'in_recovery', iso(26)]],
  ['promised a later end in an email', CANCELS, { promisedAt: inDays(30) }, [true, 'in_recovery', iso(30)]],
  ['takes longer than usual', CANCELS, { failedAt: inDays(-40) }, [true, 'in_recovery', null]],
  [
    'has a planned end',
    CANCELS,
    { givenUpAt: inDays(-1), endingAt: inDays(3) },
    [true, 'in_recovery', iso(3)],
  ],
  ['was given up', CANCELS, { givenUpAt: inDays(-1) }, [false, 'payment_failed', iso(-1)]],
  ['was stopped by a person', CANCELS, { isHeld: true }, [true, 'collection_stopped', null]],
  [
    'writes the debt off',
    { ...CANCELS, afterGivingUp: 'uncollectible' },
    { givenUpAt: inDays(-1) },
    [true, 'in_recovery', null],
  ],
  ['is Stripe’s', ADVISORY, { isTakenOver: false, stripeTriesAt: inDays(2) }, [true, 'in_recovery', iso(26)]],
  [
    'was ended by Stripe',
    ADVISORY,
    { isTakenOver: false, failedAt: inDays(-31) },
    [false, 'payment_failed', iso(-1)],
  ],
  [
    'still has a planned step',
    ADVISORY,
    { isTakenOver: false, failedAt: inDays(-31), nextAt: inDays(2) },
    [true, 'in_recovery', iso(2)],
  ],
] as const)('while a recovery %s, access is as it says', (_how, rules, changes, expected) => {
  expect(ask([late], { rules, owed: [owes(changes)] })).toEqual(expected);
});

test('days of grace bound the recovery, and a plan or product may have its own', () => {
  const within = (days: number | undefined, plans: AccessRules['accessGrace']['plans'] = []) =>
    ask([late], { rules: { ...CANCELS, accessGrace: { days, plans } }, owed: [owes()] });
  expect(within(7)).toEqual([true, 'in_recovery', iso(3)]);
  expect(within(4)).toEqual([false, 'payment_failed', iso(0)]);
  expect(within(60)).toEqual([true, 'in_recovery', iso(26)]);
  expect(within(3, [['price_1', 14]])).toEqual([true, 'in_recovery', iso(10)]);
  expect(within(30, [['prod_1', 0]])).toEqual([false, 'payment_failed', iso(-4)]);
  expect(within(3, [['price_other', 14]])).toEqual([false, 'payment_failed', iso(-1)]);
});

test('a second debt does not begin the days of grace again, and an older one ends nothing of a paid subscription', () => {
  const rules = { ...CANCELS, accessGrace: { days: 7, plans: [] } };
  const owed = [owes({ failedAt: inDays(-20) }), owes({ invoiceId: 'in_2', failedAt: inDays(-1) })];
  expect(ask([late], { rules, owed })).toEqual([false, 'payment_failed', iso(-13)]);
  expect(ask([sub()], { rules, owed })).toEqual([true, 'in_recovery', null]);
});

test('of several subscriptions one is enough, and a failing one is still named', () => {
  const ended = sub({ id: 'sub_2', status: 'canceled', endsAt: inDays(-9) });
  expect(ask([ended, sub()])).toEqual([true, 'good', null]);
  expect(ask([sub({ id: 'sub_3', endsAt: inDays(9) }), sub({ endsAt: inDays(2) })])).toEqual([
    true,
    'cancel_requested',
    iso(9),
  ]);
  expect(ask([late, sub({ id: 'sub_2' })], { rules: CANCELS, owed: [owes()] })).toEqual([
    true,
    'in_recovery',
    null,
  ]);
  expect(ask([ended, sub({ status: 'incomplete_expired' })])).toEqual([false, 'canceled', iso(-9)]);
});

test('somebody without a subscription is not allowed, known or not', () => {
  const facts = { subscriptions: [], owed: [] };
  expect(decideAccess(ADVISORY, { ...facts, isKnown: true }, NOW)).toMatchObject({
    allowed: false,
    reason: 'no_subscription',
  });
  expect(decideAccess(ADVISORY, { ...facts, isKnown: false }, NOW)).toEqual({
    allowed: false,
    until: null,
    reason: 'unknown_customer',
    next: null,
  });
});

test('the next step is the earliest of all invoices, Stripe’s among them', () => {
  const owed = [
    owes({ nextKind: 'pay', nextAt: inDays(3) }),
    owes({ invoiceId: 'in_2', isTakenOver: false, stripeTriesAt: inDays(2) }),
  ];
  expect(decideAccess(CANCELS, { isKnown: true, subscriptions: [late], owed }, NOW).next).toEqual({
    at: iso(2),
    kind: 'stripe_retry',
    invoice: 'in_2',
  });
});
