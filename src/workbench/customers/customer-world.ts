/** A merchant's whole world on loopback and on a simulated clock: Stripe, an mailbox, the plugin and its service. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import type { DateTime } from 'luxon';
import { startMailbox } from '../sandbox/mailbox.ts';
import { moveTo, settle } from '../testing/move-time.ts';
import { attemptOr, openTestWorld } from '../testing/test-world.ts';
import { createAgenda } from './agenda.ts';

export type CustomerWorld = Awaited<ReturnType<typeof createDemoWorld>>;

export interface DemoPlace {
  /** Port of the merchant's server; any free one by default. */
  readonly port?: number | undefined;
  /** Folder of the database, removed at the end; a new one by default. */
  readonly directory?: string | undefined;
}

export async function createDemoWorld(
  start: DateTime,
  { port = 0, directory = mkdtempSync(join(tmpdir(), 'stripe-payment-retry-demo-')) }: DemoPlace = {},
) {
  const agenda = createAgenda();
  const mailbox = await startMailbox();
  const remove = removeAtExit(directory);
  const leave = async () => {
    await mailbox.stop();
    remove();
  };
  const password = randomBytes(18).toString('base64url');
  let isReachable = true;
  const opening = openTestWorld({
    start: start.toJSDate(),
    accountName: 'Northwind Tea',
    prefix: '',
    port,
    plugin: {
      retryMode: 'advisory',
      servicePort: 0,
      dataDir: directory,
      smtpUrl: mailbox.url,
      emailFrom: 'billing@northwind.example',
      consolePassword: password,
      ...RATES,
    },
    // Only Stripe's way in can be closed: the customers and the service use others.
    app: ({ router }) =>
      express().use((request, _response, next) => {
        if (isReachable || !request.path.startsWith('/webhooks/')) next();
        else request.socket.destroy();
      }, router),
  });
  const { world, movable } = await attemptOr(leave, () => opening);
  const { sandbox, plugin, url } = world;
  const stop = async () => {
    await world.stop();
    await leave();
  };
  // Nobody keeps the demo's data: commits need not wait for the disk.
  await attemptOr(stop, () => plugin.parts.database.exec('set synchronous_commit = off'));
  const { clock } = movable;
  return {
    clock,
    sandbox,
    mailbox,
    plugin,
    /** What people do, and when. */
    agenda,
    stop,
    /** Where the console is, and how one signs in. */
    console: { url: `${url}/console`, user: 'operator', password },
    /** While false, Stripe cannot reach the webhook endpoint. */
    setReachable: (wanted: boolean) => {
      isReachable = wanted;
    },
    /** Moves time on, stopping wherever something falls due; `observe` is called when each moment has come to rest. */
    runUntil: (end: DateTime, observe: () => Promise<void>) =>
      moveTo(movable, end, {
        run: async () => {
          await agenda.runDue(clock.now());
          await settle(movable);
          await observe();
        },
        nextAt: agenda.nextAt,
      }),
  };
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
  exchangeRates: ['USD=1', ...[...DEMO_RATES].map((pair) => pair.join('='))].join(','),
};
