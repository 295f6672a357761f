import { runMigrate } from '../../src/cli/migrate-command.ts';
import { openDatabase } from '../../src/core/database/open-database.ts';
import { MAIN, type TestLocation, variablesOf } from '../support/database/databases.ts';

let place: TestLocation;
beforeAll(async () => {
  place = await MAIN.create();
  Object.assign(process.env, variablesOf(place.location));
});
afterAll(() => place.remove());

async function run(options: object): Promise<string[]> {
  const said: string[] = [];
  expect(await runMigrate(options, (text) => said.push(text))).toBe(0);
  return said.join('').trimEnd().split('\n');
}

test('the migrations that a dry run names are those that the next run applies, with how long each took', async () => {
  const named = (await run({ dryRun: true })).map((line) => /^would apply (\S+\.sql)$/.exec(line)?.[1]);
  expect(named).not.toHaveLength(0);

  const database = await openDatabase(place.location);
  const schemas = await database.query(`select 1 as one from pg_namespace where nspname = 'payment_retry'`);
  await database.close();
  expect(schemas).toEqual([]);

  const applied = (await run({})).flatMap((line) => /^applied (\S+) in \d+\.\d s$/.exec(line)?.[1] ?? []);
  expect(applied).toEqual(named);
  expect(await run({ dryRun: true })).toEqual(['nothing to do']);
  expect(await run({})).toEqual(['nothing to do']);
});
