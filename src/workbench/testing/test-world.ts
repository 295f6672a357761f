/** A whole Stripe on a clock, for the tests of an application that has the plugin. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { types } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import express from 'express';
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import { createSimulatedClock } from '../../core/base/clock.ts';
import { ConfigError } from '../../core/base/errors.ts';
import { silentLogger } from '../../core/base/logger.ts';
import { addressOf, closeServer, listen } from '../../core/web/http-server.ts';
import { createOwnPlugin, type OwnOptions, type OwnPlugin, toPlugin } from '../../plugin/app/own-plugin.ts';
import type { Plugin } from '../../plugin/app/plugin.ts';
import type { OutgoingMail } from '../../plugin/clients/mailer.ts';
import {
  HOST_EVENT_TYPES,
  type HostEvent,
  type HostHandlers,
} from '../../plugin/operator/host-events/host-event.ts';
import { flattenOptions } from '../../plugin/settings/options.ts';
import { EVENT_HANDLERS } from '../../plugin/sync/events/handlers.ts';
import { accepts, acceptsFirst, declines, declinesTimes } from '../sandbox/payment-behaviour.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { type Movable, moveTo, settle } from './move-time.ts';
import {
  checkCard,
  checkOptions,
  checkRenewal,
  checkSpan,
  type FailingRenewal,
  type Span,
  type TestCard,
  type TestWorldOptions,
} from './test-inputs.ts';
import type { TestSandbox } from './test-sandbox.ts';

/** Ids at the sandbox. */
export interface FailedRenewal {
  readonly customer: string;
  readonly subscription: string;
  readonly invoice: string;
}

export interface TestWorld {
  /** Started, with the sandbox as its Stripe and the world's clock. */
  readonly plugin: Plugin;
  /** Stripe: what merchants and customers do there, and what it has. Call `settle` after what you do. */
  readonly sandbox: TestSandbox;
  /** Where your application, or the plugin alone, is reached. */
  readonly url: string;
  /** Every email to a customer, oldest first. */
  readonly emails: readonly OutgoingMail[];
  /** Every event for the application, oldest first. */
  readonly events: readonly HostEvent[];
  /** The world's time. */
  now(): Date;
  /** A new customer, whose first payment succeeds and whose renewal is declined. */
  failRenewal(renewal?: FailingRenewal): Promise<FailedRenewal>;
  /** The customer's card from now on: a good one, or one that is declined with a code. */
  newCard(customer: string, card?: TestCard): Promise<void>;
  /** Lets time pass, and everything happen that falls due in it. */
  advance(span: Span): Promise<void>;
  /** The same until an instant: a Date, or ISO 8601. */
  advanceTo(instant: Date | string): Promise<void>;
  /** Lets everything happen that is due now. */
  settle(): Promise<void>;
  /** Asks your application. A POST without a signature to the webhook's path is signed as Stripe would. */
  fetch(path: string, request?: RequestInit): Promise<Response>;
  /** Ends everything. Always call it, or the test's process stays. */
  stop(): Promise<void>;
}

const MONDAY = '2026-03-02T10:00:00Z';
const SIGNATURE = 'stripe-signature';
const HOST = '127.0.0.1';
/** Linux only; elsewhere the database is on the disk. */
const MEMORY = '/dev/shm';

/** Ready when it resolves. Nothing is shared between two worlds, nor does any reach beyond this machine. */
export async function createTestWorld(options: TestWorldOptions): Promise<TestWorld> {
  checkOptions({ ...options });
  const { own, problems } = flattenOptions(options.plugin);
  if (problems.length > 0) throw new ConfigError(problems);
  const { world } = await openTestWorld({ ...options, plugin: own });
  return { ...world, plugin: toPlugin(world.plugin) };
}

interface OwnWorldOptions extends Omit<TestWorldOptions, 'plugin'> {
  readonly plugin: OwnOptions;
  readonly accountName?: string;
}

/** Adds the plugin's parts, for this package. */
export interface OwnTestWorld extends TestWorld {
  readonly plugin: OwnPlugin;
  readonly sandbox: Sandbox;
}

