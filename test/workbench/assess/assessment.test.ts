/** The figures of an account's history, from histories made by hand. */
import { DateTime } from 'luxon';
import { ATTEMPT_LIMITS } from '../../../src/core/limits/attempt-limits.ts';
import { type Assessment, assessHistory } from '../../../src/workbench/assess/figures/assessment.ts';
import { readFailedRenewals } from '../../../src/workbench/assess/history/failed-renewals.ts';
import type { HistoryPage } from '../../../src/workbench/assess/history/history-file.ts';
import type { ChargeRecord, InvoiceRecord } from '../../../src/workbench/assess/history/history-record.ts';

const NOW = DateTime.fromISO('2026-11-01T00:00:00Z', { zone: 'utc' });
const { unexplained } = ATTEMPT_LIMITS;
const FIRST = NOW.minus({ days: 100 });

type Answer = { day: number; with?: string } & Partial<ChargeRecord>;

let made = 0;

/** An invoice whose charges are made so many days after the first. */
function renewal(answers: readonly Answer[], invoice: Partial<InvoiceRecord> = {}): HistoryPage {
  made += 1;
  const id = `in_${made}`;
  const isPaid = answers.some(({ outcome }) => outcome === 'paid');
  return {
    list: 'invoices',
    stretch: 0,
    after: null,
    reached: 0,
    invoices: [
      {
        id,
        customer: `cus_${made}`,
        subscription: `sub_${made}`,
        billingReason: 'subscription_cycle',
        collectionMethod: 'charge_automatically',
        status: isPaid ? 'paid' : 'open',
        currency: 'usd',
        amountDue: 1000,
        amountRemaining: isPaid ? 0 : 1000,
        country: 'US',
        created: secondsOn(0),
        attemptCount: answers.length,
        ...invoice,
      },
    ],
    payments: [{ payment: `pi_${made}`, invoice: id }],
    charges: answers.map(({ day, with: card = `card${made}`, ...answer }, index) => ({
      id: `ch_${made}_${index}`,
      payment: `pi_${made}`,
      at: secondsOn(day),
      amount: 1000,
      currency: 'usd',
      outcome: 'declined',
      paymentMethod: `pm_${card}`,
      methodType: 'card',
      brand: 'visa',
      fingerprint: card,
      cardExpiry: '2030-04',
      ...(answer.outcome === 'paid' ? {} : { code: 'card_declined', declineCode: 'insufficient_funds' }),
      ...answer,
    })),
  };
}

function secondsOn(day: number): number {
  return Math.floor(FIRST.plus({ days: day }).toSeconds());
}

function assess(...pages: HistoryPage[]): Assessment {
  return assessHistory(readFailedRenewals(pages), NOW);
}

const causesOf = ({ causes }: Assessment) => causes.map(({ cause }) => cause);

test('a renewal that was paid at once is counted, and did not fail', () => {
  const { renewals, total } = assess(renewal([{ day: 0, outcome: 'paid' }]));
  expect(renewals).toEqual([{ currency: 'usd', charged: { invoices: 1, amount: 1000 } }]);
  expect(total).toEqual([]);
});

test.each([
  ['the same card later', [{ day: 0 }, { day: 3, outcome: 'paid' }], 'retry'],
  ['another card', [{ day: 0 }, { day: 3, outcome: 'paid', with: 'other' }], 'other_card'],
  [
    'the same card after the bank asked for the customer',
    [
      { day: 0, declineCode: 'authentication_required' },
      { day: 3, outcome: 'paid' },
    ],
    'confirmation',
  ],
] as const)('an invoice paid with %s is recovered by that', (_name, answers, cause) => {
  const assessment = assess(renewal(answers));
  expect(causesOf(assessment)).toEqual([cause]);
  expect(assessment.causes[0]?.medianDays).toBe(3);
});

test('an invoice that was paid without a charge is recovered, and not by a card', () => {
  const paidAt = secondsOn(5);
  expect(causesOf(assess(renewal([{ day: 0 }], { status: 'paid', paidAt })))).toEqual(['without_charge']);
});

