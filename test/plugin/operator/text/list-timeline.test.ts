import { DateTime } from 'luxon';
import { countTimeline, lineOf, listTimeline } from '../../../../src/plugin/operator/text/list-timeline.ts';
import type {
  HistoryAttempt,
  HistoryInstruction,
  InvoiceHistory,
} from '../../../../src/plugin/store/reports/invoice-history.ts';

const at = (day: number) => DateTime.fromISO(`2026-04-0${day}T13:54:00Z`, { zone: 'utc' }) as DateTime<true>;

const EMPTY: InvoiceHistory = {
  ...{ invoice: undefined, hold: undefined, pause: undefined, takeover: undefined, recoveryCase: undefined },
  ...{ instructions: [], listed: [], attempts: [], emails: [], actions: [], disputes: [], audit: [] },
};

const attempt = (changes: Partial<HistoryAttempt>): HistoryAttempt => ({
  ...{ subscriptionId: null, actionId: null, source: 'stripe', attemptNumber: null, paymentMethod: null },
  ...{ methodType: 'card', brand: 'visa', amount: 2900, currency: 'usd', chargeId: 'ch_1', startedAt: at(1) },
  ...{
    calls: 1,
    calledAt: null,
    outcome: 'declined',
    code: 'card_declined',
    declineCode: 'insufficient_funds',
  },
  ...{ adviceCode: null, networkCode: null, networkAdvice: null, detail: null, isOtherMethod: false },
  ...{ refunded: 0, refundedAt: null },
  ...changes,
});

const instruction = (requestId: string, day: number): HistoryInstruction => ({
  ...{ requestId, source: 'callback', receivedAt: at(day), type: 'suggestion', subscriptionId: null },
  ...{ suggestion: 'ACTION_SUGGESTION_RETRY', idealRetryAt: at(day + 1), state: 'scheduled', reason: null },
});

const action = (id: string, requestId: string | null, changes: object = {}) => ({
  ...{
    id,
    requestId,
    cause: 'instruction' as const,
    kind: 'pay',
    state: 'done',
    dueAt: at(2),
    closedAt: at(2),
  },
  ...{ reason: null, ...changes },
});

const note = (id: number, kind: string, detail: Record<string, unknown>) => ({
  ...{ id, account: 'own', at: at(2), invoiceId: 'in_1', subscriptionId: null, kind, detail },
});

const listed = (requestId: string, reasons: string[]) => ({
  ...{ id: `ra_${requestId}`, requestId, firstSeenAt: at(1), createdAt: at(1), executedAt: null, type: null },
  ...{ status: null, suggestion: 'ACTION_SUGGESTION_RETRY', idealRetryAt: at(2), problem: null },
  body: JSON.stringify({ reasons }),
});

const titles = (history: Partial<InvoiceHistory>) =>
  listTimeline([{ id: 'in_1', history: { ...EMPTY, ...history } }]).map(({ title }) => title);

test('a request, its postponement, its attempt and the answer are one entry; the newest comes first', () => {
  const history = {
    ...EMPTY,
    instructions: [instruction('r1', 1), instruction('r2', 3)],
    listed: [listed('r1', ['Likely payday: every Monday.', 'Monday in the customer’s zone.'])],
    actions: [action('a1', 'r1'), action('a2', 'r2', { state: 'scheduled', closedAt: null })],
    attempts: [
      attempt({}),
      attempt({ source: 'ours', actionId: 'a1', attemptNumber: 1, startedAt: at(2), outcome: 'declined' }),
    ],
    audit: [note(1, 'guard.postponed', { actionId: 'a1', until: at(2).toISO() })],
  };
  const [plan, retry, failure, ...more] = listTimeline([{ id: 'in_1', history }]);
  expect([plan?.isPlan, more]).toEqual([true, []]);
  expect(retry).toMatchObject({
    kind: 'charge',
    title: 'Retry 1 declined: insufficient funds',
    text: 'Planned 2026-04-01 13:54:00 UTC. Likely payday: every Monday',
    invoices: ['in_1'],
  });
  expect(retry?.details).toEqual(
    expect.arrayContaining([
      '$29.00, Visa',
      'request r1',
      'Monday in the customer’s zone',
      expect.stringContaining('decline code insufficient_funds'),
      expect.stringContaining('Payment postponed'),
    ]),
  );
  expect(failure && lineOf(failure)).toContain(
    'Payment failed: insufficient funds. Charged by Stripe ($29.00, Visa)',
  );
  expect(countTimeline(listTimeline([{ id: 'in_1', history }]))).toBe('1 retry, no emails');
});

test('an attempt that a guard stopped is one entry with its reason', () => {
  expect(
    titles({
      instructions: [instruction('r1', 1)],
      actions: [action('a1', 'r1', { state: 'closed', reason: { code: 'newer_instruction' } })],
      audit: [
        note(1, 'guard.stopped', { actionId: 'a1', guard: 'paused', reason: { code: 'newer_instruction' } }),
      ],
    }),
  ).toEqual(['Payment not made']);
});

test('disputes and refunds have entries of their own', () => {
  const dispute = {
    id: 'dp_1',
    reason: 'fraudulent',
    status: 'needs_response',
    amount: 2900,
    openedAt: at(3),
  };
  expect(
    titles({
      attempts: [
        attempt({ outcome: 'paid', code: null, declineCode: null, refunded: 1000, refundedAt: at(2) }),
      ],
      disputes: [{ ...dispute, closedAt: null }],
    }),
  ).toEqual(['Dispute opened: fraudulent', 'Refunded $10.00', 'Payment paid']);
});

test('an email about two invoices is one entry that names both', () => {
  const email = {
    id: 'e1',
    createdAt: at(2),
    named: ['in_1', 'in_2'],
    template: 'card_update',
    state: 'sent',
  };
  const history = { ...EMPTY, emails: [{ ...email, recipient: 'ada@example.com', detail: null }] };
  const entries = listTimeline([
    { id: 'in_1', history },
    { id: 'in_2', history },
  ]);
  expect(entries).toMatchObject([
    { title: 'Email sent: Please update your card', emailId: 'e1', invoices: ['in_1', 'in_2'], tone: 'info' },
  ]);
});

test('a person’s stop names who stopped it, and the reason', () => {
  const [entry] = listTimeline([
    {
      id: 'in_1',
      history: { ...EMPTY, audit: [note(1, 'operator.stopped', { by: 'anna', note: 'she called' })] },
    },
  ]);
  expect(entry).toMatchObject({ title: 'Collection stopped by anna', text: 'she called' });
});
