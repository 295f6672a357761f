/** Pages and totals filtered by currency, card country and execution: true whatever was changed, and few rows read. */
import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { Database } from '../../../../src/core/database/database.ts';
import { openDatabase } from '../../../../src/core/database/open-database.ts';
import {
  type ActionFilters,
  countRecoveryActions,
  type Direction,
  listRecoveryActions,
  ORDERINGS,
  type Ordering,
  type PagePosition,
} from '../../../../src/service/store/pages/recovery-action-pages.ts';
import { countVisited } from '../../../support/database/count-visited.ts';
import { ENGINES, type TestLocation } from '../../../support/database/databases.ts';
import '../../../support/runner/property-seed.ts';
import { runs } from '../../../support/runner/full-run.ts';

const START = DateTime.fromISO('2026-03-02T00:00:00Z', { zone: 'utc' });
const at = (hours: number) => START.plus({ hours }).toISO() ?? '';
const DIRECTIONS = ['asc', 'desc'] as const;
const CURRENCIES = ['USD', 'EUR', 'JPY'];
/** An empty country is one, and is not the same as none. */
const COUNTRIES = ['US', 'DE', ''];
const MONTH = 31 * 24;

/** Often where days and weeks begin. */
const time = fc
  .oneof(fc.constantFrom(0, 24, 48, 7 * 24, 14 * 24), fc.integer({ min: 0, max: MONTH }))
  .map(at);
const currency = fc.constantFrom(...CURRENCIES);
const country = fc.option(fc.constantFrom(...COUNTRIES), { nil: null });
const executed = fc.option(time, { nil: null });
const action = fc.record({ currency, country, created: time, ideal: time, executed });

const INSERT = `insert into retry_service.recovery_actions (id, organization, request_id, invoice_id, customer_id, decided_for,
     currency, card_country, created_at, ideal_retry_at, executed_at, suggestion, reason, status, updated_at)
   select gen_random_uuid(), 'default', gen_random_uuid(), 'in_1', 'cus_1', 'ch_1', a.currency, a.country, a.created, a.ideal,
     a.executed, 'x', 'x', 'FAILED', a.created
   from json_to_recordset($1::json) as a(currency text, country text, created timestamptz, ideal timestamptz,
     executed timestamptz)`;
/** Of four numbers each action has one. */
const CHOSEN = 'where position % 4 = $1';
const chosen = fc.nat({ max: 3 });
const insert = (minLength: number) =>
  fc.array(action, { minLength, maxLength: 10 }).map((rows) => [INSERT, [JSON.stringify(rows)]] as const);
const set = (column: string, value: fc.Arbitrary<string | null>) =>
  fc
    .tuple(chosen, value)
    .map((values) => [`update retry_service.recovery_actions set ${column} = $2 ${CHOSEN}`, values] as const);
const change = fc.oneof(
  insert(1),
  set('executed_at', executed),
  set('currency', currency),
  set('card_country', country),
  set('status', fc.constant('CANCELED')),
  chosen.map((number) => [`delete from retry_service.recovery_actions ${CHOSEN}`, [number]] as const),
);

const bound = fc.option(time, { nil: undefined });
const bounds = fc.record({ executedAfter: bound, executedBefore: bound });

/** With each currency and country, and without. */
function combine(given: ActionFilters): ActionFilters[] {
  return [undefined, ...CURRENCIES, 'BHD'].flatMap((currency) =>
    [undefined, ...COUNTRIES].map((cardCountry) => ({ ...given, currency, cardCountry })),
  );
}

/** What a plain reading of the table gives. */
async function readPlainly(database: Database, { orderBy, direction, filters }: Asked): Promise<number[]> {
  const column = orderBy === 'ideal_retry_time' ? 'ideal_retry_at' : orderBy;
  const { currency, cardCountry, executedAfter, executedBefore } = filters;
  const rows = await database.query<{ position: number }>(
    `select position from retry_service.recovery_actions
     where ($1::text is null or currency = $1) and ($2::text is null or card_country = $2)
       and ($3::timestamptz is null or executed_at >= $3) and ($4::timestamptz is null or executed_at < $4)
     order by ${column} ${direction} nulls last, position ${direction}`,
    [currency, cardCountry, executedAfter, executedBefore].map((value) => value ?? null),
  );
  return rows.map(({ position }) => position);
}

interface Asked {
  orderBy: Ordering;
  direction: Direction;
  filters: ActionFilters;
}

async function readByPages(database: Database, asked: Asked): Promise<number[]> {
  const read: number[] = [];
  let after: PagePosition | undefined;
  do {
    const page = await listRecoveryActions(database, 'default', { ...asked, after, limit: 4 });
    read.push(...page.map(({ position }) => position));
    after = page[3];
  } while (after);
  return read;
}