test('a renewal that could not even be charged has failed', () => {
  const { byReason, open } = assess(renewal([], { attemptCount: 1 }));
  expect(byReason.map(({ key }) => key)).toEqual(['no_payment_method']);
  expect(open).toEqual([{ currency: 'usd', need: 'card', invoices: 1, amount: 1000 }]);
});

test('sign-ups, invoices that are sent and free ones are no renewals', () => {
  const { renewals } = assess(
    renewal([{ day: 0 }], { billingReason: 'subscription_create' }),
    renewal([{ day: 0 }], { collectionMethod: 'send_invoice' }),
    renewal([{ day: 0 }], { amountDue: 0 }),
  );
  expect(renewals).toEqual([]);
});

test('what failed less than 30 days ago is in no share', () => {
  const created = Math.floor(NOW.minus({ days: 10 }).toSeconds());
  const at = created;
  const { total } = assess(renewal([{ day: 0 }]), renewal([{ day: 90, at }], { created }));
  expect(total).toEqual([
    expect.objectContaining({
      failed: { invoices: 1, amount: 1000 },
      open: { invoices: 1, amount: 1000 },
      young: { invoices: 1, amount: 1000 },
    }),
  ]);
});

test('money of two currencies is never added', () => {
  const { total } = assess(renewal([{ day: 0 }]), renewal([{ day: 0 }], { currency: 'eur' }));
  expect(total.map(({ currency, failed }) => [currency, failed.invoices])).toEqual([
    ['usd', 1],
    ['eur', 1],
  ]);
});

test('attempts with a card that the bank declined for good are hopeless, and would have been stopped', () => {
  const stolen = { declineCode: 'stolen_card', adviceCode: 'do_not_try_again' };
  const { attempts } = assess(
    renewal([
      { day: 0, ...stolen },
      { day: 3, ...stolen },
      { day: 6, ...stolen },
    ]),
  );
  expect(attempts.repeated).toBe(2);
  expect(attempts.hopeless).toEqual({ name: 'hard_decline', attempts: 2, paid: 0 });
  expect(attempts.stopped).toEqual([{ name: 'hard_decline', attempts: 2, paid: 0 }]);
});

test('a guard that would have stopped a payment that came is charged with it', () => {
  const { attempts } = assess(renewal([{ day: 0 }, { day: 0.5, outcome: 'paid' }]));
  expect(attempts.stopped).toEqual([{ name: 'network_limits', attempts: 1, paid: 1 }]);
});

test('attempts beyond the network’s own limit are named by it', () => {
  const answers = Array.from({ length: 22 }, (_, index) => ({ day: index, with: 'one' }));
  const { attempts } = assess(renewal(answers));
  expect(attempts.beyondLimits).toEqual([{ name: 'visa_720_hours', attempts: 2, paid: 0 }]);
});

test('attempts on a sign-up count toward the limit of the card', () => {
  const answers = Array.from({ length: 20 }, (_, index) => ({ day: index / 2, with: 'shared' }));
  const signUp = renewal(answers, { billingReason: 'subscription_create' });
  const { attempts } = assess(
    signUp,
    renewal([
      { day: 11, with: 'shared' },
      { day: 12, with: 'shared' },
    ]),
  );
  expect(attempts.beyondLimits).toEqual([{ name: 'visa_720_hours', attempts: 1, paid: 0 }]);
});

test.each([
  ['insufficient_funds', 'retry'],
  ['stolen_card', 'card'],
  ['authentication_required', 'confirm'],
  ['highest_risk_level', 'merchant'],
])('an open invoice declined with %s needs: %s', (declineCode, need) => {
  expect(assess(renewal([{ day: 0, declineCode }])).open).toEqual([
    { currency: 'usd', need, invoices: 1, amount: 1000 },
  ]);
});

test('a page that was read twice is counted once', () => {
  const page = renewal([{ day: 0 }]);
  expect(assess(page, page).total[0]?.failed.invoices).toBe(1);
});

