/** Two processes of `start`, each with the embedded service, on one machine and one PostgreSQL. */
import { onPostgres } from '../support/database/databases.ts';
import { createSharedSite } from './shared-site.ts';

onPostgres('two embedded services on postgres', (engine) => {
  it('both start without a setting, and at most one has the usual port', async () => {
    const site = await createSharedSite(engine, { settings: { RETRY_SERVICE_URL: 'embedded' } });
    try {
      await site.start(2);
      for (const { port, output } of site.processes) {
        expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
        expect(output()).toMatch(/"the retry service (has no port of its own here|is listening)"/);
      }
      const owners = site.processes.filter(({ output }) =>
        output().includes('the retry service is listening'),
      );
      expect(owners.length).toBeLessThan(2);
    } finally {
      await site.stop();
    }
  });
});
