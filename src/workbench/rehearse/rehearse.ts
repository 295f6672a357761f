/**
 * A whole recovery on a Stripe test account, with a test clock: a renewal fails, the service decides, an attempt is made and
 * declined, the customer brings another card, and the invoice is paid. Nothing of it stays.
 */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { DateTime } from 'luxon';
import Stripe from 'stripe';
import { type Clock, createSimulatedClock, fromUnixSeconds } from '../../core/base/clock.ts';
import { PluginError } from '../../core/base/errors.ts';
import { silentLogger } from '../../core/base/logger.ts';
import { closeServer, listen } from '../../core/web/http-server.ts';
import { createOwnPlugin } from '../../plugin/app/own-plugin.ts';
import { openSdk } from '../../plugin/clients/stripe-client.ts';
import { exactMoment } from '../../plugin/operator/text/exact-moment.ts';
import { drawBar } from '../../plugin/operator/text/progress-line.ts';
import type { Config } from '../../plugin/settings/config.ts';
import { findInvoiceHistory } from '../../plugin/store/reports/invoice-history.ts';
import { removeEarlier } from './earlier-rehearsals.ts';
import { createEventSource, type EventSource, isAbout } from './event-source.ts';
import { requireTestMode, type Wait } from './rehearsal-clock.ts';
import { createTestSubscriber, REHEARSAL_MARK, type TestSubscriber } from './test-subscriber.ts';
import { openWebhookListener, type WebhookListener } from './webhook-listener.ts';

export interface RehearsalOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly write: (text: string) => void;
  readonly wait: Wait;
  /** Hears how far it is, after each step. */
  readonly onStep?: (progress: string) => unknown;
  /** Ends the rehearsal at the next step; its objects are removed nevertheless. */
  readonly signal?: AbortSignal;
  /** Leaves everything at Stripe, for a look at it. */
  readonly isKept?: boolean;
}

interface Play {
  readonly subscriber: TestSubscriber;
  readonly source: EventSource;
  readonly plugin: RehearsalPlugin;
  /** Throws once somebody has had enough. */
  readonly step: (text: string, link?: string) => void;
}

/** A card that can be attached and whose charges are declined (stripe-facts 8.2). */
const FAILING_CARD = 'pm_card_chargeCustomerFail';
const GOOD_CARD = 'pm_card_mastercard';
/** A renewal's invoice is a draft for an hour (stripe-facts 8.1). */
const AFTER_RENEWAL = { hours: 2 } as const;
const MOST_ATTEMPTS = 4;
/** Steps of a rehearsal with one attempt. */
const STEPS = 8;

/** Throws where a step does not come about, after everything was removed. */
export async function rehearse({
  config,
  clock,
  write,
  wait: plainWait,
  onStep,
  signal = new AbortController().signal,
  isKept = false,
}: RehearsalOptions): Promise<void> {
  requireTestMode(config);
  const stripe = openSdk(config.stripe);
  let number = 0;
  const step = (text: string, link?: string) => {
    signal.throwIfAborted();
    number += 1;
    write(`${String(number).padStart(2)}  ${text}\n${link ? `    ${link}\n` : ''}`);
    onStep?.(`${drawBar(number / STEPS)} step ${number}`);
  };
  const wait: Wait = async (ms) => {
    await plainWait(ms);
    signal.throwIfAborted();
  };
  for (const id of await removeEarlier(stripe, clock.now()))
    write(`Removed: the test clock ${id}, which an earlier rehearsal had left.\n`);
  const subscriber = await createTestSubscriber(stripe, { now: clock.now(), wait, isKept, signal });
  const known = new Set([subscriber.customerId]);
  const isOurs = (event: Stripe.Event) => isAbout(event, known);
  let listener: WebhookListener | undefined;
  let plugin: RehearsalPlugin | undefined;
  try {
    listener = await openWebhookListener(config, clock, isOurs);
    plugin = await startRehearsalPlugin({ config, start: clock.now(), clockId: subscriber.clockId });
    const source = createEventSource({ stripe, listener, wait, isOurs });
    step(
      `A customer, a card that works, and a monthly subscription of 20.00 USD, on test clock ${subscriber.clockId}.`,
      linkTo('customers', subscriber.customerId),
    );
    step(
      listener === undefined
        ? `Port ${config.port} is taken, by the running plugin it seems: events are read from Stripe's list.`
        : `Webhooks are expected at ${config.publicUrl.origin}/webhooks/stripe; what does not come is read from Stripe's list.`,
    );
    await play({ subscriber, source, plugin, step });
  } finally {
    await plugin?.stop();
    await listener?.close();
    if (!isKept) await subscriber.clear();
    write(
      isKept
        ? `Kept: the test clock ${subscriber.clockId}. Stripe removes it after 30 days; its product stays.\n`
        : `Removed: the test clock ${subscriber.clockId} with its customer, subscription and invoices.\n`,
    );
  }
}

async function play({ subscriber, source, plugin, step }: Play): Promise<void> {
  const begun = await source.hear('customer.subscription.created');
  await plugin.receive(begun.events);
  await subscriber.giveCard(FAILING_CARD);
  step('The customer now has a card whose payments are declined.');
  const { invoiceId, failedAt } = await failRenewal({ subscriber, source, plugin, step });
  await retry({ subscriber, source, plugin, step }, invoiceId, failedAt);
  await subscriber.giveCard(GOOD_CARD);
  step('The customer brings another card.');
  await plugin.receive((await source.hear('customer.updated')).events);
  const paid = await source.hear('invoice.paid');
  await plugin.receive(paid.events);
  const history = await plugin.historyOf(invoiceId);
  if (history?.invoice?.status !== 'paid')
    throw missing(`The invoice ${invoiceId} was not paid with the other card.`);
  step(`The plugin paid the invoice with it${describeSource(paid.by)}.`, linkTo('invoices', invoiceId));
}

