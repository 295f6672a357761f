/** A receiver that is down while much is to be sent to it, on both databases. */

import { findDelay, noteFailure } from '../../../src/service/send/watch-receiver.ts';
import { createRetryService } from '../../../src/service/service.ts';
import { ENGINES } from '../../support/database/databases.ts';
import { captureLog } from '../../support/log-lines.ts';
import { inFull } from '../../support/runner/full-run.ts';
import { API_KEY, type Harness, startHarness } from '../service-harness.ts';
import { failPayment } from '../service-messages.ts';

const DOWN = { status: 503, body: { success: false, message: 'maintenance' } };
/** Asked of the customer at once, so that nothing newer takes its place while it waits. */
const LOST_CARD = { paymentGatewayErrorCode: 'lost_card' };
const COUNT = 8;

describe.each(ENGINES)('on $engine', (engine) => {
  const { logger, lines } = captureLog();
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({ logger }, engine);
  });
  beforeEach(async () => {
    lines.length = 0;
    await harness.clear();
  });
  afterAll(() => harness?.stop());

  const failMany = async (count: number) => {
    for (let index = 0; index < count; index += 1)
      await failPayment(harness, { ...LOST_CARD, id: `ch_${index}`, invoiceId: `in_${index}` });
  };
  const acceptedInvoices = () => harness.receiver.accepted.map(({ invoiceId }) => invoiceId);

  test('a receiver that is down is called a few times an hour however much waits, and gets everything once it is back', async () => {
    harness.receiver.behave(() => DOWN);
    await failMany(COUNT);
    await harness.leap({ minutes: 20 }, 24);
    // Five failures, a few tries with growing pauses, then one in half an hour at the most.
    expect(harness.receiver.count).toBeGreaterThan(12);
    expect(harness.receiver.count).toBeLessThan(30);
    const listed = await harness.listAll();
    expect(listed).toHaveLength(COUNT);
    expect(new Set(listed.map(({ status }) => status))).toEqual(new Set(['RECOVERY_ACTION_STATUS_PENDING']));
    harness.receiver.behave(undefined);
    const before = harness.receiver.count;
    await harness.leap({ minutes: 5 }, 10);
    expect(new Set(acceptedInvoices()).size).toBe(COUNT);
    expect(harness.receiver.count - before).toBe(COUNT);
    expect(lines.some((line) => line.includes('a receiver answers again'))).toBe(true);
    expect(lines.join('')).not.toContain('token_for_tests');
  });

  inFull('another process, and one that starts anew, leave a receiver that is down alone too', async () => {
    harness.receiver.behave(() => DOWN);
    await failMany(6);
    const before = harness.receiver.count;
    const other = createRetryService({
      ...harness,
      logger,
      host: '127.0.0.1',
      port: 0,
      organizations: [
        {
          name: 'default',
          apiKeys: [API_KEY],
          callback: { baseUrl: harness.receiver.url, token: 'token_for_tests' },
        },
      ],
      defaultTimeZone: 'UTC',
    });
    await other.start();
    try {
      await harness.clock.set(harness.clock.now().plus({ seconds: 50 }));
      await harness.database.exec(
        `update retry_service_jobs.job set start_after = retry_service_jobs.job_now() where name = 'send'`,
      );
      expect(await other.drain()).toBeGreaterThanOrEqual(6);
      expect(harness.receiver.count).toBe(before);
    } finally {
      await other.stop();
    }
  });

  test('one instruction tries the receiver for all after the pause, though several ask at once', async () => {
    const { clock } = harness;
    const address = 'https://merchant.example';
    const fail = (actionId: string) =>
      noteFailure({ ...harness, logger }, address, {
        actionId,
        answer: '503',
        retryAt: undefined,
        now: clock.now(),
      });
    for (const id of ['a', 'b', 'c', 'd']) expect(await fail(id)).toBeUndefined();
    expect(await fail('e')).toBeDefined();
    await clock.set(clock.now().plus({ seconds: 60 }));
    const ask = (actionId: string) =>
      findDelay({ ...harness, logger }, address, { actionId, now: clock.now() });
    const delays = await Promise.all(['a', 'b', 'c', 'd'].map(ask));
    expect(delays.filter((delay) => delay === undefined)).toHaveLength(1);
    await clock.set(clock.now().plus({ seconds: 30 }));
    expect(await ask('a')).toBeUndefined();
  });

  test('an instruction that fails alone holds up nobody else', async () => {
    harness.receiver.behave(() => DOWN);
    await failPayment(harness, { ...LOST_CARD, id: 'ch_bad', invoiceId: 'in_bad' });
    await harness.pass({ hours: 6 });
    harness.receiver.behave(undefined);
    await failPayment(harness, { ...LOST_CARD, id: 'ch_good', invoiceId: 'in_good' });
    expect(acceptedInvoices()).toEqual(['in_good']);
  });

  test('a refusal of the body is an answer: the receiver is there', async () => {
    harness.receiver.behave(() => ({ status: 400, body: { success: false, message: 'unknown' } }));
    await failMany(6);
    expect(harness.receiver.count).toBe(6);
  });

  inFull('an instruction that waits for three days is given up without a call', async () => {
    harness.receiver.behave(() => DOWN);
    await failMany(8);
    await harness.leap({ hours: 6 }, 13);
    const listed = await harness.listAll();
    expect(new Set(listed.map(({ status }) => status))).toEqual(new Set(['RECOVERY_ACTION_STATUS_FAILED']));
    expect(harness.receiver.count).toBeLessThan(25);
    const reasons = listed.map((action) => JSON.stringify(action));
    expect(reasons.some((text) => text.includes('not acknowledged: the receiver did not answer'))).toBe(true);
  });
});