/** Opens the world with its time control. Where `smtpUrl` is given, email goes there and is not among the world's `emails`. */
export async function openTestWorld({ accountName = 'Sandbox Inc.', ...options }: OwnWorldOptions): Promise<{
  readonly world: OwnTestWorld;
  readonly movable: Movable;
}> {
  const { start = MONDAY, prefix = '/payment-retry', app = alone(prefix), port = 0 } = options;
  const place = { host: HOST, port };
  const clock = createSimulatedClock(toInstant(start));
  // A test is over before the database's engine is worth to be optimized, which is half of what its start costs.
  setFlagsFromString('--wasm-tiering-budget=500000000');
  const sandbox = await startSandbox({ clock, accountName });
  const { on, sendEmail, ...settings } = options.plugin;
  const folder = settings.dataDir === undefined ? mkdtempSync(join(findRoom(), 'payment-retry-test-')) : '';
  const server = createServer();
  // A connection that ends just as it is used again would make the story another one.
  server.keepAliveTimeout = 0;
  await listen(server, place);
  const url = addressOf(server, place);
  const emails: OutgoingMail[] = [];
  const events: HostEvent[] = [];
  const endpoint = new URL(`${url}${prefix}/webhooks/stripe`);
  const keepEmail = async (email: OutgoingMail) => {
    emails.push(email);
    return sendEmail?.(email);
  };
  const openPlugin = () =>
    createOwnPlugin({
      stripeSecretKey: sandbox.secretKey,
      stripeWebhookSecret: sandbox.webhookSecret,
      stripeApiBase: sandbox.url,
      publicUrl: `${url}${prefix}`,
      dataDir: folder,
      emailFrom: 'billing@shop.example',
      linkSecret: 'the test world has no secrets, but a link wants one',
      logger: silentLogger,
      clock,
      ...settings,
      on: collectEvents(events, on),
      ...(settings.smtpUrl === undefined && { sendEmail: keepEmail }),
    });
  const leave = async () => {
    await Promise.all([sandbox.stop(), closeServer(server)]);
    if (folder !== '') rmSync(folder, { recursive: true, force: true });
  };
  const plugin = await attemptOr(leave, openPlugin);
  const movable = { clock, sandbox, plugin };
  const stop = async () => {
    await plugin.stop();
    await leave();
  };
  await attemptOr(stop, () => {
    server.on('request', app(toPlugin(plugin)));
    return plugin.start();
  });
  sandbox.addWebhookEndpoint(endpoint.href, Object.keys(EVENT_HANDLERS));
  const world: OwnTestWorld = {
    plugin,
    sandbox,
    url,
    emails,
    events,
    stop,
    now: () => clock.now().toJSDate(),
    failRenewal: async (renewal = {}) => {
      checkRenewal(renewal);
      const failed = beginRenewal(sandbox, renewal);
      await settle(movable);
      const { id: invoice } = sandbox.renewNow(failed.subscription);
      await settle(movable);
      return { ...failed, invoice };
    },
    newCard: async (customer, given = {}) => {
      checkCard(given);
      const { declineCode, ...card } = given;
      const look = { brand: 'mastercard', last4: '4444', ...card };
      sandbox.changeDefaultCard(customer, declineCode ? declines(declineCode, {}, look) : accepts(look));
      await settle(movable);
    },
    advance: async (span) => {
      checkSpan(span);
      await passTime(movable, clock.now().plus(span));
    },
    advanceTo: async (instant) => passTime(movable, toInstant(instant)),
    settle: () => settle(movable),
    fetch: (path, request) => {
      const address = new URL(path, url);
      return fetch(address, address.pathname === endpoint.pathname ? sign(request) : request);
    },
  };
  return { world, movable };

  function sign(request: RequestInit = {}): RequestInit {
    const headers = new Headers(request.headers);
    if (headers.has(SIGNATURE) || typeof request.body !== 'string') return request;
    const secret = sandbox.webhookSecret;
    const timestamp = Math.floor(clock.now().toSeconds());
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: request.body, secret, timestamp });
    headers.set(SIGNATURE, signature);
    return { ...request, headers };
  }
}

const findRoom = (): string => (existsSync(MEMORY) ? MEMORY : tmpdir());

function alone(prefix: string) {
  return (plugin: Plugin): RequestListener => express().use(prefix, plugin.router);
}

function toInstant(given: Date | string): DateTime<true> {
  const options = { zone: 'utc' };
  const instant = types.isDate(given)
    ? DateTime.fromJSDate(given, options)
    : DateTime.fromISO(given, options);
  if (!instant.isValid)
    throw new RangeError(`${given} is no time: give a Date, or ISO 8601 such as ${MONDAY}`);
  return instant;
}

/** Never back: what has happened has happened. */
async function passTime(world: Movable, end: DateTime): Promise<void> {
  if (end < world.clock.now()) throw new RangeError(`${end.toISO()} is in the past of this world`);
  await moveTo(world, end);
  await settle(world);
}

function beginRenewal(sandbox: Sandbox, renewal: FailingRenewal): Omit<FailedRenewal, 'invoice'> {
  const { amount = 2000, currency = 'usd', declineCode = 'insufficient_funds' } = renewal;
  const { declines: times, amount: _amount, currency: _currency, declineCode: _code, ...person } = renewal;
  const paymentMethod =
    times === undefined ? acceptsFirst(1, declines(declineCode)) : declinesTimes(times, declineCode);
  const { id: customer } = sandbox.createCustomer({
    email: 'ada@example.com',
    name: 'Ada Example',
    country: 'US',
    ...person,
    paymentMethod,
  });
  const { id: price } = sandbox.createPrice({ unit_amount: amount, currency });
  const { id: subscription } = sandbox.createSubscription({ customer, items: [{ price, quantity: 1 }] });
  return { customer, subscription };
}

/** Each is kept, and handed on to the application's own handler. */
function collectEvents(events: HostEvent[], handlers: HostHandlers = {}): HostHandlers {
  const collect = <Type extends keyof HostHandlers>(type: Type) => ({
    [type]: async (event: HostEvent) => {
      events.push(event);
      await (handlers[type] as ((event: HostEvent) => unknown) | undefined)?.(event);
    },
  });
  return Object.assign({}, ...HOST_EVENT_TYPES.map(collect));
}

/** A world that cannot be opened leaves nothing behind. */
export async function attemptOr<T>(leave: () => Promise<void>, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await leave();
    throw error;
  }
}
