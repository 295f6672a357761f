import { DateTime } from 'luxon';
import { finishEmail, readSentEmails, reserveEmail } from '../../../../src/store/tables/retry/emails.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../support/databases.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const KEY = { account: 'own', invoiceId: 'in_1', template: 'card_update', step: 'action-1' };
const MAIL = { ...KEY, recipient: 'jo@example.com', messageId: '<1@merchant.example>' };

describe.each(ENGINES)('emails on $engine', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(engine);
  });
  beforeEach(() => test.clear());
  afterAll(() => test.close());

  it('the store reserves a mail once and gives the first reservation back ever after', async () => {
    const reserved = { recipient: 'jo@example.com', messageId: '<1@merchant.example>', state: 'sending' };
    expect(await reserveEmail(test.database, MAIL, NOW)).toEqual(reserved);
    const other = { ...MAIL, recipient: 'other@example.com', messageId: '<2@merchant.example>' };
    expect(await reserveEmail(test.database, other, NOW)).toEqual(reserved);
    await finishEmail(test.database, KEY, { state: 'sent', detail: '250 ok' }, NOW);
    expect(await reserveEmail(test.database, other, NOW)).toEqual({ ...reserved, state: 'sent' });
  });

  it('the store gives one message id to all who reserve a mail at once', async () => {
    const mails = Array.from({ length: 8 }, (_, index) => ({
      ...MAIL,
      messageId: `<${index}@merchant.example>`,
    }));
    const reserved = await Promise.all(mails.map((mail) => reserveEmail(test.database, mail, NOW)));
    expect(new Set(reserved.map(({ messageId }) => messageId)).size).toBe(1);
  });

  it('the store knows the other mails of the kind that went out', async () => {
    const other = { ...KEY, step: 'action-2' };
    await reserveEmail(test.database, MAIL, NOW);
    expect(await readSentEmails(test.database, other)).toEqual({ count: 0, lastAt: null });
    await finishEmail(test.database, KEY, { state: 'sent', detail: '250 ok' }, NOW);
    expect(await readSentEmails(test.database, other)).toEqual({ count: 1, lastAt: NOW.toJSDate() });
    expect(await readSentEmails(test.database, KEY)).toEqual({ count: 0, lastAt: null });
  });
});
