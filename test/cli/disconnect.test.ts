/** `disconnect` beside a running process, each in a process of its own: after it nothing happens at Stripe. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import { runConnect } from '../../src/cli/connect-command.ts';
import { runDisconnect } from '../../src/cli/disconnect-command.ts';
import { runOnStore, type Terminal } from '../../src/cli/process/run-on-store.ts';
import { createSimulatedClock } from '../../src/core/base/clock.ts';
import { openDatabase } from '../../src/core/database/open-database.ts';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { type Sandbox, startSandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { EVERY_ENGINE, type TestLocation } from '../support/database/databases.ts';
import { eventually } from '../support/eventually.ts';
import { type RecordingService, startRecordingService } from '../support/http/recording-service.ts';
import { spawnCommand, toTerminal } from '../support/process/command-process.ts';
import { createPluginFleet, type PluginFleet } from '../support/process/plugin-fleet.ts';
import { inFull } from '../support/runner/full-run.ts';

describe.each(EVERY_ENGINE)('beside a process on $engine', (engine) => {
  // Ends at the time of the commands, which have no other.
  const clock = createSimulatedClock(DateTime.utc().minus({ days: 3 }));
  let sandbox: Sandbox;
  let service: RecordingService;
  let place: TestLocation;
  let fleet: PluginFleet;
  let asked = 0;
  const environment = process.env;

  beforeAll(async () => {
    sandbox = await startSandbox({ clock, stripeRetries: 'smart' });
    service = await startRecordingService(clock);
    place = await engine.createMigrated();
    const settings = { RETRY_MODE: 'exclusive', AFTER_GIVING_UP: 'leave' };
    fleet = await createPluginFleet({ clock, sandbox, serviceUrl: service.url, place, settings });
    await fleet.start();
    const endpoint = sandbox.addWebhookEndpoint(`${fleet.url}/webhooks/stripe`);
    Object.assign(endpoint, { api_version: Stripe.API_VERSION });
  });
  afterAll(async () => {
    await fleet?.stop();
    await Promise.all([sandbox?.stop(), service?.stop()]);
    await place?.remove();
  });
  beforeEach(() => {
    process.env = { ...environment, ...fleet.settings };
  });
  afterEach(() => {
    process.env = environment;
    sandbox.faults.clear();
  });

  const endpoints = () => [...sandbox.state.webhookEndpoints.newestFirst()];
  const payCalls = (id: string) =>
    sandbox.state.apiCalls.filter(({ path }) => path === `/v1/invoices/${id}/pay`).length;
  const isAdvancing = (id: string) => sandbox.state.invoices.get(id)?.auto_advance;
  const pausedBy = async () =>
    (await fleet.children[0]?.query('select paused_by from payment_retry.pauses'))?.map(
      (row) => row.pausedBy,
    );

  /** Here, with the settings of the process beside it. */
  async function say(run: (terminal: Terminal) => Promise<number>) {
    const said: string[] = [];
    return { code: await run(toTerminal(said)), said: said.join('') };
  }
  const disconnect = (options: object = {}) => say((terminal) => runDisconnect(options, terminal));
  async function settle(): Promise<void> {
    while ((await sandbox.run({ concurrency: 4 })) + (await fleet.run()) > 0);
  }
  async function passTo(instant: DateTime): Promise<void> {
    await clock.set(instant);
    await fleet.setClock(clock.now());
  }

  /** Invoices that were taken over, with a payment planned in 25 hours. */
  async function planned(count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => {
      const fingerprint = `card${sandbox.state.customers.size}`;
      const paymentMethod = declinesTimes(1, 'insufficient_funds', {}, { fingerprint });
      const customer = sandbox.createCustomer({ email: 'jo@example.com', paymentMethod }).id;
      const items = [{ price: sandbox.createPrice({ unit_amount: 2000 }).id }];
      const subscription = sandbox.createSubscription({ customer, items });
      return sandbox.renewNow(subscription.id).id;
    });
    await settle();
    for (const invoiceId of ids) {
      asked += 1;
      const idealRetryTime = clock.now().plus({ hours: 25 }).toISO();
      const actionSuggestion = 'ACTION_SUGGESTION_RETRY';
      const requestId = `request ${asked}`;
      expect(await fleet.instruct({ requestId, invoiceId, actionSuggestion, idealRetryTime })).toBe(200);
    }
    await settle();
    expect(ids.map(isAdvancing)).toEqual(ids.map(() => false));
    return ids;
  }

  test('nothing is charged once disconnect is done; connect lets it happen again', async () => {
    const ids = await planned(3);
    const { code, said } = await disconnect();
    expect(said).toMatch(/^PAUSED: .*\(disconnect: disconnected by /);
    expect(said).toMatch(/Nothing is under way at Stripe\.\n/);
    expect(said).toMatch(
      / {2}payment: \d, of 3 invoice\(s\) \(\$60\.00\)\n {2}next: .* payment of in_\w+, \$20\.00\n/,
    );
    for (const id of ids) expect(said).toContain(`${id}: handed back to Stripe\n`);
    expect(said).toMatch(/The webhook endpoint we_\w+ was removed\.\nDisconnected: /);
    expect(code).toBe(0);
    expect(ids.map(isAdvancing)).toEqual([true, true, true]);
    expect(endpoints()).toEqual([]);

    await passTo(clock.now().plus({ hours: 25 }));
    await settle();
    expect(ids.map(payCalls)).toEqual([0, 0, 0]);
    expect((await say((terminal) => runOnStore('status', [], {}, terminal))).said).toMatch(
      /PAUSED \(.*until: connect\)/,
    );
    expect(await disconnect()).toMatchObject({ code: 0 });

    const file = join(mkdtempSync(join(tmpdir(), 'disconnect-')), '.env');
    const back = await say((terminal) => runConnect({ file, rotate: true }, terminal));
    rmSync(file);
    expect(back.said).toContain('Payments and emails, paused by `disconnect`, are resumed');
    expect(await pausedBy()).toEqual([]);
  });

  inFull('disconnect waits for a call in flight, and says when it does not', async () => {
    const [id = ''] = await planned(1);
    const hold = sandbox.faults.hold('POST', /\/pay$/);
    // The commands' own time, by which they see what is in somebody's hands.
    await passTo(DateTime.utc());
    const working = fleet.run();
    await hold.arrived;

    const impatient = await disconnect({ wait: 0 });
    expect(impatient.said).toContain(
      `Still under way after 0 seconds, and Stripe may still carry it out: payment of ${id}.`,
    );
    expect(impatient.said).toContain('The webhook endpoint stays, and payments and emails stay paused.');
    expect(impatient.code).toBe(1);
    expect(endpoints()).toHaveLength(1);

    const stopped = spawnCommand('disconnect', fleet.settings);
    await eventually(() =>
      expect(stopped.output()).toContain(`Waiting for what is under way: payment of ${id}`),
    );
    process.kill(stopped.pid ?? 0, 'SIGINT');
    expect(await stopped.ended).toBe(1);
    expect(stopped.output()).toMatch(
      /Stopped\. The steps above are done, and payments and emails stay paused\./,
    );
    expect(endpoints()).toHaveLength(1);
    expect(await pausedBy()).toEqual(['disconnect']);

    const patient = disconnect();
    hold.release();
    await working;
    expect(await patient).toMatchObject({
      code: 0,
      said: expect.stringContaining('Nothing is under way at Stripe.'),
    });
    expect(payCalls(id)).toBe(1);
    expect(endpoints()).toEqual([]);
  });

  test('what stays is named with a command that removes it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'disconnect-'));
    const file = join(folder, '.env');
    writeFileSync(file, 'STRIPE_WEBHOOK_SECRET=whsec_x\nSHOP_NAME=Shoes\nRETRY_MODE=exclusive\n');
    const said = spawnCommand('disconnect', fleet.settings, { cwd: folder });
    expect(await said.ended).toBe(0);
    const [, sed = ''] = /2 line\(s\) of \.env \(.*\): (sed .*)/.exec(said.output()) ?? [];
    execFileSync('sh', ['-c', sed], { cwd: folder });
    expect(execFileSync('cat', [file], { encoding: 'utf8' })).toBe('SHOP_NAME=Shoes\n');
    await fleet.kill(fleet.children[0] ?? fail());
    await removeDatabase(said.output());
  });

  function fail(): never {
    throw new Error('No process is there.');
  }

  async function removeDatabase(said: string): Promise<void> {
    if (place.location.kind === 'embedded') {
      execFileSync('sh', ['-c', / {2}Its database: (rm .*)/.exec(said)?.[1] ?? 'false']);
      expect(existsSync(place.location.directory)).toBe(false);
      return;
    }
    const [, drop = ''] = /psql "\$DATABASE_URL" -c '(.*)'/.exec(said) ?? [];
    const database = await openDatabase(place.location);
    await database.query(drop);
    const left = await database.query(
      `select nspname from pg_namespace where nspname not in ('public', 'information_schema') and not starts_with(nspname, 'pg_')`,
    );
    await database.close();
    expect(left).toEqual([]);
  }
});
