import type { Assessment, FailedRow } from '../../../src/workbench/assess/figures/assessment.ts';
import { describeAssessment } from '../../../src/workbench/assess/report/describe-assessment.ts';

const none = { invoices: 0, amount: 0 };
const row = (parts: Partial<FailedRow>): FailedRow => ({
  key: 'all',
  currency: 'usd',
  failed: none,
  recovered: none,
  open: none,
  lost: none,
  young: none,
  ...parts,
});
const assessment = (parts: Partial<Assessment>): Assessment => ({
  renewals: [],
  total: [],
  byMonth: [],
  byReason: [],
  byNetwork: [],
  byCountry: [],
  causes: [],
  attempts: {
    repeated: 0,
    paid: 0,
    hopeless: { name: 'hard_decline', attempts: 0, paid: 0 },
    beyondLimits: [],
    stopped: [],
  },
  open: [],
  ...parts,
});
const own = { months: 12, isSimulated: false };

test('a failure of this month is said to be one, where nothing older failed', () => {
  const text = describeAssessment(
    assessment({
      total: [row({ young: { invoices: 1, amount: 2000 } })],
      open: [{ currency: 'usd', need: 'retry', invoices: 1, amount: 2000 }],
    }),
    own,
  );
  expect(text).not.toContain('$0.00');
  expect(text).toContain('  In the last 30 days  $20.00 (1 renewal) failed, and may still be paid');
  expect(text).toContain('  In recovery now      $20.00 (1 renewal); another attempt may be made.');
  expect(text).toContain('Verdict for USD: no failure is 30 days old yet');
});

test('what is open now is a sum of its parts, the last 30 days included', () => {
  const open = [
    { currency: 'usd', need: 'retry', invoices: 2, amount: 500_000 },
    { currency: 'usd', need: 'card', invoices: 1, amount: 326_500 },
    { currency: 'eur', need: 'card', invoices: 1, amount: 100 },
  ] as const;
  const text = describeAssessment(assessment({ total: [row({ young: open[0] })], open }), own);
  expect(text).toContain('  In recovery now      $8,265.00 (3 renewals), the last 30 days included');
  expect(text).toContain('    of these           $5,000.00 (2 renewals); another attempt may be made.');
  expect(text).toContain(
    '    of these           $3,265.00 (1 renewal); the customer has to give another card.',
  );
});

test('each currency has its own figures and verdict', () => {
  const failed = { invoices: 4, amount: 4000 };
  const text = describeAssessment(
    assessment({
      total: [
        row({ failed, recovered: { invoices: 3, amount: 3000 }, lost: { invoices: 1, amount: 1000 } }),
        row({ currency: 'eur', failed, recovered: failed }),
      ],
    }),
    own,
  );
  expect(text).toContain(
    '  Failed at first  $40.00 (4 renewals)\n  Recovered        $30.00 (3 renewals), 75.0 %\n',
  );
  expect(text.indexOf('EUR\n')).toBeGreaterThan(text.indexOf('USD\n'));
  expect(text).toContain('Verdict for USD: $10.00 of $40.00 that failed was not recovered (25.0 %).');
  expect(text).toContain('Verdict for EUR: everything that failed was paid in the end.');
  expect(text).toMatch(/\nNext: npx stripe-payment-retry init /);
});

test('where nothing failed there is nothing to install for', () => {
  expect(describeAssessment(assessment({}), own)).toBe(
    'No renewal failed in 12 months: there is nothing to recover.',
  );
});
