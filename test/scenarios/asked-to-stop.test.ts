/** SIGTERM to a real process at the worst moment: Stripe, the mail server, the receiver of traces and a sender of webhooks hang, all at once. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type Clock, systemClock } from '../../src/core/base/clock.ts';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { type Sandbox, startSandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { ENGINES, type TestLocation, variablesOf } from '../support/database/databases.ts';
import { eventually } from '../support/eventually.ts';
import { type EmailCatcher, startEmailCatcher } from '../support/http/email-catcher.ts';
import { CAN_CHECK_HEALTH, checkHealth } from '../support/http/health-check.ts';
import {
  type RecordingService,
  SERVICE_KEY,
  startRecordingService,
} from '../support/http/recording-service.ts';
import { untilSaid } from '../support/process/command-process.ts';
import { type ServerProcess, startServerProcess } from '../support/process/server-process.ts';
import { CALLBACK_TOKEN, LINK_SECRET } from '../support/world.ts';

const manifests = readFileSync(new URL('../../docs/how-to/files/kubernetes.yaml', import.meta.url), 'utf8');
const probes = [...manifests.matchAll(/httpGet: \{ path: (\S+),/g)].map(([, path = '']) => path);

/** Supervisors allow ten seconds by default, which a busy machine stretches. To wait for what hangs would take over a minute. */
const ALLOWED_MS = 40_000;

describe.each(ENGINES)('a process on $engine that is asked to stop', ({ createMigrated }) => {
  let moved = {};
  const clock: Clock = { ...systemClock, now: () => systemClock.now().plus(moved) };
  let sandbox: Sandbox;
  let service: RecordingService;
  let emails: EmailCatcher;
  let silence: Awaited<ReturnType<typeof startSilence>>;
  /** Takes traces, likewise. */
  let deaf: typeof silence;
  let place: TestLocation;
  let running: ServerProcess | undefined;
  beforeAll(async () => {
    [sandbox, service, emails, silence, deaf, place] = await Promise.all([
      startSandbox({ clock }),
      startRecordingService(systemClock),
      startEmailCatcher(),
      startSilence(),
      startSilence(),
      createMigrated(),
    ]);
  });
  afterAll(async () => {
    await running?.kill();
    await Promise.all([sandbox.stop(), service.stop(), emails.stop(), silence.stop(), deaf.stop()]);
    await place.remove();
  });

  async function start(smtpUrl: string, traces: Record<string, string>): Promise<ServerProcess> {
    running = await startServerProcess({
      ...variablesOf(place.location),
      RETRY_MODE: 'advisory',
      STRIPE_SECRET_KEY: sandbox.secretKey,
      STRIPE_WEBHOOK_SECRET: sandbox.webhookSecret,
      STRIPE_API_BASE: sandbox.url,
      RETRY_SERVICE_URL: service.url,
      RETRY_SERVICE_API_KEY: SERVICE_KEY,
      RECOVERY_CALLBACK_TOKEN: CALLBACK_TOKEN,
      SMTP_URL: smtpUrl,
      EMAIL_FROM: 'billing@shop.example',
      EMAIL_WINDOW: '00:00-23:59',
      LINK_SECRET,
      LOG_LEVEL: 'info',
      ...traces,
      OTEL_BSP_SCHEDULE_DELAY: '10',
    });
    return running;
  }

  /** An invoice whose only attempt failed so long ago that the networks allow another. */
  function failedRenewal(name: string): string {
    const price = sandbox.createPrice().id;
    const paymentMethod = declinesTimes(1, 'insufficient_funds', {}, { fingerprint: name });
    moved = { hours: -27 };
    const customer = sandbox.createCustomer({ email: `${name}@example.com`, paymentMethod }).id;
    moved = { hours: -26 };
    const subscription = sandbox.createSubscription({ customer, items: [{ price }] }).id;
    const invoice = sandbox.renewNow(subscription).id;
    moved = {};
    return invoice;
  }

  async function instruct(
    { port }: ServerProcess,
    invoiceId: string,
    actionSuggestion: string,
  ): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${port}/recovery_action`, {
      method: 'POST',
      headers: { authorization: `Bearer ${CALLBACK_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        requestId: `request for ${invoiceId}`,
        invoiceId,
        actionSuggestion,
        idealRetryTime: systemClock.now().toISO(),
      }),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.anything()]);
  }

  const countCharges = () =>
    [...sandbox.state.charges.newestFirst()].filter(({ status }) => status === 'succeeded').length;

  it('a process that is asked to stop ends in time though all it waits for hangs, and the next one does the rest once', async () => {
    const [paid, emailed] = [failedRenewal('ada'), failedRenewal('ben')];
    const before = countCharges();
    const first = await start(`smtp://${silence.host}`, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${deaf.host}`,
    });
    const payment = sandbox.faults.hold('POST', `/v1/invoices/${paid}/pay`);
    await instruct(first, paid, 'ACTION_SUGGESTION_RETRY');
    await instruct(first, emailed, 'ACTION_SUGGESTION_CARD_CHANGE');
    await Promise.all([payment.arrived, silence.arrived, deaf.arrived]);
    const webhook = sendHalf(first.port);
    await webhook.sent;
    const began = performance.now();
    expect(await first.terminate()).toBe(0);
    expect(performance.now() - began).toBeLessThan(ALLOWED_MS);
    // The second where the machine is so busy that the seconds are over before all is closed.
    expect(first.output()).toMatch(/"msg":"stopped"|Some work did not end in time/);
    payment.release();

    // Nobody listens there.
    const second = await start(emails.url, {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TIMEOUT: '50',
    });
    await eventually(() => {
      expect(sandbox.state.invoices.get(paid)?.status).toBe('paid');
      expect(emails.emails.map(({ to }) => to?.map(({ address }) => address))).toEqual([['ben@example.com']]);
    });
    expect(countCharges()).toBe(before + 1);
    const keys = sandbox.state.apiCalls.filter(({ path }) => path.endsWith('/pay'));
    expect(new Set(keys.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);

    for (const path of probes)
      expect([path, (await fetch(`http://127.0.0.1:${second.port}${path}`)).status]).toEqual([path, 200]);
    if (CAN_CHECK_HEALTH) {
      // Not at the port of the embedded service, which could be well without the plugin.
      const ports = { PORT: String(second.port), SERVICE_PORT: '1' };
      expect(await checkHealth(second, ports)).toBe(0);
      expect(await checkHealth(second, { ...ports, PORT: '1' })).toBe(1);
    }

    // Traces that nobody takes are told of once, and make the end no failure.
    await untilSaid(second, 'traces are lost');
    expect(await second.terminate()).toBe(0);
    expect(second.output().match(/"reason":"ECONNREFUSED".*traces are lost/g)).toHaveLength(1);
  });
});

/** Takes connections, and never says a word. */
async function startSilence() {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;
  const arrived = new Promise<void>((resolve) => {
    server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      resolve();
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const address = server?.address();
  if (typeof address === 'object' && address) port = address.port;
  return {
    host: `127.0.0.1:${port}`,
    arrived,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server?.close();
    },
  };
}

/** A webhook of which the second half never comes. */
function sendHalf(port: number) {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  const head = [
    'POST /webhooks/stripe HTTP/1.1',
    'Host: localhost',
    'Content-Length: 2000',
    'Stripe-Signature: t=1',
    // The server says so when it has read the head.
    'Expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{"id":`);
  return { sent: once(socket, 'data') };
}
