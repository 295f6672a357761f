/** Locks in PostgreSQL that another session does not give back, while webhooks arrive. */
import { onPostgres } from '../support/database/databases.ts';
import { createWorld, type World } from '../support/world.ts';
import { askReady, type BlockedSite, blockRow, blockTable, sendEvent } from './blocked-writes.ts';

onPostgres('locks of other sessions on postgres', (engine) => {
  let world: World;
  let site: BlockedSite;
  beforeAll(async () => {
    world = await createWorld({ engine });
    const { database } = world.plugin.config;
    site = {
      databaseUrl: database.kind === 'postgres' ? database.url : '',
      url: world.url,
      webhookSecret: world.sandbox.webhookSecret,
      now: world.clock.now,
    };
  });
  afterAll(() => world.stop());

  const statusOf = async (id: string) => (await sendEvent(site, id)).status;

  test('a reader with a change of the table behind it gets webhooks refused and the process unready while it lasts, and no longer', async () => {
    expect([await statusOf('evt_before'), await askReady(site)]).toEqual([200, 200]);
    const { release } = await blockTable(site.databaseUrl, 'payment_retry.events');
    const answers = Promise.all([statusOf('evt_meanwhile'), askReady(site)]);
    expect(await answers.finally(release)).toEqual([503, 503]);
    expect([await statusOf('evt_meanwhile'), await askReady(site)]).toEqual([200, 200]);
  });

  test('an event that another session holds is refused alone, whichever came with it', async () => {
    const { release } = await blockRow(site.databaseUrl, 'evt_held');
    const ids = ['evt_held', ...Array.from({ length: 100 }, (_, number) => `evt_beside_${number}`)];
    const answers = Promise.all(ids.map(statusOf));
    expect(await answers.finally(release)).toEqual(ids.map((id) => (id === 'evt_held' ? 503 : 200)));
    expect(await statusOf('evt_held')).toBe(200);
  });
});
