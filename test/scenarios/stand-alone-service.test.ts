/** The retry service as a process of its own, and the plugin as its client: they share nothing but HTTP. */
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type RecoveryActionRecord, recoveryActionsPage } from '../../src/contract.ts';
import { declinesTimes } from '../../src/sandbox/payment-behaviour.ts';
import { type CommandProcess, spawnCommand, untilSaid } from '../support/command-process.ts';
import { newDataDirectory } from '../support/data-directory.ts';
import { eventually } from '../support/eventually.ts';
import { closeServer, listenOnLoopback } from '../support/loopback-server.ts';
import { freePort } from '../support/postgres-server.ts';
import { actionsOf, chargesOf, failingInvoice, statusOf } from '../support/scenario.ts';
import { CALLBACK_TOKEN, createWorld, type World } from '../support/world.ts';

const API_KEY = 'key-of-the-stand-alone-service';
const LISTENING = 'the retry service is listening';

let port: number;
let world: World;
let directory: string;
let service: CommandProcess | undefined;

const settings = () => ({
  RETRY_SERVICE_API_KEY: API_KEY,
  RECOVERY_CALLBACK_TOKEN: CALLBACK_TOKEN,
  SERVICE_CALLBACK_URL: world.url,
  SERVICE_PORT: String(port),
  DATA_DIR: directory,
});

async function startService(): Promise<CommandProcess> {
  const started = spawnCommand('service', settings());
  await untilSaid(started, LISTENING);
  return started;
}

async function list(): Promise<RecoveryActionRecord[]> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/recovery_actions`, {
    headers: { authorization: `Bearer ${API_KEY}` },
  });
  return recoveryActionsPage.parse(await response.json()).recoveryActions;
}

beforeAll(async () => {
  directory = newDataDirectory();
  port = await freePort();
  // The service's time is real. The plugin's begins there and then runs ahead.
  world = await createWorld({
    start: new Date().toISOString(),
    plugin: {
      retryServiceUrl: `http://127.0.0.1:${port}`,
      retryServiceApiKey: API_KEY,
      forwardInvoices: true,
      forwardTransactions: true,
    },
  });
});
afterEach(async () => {
  await service?.kill();
  service = undefined;
});
afterAll(async () => {
  await world?.stop();
  rmSync(directory, { recursive: true, force: true });
});

test('a failed invoice is ingested, instructed by callback, paid at the asked time, and known to have been', async () => {
  service = await startService();
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  const [asked] = await eventually(async () => {
    await world.settle();
    const actions = await actionsOf(world, invoiceId);
    expect(actions).toMatchObject([{ kind: 'pay', state: 'scheduled' }]);
    return actions;
  }, 30_000);
  const [sent] = await list();
  expect(sent).toMatchObject({ invoiceId, status: 'RECOVERY_ACTION_STATUS_SENT' });
  expect(new Date(sent?.idealRetryTime ?? '')).toEqual(asked?.dueAt);

  expect(await service.terminate()).toBe(0);
  service = await startService();
  await world.advance({ milliseconds: (asked?.dueAt.getTime() ?? 0) - world.clock.now().toMillis() });
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
  }, 30_000);
});

test('it has the page of keys and the holdout, as the settings say', async () => {
  service = spawnCommand('service', {
    ...settings(),
    CONSOLE_PASSWORD: 'a-password-for-tests',
    TIMING_HOLDOUT_PERCENT: '20',
  });
  await untilSaid(service, LISTENING);
  const authorization = `Basic ${Buffer.from('anyone:a-password-for-tests').toString('base64')}`;
  const page = await fetch(`http://127.0.0.1:${port}/org/api_keys`, { headers: { authorization } });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('made by the package')]);
  const report = await fetch(`http://127.0.0.1:${port}/v1/timing_report`, {
    headers: { authorization: `Bearer ${API_KEY}` },
  });
  expect(await report.json()).toMatchObject({ holdoutPercent: 20 });
});

test('a port in use is named, and nothing is left running', async () => {
  const other = createServer();
  const taken = new URL(await listenOnLoopback(other)).port;
  service = spawnCommand('service', { ...settings(), SERVICE_PORT: taken });
  expect(await service.ended).toBe(1);
  expect(service.output()).toContain(`Port ${taken} is in use by another process.`);
  await closeServer(other);
});

test('all problems of the settings are named at once', async () => {
  service = spawnCommand('service', { SERVICE_CALLBACK_URL: 'http://merchant.example', SERVICE_PORT: 'x' });
  expect(await service.ended).toBe(2);
  const names = service.output().match(/^- [A-Z_]+/gm);
  expect(names?.sort()).toEqual([
    '- RECOVERY_CALLBACK_TOKEN',
    '- RETRY_SERVICE_API_KEY',
    '- SERVICE_CALLBACK_URL',
    '- SERVICE_PORT',
  ]);
});
