/** The retry service as a process of its own, and the plugin as its client: they share nothing but HTTP. */
import { createServer } from 'node:http';
import { runService } from '../../src/cli/service-command.ts';
import { type RecoveryActionRecord, recoveryActionsPage } from '../../src/core/contract/contract.ts';
import { SERVICE_METRICS } from '../../src/core/telemetry/metric-table.ts';
import { acceptsFirst, declines, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { MAIN, type TestLocation, variablesOf } from '../support/database/databases.ts';
import { eventually } from '../support/eventually.ts';
import { CAN_CHECK_HEALTH, checkHealth } from '../support/http/health-check.ts';
import { closeServer, listenOnLoopback } from '../support/http/loopback-server.ts';
import { METRICS_TOKEN, scrape } from '../support/http/scrape.ts';
import { type Balancer, startBalancer } from '../support/process/balancer.ts';
import { type CommandProcess, spawnCommand, untilSaid } from '../support/process/command-process.ts';
import { reportedFailure } from '../support/process/reported-failure.ts';
import { inFull } from '../support/runner/full-run.ts';
import { actionsOf, chargesOf, failingInvoice, statusOf } from '../support/scenario.ts';
import { CALLBACK_TOKEN, createWorld, type World } from '../support/world.ts';

const API_KEY = 'key-of-the-stand-alone-service';
const LISTENING = 'the retry service is listening';

/** The service has another port after each start, and one address. */
let front: Balancer;
let world: World;
let place: TestLocation;
let service: CommandProcess | undefined;

const settings = () => ({
  RETRY_SERVICE_API_KEY: API_KEY,
  RECOVERY_CALLBACK_TOKEN: CALLBACK_TOKEN,
  PUBLIC_URL: world.url,
  SERVICE_PORT: '0',
  METRICS_TOKEN,
  ...variablesOf(place.location),
});

async function startService(more: Record<string, string> = {}): Promise<CommandProcess> {
  const started = spawnCommand('service', { ...settings(), ...more });
  await untilSaid(started, LISTENING);
  front.ports.splice(0, front.ports.length, Number(/"url":"[^"]*:(\d+)"/.exec(started.output())?.[1]));
  return started;
}

async function list(): Promise<RecoveryActionRecord[]> {
  const response = await fetch(`${front.url}/v1/recovery_actions`, {
    headers: { authorization: `Bearer ${API_KEY}` },
  });
  return recoveryActionsPage.parse(await response.json()).recoveryActions;
}

beforeAll(async () => {
  place = await MAIN.createMigrated();
  front = await startBalancer();
  // The service's time is real. The plugin's begins there and then runs ahead.
  world = await createWorld({
    start: new Date().toISOString(),
    plugin: {
      metricsToken: METRICS_TOKEN,
      retryServiceUrl: front.url,
      retryServiceApiKey: API_KEY,
      forwardInvoices: 'auto',
      forwardTransactions: 'auto',
    },
  });
});
afterEach(async () => {
  await service?.kill();
  service = undefined;
});
afterAll(async () => {
  await world?.stop();
  await front?.stop();
  await place.remove();
});

test('a failed invoice is ingested, instructed by callback, paid at the asked time, and known to have been', async () => {
  service = await startService();
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  const [asked] = await eventually(async () => {
    await world.settle();
    const actions = await actionsOf(world, invoiceId);
    expect(actions).toMatchObject([{ kind: 'pay', state: 'scheduled' }]);
    return actions;
  });
  // It writes down that an instruction was taken after the plugin has taken it.
  const [sent] = await eventually(async () => {
    const listed = await list();
    expect(listed).toMatchObject([{ invoiceId, status: 'RECOVERY_ACTION_STATUS_SENT' }]);
    return listed;
  });
  expect(Date.parse(sent?.idealRetryTime ?? '')).toBe(asked?.dueAt.toMillis());
  const own = await scrape(front.url);
  expect(own.of('retry_service_instructions_total')).toEqual(['suggestion=retry: 1']);
  expect(own.of('retry_service_callbacks_total')).toEqual(['result=acknowledged: 1']);
  expect(own.of('retry_service_records_total')).toContainEqual(expect.stringMatching(/^kind=invoices: \d/));
  expect([...own.types.keys()].sort()).toEqual([...SERVICE_METRICS].sort());
  expect((await fetch(`${front.url}/metrics`)).status).toBe(401);
  if (CAN_CHECK_HEALTH) {
    // At its own port, not the plugin's.
    const ports = { PORT: '1', SERVICE_PORT: String(front.ports[0]) };
    expect(await checkHealth(service, ports)).toBe(0);
  }

  expect(await service.terminate()).toBe(0);
  service = await startService();
  await world.advance({ milliseconds: (asked?.dueAt.toMillis() ?? 0) - world.clock.now().toMillis() });
  expect(statusOf(world, invoiceId)).toBe('paid');
  expect(chargesOf(world, invoiceId)).toEqual(['failed', 'succeeded']);
  await eventually(async () => {
    await world.settle();
    expect(await list()).toMatchObject([
      {
        requestId: sent?.requestId,
        status: 'RECOVERY_ACTION_STATUS_SUCCEEDED',
        executedAt: expect.any(String),
      },
    ]);
  });
});

inFull(
  'told to take more than the contract names, it hears of codes of the network, and of what a guard ended',
  async () => {
    service = await startService();
    const shared = { fingerprint: `fp_shared_${Math.random()}` };
    const { invoiceId } = await failingInvoice(
      world,
      acceptsFirst(1, declines('insufficient_funds', { networkDeclineCode: '51' }, shared)),
    );
    const [asked] = await eventually(async () => {
      await world.settle();
      const actions = await actionsOf(world, invoiceId);
      expect(actions).toMatchObject([{ kind: 'pay', state: 'scheduled' }]);
      return actions;
    });
    await failingInvoice(world, acceptsFirst(1, declines('stolen_card', {}, shared)), {
      email: 'bob@example.com',
    });
    await world.advance({ milliseconds: (asked?.dueAt.toMillis() ?? 0) - world.clock.now().toMillis() });
    await eventually(async () => {
      await world.settle();
      const listed = (await list()).filter((action) => action.invoiceId === invoiceId);
      expect(listed).toMatchObject([{ status: 'RECOVERY_ACTION_STATUS_CANCELED' }, {}]);
    });
    const sent = await world.query<{ message: object }>(
      'select message from payment_retry.attempts where invoice_id = $1 order by started_at',
      [invoiceId],
    );
    expect(sent.map(({ message }) => message)).toMatchObject([
      { networkDeclineCode: '51' },
      { endedReason: expect.any(String) },
    ]);
  },
);

/** What the command prints and ends with where it does not start, in this process. */
function refused(environment: Record<string, string>): Promise<{ code: number; text: string }> {
  const before = process.env;
  return reportedFailure(() => {
    process.env = environment;
    return runService().finally(() => {
      process.env = before;
    });
  });
}

test('a port in use is named', async () => {
  const other = createServer();
  const taken = new URL(await listenOnLoopback(other)).port;
  const { code, text } = await refused({ ...settings(), SERVICE_PORT: taken });
  expect(code).toBe(1);
  expect(text).toContain(`Port ${taken} (SERVICE_PORT) is in use by another process.`);
  await closeServer(other);
});

test('all problems of the settings are named at once', async () => {
  const { code, text } = await refused({ PUBLIC_URL: 'http://merchant.example', SERVICE_PORT: 'x' });
  expect(code).toBe(2);
  const names = text.match(/^- [A-Z_]+/gm);
  expect(names?.sort()).toEqual([
    '- PUBLIC_URL',
    '- RECOVERY_CALLBACK_TOKEN',
    '- RETRY_SERVICE_API_KEY',
    '- SERVICE_PORT',
  ]);
});
