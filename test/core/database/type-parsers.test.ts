/** What `pg.types` and `pg.defaults` are set to by an application in the same process is for its own connections. */
import { DateTime } from 'luxon';
import pg from 'pg';
import type { Database } from '../../../src/core/database/database.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import { onPostgres, type TestLocation } from '../../support/database/databases.ts';

const MOST_BUILT_IN = 10_000;
const at = DateTime.fromISO('2026-03-02T10:00:00.123Z', { zone: 'utc' });

/** A value of each kind that our tables and the queue's have, and lists of them. */
const VALUES: readonly [sql: string, value: unknown][] = [
  [`true`, true],
  [`array[true, false, null]`, [true, false, null]],
  [`7::int2`, 7],
  [`7::int4`, 7],
  [`9007199254740991::int8`, Number.MAX_SAFE_INTEGER],
  [`array[1, null, 3]::int8[]`, [1, null, 3]],
  [
    `array[array[1, 2], array[3, 4]]`,
    [
      [1, 2],
      [3, 4],
    ],
  ],
  [`'{}'::int[]`, []],
  [`'[2:3]={8,9}'::int[]`, [8, 9]],
  [`0.1::float8`, 0.1],
  [`array[0.5, 1e300]::float8[]`, [0.5, 1e300]],
  [`1.10::numeric`, '1.10'],
  [`'2026-03-02T12:00:00.123+02'::timestamptz`, at],
  [`'2026-03-02T10:00:00.123'::timestamp`, at],
  [`'2026-03-02'::date`, at.startOf('day')],
  [`array['2026-03-02T10:00:00.123Z']::timestamptz[]`, [at.toJSDate()]],
  [`'infinity'::timestamptz`, 'infinity'],
  [`'{"a": [1, "b"]}'::jsonb`, { a: [1, 'b'] }],
  [`'null'::json`, null],
  [`array['{"a": 1}', 'null']::jsonb[]`, [{ a: 1 }, null]],
  [`'\\x00ff'::bytea`, Buffer.from([0, 255])],
  [
    `array['a "b" \\c', 'NULL', null, '', 'd,{e}', e'f\\ng', 'ä']`,
    ['a "b" \\c', 'NULL', null, '', 'd,{e}', 'f\ng', 'ä'],
  ],
  [`array['0b9c5f6e-0000-4000-8000-000000000001']::uuid[]`, ['0b9c5f6e-0000-4000-8000-000000000001']],
  [`interval '1 day 02:00'`, '1 day 02:00:00'],
  [`'pg_class'::name`, 'pg_class'],
];

onPostgres('beside an application with parsers and defaults of its own', ({ create }) => {
  let place: TestLocation;
  let database: Database;
  // Other suites of this process use them as well.
  const before = { ...pg.defaults };
  const restoreParsers: (() => void)[] = [];
  beforeAll(async () => {
    place = await create();
    for (let type = 1; type < MOST_BUILT_IN; type += 1)
      for (const format of ['text', 'binary'] as const) {
        const parser = pg.types.getTypeParser(type, format);
        restoreParsers.push(() => pg.types.setTypeParser(type, format, parser));
        pg.types.setTypeParser(type, format, () => "the application's");
      }
    const foreign = {
      binary: true,
      ssl: true,
      port: 1,
      host: 'nowhere.invalid',
      user: 'nobody',
      database: 'none',
    };
    Object.assign(pg.defaults, foreign, {
      parseInputDatesAsUTC: true,
      query_timeout: 1,
      statement_timeout: 1,
    });
    database = await openDatabase(place.location);
  });
  afterAll(async () => {
    for (const restore of restoreParsers) restore();
    Object.assign(pg.defaults, before);
    await database.close();
    await place.remove();
  });

  test.each(VALUES)('%s is read as ever', async (sql, value) => {
    expect(await database.query(`select ${sql} as value`)).toEqual([{ value }]);
  });

  test('the queue reads as ever', async () => {
    const { rows } = await database.queue.executeSql(
      `select now() as at, 1::bigint as "manyOnes", '{"a": 1}'::jsonb as data, array['a'] as names`,
      [],
    );
    expect(rows).toEqual([{ at: expect.any(Date), manyOnes: 1, data: { a: 1 }, names: ['a'] }]);
  });
});
