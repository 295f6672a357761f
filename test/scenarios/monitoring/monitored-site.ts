/** Two real processes of the plugin on one PostgreSQL and a simulated clock, what they talk to, and a Prometheus that reads them. */
import { DateTime, type DurationLike } from 'luxon';
import pg from 'pg';
import { createSimulatedClock, type SimulatedClock } from '../../../src/core/base/clock.ts';
import { accepts, type PaymentMethodBehaviour } from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { type Sandbox, startSandbox } from '../../../src/workbench/sandbox/sandbox.ts';
import { MAIN, type TestLocation, variablesOf } from '../../support/database/databases.ts';
import type { OwnPostgres } from '../../support/database/postgres-server.ts';
import { eventually } from '../../support/eventually.ts';
import { type EmailCatcher, startEmailCatcher } from '../../support/http/email-catcher.ts';
import { startReceiver } from '../../support/http/event-receiver.ts';
import { type RecordingService, startRecordingService } from '../../support/http/recording-service.ts';
import { METRICS_TOKEN } from '../../support/http/scrape.ts';
import { startBalancer } from '../../support/process/balancer.ts';
import { type CommandProcess, spawnCommand, untilSaid } from '../../support/process/command-process.ts';
import type { PluginChild } from '../../support/process/plugin-child.ts';
import { createPluginFleet, type PluginFleet } from '../../support/process/plugin-fleet.ts';
import { type PrometheusProcess, startPrometheus } from '../../support/process/prometheus.ts';
import { CALLBACK_TOKEN } from '../../support/world.ts';

const OPERATOR_TOKEN = 'an-operator-token-for-tests';

export interface MonitoredSite {
  readonly clock: SimulatedClock;
  readonly sandbox: Sandbox;
  readonly service: RecordingService;
  readonly email: EmailCatcher;
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>;
  readonly postgres: OwnPostgres;
  readonly fleet: PluginFleet;
  readonly prometheus: PrometheusProcess;
  /** So many processes run, at the addresses that Prometheus reads. */
  keepRunning(count: 0 | 1 | 2): Promise<void>;
  /** Until nothing is due on any side. */
  settle(): Promise<void>;
  /** Time goes on in steps, after each of which everybody does what is due, and Stripe's list of events is read. */
  pass(step: DurationLike, times?: number): Promise<void>;
  /** Of an object that the plugin keeps, so that there is an event for it. */
  change(): void;
  /** What an operator does, by `/api/v1`. */
  operate(operation: string, parameters?: object): Promise<void>;
  /** A session of its own on the database. */
  connect(): Promise<pg.Client>;
  query(sql: string): Promise<void>;
  /** A subscriber, and the invoice of the next month. */
  renewal(paymentMethod: PaymentMethodBehaviour): Promise<Renewal>;
  /** What the service asks. */
  instruct(instruction: object): Promise<void>;
  /** A retry service in a process of its own, which nobody uses, where Prometheus looks for one. */
  startService(): Promise<void>;
  stopService(): Promise<void>;
  stop(): Promise<void>;
}

export interface Renewal {
  readonly customerId: string;
  readonly subscriptionId: string;
  readonly invoiceId: string;
}

