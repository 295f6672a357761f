import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { Database } from '../../../src/core/database/database.ts';
import { migrate } from '../../../src/core/database/migrate.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import {
  type ActionFilters,
  countRecoveryActions,
  listRecoveryActions,
  ORDERINGS,
  type PagePosition,
} from '../../../src/service/store/recovery-action-pages.ts';
import { ENGINES, type TestLocation } from '../../support/database/databases.ts';
import '../../support/runner/property-seed.ts';
import { runs } from '../../support/runner/full-run.ts';

const SCHEMA = 'retry_service';
const MIGRATIONS = new URL('../../../src/service/migrations/', import.meta.url);
const START = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const at = (minutes: number) => START.plus({ minutes }).toISO() ?? '';

interface Row {
  minutes: number | undefined;
  currency: string;
}

async function insert(database: Database, rows: readonly Row[]): Promise<void> {
  for (const { minutes, currency } of rows)
    await database.query(
      `insert into retry_service.recovery_actions (id, organization, request_id, invoice_id, customer_id, decided_for,
         currency, suggestion, ideal_retry_at, reason, status, created_at, updated_at, executed_at)
       values (gen_random_uuid(), 'default', gen_random_uuid(), 'in_1', 'cus_1', 'ch_1', $1, 'x', $2, 'x', 'FAILED', $2,
         $2, $3)`,
      [currency, at(0), minutes === undefined ? null : at(minutes)],
    );
}

function countByHand(
  rows: readonly Row[],
  { executedAfter, executedBefore, currency }: ActionFilters,
): number {
  return rows.filter((row) => {
    const executed = row.minutes === undefined ? undefined : at(row.minutes);
    if (currency !== undefined && row.currency !== currency) return false;
    if (executedAfter !== undefined && !(executed !== undefined && executed >= executedAfter)) return false;
    return executedBefore === undefined || (executed !== undefined && executed < executedBefore);
  }).length;
}

/** Within some hours, often on the hour: where bounds and buckets meet. */
const minutes = fc.oneof(fc.constantFrom(0, 59, 60, 61, 120, 180), fc.integer({ min: 0, max: 300 }));
const rows = fc.array(
  fc.record({ minutes: fc.option(minutes, { nil: undefined }), currency: fc.constantFrom('USD', 'EUR') }),
  { maxLength: 8 },
);
const bound = fc.option(minutes.map(at), { nil: undefined });
const filters = fc.record({
  executedAfter: bound,
  executedBefore: bound,
  currency: fc.option(fc.constantFrom('USD', 'EUR'), { nil: undefined }),
});

describe.each(ENGINES)('on the $engine database', ({ create }) => {
  let place: TestLocation;
  let database: Database;
  beforeAll(async () => {
    place = await create();
    database = await openDatabase(place.location);
    await migrate(database, { schema: SCHEMA, folder: MIGRATIONS });
  });
  beforeEach(() => database.exec('truncate retry_service.recovery_actions'));
  afterAll(async () => {
    await database.close();
    await place.remove();
  });
  const total = (asked: ActionFilters = {}) => countRecoveryActions(database, 'default', asked);

  test('the total of actions is what counting gives, whatever the bounds, and pages bring each once in order', async () => {
    const every = fc.asyncProperty(
      rows,
      fc.array(filters, { minLength: 4, maxLength: 8 }),
      async (written, asked) => {
        await database.exec('truncate retry_service.recovery_actions');
        await insert(database, written);
        for (const one of [{}, ...asked]) {
          const expected = countByHand(written, one);
          expect(await total(one)).toBe(expected);
          for (const orderBy of ORDERINGS)
            for (const direction of ['asc', 'desc'] as const) {
              const read = await readAll(database, { orderBy, direction, filters: one });
              expect(new Set(read.map(({ id }) => id)).size).toBe(expected);
              expect(read).toHaveLength(expected);
              if (orderBy === 'executed_at')
                expect(read.map(({ executedAt }) => executedAt)).toEqual(inOrder(read, direction));
            }
        }
      },
    );
    await fc.assert(every, { numRuns: runs(8) });
  });

  test('the total of actions is of one organization', async () => {
    await insert(database, [{ minutes: 1, currency: 'USD' }]);
    expect(await countRecoveryActions(database, 'other', {})).toBe(0);
    expect(await countRecoveryActions(database, 'other', { executedAfter: at(0) })).toBe(0);
  });
});

type Order = Pick<Parameters<typeof listRecoveryActions>[2], 'orderBy' | 'direction' | 'filters'>;

async function readAll(database: Database, order: Order) {
  const read: Awaited<ReturnType<typeof listRecoveryActions>> = [];
  let after: PagePosition | undefined;
  do {
    const page = await listRecoveryActions(database, 'default', { ...order, after, limit: 3 });
    read.push(...page);
    after = page[2];
  } while (after);
  return read;
}

/** Unexecuted ones last in either direction. */
function inOrder(read: readonly { executedAt: DateTime<true> | null }[], direction: 'asc' | 'desc') {
  const sign = direction === 'asc' ? 1 : -1;
  const rank = (time: DateTime<true> | null) =>
    time === null ? Number.POSITIVE_INFINITY : sign * time.toMillis();
  return read
    .map(({ executedAt }) => executedAt)
    .sort((left, right) => Math.sign(rank(left) - rank(right)) || 0);
}
