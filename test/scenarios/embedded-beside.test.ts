/** Two servers of `start`, each with the embedded service, on one machine and one PostgreSQL. */
import { systemClock } from '../../src/core/base/clock.ts';
import { startServer } from '../../src/plugin/app/server.ts';
import { startSandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { onPostgres, variablesOf } from '../support/database/databases.ts';
import { captureLog } from '../support/log-lines.ts';

onPostgres('two embedded services on postgres', (engine) => {
  it('both start without a setting, and at most one has the usual port', async () => {
    const place = await engine.createMigrated();
    const sandbox = await startSandbox({ clock: systemClock });
    const environment = {
      ...variablesOf(place.location),
      PORT: '0',
      RETRY_MODE: 'advisory',
      STRIPE_SECRET_KEY: sandbox.secretKey,
      STRIPE_WEBHOOK_SECRET: sandbox.webhookSecret,
      STRIPE_API_BASE: sandbox.url,
      RETRY_SERVICE_URL: 'embedded',
    };
    const logs = [captureLog(), captureLog()];
    const servers = await Promise.all(logs.map(({ logger }) => startServer({ environment, logger })));
    try {
      for (const { url } of servers) expect((await fetch(`${url}/readyz`)).status).toBe(200);
      const said = logs.map(({ lines }) => lines.join(''));
      for (const text of said)
        expect(text).toMatch(/"the retry service (has no port of its own here|is listening)"/);
      const owners = said.filter((text) => text.includes('the retry service is listening'));
      expect(owners.length).toBeLessThan(2);
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
      await sandbox.stop();
      await place.remove();
    }
  });
});
