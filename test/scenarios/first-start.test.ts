/** The first start: what Stripe had before is offered, or read unasked where the settings say so. */
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../src/clock.ts';
import { createPlugin } from '../../src/plugin.ts';
import { accepts } from '../../src/sandbox/payment-behaviour.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { EMBEDDED } from '../support/databases.ts';
import { captureLog } from '../support/log-lines.ts';

const OFFER = 'npx stripe-payment-retry backfill';

test('a start that knows nothing says how to read what was before, until it was read', async () => {
  const clock = createSimulatedClock(DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' }));
  const sandbox = await startSandbox({ clock });
  const { location, remove } = await EMBEDDED.create();
  const { id: customer } = sandbox.createCustomer({ paymentMethod: accepts() });
  sandbox.importSubscription({ customer, items: [{ price: sandbox.createPrice().id }] });

  /** Returns whether it was offered, and how many subscriptions the service then knows. */
  async function start(backfillOnStart: boolean): Promise<{ isOffered: boolean; known: number }> {
    const { logger, lines } = captureLog();
    const plugin = createPlugin({
      stripeSecretKey: sandbox.secretKey,
      stripeWebhookSecret: sandbox.webhookSecret,
      stripeApiBase: sandbox.url,
      servicePort: 0,
      dataDir: location.kind === 'embedded' ? location.directory : '',
      backfillOnStart,
      clock,
      logger,
      environment: {},
    });
    await plugin.start();
    try {
      await plugin.runOnce();
      const rows = await plugin.parts.database.query('select id from retry_service.subscriptions');
      return { isOffered: lines.some((line) => line.includes(OFFER)), known: rows.length };
    } finally {
      await plugin.stop();
    }
  }
  try {
    expect(await start(false)).toEqual({ isOffered: true, known: 0 });
    expect(await start(true)).toEqual({ isOffered: false, known: 1 });
    const calls = sandbox.state.apiCalls.length;
    expect(await start(true)).toEqual({ isOffered: false, known: 1 });
    expect(sandbox.state.apiCalls.slice(calls).map(({ path }) => path)).not.toContain('/v1/subscriptions');
  } finally {
    await sandbox.stop();
    await remove();
  }
});
