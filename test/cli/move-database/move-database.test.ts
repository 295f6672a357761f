/** From the embedded database to PostgreSQL with work planned in it, by a real process before and after. */
import { runMoveDatabase } from '../../../src/cli/move-commands.ts';
import { moveDatabase } from '../../../src/cli/move-database/move-database.ts';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { openDatabase } from '../../../src/core/database/open-database.ts';
import { openPostgres } from '../../../src/core/database/postgres-database.ts';
import { type CrashSite, createCrashSite } from '../../scenarios/crash-site.ts';
import { EMBEDDED, onPostgres, type TestLocation } from '../../support/database/databases.ts';

onPostgres('the embedded database moves to postgres', ({ create }) => {
  let site: CrashSite;
  let source: TestLocation;
  let target: TestLocation;
  let directory: string;
  let url: string;
  beforeAll(async () => {
    source = await EMBEDDED.createMigrated();
    target = await create();
    site = await createCrashSite({ ...EMBEDDED, createMigrated: async () => source });
    directory = source.location.kind === 'embedded' ? source.location.directory : '';
    url = target.location.kind === 'postgres' ? target.location.url : '';
  });
  afterAll(async () => {
    await site?.stop();
    await target?.remove();
  });

  const tables: [string, number][] = [];
  const move = (until?: string) =>
    moveDatabase({
      directory,
      url,
      clock: createSimulatedClock(site.now()),
      onTable: (...table) => {
        if (table[0] === until) throw new Error('cut off');
        tables.push(table);
      },
    });

  it('what was planned before the move is carried out after it, once', async () => {
    const { invoiceId } = await site.renewal();
    await site.settle();
    await site.pass({ hours: 25 }, { hours: 25 });
    expect(await site.instruct(invoiceId, 'ACTION_SUGGESTION_RETRY')).toBe(200);
    await expect(move()).rejects.toMatchObject({ code: 'DATA_DIR_LOCKED' });
    await site.plugin.stop();

    await expect(move('payment_retry.instructions')).rejects.toThrow('cut off');
    const half = await openPostgres(url, silentLogger);
    await half.query(
      'delete from payment_retry.events where ctid in (select ctid from payment_retry.events limit 1)',
    );
    await half.close();
    // Half of it is there, and whoever starts on it is told so.
    await expect(openDatabase({ kind: 'postgres', url })).rejects.toThrow('The move from');
    tables.length = 0;
    await move();
    const moved = new Map(tables);
    expect(moved.get('payment_retry.events')).toBeGreaterThan(3);
    expect(moved.get('payment_retry_jobs.job')).toBeGreaterThan(0);
    expect(moved.get('payment_retry.instructions')).toBe(1);

    await expect(openDatabase({ kind: 'embedded', directory })).rejects.toThrow(
      /was moved to PostgreSQL, .*\/\w+\./,
    );
    await expect(move()).rejects.toThrow('has rows of the plugin already');
    await site.start({ DATABASE_URL: url });
    await site.settle();
    expect(site.sandbox.state.invoices.get(invoiceId)?.status).toBe('paid');
    const calls = site.sandbox.state.apiCalls.filter(({ path }) => path === `/v1/invoices/${invoiceId}/pay`);
    expect(calls).toHaveLength(1);
    // Ids go on where they were, and the triggers work again.
    await site.renewal();
    await site.settle();
    const [after] = await site.plugin.query(
      `select (select count(*)::int from payment_retry.subscriptions) as rows,
         (select count(*)::int from pg_trigger where tgenabled = 'D') as silent`,
    );
    expect(after).toEqual({ rows: 2, silent: 0 });
  });

  it('the command says which settings it needs', async () => {
    await expect(runMoveDatabase({ write: () => {} })).rejects.toThrow(/DATABASE_URL is required/);
  });
});
