import { DateTime, type DurationLike } from 'luxon';
import { leaveInboxTurn, takeInboxTurn } from '../../../../../src/plugin/store/tables/sync/inbox-turns.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../../../support/database/databases.ts';
import { deleteRows } from '../../delete-rows.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });

describe('the turn to take events', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(MAIN);
  });
  beforeEach(() => deleteRows(test.database));
  afterAll(() => test.close());

  const take = (process: number, later: DurationLike = {}, account = 'own') =>
    takeInboxTurn(test.database, { account, process }, NOW.plus(later));
  const leave = (process: number) => leaveInboxTurn(test.database, { account: 'own', process });

  it('is one process’s until it leaves it', async () => {
    expect(await take(1)).toBe(true);
    expect(await take(2)).toBe(false);
    await leave(2);
    expect(await take(2)).toBe(false);
    expect(await take(2, {}, 'acct_other')).toBe(true);
    await leave(1);
    expect(await take(2)).toBe(true);
    expect(await take(1)).toBe(false);
  });

  it('stays with who renews it', async () => {
    await take(1);
    expect(await take(1, { seconds: 4 })).toBe(true);
    expect(await take(2, { seconds: 8 })).toBe(false);
  });

  it('passes on from a process that hangs, which finds that out', async () => {
    await take(1);
    expect(await take(2, { seconds: 6 })).toBe(true);
    expect(await take(1, { seconds: 7 })).toBe(false);
    await leave(1);
    expect(await take(1, { seconds: 8 })).toBe(false);
  });

  it('passes on from a process whose clock was ahead', async () => {
    await take(1, { minutes: 4 });
    expect(await take(2)).toBe(true);
  });

  it('goes to one of many that ask at once', async () => {
    const taken = await Promise.all(Array.from({ length: 8 }, (_, index) => take(index)));
    expect(taken.filter((isTaken) => isTaken)).toHaveLength(1);
  });
});
