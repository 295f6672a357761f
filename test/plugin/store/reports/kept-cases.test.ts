import { DateTime } from 'luxon';
import type { RecoveryCase } from '../../../../src/core/contract/recovery-cases.ts';
import {
  findLastRevision,
  findRecoveryCase,
  keepRecoveryCases,
} from '../../../../src/plugin/store/reports/kept-cases.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';

const WAITING: RecoveryCase = {
  invoiceId: 'in_1',
  revision: 5,
  state: 'open',
  reason: 'waiting_for_the_customer',
  reasons: ['The customer was asked.', 'A retry would be refused.'],
  reviewAt: '2026-03-09T10:00:00Z',
  isOnStaticSchedule: true,
  openedAt: '2026-03-01T10:00:00Z',
  updatedAt: '2026-03-02T10:00:00Z',
};
const CLOSED: RecoveryCase = {
  ...WAITING,
  revision: 6,
  state: 'closed',
  reason: 'invoice_paid',
  reasons: [],
  reviewAt: undefined,
  // The clock was moved back.
  updatedAt: '2026-03-02T08:00:00Z',
};

describe.each(ENGINES)('cases on $engine', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(engine);
  });
  beforeEach(() => test.clear());
  afterAll(() => test.close());

  const keep = (...cases: RecoveryCase[]) => keepRecoveryCases(test.database, 'own', cases);
  const find = (invoiceId = 'in_1') => findRecoveryCase(test.database, invoiceId);

  it('a kept case keeps all that was said', async () => {
    await keep(WAITING);
    expect(await find()).toEqual({
      state: 'open',
      reason: 'waiting_for_the_customer',
      reasons: ['The customer was asked.', 'A retry would be refused.'],
      reviewAt: DateTime.fromISO('2026-03-09T10:00:00Z', { zone: 'utc' }),
      isOnStaticSchedule: true,
      openedAt: DateTime.fromISO('2026-03-01T10:00:00Z', { zone: 'utc' }),
      updatedAt: DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' }),
    });
    expect(await find('in_2')).toBeUndefined();
  });

  it.each([
    ['in order', [WAITING, CLOSED]],
    ['out of order', [CLOSED, WAITING]],
    ['twice', [WAITING, CLOSED, WAITING, CLOSED]],
  ])('the last decision about a case stands, whether the decisions come %s', async (_name, cases) => {
    for (const one of cases) await keep(one);
    expect(await find()).toMatchObject({
      state: 'closed',
      reason: 'invoice_paid',
      reasons: [],
      reviewAt: null,
    });
    const rows = await test.database.query('select 1 as one from payment_retry.recovery_cases');
    expect(rows).toHaveLength(1);
  });

  it('the kept cases show for each account up to where it was read', async () => {
    await keep(WAITING, { ...CLOSED, invoiceId: 'in_2' });
    await keepRecoveryCases(test.database, 'acct_2', [{ ...WAITING, invoiceId: 'in_3' }]);
    const revisions = ['own', 'acct_2', 'acct_3'].map((account) => findLastRevision(test.database, account));
    expect(await Promise.all(revisions)).toEqual([6, 5, 0]);
  });
});