/** The database is removed with the site. */
export async function createMonitoredSite(program: string, postgres: OwnPostgres): Promise<MonitoredSite> {
  const clock = createSimulatedClock(DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' }));
  const sandbox = await startSandbox({ clock });
  const service = await startRecordingService(clock);
  const email = await startEmailCatcher();
  const receiver = await startReceiver();
  const location = { kind: 'postgres', url: postgres.url } as const;
  const place = { location, remove: postgres.stop };
  const settings = {
    METRICS_TOKEN,
    OPERATOR_TOKEN,
    SMTP_URL: email.url,
    EMAIL_FROM: 'billing@merchant.example',
    NOTIFY: receiver.url,
    EVENTS_URL: receiver.url,
    EVENTS_SECRET: `whsec_${Buffer.from('a-secret-of-thirty-two-bytes-abc').toString('base64')}`,
    RETRY_MODE: 'exclusive',
    AFTER_GIVING_UP: 'leave',
    CARD_CHANGE_MAX_TOTAL: 'EUR=50000',
  };
  const fleet = await createPluginFleet({ clock, sandbox, serviceUrl: service.url, place, settings });
  const doors = [await startBalancer(), await startBalancer()] as const;
  const standAlone = await createStandAlone(fleet.url);
  sandbox.addWebhookEndpoint(`${fleet.url}/webhooks/stripe`);
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  // It is stopped in one of the stories.
  client.on('error', () => {});

  const first = (): PluginChild => {
    const [child] = fleet.children;
    if (!child) throw new Error('Nobody is there.');
    return child;
  };
  const keepRunning = async (count: number) => {
    for (const child of fleet.children.slice(count)) await fleet.kill(child);
    while (fleet.children.length < count) await fleet.start();
    for (const [index, { ports }] of doors.entries())
      ports.splice(0, ports.length, ...fleet.children.slice(index, index + 1).map(({ port }) => port));
  };
  const settle = async () => {
    while ((await sandbox.run({ concurrency: 8 })) + (await fleet.run()) > 0);
  };
  const connect = async () => {
    const session = new pg.Client({ connectionString: postgres.url });
    await session.connect();
    return session;
  };
  const jobs = { 'payment-retry': doors.map(({ url }) => url), 'payment-retry-service': [standAlone.url] };
  const [prometheus] = await Promise.all([startPrometheus(program, jobs), keepRunning(2)]);
  await settle();
  const items = [{ price: sandbox.createPrice().id }];
  const known = sandbox.createSubscription({
    customer: sandbox.createCustomer({ email: 'jo@example.com', paymentMethod: accepts() }).id,
    items,
  });
  await settle();
  await eventually(async () => {
    const [read] = await prometheus.query('sum(up{job="payment-retry"})');
    if (read?.value !== 2) throw new Error('Prometheus has not read both yet.');
  });
  let changes = 0;
  let requests = 0;
  let customers = 0;

  return {
    clock,
    sandbox,
    service,
    email,
    receiver,
    postgres,
    fleet,
    prometheus,
    keepRunning,
    settle,
    connect,
    pass: async (step, times = 1) => {
      for (let time = 0; time < times; time += 1) {
        await clock.set(clock.now().plus(step));
        await fleet.setClock(clock.now());
        // As time alone does every five minutes.
        await first().request('catch-up');
        await first().request('sync-actions');
        await settle();
      }
    },
    change: () => {
      changes += 1;
      sandbox.updateSubscription(known.id, { metadata: { changes: String(changes) } });
    },
    operate: async (operation, parameters = {}) => {
      const response = await fetch(`http://127.0.0.1:${first().port}/api/v1/operations/${operation}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ parameters }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${operation} was answered ${response.status}: ${text}`);
    },
    query: async (sql) => {
      await first().query(sql);
    },
    renewal: async (paymentMethod) => {
      customers += 1;
      const customerId = sandbox.createCustomer({
        // Emails to one address are one series.
        email: `ada${customers}@example.com`,
        country: 'DE',
        paymentMethod,
      }).id;
      const items = [{ price: sandbox.createPrice({ unit_amount: 2000 }).id }];
      const subscriptionId = sandbox.createSubscription({ customer: customerId, items }).id;
      await settle();
      const invoiceId = sandbox.renewNow(subscriptionId).id;
      await settle();
      return { customerId, subscriptionId, invoiceId };
    },
    instruct: async (instruction) => {
      requests += 1;
      const idealRetryTime = clock.now().toISO();
      const status = await fleet.instruct({
        requestId: `request ${requests}`,
        idealRetryTime,
        ...instruction,
      });
      if (status !== 200) throw new Error(`The instruction was answered ${status}.`);
    },
    startService: standAlone.start,
    stopService: standAlone.kill,
    stop: async () => {
      await prometheus.stop();
      await standAlone.stop();
      await client.end();
      await fleet.stop();
      await Promise.all([...doors, sandbox, service, email, receiver].map((one) => one.stop()));
      await place.remove();
    },
  };
}

async function createStandAlone(callbackUrl: string) {
  const door = await startBalancer();
  let place: TestLocation | undefined;
  let service: CommandProcess | undefined;
  const kill = async () => {
    await service?.kill();
  };
  return {
    url: door.url,
    kill,
    start: async () => {
      place ??= await MAIN.createMigrated();
      service = spawnCommand('service', {
        RETRY_SERVICE_API_KEY: 'key-of-the-stand-alone-service',
        RECOVERY_CALLBACK_TOKEN: CALLBACK_TOKEN,
        PUBLIC_URL: callbackUrl,
        SERVICE_PORT: '0',
        METRICS_TOKEN,
        ...variablesOf(place.location),
      });
      await untilSaid(service, 'the retry service is listening');
      door.ports.splice(0, 1, Number(/"url":"[^"]*:(\d+)"/.exec(service.output())?.[1]));
    },
    stop: async () => {
      await kill();
      await door.stop();
      await place?.remove();
    },
  };
}
