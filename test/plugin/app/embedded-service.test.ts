/** The embedded service in an application, and where HOST is an address that other machines reach. */
import { Server } from 'node:net';
import { mock } from 'node:test';
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../src/core/base/clock.ts';
import { silentLogger } from '../../../src/core/base/logger.ts';
import { createOwnPlugin } from '../../../src/plugin/app/own-plugin.ts';
import { declinesTimes } from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { MAIN, optionsOf } from '../../support/database/databases.ts';
import { findInterfaceAddress } from '../../support/http/interface-address.ts';
import { requestRaw } from '../../support/http/raw-request.ts';
import { failingInvoice, statusOf } from '../../support/scenario.ts';
import { createWorld } from '../../support/world.ts';

test('an application opens no port for the service, from the failed payment to its instruction and the payment', async () => {
  const world = await createWorld();
  const listening = mock.method(Server.prototype, 'listen');
  try {
    await world.plugin.stop();
    await world.plugin.start();
    const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
    await world.advance({ days: 8 });
    const sent = `select 1 from retry_service.recovery_actions where status = 'SUCCEEDED'`;
    expect(await world.query(sent)).toHaveLength(1);
    expect(statusOf(world, invoiceId)).toBe('paid');
    expect(world.plugin.parts.service?.url).toBeUndefined();
    // The socket for commands and the lock, in the folder of an embedded database, have a path.
    const ports = listening.mock.calls.filter(({ arguments: [place] }) => !isPath(place));
    expect(ports).toEqual([]);
  } finally {
    listening.mock.restore();
    await world.stop();
  }
});

function isPath(place: unknown): boolean {
  return typeof place === 'string' || (typeof place === 'object' && place !== null && 'path' in place);
}

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
