import { describeDecisionReason } from '../../../src/service/http/describe-decision-reason.ts';
import {
  type DecisionReason,
  decisionReasonSchema,
  readDecisionReasons,
} from '../../../src/service/reasons/decision-reason.ts';

const moment = { at: '2026-03-06T08:00:00Z', zone: 'Europe/Berlin' };
const LOCAL = "Friday 2026-03-06 09:00 in the customer's zone";
const share = (percent: number) => `${LOCAL}, ${percent} % of what fits the answers so far.`;

test.each<[DecisionReason, string]>([
  [
    { code: 'pay_schedule', ...moment, percent: 62, cycle: 'weekly', days: [5] },
    `Likely payday: every Friday. ${share(62)}`,
  ],
  [
    { code: 'pay_schedule', ...moment, percent: 51, cycle: 'biweekly', days: [1] },
    `Likely payday: every other Monday. ${share(51)}`,
  ],
  [
    { code: 'pay_schedule', ...moment, percent: 80, cycle: 'semimonthly', days: [15, 0] },
    `Likely payday: on day 15 and the last day of the month. ${share(80)}`,
  ],
  [
    { code: 'static_schedule', ...moment, days: [1, 3, 5, 7] },
    `Static schedule of 1, 3, 5, 7 days, which a share of the cases keeps for comparison. ${LOCAL}.`,
  ],
  [
    { code: 'bank_day', ...moment, zone: 'Nowhere/Unknown', methodType: 'sepa_debit' },
    "A bank day with time for a sepa_debit to come back. Friday 2026-03-06 08:00 in the customer's zone.",
  ],
  [
    { code: 'bank_answered', remedy: 'another_card' },
    'The bank answered without a code: this card must not be tried again.',
  ],
  [
    { code: 'customer_asked', againOn: '2026-03-09' },
    'An email to the customer was requested; a retry before they act would be refused again. The next one is due on 2026-03-09.',
  ],
  [
    { code: 'collection_paused', until: '2026-03-14T10:00:00Z' },
    'The merchant has paused collection until 2026-03-14 10:00 UTC; neither a retry nor an email goes out meanwhile.',
  ],
  [{ code: 'retries_used', used: 1, max: 8 }, '1 of 8 retries made or requested.'],
])('%j is described', (reason, sentence) => {
  expect(decisionReasonSchema.parse(reason)).toEqual(reason);
  expect(describeDecisionReason(reason).join(' ')).toBe(sentence);
});

test('a reason that another version wrote is shown as it is', () => {
  const [unknown, known] = readDecisionReasons([{ code: 'full_moon', phase: 1 }, { code: 'invoice_paid' }]);
  expect(unknown).toEqual({ code: 'unknown_code', text: '{"code":"full_moon","phase":1}' });
  expect(known).toEqual({ code: 'invoice_paid' });
});
