/** Two processes on one PostgreSQL and one simulated clock reach for the same work at the same moment. */
import { DateTime, type DurationLike } from 'luxon';
import { createSimulatedClock } from '../../src/core/base/clock.ts';
import { HANDLED_EVENTS } from '../../src/plugin/operator/checks/webhook-endpoint.ts';
import { declines, declinesInTurn } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { type Sandbox, startSandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { onPostgres, type TestLocation } from '../support/database/databases.ts';
import { eventually } from '../support/eventually.ts';
import { type RecordingService, startRecordingService } from '../support/http/recording-service.ts';
import { createPluginFleet, type PluginFleet } from '../support/process/plugin-fleet.ts';
import { IS_FULL_RUN } from '../support/runner/full-run.ts';

const PAY = /\/pay$/;
/** Two jobs each. Who took twenty has at most ten customers in hand, so of the twelve jobs left two are free. */
const CUSTOMERS = 16;

onPostgres('two processes on postgres', (engine) => {
  const clock = createSimulatedClock(DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' }));
  let sandbox: Sandbox;
  let service: RecordingService;
  let place: TestLocation;
  let fleet: PluginFleet;
  beforeAll(async () => {
    sandbox = await startSandbox({ clock });
    service = await startRecordingService(clock);
    place = await engine.createMigrated();
    fleet = await createPluginFleet({ clock, sandbox, serviceUrl: service.url, place });
    await Promise.all([fleet.start(), fleet.start()]);
    sandbox.addWebhookEndpoint(`${fleet.url}/webhooks/stripe`, HANDLED_EVENTS);
  });
  afterAll(async () => {
    await fleet?.stop();
    await Promise.all([sandbox?.stop(), service?.stop()]);
    await place?.remove();
  });

  const payCalls = (invoiceId?: string) =>
    sandbox.state.apiCalls.filter(({ path }) =>
      invoiceId === undefined ? PAY.test(path) : path === `/v1/invoices/${invoiceId}/pay`,
    );
  const query = (sql: string) => {
    const [first] = fleet.children;
    if (!first) throw new Error('Nobody is there.');
    return first.query(sql);
  };

  const countWorkers = async (state: 'running' | 'done') => {
    const [row] = await query(
      `select count(distinct claimed_by) as count from payment_retry.actions where state = '${state}'`,
    );
    return row?.count;
  };

  async function settle(): Promise<void> {
    while ((await sandbox.run({ concurrency: 4 })) + (await fleet.run()) > 0);
  }
  async function pass(duration: DurationLike): Promise<void> {
    await clock.set(clock.now().plus(duration));
    await fleet.setClock(clock.now());
  }

  /** A customer who owes for two subscriptions, each charged in vain a day ago. */
  function owing(): [string, string] {
    const fingerprint = `card${sandbox.state.customers.size}`;
    const paymentMethod = declinesInTurn(['insufficient_funds', 'insufficient_funds'], {}, { fingerprint });
    const customer = sandbox.createCustomer({ email: 'jo@example.com', paymentMethod }).id;
    // Equal amounts on one card would keep hours apart.
    const renew = (unit_amount: number) => {
      const items = [{ price: sandbox.createPrice({ unit_amount }).id }];
      return sandbox.createSubscription({ customer, items, trial_period_days: 5 }).id;
    };
    const [first, second] = [renew(1000), renew(1100)];
    return [sandbox.renewNow(first).id, sandbox.renewNow(second).id];
  }

  const ask = async (invoiceId: string) => {
    const actionSuggestion = 'ACTION_SUGGESTION_RETRY';
    const idealRetryTime = clock.now().plus({ minutes: 1 }).toISO();
    const requestId = `${clock.now().toMillis()} ${invoiceId}`;
    expect(await fleet.instruct({ requestId, invoiceId, actionSuggestion, idealRetryTime })).toBe(200);
  };

  it('two processes try each due payment once, however often they reach for it together', async () => {
    const invoices = Array.from({ length: CUSTOMERS }, owing).flat();
    await settle();
    await pass({ hours: 25 });
    await Promise.all(invoices.map(ask));
    // So late that the sweep gives each a second job.
    await pass({ minutes: 3 });
    const holds = invoices.map((id) => sandbox.faults.hold('POST', `/v1/invoices/${id}/pay`));
    const settled = settle();
    // Nobody is done with a payment before both have one.
    await eventually(async () => expect(await countWorkers('running')).toBe(2));
    for (const { release } of holds) release();
    await settled;
    // The second of each customer waits for the first.
    await pass({ seconds: 20 });
    await settle();
    const odd = invoices.filter((id) => payCalls(id).length !== 1);
    const why = `select invoice_id, at, kind, detail from payment_retry.audit where invoice_id = any('{${odd}}') order by at`;
    expect([odd, await query(why)]).toEqual([[], []]);
    const attempts = await query(
      `select count(*) as count, count(distinct invoice_id) as invoices, count(distinct idempotency_key) as keys
       from payment_retry.attempts where source = 'ours'`,
    );
    const count = invoices.length;
    expect(attempts).toEqual([{ count, invoices: count, keys: count }]);
    expect(await countWorkers('done')).toBe(2);
  });

  it('two processes leave a slow one its claim, and its customer to it alone', async () => {
    const [first, second] = owing();
    await settle();
    await pass({ hours: 25 });
    await Promise.all([first, second].map(ask));
    await pass({ minutes: 2 });
    const before = payCalls().length;
    const hold = sandbox.faults.hold('POST', PAY);
    const runs = fleet.children.map((child) => child.run());
    await hold.arrived;
    const fast = await Promise.race(runs.map((run, index) => run.then(() => index)));
    const other = fleet.children[fast];
    if (!other) throw new Error('One of them is done.');
    // Well past the queue's patience, and not past the claim's.
    for (let seconds = 0; seconds < 200; seconds += 20) {
      await clock.set(clock.now().plus({ seconds: 20 }));
      await other.setClock(clock.now());
      await other.run();
    }
    const running = await query(
      `select count(*) as count from payment_retry.actions where state = 'running'`,
    );
    expect([running, payCalls().length]).toEqual([[{ count: 1 }], before]);
    hold.release();
    await Promise.all(runs);
    await fleet.setClock(clock.now());
    await settle();
    await pass({ minutes: 6 });
    await settle();
    expect([first, second].map((id) => payCalls(id).length)).toEqual([1, 1]);
  });

  // The story of the faults, where few cards pay, holds two processes to the limits as well.
  if (!IS_FULL_RUN) return;

  it('two processes keep to the limit of a card that many customers share', async () => {
    const card = { brand: 'amex', fingerprint: 'the card of many' };
    const invoices = Array.from({ length: 6 }, (_, index) => {
      const paymentMethod = declines('generic_decline', {}, card);
      const customer = sandbox.createCustomer({ email: 'jo@example.com', paymentMethod }).id;
      const items = [{ price: sandbox.createPrice({ unit_amount: 1000 + index }).id }];
      return sandbox.renewNow(sandbox.createSubscription({ customer, items, trial_period_days: 5 }).id).id;
    });
    await settle();
    await pass({ hours: 25 });
    await Promise.all(invoices.map(ask));
    await pass({ minutes: 3 });
    await settle();
    await pass({ minutes: 5 });
    await settle();
    // Eight in 30 days, of which six were Stripe's.
    expect(invoices.flatMap((id) => payCalls(id))).toHaveLength(2);
  });
});
