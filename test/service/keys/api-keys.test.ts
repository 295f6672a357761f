/** Keys that people make: over HTTP with the key, and by what the command line calls, on both databases. */
import { reportKeys } from '../../../src/plugin/app/commands/keys-command.ts';
import { hashApiKey } from '../../../src/service/keys/api-keys.ts';
import { listApiKeys } from '../../../src/service/store/api-keys-made.ts';
import { ENGINES } from '../../support/database/databases.ts';
import { inOneSecond } from '../../support/in-one-second.ts';
import { captureLog } from '../../support/log-lines.ts';
import { API_KEY, type Harness, startHarness } from '../service-harness.ts';

describe.each(ENGINES)('on $engine', (engine) => {
  const { logger, lines } = captureLog();
  let harness: Harness;
  beforeAll(async () => {
    const callback = { baseUrl: 'http://127.0.0.1:9', token: 'token' };
    harness = await startHarness(
      {
        logger,
        organizations: [
          { name: 'default', apiKeys: [API_KEY], callback },
          { name: 'acct_2', apiKeys: ['key_of_acct_2'], callback },
        ],
      },
      engine,
    );
  });
  beforeEach(async () => {
    await harness.database.exec(`delete from retry_service.api_keys where made_by = 'person'`);
    await harness.clear();
  });
  afterAll(() => harness?.stop());

  const keys = (args: string[], options: object = {}) => reportKeys(harness, args, options);
  const ask = async (secret: string) =>
    (await harness.get('/v1/recovery_actions', { authorization: `Bearer ${secret}` })).status;
  const make = async (options: object = {}): Promise<{ id: string; secret: string }> => {
    const { code, text } = await keys(['create'], { name: 'reporting', json: true, ...options });
    expect(code).toBe(0);
    return JSON.parse(text);
  };
  const rotate = async (id: string, options: object = {}) =>
    JSON.parse((await keys(['rotate', id], { json: true, ...options })).text);
  const stored = async (id: string) =>
    (await listApiKeys(harness.database)).find((key) => key.id === id) ?? fail(`no ${id}`);
  const fail = (message: string): never => {
    throw new Error(message);
  };

  test('an API key opens the service for its organization, and only its hash is stored', async () => {
    const { id, secret } = await make({ organization: 'acct_2' });
    expect(secret).toMatch(/^spr_[\w-]{43}$/);
    expect(await ask(secret)).toBe(200);
    const rows = await harness.database.query<{ organization: string; hash: string }>(
      'select * from retry_service.api_keys where id = $1',
      [id],
    );
    expect(rows).toMatchObject([{ organization: 'acct_2', hash: hashApiKey(secret) }]);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect((await keys(['list'])).text).toContain(`${id} of acct_2 "reporting": in use`);
    expect((await keys(['list'], { organization: 'default' })).text).not.toContain(id);
    expect((await keys(['list'])).text).not.toContain(secret);
    expect(lines.join('')).not.toContain(secret);
  });

  test('a revoked API key is worth nothing from the next request on', async () => {
    const { id, secret } = await make();
    expect(await ask(secret)).toBe(200);
    expect(await keys(['revoke', id])).toMatchObject({ code: 0 });
    expect(await ask(secret)).toBe(401);
    expect(await keys(['revoke', id])).toMatchObject({ code: 1, text: expect.stringContaining(id) });
    expect(await ask(API_KEY)).toBe(200);
  });

  test('a rotated API key is good for the grace time beside the new one', async () => {
    const old = await make({ limit: 7 });
    const fresh = await rotate(old.id, { grace: 2 });
    expect(fresh.secret).not.toBe(old.secret);
    expect([await ask(old.secret), await ask(fresh.secret)]).toEqual([200, 200]);
    await harness.clock.set(harness.clock.now().plus({ hours: 2, seconds: -1 }));
    expect(await ask(old.secret)).toBe(200);
    await harness.clock.set(harness.clock.now().plus({ seconds: 1 }));
    expect([await ask(old.secret), await ask(fresh.secret)]).toEqual([401, 200]);
    expect(await stored(fresh.id)).toMatchObject({ name: 'reporting', requestsPerSecond: 7 });
    expect(await stored(old.id)).toMatchObject({ replacedBy: fresh.id });
  });

  test('the grace time of a rotated API key is a day, and --now leaves none', async () => {
    const first = await make();
    const second = await rotate(first.id);
    const third = await rotate(second.id, { now: true });
    expect([await ask(first.secret), await ask(second.secret), await ask(third.secret)]).toEqual([
      200, 401, 200,
    ]);
    await harness.clock.set(harness.clock.now().plus({ hours: 24 }));
    expect(await ask(first.secret)).toBe(401);
  });

  test('an API key in its grace time can be cut, but not rotated again', async () => {
    const old = await make();
    await rotate(old.id);
    expect(await keys(['rotate', old.id])).toMatchObject({ code: 1 });
    expect(await listApiKeys(harness.database, 'default')).toHaveLength(3);
    expect(await keys(['revoke', old.id])).toMatchObject({ code: 0 });
    expect(await ask(old.secret)).toBe(401);
  });

  test('of two rotations of an API key at once one wins', async () => {
    const { id } = await make();
    const results = await Promise.all([keys(['rotate', id]), keys(['rotate', id])]);
    expect(results.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(await listApiKeys(harness.database, 'default')).toHaveLength(3);
  });

  test("the package's own API key is neither revoked nor rotated, and outlives a restart", async () => {
    const own = (await listApiKeys(harness.database, 'default'))[0] ?? fail('no key');
    expect(own.madeBy).toBe('package');
    for (const action of ['revoke', 'rotate'])
      expect(await keys([action, own.id])).toMatchObject({
        code: 1,
        text: expect.stringMatching(/made by the package.*RETRY_SERVICE_API_KEY/),
      });
    const { secret } = await make();
    await harness.restart();
    expect([await ask(API_KEY), await ask(secret)]).toEqual([200, 200]);
    expect((await listApiKeys(harness.database, 'default'))[0]?.id).toBe(own.id);
  });

  test('the last use of an API key is written once a minute', async () => {
    const { id, secret } = await make();
    expect((await stored(id)).lastUsedAt).toBeNull();
    const first = harness.clock.now();
    await ask(secret);
    await harness.clock.set(first.plus({ seconds: 59 }));
    await ask(secret);
    expect((await stored(id)).lastUsedAt).toEqual(first);
    await harness.clock.set(first.plus({ seconds: 60 }));
    await ask(secret);
    expect((await stored(id)).lastUsedAt).toEqual(first.plus({ seconds: 60 }));
  });

  test('each API key has its own limit, and it can be changed', async () => {
    const slow = await make({ limit: 2 });
    const other = await make();
    const burst = async (secret: string) =>
      inOneSecond(() => Promise.all(Array.from({ length: 12 }, () => ask(secret)))).then(
        (all) => all.filter((status) => status === 429).length,
      );
    expect(await burst(slow.secret)).toBe(10);
    expect(await burst(other.secret)).toBe(0);
    await keys(['change', slow.id], { limit: 500, name: 'faster' });
    expect(await stored(slow.id)).toMatchObject({ requestsPerSecond: 500, name: 'faster' });
  });

  test.each([
    [
      'an organization that is not there',
      ['create'],
      { name: 'x', organization: 'nobody' },
      /acct_2, default/,
    ],
    ['no name', ['create'], {}, /--name/],
    ['an unknown key', ['revoke', 'key_000000000000'], {}, /There is no API key/],
    ['an unknown step', ['remove'], {}, /list, create, rotate, revoke, change/],
    ['a change of nothing', ['change', 'key_000000000000'], {}, /--name TEXT or --limit/],
  ])('the command for API keys refuses %s in words', async (_name, args, options, words) => {
    expect(await keys(args, options)).toMatchObject({ code: 1, text: expect.stringMatching(words) });
  });
});
