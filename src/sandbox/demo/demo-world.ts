/** A merchant's whole world on loopback and on a simulated clock: Stripe, a mail box, the plugin and its service. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import type { DateTime } from 'luxon';
import { createSimulatedClock, type SimulatedClock } from '../../kit/clock.ts';
import { silentLogger } from '../../kit/logger.ts';
import { createPlugin, type Plugin } from '../../plugin/plugin.ts';
import { EVENT_HANDLERS } from '../../sync/events/handlers.ts';
import { moveTo, settle } from '../move-time.ts';
import { type Mailbox, startMailbox } from '../stripe/mailbox.ts';
import { type Sandbox, startSandbox } from '../stripe/sandbox.ts';
import { type Agenda, createAgenda } from './agenda.ts';

export interface DemoWorld {
  readonly clock: SimulatedClock;
  readonly sandbox: Sandbox;
  readonly mailbox: Mailbox;
  readonly plugin: Plugin;
  readonly console: DemoConsole;
  /** What people do, and when. */
  readonly agenda: Agenda;
  /** While false, Stripe cannot reach the webhook endpoint. */
  setReachable(isReachable: boolean): void;
  /** Moves time on, stopping wherever something falls due; `observe` is called when each moment has come to rest. */
  runUntil(end: DateTime, observe: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** Where the console is, and how one signs in. */
export interface DemoConsole {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

export interface DemoPlace {
  /** Of the merchant's server; any free one without it. */
  readonly port?: number | undefined;
  /** Of the database, removed in the end; a new one without it. */
  readonly directory?: string | undefined;
}

export async function createDemoWorld(
  start: DateTime,
  { port = 0, directory = mkdtempSync(join(tmpdir(), 'stripe-payment-retry-demo-')) }: DemoPlace = {},
): Promise<DemoWorld> {
  const clock = createSimulatedClock(start);
  const agenda = createAgenda();
  const [sandbox, mailbox] = await Promise.all([
    startSandbox({ clock, accountName: 'Northwind Tea' }),
    startMailbox(),
  ]);
  const remove = removeAtExit(directory);
  const door = await openDoor(port);
  const console = {
    url: `${door.url}/console`,
    user: 'operator',
    password: randomBytes(18).toString('base64url'),
  };
  const plugin = createDemoPlugin({
    ...{ clock, sandbox, mailbox, directory, url: door.url },
    consolePassword: console.password,
  });
  door.server.on('request', express().use(door.guard, plugin.router));
  const world = {
    clock,
    sandbox,
    mailbox,
    plugin,
    console,
    agenda,
    setReachable: door.setReachable,
    stop: async () => {
      await plugin.stop();
      await Promise.all([sandbox.stop(), mailbox.stop(), close(door.server)]);
      remove();
    },
  };
  try {
    await plugin.start();
    // Nobody keeps what the demo wrote: it need not wait for the disk.
    await plugin.parts.database.exec('set synchronous_commit = off');
  } catch (error) {
    await world.stop();
    throw error;
  }
  sandbox.addWebhookEndpoint(`${door.url}/webhooks/stripe`, Object.keys(EVENT_HANDLERS));
  return { ...world, runUntil: (end, observe) => runUntil(world, end, observe) };
}

/** Also when the demo is interrupted. Returns what removes it now. */
function removeAtExit(directory: string): () => void {
  const remove = () => rmSync(directory, { recursive: true, force: true });
  const interrupt = () => {
    process.stdout.write('\nStopped. Nothing is kept: the demo removes what it wrote.\n');
    process.exit(130);
  };
  process.once('exit', remove);
  process.once('SIGINT', interrupt);
  return () => {
    process.off('exit', remove);
    process.off('SIGINT', interrupt);
    remove();
  };
}

/** What one unit is worth in US dollars, of no certain day. */
export const DEMO_RATES: ReadonlyMap<string, number> = new Map([
  ['eur', 1.08],
  ['gbp', 1.27],
  ['jpy', 0.0066],
  ['brl', 0.19],
  ['aud', 0.65],
  ['inr', 0.012],
]);

const RATES = {
  reportCurrency: 'USD',
  exchangeRates: [...DEMO_RATES].map((pair) => pair.join('=')).join(','),
};

/** Nothing of the user's environment counts: the demo is the same everywhere and touches nobody's database. */
function createDemoPlugin(parts: {
  clock: SimulatedClock;
  sandbox: Sandbox;
  mailbox: Mailbox;
  directory: string;
  url: string;
  consolePassword: string;
}): Plugin {
  return createPlugin({
    environment: {},
    stripeSecretKey: parts.sandbox.secretKey,
    stripeWebhookSecret: parts.sandbox.webhookSecret,
    stripeApiBase: parts.sandbox.url,
    publicUrl: parts.url,
    servicePort: 0,
    dataDir: parts.directory,
    smtpUrl: parts.mailbox.url,
    emailFrom: 'billing@northwind.example',
    consolePassword: parts.consolePassword,
    ...RATES,
    linkSecret: 'the demo has no secrets, but a link wants one',
    logger: silentLogger,
    clock: parts.clock,
  });
}

type Played = Pick<DemoWorld, 'clock' | 'sandbox' | 'plugin' | 'agenda'>;

function runUntil(world: Played, end: DateTime, observe: () => Promise<void>): Promise<void> {
  const { clock, agenda } = world;
  return moveTo(world, end, {
    run: async () => {
      await agenda.runDue(clock.now());
      await settle(world);
      await observe();
    },
    nextAt: agenda.nextAt,
  });
}

/** The merchant's server. Only Stripe's way in can be closed: the customers and the service use others. */
async function openDoor(port: number) {
  const server = createServer();
  // One that ends just as it is used again would make the story another one.
  server.keepAliveTimeout = 0;
  const url = await listen(server, port);
  let isOpen = true;
  const guard: express.RequestHandler = (request, _response, next) => {
    if (isOpen || !request.path.startsWith('/webhooks/')) next();
    else request.socket.destroy();
  };
  return {
    server,
    url,
    guard,
    setReachable: (isReachable: boolean) => {
      isOpen = isReachable;
    },
  };
}

function listen(server: Server, wanted: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      resolve(`http://127.0.0.1:${port}`);
    });
  });
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
