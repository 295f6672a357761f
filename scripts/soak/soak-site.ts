/** The program as a user starts it, in real time, with Stripe's stand-in beside it: what the parts of the soak disturb. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DurationLike } from 'luxon';
import { type Clock, systemClock } from '../../src/core/base/clock.ts';
import type { DatabaseLocation } from '../../src/core/database/database.ts';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { type Sandbox, startSandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { variablesOf } from '../../test/support/database/databases.ts';
import { eventually } from '../../test/support/eventually.ts';
import { type Balancer, startBalancer } from '../../test/support/process/balancer.ts';
import { programOf } from '../../test/support/process/compiled-program.ts';
import { expectNothingWaits, expectPaid, inspect, listPlanned } from './inspect-site.ts';
import { SECRETS } from './secrets.ts';

export interface SoakProcess {
  readonly pid: number;
  readonly output: () => string;
  /** The code it ended with by itself; undefined while it runs. */
  readonly code: () => number | null | undefined;
  readonly ended: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
}

export interface SoakSite {
  readonly sandbox: Sandbox;
  readonly location: DatabaseLocation;
  /** Where Stripe sends, wherever the process listens at that moment. */
  readonly front: Balancer;
  readonly process: () => SoakProcess;
  readonly url: () => string;
  readonly serviceUrl: () => string;
  start(): Promise<void>;
  /** A subscription whose renewal failed long enough ago, with the instruction to pay it now. Gives the invoice's id. */
  work(): Promise<string>;
  /**
   * Everything that was acknowledged is done, and every queue is empty of what is due. Ends the process. An invoice that the retry
   * service put off in the meantime is unpaid, with one attempt that is planned and has its job.
   */
  expectWhole(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

export interface SiteOptions {
  readonly location: DatabaseLocation;
  /** Most open files of the process, as `ulimit -n` sets it. */
  readonly openFiles?: number;
  readonly settings?: Readonly<Record<string, string>>;
}

const PUMP_MS = 25;
/** A claim that died with its connection is taken up after five minutes. */
const WITHIN_MS = 420_000;

/** For one part, and ended whatever comes. A part that fails prints the last of its process's output. */
export async function withSoakSite(
  options: SiteOptions,
  print: (line: string) => void,
  run: (site: SoakSite) => Promise<void>,
): Promise<void> {
  const site = await createSoakSite(options);
  try {
    await run(site);
  } catch (error) {
    print(site.process().output().split('\n').slice(-30).join('\n'));
    throw error;
  } finally {
    await site.stop();
  }
}

async function createSoakSite(options: SiteOptions): Promise<SoakSite> {
  const { location } = options;
  let moved: DurationLike = {};
  const clock: Clock = { ...systemClock, now: () => systemClock.now().plus(moved) };
  const sandbox = await startSandbox({ clock });
  const price = sandbox.createPrice();
  const front = await startBalancer();
  sandbox.addWebhookEndpoint(`${front.url}/webhooks/stripe`);
  const pump = startPump(sandbox);
  const instructed = new Set<string>();
  let running: SoakProcess | undefined;
  const current = () => {
    if (!running) throw new Error('The process was not started.');
    return running;
  };
  const settings = {
    ...variablesOf(location),
    RETRY_MODE: 'advisory',
    STRIPE_SECRET_KEY: sandbox.secretKey,
    STRIPE_WEBHOOK_SECRET: sandbox.webhookSecret,
    STRIPE_API_BASE: sandbox.url,
    PUBLIC_URL: front.url,
    PORT: '0',
    SERVICE_PORT: '0',
    ...SECRETS,
    ...options.settings,
  };
  const urlAfter = (message: string) => {
    const line = current()
      .output()
      .split('\n')
      .findLast((one) => one.includes(`"msg":"${message}"`));
    return /"url":"([^"]+)"/.exec(line ?? '')?.[1] ?? '';
  };

