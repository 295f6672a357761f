/** The first start: what Stripe had before is offered, or read unasked where the settings say so. */
import { DateTime } from 'luxon';
import { createSimulatedClock, type SimulatedClock } from '../../src/core/base/clock.ts';
import { createOwnPlugin, type OwnPlugin } from '../../src/plugin/app/own-plugin.ts';
import { accepts } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { type Sandbox, startSandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { MAIN, optionsOf, type TestLocation } from '../support/database/databases.ts';
import { captureLog } from '../support/log-lines.ts';

const OFFER = 'npx stripe-payment-retry backfill';

let clock: SimulatedClock;
let sandbox: Sandbox;
let place: TestLocation;
beforeEach(async () => {
  clock = createSimulatedClock(DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' }));
  sandbox = await startSandbox({ clock });
});
afterEach(async () => {
  await sandbox.stop();
  await place.remove();
});

/** Starts a plugin on what the one before it left, and stops it when `use` is done. */
async function during<Result>(
  settings: { backfillOnStart?: boolean },
  use: (plugin: OwnPlugin, lines: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const { logger, lines } = captureLog();
  const { location } = place;
  const plugin = createOwnPlugin({
    retryMode: 'advisory',
    stripeSecretKey: sandbox.secretKey,
    stripeWebhookSecret: sandbox.webhookSecret,
    stripeApiBase: sandbox.url,
    servicePort: 0,
    ...optionsOf(location),
    clock,
    logger,
    environment: {},
    ...settings,
  });
  await plugin.start();
  try {
    return await use(plugin, lines);
  } finally {
    await plugin.stop();
  }
}

const countKnown = async (plugin: OwnPlugin) =>
  (await plugin.parts.database.query('select id from retry_service.subscriptions')).length;

test('a start that knows nothing says how to read what was before, until it was read', async () => {
  place = await MAIN.create();
  const { id: customer } = sandbox.createCustomer({ paymentMethod: accepts() });
  sandbox.importSubscription({ customer, items: [{ price: sandbox.createPrice().id }] });
  const start = (backfillOnStart: boolean) =>
    during({ backfillOnStart }, async (plugin, lines) => {
      await plugin.runOnce();
      return { isOffered: lines.some((line) => line.includes(OFFER)), known: await countKnown(plugin) };
    });

  expect(await start(false)).toEqual({ isOffered: true, known: 0 });
  expect(await start(true)).toEqual({ isOffered: false, known: 1 });
  const calls = sandbox.state.apiCalls.length;
  expect(await start(true)).toEqual({ isOffered: false, known: 1 });
  expect(sandbox.state.apiCalls.slice(calls).map(({ path }) => path)).not.toContain('/v1/subscriptions');
});

test('what happens after a first process that died before it did anything is caught up', async () => {
  place = await MAIN.createMigrated();
  await during({}, async () => {});
  await clock.set(clock.now().plus({ hours: 3 }));
  const { id: customer } = sandbox.createCustomer({ paymentMethod: accepts() });
  sandbox.createSubscription({ customer, items: [{ price: sandbox.createPrice().id }] });
  await clock.set(clock.now().plus({ hours: 3 }));

  const known = await during({}, async (plugin) => {
    await plugin.runOnce();
    return countKnown(plugin);
  });
  expect(known).toBe(1);
});
