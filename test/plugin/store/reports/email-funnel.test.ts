/** What came of the emails, each until the next one about the same debts. */
import { DateTime } from 'luxon';
import { readEmailFunnel } from '../../../../src/plugin/store/reports/email-funnel.ts';
import { refreshFailures } from '../../../../src/plugin/store/reports/money/refresh-failures.ts';
import { insertAction } from '../../../../src/plugin/store/tables/retry/actions.ts';
import { finishEmail, noteLinkUse, reserveEmail } from '../../../../src/plugin/store/tables/retry/emails.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { insertFailedInvoice } from '../../operator/console/failure-rows.ts';

const START = DateTime.fromISO('2026-03-01T10:00:00Z', { zone: 'utc' });
const key = (invoiceId: string) => ({ account: 'own', invoiceId });
const day = (days: number) => START.plus({ days });

describe.each(ENGINES)('the outcome of emails on $engine', (engine) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
  });
  beforeEach(() => opened.clear());
  afterAll(() => opened.close());

  const email = async (
    invoiceId: string,
    more: { notice: string; language: string; at: DateTime; campaign?: string },
  ) => {
    const step = `${invoiceId}-${more.notice}`;
    const email = { ...key(invoiceId), template: 'card_update', step };
    const copy = { subject: '', text: '', html: '' };
    const { at, ...rest } = more;
    const sent = { ...email, ...rest, recipient: 'ada@example.com', messageId: step, copy };
    await reserveEmail(opened.database, sent, at);
    await finishEmail(opened.database, email, { state: 'sent', detail: '' }, at);
  };
  const saveCard = (invoiceId: string, at: DateTime) =>
    insertAction(opened.database, {
      id: crypto.randomUUID(),
      ...key(invoiceId),
      kind: 'pay',
      dueAt: at,
      createdAt: at,
      cause: 'card_change',
      reference: 'fp_2',
      paymentMethod: 'pm_2',
    });
  const use = (invoiceId: string, what: 'opened' | 'continued', at: DateTime) =>
    noteLinkUse(opened.database, key(invoiceId), what, at);

  test('a card and a payment count for the last email before them, and a link for its first use', async () => {
    const { database } = opened;
    await insertFailedInvoice(database, { id: 'in_de', at: START, amount: 2000, paidAt: day(4) });
    await insertFailedInvoice(database, { id: 'in_en', at: START, amount: 700, currency: 'eur' });
    await email('in_de', { notice: 'first', language: 'de', at: day(1) });
    await use('in_de', 'opened', day(1).plus({ hours: 2 }));
    await use('in_de', 'opened', day(1).plus({ hours: 5 }));
    await email('in_en', { notice: 'first', language: 'en', at: day(1) });
    await email('in_de', { notice: 'reminder', language: 'de', at: day(3), campaign: 'in_de-first' });
    await use('in_de', 'continued', day(3).plus({ hours: 1 }));
    await saveCard('in_de', day(3).plus({ hours: 1 }));
    await use('in_unknown', 'opened', day(3));
    await refreshFailures(database);

    const { rows, money } = await readEmailFunnel(database, START);
    const nothing = { opened: 0, continued: 0, saved: 0, paid: 0, secondsToOpen: null, secondsToPay: null };
    const first = { template: 'card_update', notice: 'first' };
    const opening = { opened: 1, secondsToOpen: 7200 };
    expect(rows.filter(({ notice }) => notice === 'first')).toEqual([
      { ...first, ...nothing, ...opening, language: null, sent: 2 },
      { ...first, ...nothing, ...opening, language: 'de', sent: 1 },
      { ...first, ...nothing, language: 'en', sent: 1 },
    ]);
    const paid = { sent: 1, opened: 1, continued: 1, saved: 1, paid: 1, secondsToOpen: 3600 };
    const second = { template: 'card_update', notice: 'reminder', ...paid, secondsToPay: 86_400 };
    expect(rows.filter(({ notice }) => notice === 'reminder')).toEqual([
      { ...second, language: null },
      { ...second, language: 'de' },
    ]);
    const sum = {
      template: 'card_update',
      notice: 'reminder',
      currency: 'usd',
      amount: 2000,
      disputes: 0,
      disputed: 0,
    };
    expect(money).toEqual(
      expect.arrayContaining([
        { ...sum, language: null },
        { ...sum, language: 'de' },
      ]),
    );
    expect(money).toHaveLength(2);
    expect((await readEmailFunnel(database, day(5))).rows).toEqual([]);
  });
});
