/** The plugin that plays a rehearsal: in this process, at the test clock's time, with a database that nobody keeps. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import type { DateTime } from 'luxon';
import Stripe from 'stripe';
import type { Config } from '../config/config.ts';
import { closeServer, listen } from '../http/http-server.ts';
import { createSimulatedClock } from '../kit/clock.ts';
import { silentLogger } from '../kit/logger.ts';
import { createPlugin } from '../plugin/plugin.ts';
import { findInvoiceHistory, type InvoiceHistory } from '../store/reports/invoice-history.ts';
import { REHEARSAL_MARK } from './test-subscriber.ts';

export interface RehearsalPlugin {
  setTime(instant: DateTime): Promise<void>;
  /** Brings events in through the webhook receiver, and does what is due then. */
  receive(events: readonly Stripe.Event[]): Promise<void>;
  /** What it knows of an invoice. */
  historyOf(invoiceId: string): Promise<InvoiceHistory | undefined>;
  /** Does what is due. */
  work(): Promise<void>;
  stop(): Promise<void>;
}

export interface RehearsalPluginOptions {
  readonly config: Config;
  readonly start: DateTime;
  /** Of the rehearsal: its invoices are collected, and nobody else's. */
  readonly clockId: string;
}

const LOOPBACK = '127.0.0.1';

export async function startRehearsalPlugin({
  config,
  start,
  clockId,
}: RehearsalPluginOptions): Promise<RehearsalPlugin> {
  const clock = createSimulatedClock(start);
  const directory = mkdtempSync(join(tmpdir(), 'payment-retry-rehearsal-'));
  const secret = `whsec_${randomBytes(24).toString('hex')}`;
  const server = createServer();
  await listen(server, { host: LOOPBACK, port: 0 });
  const address = server.address();
  const url = `http://${LOOPBACK}:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const plugin = createPlugin({
    environment: {},
    logger: silentLogger,
    clock,
    stripeSecretKey: config.stripe.secretKey,
    stripeApiBase: config.stripe.apiBase.href,
    stripeWebhookSecret: secret,
    publicUrl: url,
    dataDir: directory,
    followTestClocks: true,
    recoverMetadata: `${REHEARSAL_MARK}=${clockId}`,
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
    await plugin.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    setTime: (instant) => clock.set(instant),
    receive: async (events) => {
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
    historyOf: (invoiceId) => findInvoiceHistory(plugin.parts.database, invoiceId),
    work,
    stop,
  };
}