  const site: SoakSite = {
    sandbox,
    location,
    front,
    process: current,
    url: () => urlAfter('listening'),
    serviceUrl: () => urlAfter('the retry service is listening'),
    start: async () => {
      const started = spawnLimited(options, settings);
      running = started;
      await eventually(() => {
        if (started.code() !== undefined) return;
        if (!started.output().includes('"listening"')) throw new Error('It does not listen yet.');
      }, WITHIN_MS);
      if (started.code() !== undefined)
        throw new Error(`It ended with ${started.code()}.\n${started.output()}`);
      front.ports.splice(0, front.ports.length, Number(new URL(site.url()).port));
    },
    work: async () => {
      const invoiceId = failedRenewal(sandbox, price.id, (by) => {
        moved = by;
      });
      await askToPay(front.url, invoiceId);
      instructed.add(invoiceId);
      return invoiceId;
    },
    expectWhole: async () => {
      const planned = () => listPlanned(site.url());
      await eventually(async () => expectPaid(sandbox, instructed, await planned()), WITHIN_MS);
      // Our books may have one as open that Stripe has as paid: its webhook was refused, and comes again minutes later.
      const later = (await planned()).filter((id) => sandbox.state.invoices.get(id)?.status !== 'paid');
      // What comes in at the last moment would wait for the next start.
      await pump.stop();
      for (let triesLeft = 2; ; triesLeft -= 1) {
        await eventually(() => expectNothingWaits(site.url()), WITHIN_MS);
        current().signal('SIGTERM');
        await current().ended;
        try {
          return await inspect(location, sandbox, instructed, later);
        } catch (error) {
          if (triesLeft === 0) throw error;
          // Stripe's list may be read between the last look and the end; what it brings waits for the next start.
          await site.start();
        }
      }
    },
    stop: async () => {
      await pump.stop();
      running?.signal('SIGKILL');
      await running?.ended;
      await Promise.all([sandbox.stop(), front.stop()]);
    },
  };
  return site;
}

function spawnLimited({ openFiles }: SiteOptions, settings: Record<string, string>): SoakProcess {
  const { flags, file } = programOf('src/cli.ts');
  const limit = openFiles === undefined ? '' : `ulimit -n ${openFiles}; `;
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', process.execPath, ...flags, file, 'start'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let code: number | null | undefined;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = once(child, 'close').then(() => {
    code = child.exitCode;
    return child.exitCode;
  });
  process.once('exit', () => child.kill('SIGKILL'));
  return {
    pid: child.pid ?? 0,
    output: () => output,
    code: () => code,
    ended,
    signal: (name) => void child.kill(name),
  };
}

/** Resident memory in MB. */
export function memoryOf({ pid }: SoakProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** Stripe's own work, which the stand-in does only when it is asked to. */
function startPump(sandbox: Sandbox) {
  let isOver = false;
  const running = (async () => {
    while (!isOver) {
      await sandbox.run({ concurrency: 5 });
      await sleep(PUMP_MS);
    }
  })();
  return {
    stop: () => {
      isOver = true;
      return running;
    },
  };
}

function failedRenewal(sandbox: Sandbox, price: string, move: (by: DurationLike) => void): string {
  try {
    const fingerprint = `card${sandbox.state.customers.size}`;
    const paymentMethod = declinesTimes(1, 'insufficient_funds', {}, { fingerprint });
    move({ hours: -27 });
    const customer = sandbox.createCustomer({ email: 'jo@example.com', paymentMethod }).id;
    move({ hours: -26 });
    const subscription = sandbox.createSubscription({ customer, items: [{ price }] }).id;
    return sandbox.renewNow(subscription).id;
  } finally {
    move({});
  }
}

/** Again until it is acknowledged, as services do. */
async function askToPay(url: string, invoiceId: string): Promise<void> {
  await eventually(async () => {
    const response = await fetch(`${url}/recovery_action`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRETS.RECOVERY_CALLBACK_TOKEN}` },
      body: JSON.stringify({
        requestId: `soak ${invoiceId}`,
        invoiceId,
        actionSuggestion: 'ACTION_SUGGESTION_RETRY',
        idealRetryTime: systemClock.now().toISO(),
      }),
    });
    await response.body?.cancel();
    if (response.status !== 200) throw new Error(`The instruction was answered ${response.status}.`);
  }, WITHIN_MS);
}