/** The key, the currency, and what failed, came back, is open, is lost and is young: invoices and their amount. */
function described(rows: Assessment['total']): string[] {
  return rows.map(({ key, currency, ...counts }) =>
    [key, currency, ...Object.values(counts).map(({ invoices, amount }) => `${invoices}:${amount}`)].join(
      ' ',
    ),
  );
}

test('every figure of a small account is the one that a person would count', () => {
  const later = secondsOn(31);
  const risky = { declineCode: 'highest_risk_level' };
  const debit = {
    methodType: 'sepa_debit',
    code: 'insufficient_funds',
    declineCode: undefined,
    brand: undefined,
  };
  const assessment = assess(
    renewal([{ day: 31 }, { day: 32, outcome: 'paid' }], { created: later, amountDue: 200, country: 'DE' }),
    renewal([{ day: 0, brand: 'amex', ...risky }], { currency: 'eur', amountRemaining: 900 }),
    renewal([{ day: 0 }, { day: 9, outcome: 'paid' }], { amountDue: 100 }),
    renewal([{ day: 0 }, { day: 3.5, outcome: 'paid' }], { amountDue: 300 }),
    renewal([{ day: 0, ...debit }], { country: undefined, amountDue: 10, amountRemaining: 5 }),
    renewal([{ day: 0, ...risky }], { status: 'uncollectible' }),
    renewal([{ day: 0 }, { day: 1, outcome: 'paid', with: 'other' }], { currency: 'eur', amountDue: 400 }),
    renewal([], { attemptCount: 1 }),
    renewal([{ day: 70 }], { created: secondsOn(70) }),
    renewal([{ day: 71 }], { created: secondsOn(71) }),
  );
  const { total, byMonth, byReason, byNetwork, byCountry, causes, open } = assessment;
  expect([total, byMonth, byReason, byNetwork, byCountry].map(described)).toEqual([
    ['all usd 7:3610 3:600 3:2010 1:1000 1:1000', 'all eur 2:1400 1:400 1:1000 0:0 0:0'],
    [
      '2026-07 usd 5:2410 2:400 2:1010 1:1000 0:0',
      '2026-07 eur 2:1400 1:400 1:1000 0:0 0:0',
      '2026-08 usd 1:200 1:200 0:0 0:0 0:0',
      '2026-10 usd 1:1000 0:0 1:1000 0:0 1:1000',
    ],
    [
      'insufficient_funds usd 5:1610 3:600 2:1010 0:0 1:1000',
      'highest_risk_level eur 1:1000 0:0 1:1000 0:0 0:0',
      'highest_risk_level usd 1:1000 0:0 0:0 1:1000 0:0',
      'insufficient_funds eur 1:400 1:400 0:0 0:0 0:0',
      'no_payment_method usd 1:1000 0:0 1:1000 0:0 0:0',
    ],
    [
      'visa usd 5:2600 3:600 1:1000 1:1000 1:1000',
      'amex eur 1:1000 0:0 1:1000 0:0 0:0',
      'sepa_debit usd 1:10 0:0 1:10 0:0 0:0',
      'visa eur 1:400 1:400 0:0 0:0 0:0',
      'none usd 1:1000 0:0 1:1000 0:0 0:0',
    ],
    [
      'US usd 5:3400 2:400 2:2000 1:1000 1:1000',
      'US eur 2:1400 1:400 1:1000 0:0 0:0',
      'DE usd 1:200 1:200 0:0 0:0 0:0',
      'unknown usd 1:10 0:0 1:10 0:0 0:0',
    ],
  ]);
  const days = (text: string) => [...text].map(Number);
  expect(causes).toEqual([
    {
      cause: 'retry',
      currency: 'usd',
      recovered: { invoices: 3, amount: 600 },
      medianDays: 3.5,
      byDay: days('0111222223333333333333333333333'),
    },
    {
      cause: 'other_card',
      currency: 'eur',
      recovered: { invoices: 1, amount: 400 },
      medianDays: 1,
      byDay: days('0111111111111111111111111111111'),
    },
  ]);
  expect(open).toEqual([
    { currency: 'usd', need: 'retry', invoices: 3, amount: 2005 },
    { currency: 'usd', need: 'card', invoices: 1, amount: 1000 },
    { currency: 'eur', need: 'merchant', invoices: 1, amount: 900 },
  ]);
});