async function failRenewal({ subscriber, source, plugin, step }: Play) {
  const failedAt = fromUnixSeconds(subscriber.renewsAt).plus(AFTER_RENEWAL);
  await subscriber.advanceTo(failedAt);
  await plugin.setTime(failedAt);
  const failure = await source.hear('invoice.payment_failed');
  const invoiceId = failure.events
    .map(({ type, data }) => (type === 'invoice.payment_failed' ? invoiceOf(data.object) : undefined))
    .findLast((id) => id !== undefined);
  if (invoiceId === undefined) throw missing('No failed payment came from Stripe after the renewal.');
  await plugin.receive(failure.events);
  step(
    `One month later: the renewal's payment fails, and the plugin hears of it${describeSource(failure.by)}.`,
    linkTo('invoices', invoiceId),
  );
  return { invoiceId, failedAt };
}

/** Repeats until we make an attempt: Stripe's own next one may come first. */
async function retry(
  { subscriber, source, plugin, step }: Play,
  invoiceId: string,
  failedAt: DateTime,
): Promise<void> {
  let now = failedAt;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const history = await plugin.historyOf(invoiceId);
    const next = history?.actions.findLast(({ state }) => state === 'scheduled');
    if (next === undefined) throw missing(`The service planned nothing for the invoice ${invoiceId}.`);
    step(`The service decides: ${next.kind === 'pay' ? 'try' : next.kind} at ${exactMoment(next.dueAt)}.`);
    now = DateTime.max(next.dueAt, now).plus({ minutes: 1 });
    await subscriber.advanceTo(now);
    await plugin.setTime(now);
    await plugin.work();
    const made = (await plugin.historyOf(invoiceId))?.attempts.find(({ source: by }) => by === 'ours');
    if (made !== undefined) {
      await plugin.receive((await source.hear('invoice.payment_failed')).events);
      step(`The plugin tries it: ${made.outcome}, ${made.declineCode ?? made.code ?? 'no code'}.`);
      return;
    }
  }
  throw missing(`No attempt was made for the invoice ${invoiceId}.`);
}

function invoiceOf(invoice: Stripe.Invoice): string | undefined {
  return invoice.billing_reason === 'subscription_cycle' ? invoice.id : undefined;
}

function describeSource(by: 'webhook' | 'events_api'): string {
  return by === 'webhook' ? ' by webhook' : " from Stripe's list of events (no webhook came)";
}

function linkTo(kind: 'customers' | 'invoices', id: string): string {
  return `https://dashboard.stripe.com/test/${kind}/${id}`;
}

function missing(message: string): PluginError {
  return new PluginError('UPSTREAM_FAILED', message, {
    help: 'Run it again; if it fails the same way, look at the objects of the test clock in the Dashboard before they are removed (--keep).',
  });
}

type RehearsalPlugin = Awaited<ReturnType<typeof startRehearsalPlugin>>;

interface RehearsalPluginOptions {
  readonly config: Config;
  readonly start: DateTime;
  /** The rehearsal's clock: only its invoices are collected. */
  readonly clockId: string;
}

const LOOPBACK = '127.0.0.1';

/** The plugin that plays a rehearsal: in this process, at the test clock's time, with a database that nobody keeps. */
async function startRehearsalPlugin({ config, start, clockId }: RehearsalPluginOptions) {
  const clock = createSimulatedClock(start);
  const directory = mkdtempSync(join(tmpdir(), 'payment-retry-rehearsal-'));
  const secret = `whsec_${randomBytes(24).toString('hex')}`;
  const server = createServer();
  await listen(server, { host: LOOPBACK, port: 0 });
  const address = server.address();
  const url = `http://${LOOPBACK}:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const plugin = createOwnPlugin({
    retryMode: 'advisory',
    logger: silentLogger,
    clock,
    stripeSecretKey: config.stripe.secretKey,
    stripeApiBase: config.stripe.apiBase.href,
    stripeWebhookSecret: secret,
    publicUrl: url,
    dataDir: directory,
    testClock: clockId,
    recover: `metadata:${REHEARSAL_MARK}=${clockId}`,
  });
  const stop = async () => {
    await plugin.stop();
    await closeServer(server);
    rmSync(directory, { recursive: true, force: true });
  };
  server.on('request', express().use(plugin.router));
  const work = async () => {
    await plugin.runOnce();
  };
  try {
    await plugin.start({ wait: false });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    setTime: (instant: DateTime) => clock.set(instant),
    /** Feeds events through the webhook receiver, then does the due work. */
    receive: async (events: readonly Stripe.Event[]) => {
      for (const event of events) {
        const payload = JSON.stringify(event);
        const timestamp = Math.floor(clock.now().toSeconds());
        const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
        await fetch(`${url}/webhooks/stripe`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'stripe-signature': signature },
          body: payload,
        });
      }
      await work();
    },
    /** What it knows of an invoice. */
    historyOf: (invoiceId: string) => findInvoiceHistory(plugin.parts.database, invoiceId),
    work,
    stop,
  };
}