describe.each(ENGINES)('on the $engine database', ({ createMigrated }) => {
  let place: TestLocation;
  let database: Database;
  beforeAll(async () => {
    place = await createMigrated();
    database = await openDatabase(place.location);
  });
  beforeEach(() => database.exec('truncate retry_service.recovery_actions restart identity'));
  afterAll(async () => {
    await database.close();
    await place.remove();
  });

  test('totals and pages by market stay true while actions are added, executed, changed and removed', async () => {
    const every = fc.asyncProperty(
      insert(6),
      fc.array(change, { minLength: 3, maxLength: 8 }),
      bounds,
      fc.constantFrom(...ORDERINGS),
      fc.constantFrom(...DIRECTIONS),
      async (added, changes, given, orderBy, direction) => {
        await database.exec('truncate retry_service.recovery_actions');
        for (const [statement, values] of [added, ...changes]) await database.query(statement, values);
        for (const filters of [...combine({}), ...combine(given)]) {
          const expected = await readPlainly(database, { orderBy, direction, filters });
          expect([filters, await countRecoveryActions(database, 'default', filters)]).toEqual([
            filters,
            expected.length,
          ]);
          expect(await readByPages(database, { orderBy, direction, filters })).toEqual(expected);
        }
      },
    );
    await fc.assert(every, { numRuns: runs(12) });
  });

  test('the last hour that a filter can name has no actions', async () => {
    for (const filters of combine({ executedAfter: '9999-12-31T23:30:00.000Z' }))
      expect(await countRecoveryActions(database, 'default', filters)).toBe(0);
  });

  test('one organization sees none of the actions of another', async () => {
    const [created, ideal, executed] = [at(0), at(0), at(1)];
    await database.query(INSERT, [
      JSON.stringify([{ currency: 'USD', country: 'US', created, ideal, executed }]),
    ]);
    for (const filters of combine({ executedAfter: at(0) })) {
      expect(await countRecoveryActions(database, 'other', filters)).toBe(0);
      const page = { orderBy: 'created_at', direction: 'asc', filters, after: undefined, limit: 2 } as const;
      expect(await listRecoveryActions(database, 'other', page)).toEqual([]);
    }
  });

  describe('of many actions few are read', () => {
    const COUNT = 12_000;
    const HOURS = 60 * 24;
    // A page has 10. Common: USD and US. Rare: BHD, and USD with DE. JPY came with the last twentieth. Half are executed.
    const FILL = `insert into retry_service.recovery_actions (id, organization, request_id, invoice_id, customer_id, decided_for,
         currency, card_country, created_at, ideal_retry_at, executed_at, suggestion, reason, status, updated_at)
       select gen_random_uuid(), 'default', gen_random_uuid(), 'in_' || n, 'cus_' || n, 'ch_' || n,
         case when n % 6000 = 7 then 'BHD' when n * 20 > $1 * 19 then 'JPY' when n % 2 = 0 then 'USD' else 'EUR' end,
         case when n % 2 = 0 and n % 1000 > 0 then 'US' else 'DE' end,
         made, made + interval '1 day', case when n * 2 < $1 then made + interval '2 days' end, 'x', 'x', 'FAILED', made
       from (select n, $2::timestamptz + n * (interval '1 hour' * $3 / $1) as made
             from generate_series(1, $1::int) as n) as numbered`;
    // On PostgreSQL as its autovacuum leaves it; the embedded database has none, and plans without statistics.
    beforeEach(async () => {
      await database.query(FILL, [COUNT, at(0), HOURS]);
      if (database.kind === 'postgres')
        await database.exec('vacuum (analyze) retry_service.recovery_actions');
      if (database.kind === 'postgres')
        await database.exec('vacuum (analyze) retry_service.action_market_counts');
    });

    const early = { executedBefore: at(HOURS / 4 + 5) };
    const late = { executedAfter: at(HOURS / 4 + 5) };
    const FILTERS: ActionFilters[] = [
      { currency: 'USD' },
      { currency: 'BHD' },
      { currency: 'JPY' },
      { currency: 'XXX' },
      { cardCountry: 'US' },
      { cardCountry: 'XX' },
      { currency: 'USD', cardCountry: 'DE' },
      { currency: 'USD', ...early },
      { currency: 'USD', ...late },
      { cardCountry: 'US', ...early },
      early,
      late,
    ];
    /** Room for the counts, and for the actions of the week or the day that a bound cuts. */
    const BOUND = COUNT / 5;

    test('few of many actions are read for a page in any order, and for the total', async () => {
      const read: Record<string, number> = {};
      for (const filters of FILTERS) {
        const name = JSON.stringify(filters);
        read[name] = await countVisited(database, (db) => countRecoveryActions(db, 'default', filters));
        for (const orderBy of ORDERINGS)
          for (const direction of DIRECTIONS) {
            const page = { orderBy, direction, filters, after: undefined, limit: 10 };
            read[`${name} ${orderBy} ${direction}`] = await countVisited(database, (db) =>
              listRecoveryActions(db, 'default', page),
            );
          }
      }
      expect(Object.entries(read).filter(([, rows]) => rows > BOUND)).toEqual([]);
    });
  });
});