test('repeated attempts are counted by the guard that would have stopped them, and by the limit that they broke', () => {
  const stolen = { declineCode: 'stolen_card' };
  const told = { brand: 'mastercard', networkAdvice: '02' };
  const unnamed = { fingerprint: undefined, brand: undefined };
  const daily = (count: number, charge: Partial<ChargeRecord>) =>
    Array.from({ length: count }, (_, at) => ({ day: at * 1.1, ...charge }));
  const { attempts } = assess(
    renewal([
      { day: 0, ...stolen },
      { day: 0.1, ...stolen },
    ]),
    renewal([{ day: 0 }, { day: 0.5 }, { day: 0.7, outcome: 'paid' }]),
    renewal([
      { day: 0, ...told },
      { day: 1.5, ...told },
    ]),
    renewal(daily(unexplained + 1, { declineCode: 'do_not_honor' })),
    renewal([{ day: 0 }, { day: 0.1, with: 'new' }, { day: 0.2 }]),
    renewal([
      { day: 0, ...unnamed },
      { day: 0.2, ...unnamed },
    ]),
    renewal(
      daily(4, { ...unnamed, methodType: 'sepa_debit', declineCode: undefined, code: 'insufficient_funds' }),
    ),
    renewal(
      [
        { day: 0, ...stolen },
        { day: 3, ...stolen },
      ],
      { billingReason: 'subscription_create' },
    ),
  );
  expect(attempts).toEqual({
    repeated: 10 + unexplained,
    paid: 1,
    hopeless: { name: 'hard_decline', attempts: 1, paid: 0 },
    beyondLimits: [{ name: 'debit_presentments', attempts: 1, paid: 0 }],
    stopped: [
      { name: 'network_limits', attempts: 5, paid: 1 },
      { name: 'hard_decline', attempts: 2, paid: 0 },
      { name: 'few_attempts', attempts: 1, paid: 0 },
    ],
  });
});

test('a payment ends what the network counts', () => {
  const shared = { with: 'shared' };
  const answers = Array.from({ length: 19 }, (_, index) => ({ day: index / 2, ...shared }));
  const { attempts } = assess(
    renewal(answers, { billingReason: 'subscription_create' }),
    renewal([
      { day: 10, ...shared },
      { day: 10.5, ...shared, outcome: 'paid' },
    ]),
    renewal([
      { day: 11, ...shared },
      { day: 12, ...shared },
    ]),
  );
  expect(attempts.beyondLimits).toEqual([{ name: 'visa_720_hours', attempts: 1, paid: 1 }]);
});

test('a card that is new to its invoice is judged as its holder brought it, and each card by itself', () => {
  const { attempts } = assess(
    renewal([{ day: 0, with: 'x' }]),
    renewal([
      { day: 0.3, with: 'y' },
      { day: 0.5, with: 'x' },
      { day: 2, with: 'x' },
    ]),
    renewal([{ day: 1.5, with: 'x' }]),
  );
  expect(attempts.stopped).toEqual([{ name: 'equal_amount', attempts: 1, paid: 0 }]);
  const unmarked = { fingerprint: undefined };
  const others = Array.from({ length: 25 }, () =>
    renewal([
      { day: 0, ...unmarked },
      { day: 3, ...unmarked },
    ]),
  );
  expect(assess(...others).attempts.beyondLimits).toEqual([]);
  const again = Array.from({ length: 22 }, (_, day) => ({
    day,
    with: 'one',
    paymentMethod: `pm_again_${day}`,
  }));
  expect(assess(renewal(again)).attempts.beyondLimits).toMatchObject([{ attempts: 2 }]);
});

test('months stand in their order', () => {
  const later = { created: secondsOn(31) };
  const { byMonth } = assess(
    renewal([{ day: 31 }], later),
    renewal([{ day: 32 }], later),
    renewal([{ day: 0 }]),
  );
  expect(byMonth.map(({ key }) => key)).toEqual(['2026-07', '2026-08']);
});
