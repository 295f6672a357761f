import { DateTime } from 'luxon';
import { OWN_ACCOUNT } from '../../../../src/plugin/settings/account.ts';
import {
  findAccountObjection,
  holdsRevocation,
  isRevoked,
  listActiveAccounts,
  noteAccess,
  rememberAccount,
} from '../../../../src/plugin/store/tables/stored-accounts.ts';
import {
  finishEvents,
  listInbox,
  recordEvents,
  reopenRevoked,
} from '../../../../src/plugin/store/tables/sync/events.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';

const T0 = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const ACCOUNT = 'acct_1';

describe.each(ENGINES)('connected accounts on $engine', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(engine);
  });
  beforeEach(() => test.clear());
  afterAll(() => test.close());

  const note = (kind: 'authorized' | 'deauthorized', seconds: number) =>
    noteAccess(test.database, ACCOUNT, { kind, at: T0.plus({ seconds }) });

  it('connected accounts are remembered once', async () => {
    expect(await rememberAccount(test.database, ACCOUNT, T0)).toBe(true);
    expect(await rememberAccount(test.database, ACCOUNT, T0)).toBe(false);
    expect(await listActiveAccounts(test.database)).toEqual([OWN_ACCOUNT, ACCOUNT]);
  });

  it.each([
    ['revoked', [['deauthorized', 1]], true],
    [
      'given again',
      [
        ['deauthorized', 1],
        ['authorized', 2],
      ],
      false,
    ],
    [
      'given again, told in the other order',
      [
        ['authorized', 2],
        ['deauthorized', 1],
      ],
      false,
    ],
    [
      'revoked again, the old news told last',
      [
        ['deauthorized', 3],
        ['authorized', 2],
        ['deauthorized', 1],
      ],
      true,
    ],
    [
      'both in one second',
      [
        ['deauthorized', 1],
        ['authorized', 1],
      ],
      true,
    ],
  ] as const)(
    'connected accounts have revoked access only if that came last: %s',
    async (_what, changes, expected) => {
      for (const [kind, seconds] of changes) await note(kind, seconds);
      expect(await isRevoked(test.database, ACCOUNT)).toBe(expected);
      expect(await test.database.transaction((tx) => holdsRevocation(tx, ACCOUNT))).toBe(expected);
      expect(await listActiveAccounts(test.database)).toEqual(
        expected ? [OWN_ACCOUNT] : [OWN_ACCOUNT, ACCOUNT],
      );
    },
  );

  it('connected accounts that revoked access or are not configured are objected to', async () => {
    await note('deauthorized', 1);
    const access = {
      account: ACCOUNT,
      service: { baseUrl: undefined, apiKey: 'key' },
      callback: { tokens: [], basic: undefined },
      businessEntity: undefined,
    };
    const objection = (isServed: boolean) =>
      findAccountObjection(test.database, { find: () => (isServed ? access : undefined) }, ACCOUNT);
    expect(await objection(true)).toEqual({ code: 'access_revoked', account: ACCOUNT });
    expect(await objection(false)).toEqual({ code: 'account_not_configured', account: ACCOUNT });
    await note('authorized', 2);
    expect(await objection(true)).toBeUndefined();
  });

  it('connected accounts get back the events that were left alone since they connected again, and no others', async () => {
    const events = ['evt_before', 'evt_after', 'evt_else'].map((id, index) => ({
      account: ACCOUNT,
      id,
      type: 'invoice.paid',
      createdAt: T0.plus({ seconds: index }),
      receivedAt: T0,
      payload: '{}',
    }));
    await recordEvents(test.database, events);
    const revoked = { code: 'access_revoked', account: ACCOUNT } as const;
    for (const { id } of events) {
      const result = id === 'evt_else' ? ({ code: 'mirrored' } as const) : revoked;
      await finishEvents(test.database, ACCOUNT, [{ id, results: [result] }], T0);
    }
    const since = T0.plus({ seconds: 1 });
    await reopenRevoked(test.database, ACCOUNT, since);
    expect((await listInbox(test.database, ACCOUNT, 10)).map(({ id }) => id)).toEqual(['evt_after']);
  });
});
