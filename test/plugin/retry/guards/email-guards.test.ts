/** Why an email is not sent, on both sides of what its guards decide by. */
import '../../../support/runner/luxon-equality.ts';
import { findObjection, type Objection } from '../../../../src/plugin/retry/actions/objection.ts';
import {
  currentCampaign,
  daysOfCampaign,
  EMAIL_GUARDS,
  type EmailContext,
  findMerchantCode,
  judgeEmail,
  undeliverable,
} from '../../../../src/plugin/retry/guards/email-guards.ts';
import type {
  PayableInvoice,
  PaymentMethodFacts,
} from '../../../../src/plugin/retry/invoice/payable-invoice.ts';
import type { StoredAttempt } from '../../../../src/plugin/store/tables/retry/attempts.ts';
import { type EmailCampaign, NO_CAMPAIGN } from '../../../../src/plugin/store/tables/retry/emails.ts';
import {
  buildAction,
  buildAttempt,
  buildGuardContext,
  buildPayable,
  hoursAgo,
  NO_HOLDS,
  NOW,
  PAYER,
  VISA,
} from '../../../support/database/stored-rows.ts';
import { withoutFollows } from '../../../support/verdicts.ts';

type Case = [
  changes: Partial<EmailContext>,
  answer?: Objection | undefined,
  invoice?: Partial<PayableInvoice>,
];
const DAYS = [0, 3, 7, 14];
const template = 'card_update' as const;
const daysAgo = (days: number) => NOW.minus({ days });

function judge(changes: Partial<EmailContext>, invoice: Partial<PayableInvoice> = {}) {
  const context = { ...buildGuardContext({}, invoice), template, campaign: NO_CAMPAIGN, reminderDays: DAYS };
  return withoutFollows(findObjection(EMAIL_GUARDS, { ...context, ...changes } as const));
}

const campaign = (changes: Partial<EmailCampaign> = {}): { campaign: EmailCampaign } => ({
  campaign: {
    ...NO_CAMPAIGN,
    id: 'c1',
    count: 1,
    firstAt: daysAgo(20),
    lastAt: daysAgo(10),
    lastFor: 'in_1Basic',
    lastTemplate: template,
    lastNamed: ['in_1Basic'],
    named: ['in_1Basic'],
    ...changes,
  },
});

test('an email is not sent too often, too soon, or while another one is on its way', () => {
  const enough = { guard: 'enough_emails', reason: { code: 'enough_emails' as const, template, count: 4 } };
  const recent = { guard: 'recent_email', reason: { code: 'recent_email' as const, template, days: 3 } };
  const next = (until: EmailContext['now']) =>
    ({ guard: 'next_email_day', reason: { code: 'next_email_day', template }, until }) as const;
  const sending = {
    guard: 'email_on_its_way',
    reason: { code: 'email_on_its_way' as const, template },
    until: NOW.plus({ minutes: 15 }),
  };
  const limit = NOW.minus({ days: 3, hours: -12 });
  const first = (hours: number, changes: Partial<EmailCampaign> = {}) => {
    const at = NOW.minus({ hours });
    return campaign({ firstAt: at, lastAt: at, lastFor: 'in_other', ...changes });
  };
  const cases: Case[] = [
    [{}],
    [campaign()],
    [campaign({ count: 4 }), enough],
    [campaign({ count: 5 }), { ...enough, reason: { ...enough.reason, count: 5 } }],
    [campaign({ count: 3, firstAt: daysAgo(14) })],
    [campaign({ lastAt: limit.plus({ seconds: 1 }) }), recent],
    [campaign({ lastAt: limit })],
    [campaign({ lastAt: null })],
    [
      campaign({ lastFor: 'in_other', lastAt: limit.plus({ seconds: 1 }) }),
      next(NOW.plus({ hours: 12, seconds: 1 })),
    ],
    [campaign({ isSending: true }), sending],
    [first(59), next(NOW.plus({ hours: 13 }))],
    [first(60)],
    [first(59, { firstAt: null }), next(NOW.plus({ hours: 13 }))],
    [campaign({ firstAt: hoursAgo(1), lastAt: hoursAgo(1), lastTemplate: 'confirm_payment' })],
    [
      campaign({ count: 4, lastAt: daysAgo(2), named: ['in_other'] }),
      { ...enough, until: daysAgo(2).plus({ days: 7 }) },
    ],
    [first(59, { count: 2 }), next(NOW.plus({ hours: 168 - 59 }))],
    [first(59, { count: 2, firstAt: daysAgo(7) }), next(NOW.plus({ hours: 13 }))],
    [{ ...campaign({ count: 4 }), action: buildAction({ cause: 'operator' }) }],
    [{ ...campaign({ count: 4 }), action: buildAction({ cause: 'link_renewal' }) }],
    [{ ...campaign({ count: 4 }), action: buildAction({ cause: 'card_change' }) }, enough],
  ];
  expect(cases.map(([changes]) => judge(changes))).toEqual(cases.map(([, answer]) => answer));
});

