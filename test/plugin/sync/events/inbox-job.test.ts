import { toEventJob } from '../../../../src/plugin/sync/events/inbox-job.ts';

const KEY = { account: 'own', id: 'evt_1' };
const idOf = (waiting: { replays?: number; daysWaiting?: number } = {}) =>
  toEventJob({ ...KEY, ...waiting }).id;

describe('the job of an event', () => {
  it('the job of an event is the same however often it is made', () => {
    expect(idOf()).toBe(idOf());
    expect(idOf({ replays: 0, daysWaiting: 0 })).toBe(idOf());
  });

  it('the job of an event is another for another event, another account, each replay and each day of waiting', () => {
    const ids = [
      idOf(),
      toEventJob({ ...KEY, id: 'evt_2' }).id,
      toEventJob({ ...KEY, account: 'acct_1' }).id,
      idOf({ replays: 1 }),
      idOf({ replays: 2 }),
      idOf({ daysWaiting: 1 }),
      idOf({ daysWaiting: 2 }),
      idOf({ replays: 1, daysWaiting: 1 }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
