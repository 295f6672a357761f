/** The embedded service where HOST is an address that other machines reach. */
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { createOwnPlugin } from '../../../src/plugin/app/own-plugin.ts';
import { MAIN, optionsOf } from '../../support/database/databases.ts';
import { findInterfaceAddress } from '../../support/http/interface-address.ts';
import { requestRaw } from '../../support/http/raw-request.ts';

const host = findInterfaceAddress();
if (host === undefined)
  process.stderr.write('test of HOST skipped: this machine has no address but loopback\n');

const KEY = 'key-of-the-embedded-service';

(host === undefined ? test.skip : test)('a port of the service takes HTTPS alone from others', async () => {
  const place = await MAIN.createMigrated();
  const plugin = createOwnPlugin({
    retryMode: 'advisory',
    stripeSecretKey: 'sk_test_1',
    stripeWebhookSecret: 'whsec_1',
    retryServiceApiKey: KEY,
    trustProxy: host,
    host,
    servicePort: 0,
    ...optionsOf(place.location),
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
    expect(await statusWith({})).toBe(403);
    expect(await statusWith(proxied)).toBe(403);
    expect(await statusWith({ ...proxied, 'x-forwarded-proto': 'https' })).toBe(200);
  } finally {
    await plugin.stop();
    await place.remove();
  }
});