const methodOf = (attempt = buildAttempt()): PaymentMethodFacts => ({
  ...VISA,
  id: attempt.paymentMethod ?? '',
  fingerprint: attempt.fingerprint ?? undefined,
});

test('whoever gave another card in vain hears of it three days after the last email, whatever day is next', () => {
  const lastAt = hoursAgo(50);
  const told = campaign({ count: 2, firstAt: lastAt, lastAt, lastFor: 'in_other' });
  const before = buildAttempt({ startedAt: lastAt });
  const other = { fingerprint: 'fp_2', paymentMethod: 'pm_2' };
  const after = (changes: Partial<StoredAttempt>) => [
    before,
    buildAttempt({ startedAt: hoursAgo(49), ...changes }),
  ];
  const soon = NOW.plus({ hours: 22 });
  const late = lastAt.plus({ days: 7 });
  const untils = [
    after(other),
    after({}),
    after({ ...other, outcome: null }),
    after({ ...other, outcome: 'not_executed' }),
    after({ ...other, startedAt: lastAt }),
    after({ ...other, fingerprint: null }),
    after({ paymentMethod: 'pm_2' }),
    after(other).slice(1),
    [],
    [...after(other), buildAttempt({ startedAt: hoursAgo(48) })],
  ].map((attempts) => judge({ ...told, attempts, method: methodOf(attempts.at(-1)) })?.until);
  expect(untils).toEqual([soon, late, late, late, late, soon, late, late, late, late]);
  const slip = after(other);
  expect(judge({ ...told, attempts: slip, method: methodOf(slip[0]) })?.until).toEqual(late);
});

test('what is no matter of the customer, or waits, is not written about', () => {
  const own = [buildAttempt({ declineCode: 'highest_risk_level' })];
  const dispute = { id: 'dp_1', reason: 'fraudulent', asksPerson: false };
  const disputed = (reason: string) => ({ holds: { ...NO_HOLDS, payersDispute: { ...dispute, reason } } });
  const late = NOW.plus({ hours: 2 });
  const cases: Case[] = [
    [
      { attempts: own },
      { guard: 'matter_of_merchant', reason: { code: 'merchant_matter', because: 'highest_risk_level' } },
    ],
    [{ attempts: own, holds: { ...NO_HOLDS, releasedAt: hoursAgo(48) } }],
    [disputed('fraudulent')],
    [
      disputed('product_not_received'),
      {
        guard: 'payer_disputes',
        reason: { code: 'payer_disputes', disputeId: 'dp_1', because: 'product_not_received' },
        until: NOW.plus({ hours: 24 }),
      },
    ],
    [
      { holds: { ...NO_HOLDS, postponed: { until: late, note: null } } },
      {
        guard: 'postponed',
        reason: { code: 'postponed_by_person', until: '2026-11-20T12:00:00.000Z', note: undefined },
        until: late,
      },
    ],
    [
      {},
      { guard: 'processing', reason: { code: 'processing' }, until: NOW.plus({ hours: 24 }) },
      { isProcessing: true },
    ],
    [
      { action: buildAction({ dueAt: daysAgo(61) }) },
      {
        guard: 'horizon',
        reason: { code: 'past_horizon', dueAt: '2026-09-20T10:00:00.000Z', days: 60 },
      },
    ],
    [
      { holds: { ...NO_HOLDS, isForgotten: true } },
      { guard: 'forgotten', reason: { code: 'customer_forgotten' } },
    ],
  ];
  expect(cases.map(([changes, , invoice]) => judge(changes, invoice))).toEqual(
    cases.map(([, answer]) => answer),
  );
});

