import { DateTime, type DurationLike } from 'luxon';
import {
  buryEvent,
  findWaitingEvent,
  finishEvents,
  listEventsApart,
  listInbox,
  lockInbox,
  type NewEvent,
  recordEvents,
  setApart,
} from '../../../../../src/plugin/store/tables/sync/events.ts';
import { leaveInboxTurn, takeInboxTurn } from '../../../../../src/plugin/store/tables/sync/inbox-turns.ts';
import { countVisited } from '../../../../support/database/count-visited.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../../support/database/databases.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });

function event(id: string, changes: Partial<NewEvent> = {}): NewEvent {
  return {
    account: 'own',
    id,
    type: 'invoice.paid',
    createdAt: NOW,
    receivedAt: NOW,
    payload: '{}',
    ...changes,
  };
}

describe.each(ENGINES)('events on $engine', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(engine);
  });
  beforeEach(() => test.clear());
  afterAll(() => test.close());

  it('the store records a repeated event once and returns only the new ones', async () => {
    expect(await recordEvents(test.database, [event('evt_1')])).toEqual([{ account: 'own', id: 'evt_1' }]);
    const again = [event('evt_1', { payload: '{"changed":true}' }), event('evt_2')];
    expect(await recordEvents(test.database, again)).toEqual([{ account: 'own', id: 'evt_2' }]);
    expect(await findWaitingEvent(test.database, { account: 'own', id: 'evt_1' })).toMatchObject({
      payload: '{}',
    });
  });

  it('the store records an event once that comes twice inside one statement', async () => {
    const recorded = await recordEvents(test.database, [event('evt_1'), event('evt_1'), event('evt_2')]);
    expect(recorded.map(({ id }) => id).sort()).toEqual(['evt_1', 'evt_2']);
    expect(await recordEvents(test.database, [event('evt_1')])).toEqual([]);
  });

  it('the store keeps the same event id of two accounts apart', async () => {
    expect(
      await recordEvents(test.database, [event('evt_1'), event('evt_1', { account: 'acct_2' })]),
    ).toHaveLength(2);
  });

  if (engine.engine === 'postgres')
    it('the store passes over events in the inbox that another worker holds', async () => {
      await recordEvents(test.database, [event('evt_1'), event('evt_2')]);
      await test.database.transaction(async (tx) => {
        await lockInbox(tx, 'own', ['evt_1']);
        const free = await test.database.transaction((other) => lockInbox(other, 'own', ['evt_1', 'evt_2']));
        expect([...free]).toEqual(['evt_2']);
      });
    });

  it('the store finishes events without a look at the account’s others', async () => {
    const ids = Array.from({ length: 300 }, (_, place) => `evt_${place}`);
    await recordEvents(
      test.database,
      ids.map((id) => event(id)),
    );
    const results = [{ code: 'stale' }] as const;
    const visited = await countVisited(test.database, (db) =>
      finishEvents(db, 'own', [{ id: 'evt_7', results }], NOW),
    );
    expect(visited).toBeLessThanOrEqual(2);
  });

  it('the store keeps the payload of an event byte for byte, with an escaped NUL, quotes and characters beyond the basic plane', async () => {
    const payload = String.raw`{"a":"\u0000","b":"\ud83d\ude00 \"'\\", "c" : 1.0} 😀 ünï`;
    await recordEvents(test.database, [event('evt_1', { payload })]);
    expect((await findWaitingEvent(test.database, { account: 'own', id: 'evt_1' }))?.payload).toBe(payload);
  });

  it('the store records events from many callers at once without losing or doubling one', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `evt_${index}`);
    const batches = Array.from({ length: 8 }, (_, turn) =>
      ids.slice(turn * 5, turn * 5 + 15).map((id) => event(id)),
    );
    const recorded = await Promise.all(batches.map((batch) => recordEvents(test.database, batch)));
    expect(
      recorded
        .flat()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...ids].sort());
  });

  it('the inbox lists the events that wait, oldest first, and leaves out what is finished, buried or set apart', async () => {
    const at = (minutes: number) => ({ receivedAt: NOW.plus({ minutes }) });
    const ids = ['evt_3', 'evt_1', 'evt_2', 'evt_4'];
    await recordEvents(
      test.database,
      ids.map((id, minutes) => event(id, at(minutes))),
    );
    await recordEvents(test.database, [event('evt_else', { account: 'acct_2' })]);
    const list = async () => (await listInbox(test.database, 'own', 10)).map(({ id }) => id);
    expect(await list()).toEqual(ids);
    await finishEvents(test.database, 'own', [{ id: 'evt_1', results: [{ code: 'mirrored' }] }], NOW);
    await buryEvent(test.database, { account: 'own', id: 'evt_2' }, 'Error: no', NOW);
    expect(await setApart(test.database, 'own', ['evt_4'])).toEqual([
      { account: 'own', id: 'evt_4', replays: 0 },
    ]);
    expect(await list()).toEqual(['evt_3']);
    expect((await listEventsApart(test.database, NOW.plus({ hours: 1 }), 10)).map(({ id }) => id)).toEqual([
      'evt_4',
    ]);
    expect([...(await lockInbox(test.database, 'own', ids))]).toEqual(['evt_3']);
  });

  it('events that are processed together are counted together', async () => {
    const { database } = test;
    const ids = Array.from({ length: 50 }, (_, index) => `evt_${index}`);
    await recordEvents(
      database,
      ids.map((id) => event(id)),
    );
    await database.exec('delete from payment_retry.counter_changes');
    const changes = async () => [
      await database.query(
        `select labels->>'state' as state, total from payment_retry.counter_changes where name = 'rows' order by state`,
      ),
      await database.query(
        `select labels->>'result' as result, total from payment_retry.counter_changes where name <> 'rows'`,
      ),
    ];
    await finishEvents(
      database,
      'own',
      ids.map((id) => ({ id, results: [{ code: 'mirrored' }] })),
      NOW,
    );
    const together = [
      [
        { state: 'processed', total: 50 },
        { state: 'waiting', total: -50 },
      ],
      [{ result: 'processed', total: 50 }],
    ];
    expect(await changes()).toEqual(together);
    // What changes nothing that is counted adds nothing.
    await database.query(`update payment_retry.events set payload = null`);
    expect(await changes()).toEqual(together);
  });

  it('the store reports for how many whole days an event has waited', async () => {
    await recordEvents(test.database, [
      event('evt_new', { receivedAt: NOW.minus({ hours: 23 }) }),
      event('evt_old', { receivedAt: NOW.minus({ days: 40, hours: 1 }) }),
    ]);
    await setApart(test.database, 'own', ['evt_new', 'evt_old']);
    const waiting = await listEventsApart(test.database, NOW, 10);
    expect(waiting.map(({ id, daysWaiting }) => [id, daysWaiting])).toEqual([
      ['evt_old', 40],
      ['evt_new', 0],
    ]);
  });

  describe('the turn to take events', () => {
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
});
