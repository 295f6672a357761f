/** The embedded service where HOST is an address that other machines reach. */
import { rmSync } from 'node:fs';
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../src/clock.ts';
import { silentLogger } from '../../src/logger.ts';
import { createPlugin } from '../../src/plugin/plugin.ts';
import { newMigratedDirectory } from '../support/data-directory.ts';
import { findInterfaceAddress } from '../support/interface-address.ts';
import { requestRaw } from '../support/raw-request.ts';

const host = findInterfaceAddress();
if (host === undefined)
  process.stderr.write('test of HOST skipped: this machine has no address but loopback\n');

const KEY = 'key-of-the-embedded-service';

(host === undefined ? test.skip : test)(
  'answers the plugin beside it, and no caller of a proxy over plain HTTP',
  async () => {
    const dataDir = newMigratedDirectory();
    const plugin = createPlugin({
      stripeSecretKey: 'sk_test_1',
      stripeWebhookSecret: 'whsec_1',
      retryServiceApiKey: KEY,
      trustProxy: host,
      host,
      servicePort: 0,
      dataDir,
      environment: {},
      logger: silentLogger,
      clock: createSimulatedClock(DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' })),
    });
    await plugin.start();
    try {
      const statusWith = async (headers: Record<string, string>) => {
        const authorization = `Bearer ${KEY}`;
        const url = plugin.parts.service?.url ?? '';
        return (await requestRaw(url, '/v1/recovery_actions', { headers: { authorization, ...headers } }))
          .status;
      };
      const proxied = { 'x-forwarded-for': '203.0.113.7' };
      expect(await statusWith({})).toBe(200);
      expect(await statusWith(proxied)).toBe(403);
      expect(await statusWith({ ...proxied, 'x-forwarded-proto': 'https' })).toBe(200);
    } finally {
      await plugin.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
);