test('the latest answer says whether the merchant must see to it', () => {
  const risky = { declineCode: 'highest_risk_level' };
  const codes = [
    [buildAttempt(risky)],
    [buildAttempt({ code: 'highest_risk_level', declineCode: null })],
    [buildAttempt(risky), buildAttempt()],
    [buildAttempt(risky), buildAttempt({ outcome: null })],
    [buildAttempt(risky), buildAttempt({ outcome: 'not_executed' })],
    [buildAttempt()],
    [],
  ].map((attempts) => findMerchantCode(attempts, NO_HOLDS));
  const risk = 'highest_risk_level';
  expect(codes).toEqual([risk, risk, undefined, risk, risk, undefined, undefined]);
  const released = (hours: number) =>
    findMerchantCode([buildAttempt(risky)], { ...NO_HOLDS, releasedAt: hoursAgo(hours) });
  expect([released(48), released(49)]).toEqual([undefined, risk]);
});

test('a campaign that has ended is followed by a shorter one, for debts that it did not name', () => {
  const ended = campaign({ count: 4, lastAt: daysAgo(7), lastNamed: ['in_a'] }).campaign;
  const next = { ...NO_CAMPAIGN, isFollowUp: true };
  const current = (changes: Partial<EmailCampaign> = {}, invoiceId = 'in_b') =>
    currentCampaign({ ...ended, ...changes }, { now: NOW, invoiceId, reminderDays: DAYS });
  const going = { ...ended, count: 3 };
  const young = { ...ended, lastAt: daysAgo(6.9) };
  expect([
    current(),
    current({ count: 5 }),
    current({ count: 2, isFollowUp: true, hasLast: true }),
    current({}, 'in_a'),
    current(going),
    current(young),
    current({ lastAt: null }),
  ]).toEqual([next, next, next, ended, going, young, { ...ended, lastAt: null }]);
  const days = (isFollowUp: boolean, all = DAYS) => daysOfCampaign({ ...NO_CAMPAIGN, isFollowUp }, all);
  expect([days(false), days(true), days(true, [0])]).toEqual([DAYS, [0, 14], [0]]);
});

test('whoever is short of funds is emailed twice, the second time as the last, and not sooner for another such card', () => {
  const days = (count: number, hasLast = false, all = DAYS) =>
    daysOfCampaign({ ...NO_CAMPAIGN, lacksFunds: true, count, hasLast }, all);
  expect([days(0), days(1), days(2), days(4), days(2, true)]).toEqual([
    [0, 7],
    [0, 7],
    [0, 3, 7],
    DAYS,
    [0, 3],
  ]);
  expect([days(1, false, [0]), days(1, false, [0, 3]), days(0, false, [0, 10])]).toEqual([
    [0],
    [0, 3],
    [0, 7],
  ]);
  const lastAt = hoursAgo(50);
  const asked = campaign({ firstAt: lastAt, lastAt, lastFor: 'in_other', lacksFunds: true });
  const attempts = [
    buildAttempt({ startedAt: lastAt }),
    buildAttempt({ fingerprint: 'fp_2', startedAt: hoursAgo(49) }),
  ];
  const reminderDays = [0, 7];
  expect(judge({ ...asked, attempts, reminderDays })?.until).toEqual(lastAt.plus({ days: 7 }));
  const ended = campaign({ count: 2, lastAt: daysAgo(7), lastNamed: [], lacksFunds: true, hasLast: true });
  const next = currentCampaign(ended.campaign, { now: NOW, invoiceId: 'in_b', reminderDays: DAYS });
  expect(next).toEqual({ ...NO_CAMPAIGN, isFollowUp: true, lacksFunds: true });
});

