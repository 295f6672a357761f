/** What a start says of a database that a newer version has changed. */
import { DateTime } from 'luxon';
import { openDatabase } from '../../../../src/core/database/open-database.ts';
import { registerProcess } from '../../../../src/core/database/processes.ts';
import { warnOfNewerMigrations } from '../../../../src/plugin/store/migrate-plugin.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { captureLog } from '../../../support/log-lines.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });

describe.each(ENGINES)('on $engine', (engine) => {
  let test: TestDatabase;
  const { logger, lines } = captureLog();
  beforeAll(async () => {
    test = await openTestDatabase(engine);
  });
  beforeEach(async () => {
    lines.length = 0;
    await test.clear();
  });
  afterEach(() => test.database.exec(`delete from payment_retry.migrations where name like '9999%'`));
  afterAll(() => test.close());

  const change = () =>
    test.database.exec(`insert into payment_retry.migrations (name) values ('9999_next.sql')`);
  const warn = () => warnOfNewerMigrations(test.database, logger);

  it('nothing is said of a database of this version', async () => {
    await warn();
    expect(lines).toEqual([]);
  });

  it('it is a downgrade where no process of the newer version is at work, whoever died there', async () => {
    await change();
    await registerProcess(test.database, NOW, '9.9.9');
    await warn();
    expect(lines).toEqual([expect.stringContaining('a downgrade: ')]);
    expect(lines[0]).toContain('9999_next.sql');
  });

  if (engine.engine === 'postgres')
    it('it is a rolling upgrade while one is, whose version is named', async () => {
      await change();
      const other = await openDatabase(test.location);
      const presence = await other.showPresence(await registerProcess(other, NOW, '9.9.9'));
      try {
        await warn();
        expect(lines).toEqual([expect.stringContaining('a rolling upgrade: ')]);
        expect(lines[0]).toContain('"others":["9.9.9"]');
      } finally {
        presence.end();
        await other.close();
      }
    });
});