test('an email that cannot go out is shown to the operator', () => {
  const objection = { guard: 'mail_server', reason: { code: 'no_mail_server' } } as const;
  expect(undeliverable({ kind: 'pay' }, objection)).toEqual({
    ...objection,
    audit: { kind: 'email.undeliverable', detail: { action: 'pay', ...objection } },
  });
});

test('who wants to leave is written to once; who cannot be reached is shown to the operator', () => {
  const ending = { id: 'sub_1Basic', status: 'past_due', isPaused: false, endsAt: NOW.plus({ days: 9 }) };
  const isEnding = { invoice: buildPayable({ customer: PAYER, subscription: ending }) };
  const isDeleted = { invoice: buildPayable({ customer: undefined }) };
  const noAddress = { invoice: buildPayable({ customer: { ...PAYER, email: null } }) };
  const old = { action: buildAction({ dueAt: daysAgo(31) }) };
  const isDisputed = { holds: { ...NO_HOLDS, isDisputed: true } };
  const followed = { campaign: { ...NO_CAMPAIGN, isFollowUp: true, count: 2, hasLast: true } };
  const usual = { reminderDays: DAYS, canSend: true };
  const answerOf = (changes: Partial<EmailContext>, rules = {}) => {
    const asked = { ...buildGuardContext(), template, campaign: NO_CAMPAIGN, ...changes };
    const { guard, reason, audit } =
      judgeEmail({ ...asked, action: buildAction(changes.action) }, { ...usual, ...rules }) ?? {};
    return guard && [guard, reason, audit];
  };
  const enough = (count: number) => ['enough_emails', { code: 'enough_emails', template, count }, undefined];
  const emailedBefore = (days: number) =>
    campaign({ lastAt: daysAgo(days), lastFor: 'in_other', lastNamed: ['in_other'], named: ['in_other'] });
  const told = (guard: string, reason: object) => {
    return [guard, reason, { kind: 'email.undeliverable', detail: { action: 'pay', guard, reason } }];
  };
  const customer = told('recipient', { code: 'no_address', customerId: 'cus_1Ada' });
  const cases = [
    [answerOf({}), undefined],
    [answerOf(campaign({ count: 3 })), undefined],
    [answerOf(campaign({ count: 3 }), { reminderDays: [0, 3, 7] }), enough(3)],
    [answerOf({ ...campaign(), ...isEnding }), enough(1)],
    [answerOf({ ...campaign(), ...isEnding, afterCancelRequest: 'collect' }), undefined],
    // Another invoice's email delays this one for a week, and no longer: a time in the past would be waited for without end.
    [answerOf({ ...emailedBefore(6), ...isEnding }), enough(1)],
    [answerOf({ ...emailedBefore(7), ...isEnding }), undefined],
    [answerOf(followed), enough(2)],
    [answerOf(old), undefined],
    [answerOf({ action: buildAction({ dueAt: daysAgo(61) }) })?.[0], 'horizon'],
    [answerOf(isDeleted), ['customer', { code: 'customer_deleted' }, undefined]],
    [answerOf(noAddress, { canSend: false }), customer],
    [answerOf({ ...noAddress, ...isDisputed }), ['disputed', { code: 'disputed' }, undefined]],
    [answerOf({}, { canSend: false }), told('mail_server', { code: 'no_mail_server' })],
  ];
  expect(cases.map(([answer]) => answer)).toEqual(cases.map(([, expected]) => expected));
});
