/** The embedded database reports its own damage: in a host application, and in a process of its own. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import express from 'express';
import Stripe from 'stripe';
import type { PluginError } from '../../../src/core/base/errors.ts';
import { createOwnPlugin } from '../../../src/plugin/app/own-plugin.ts';
import { newMigratedDirectory } from '../../support/database/data-directory.ts';
import { eventually } from '../../support/eventually.ts';
import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';
import { captureLog } from '../../support/log-lines.ts';
import { type ServerProcess, startServerProcess } from '../../support/process/server-process.ts';

const SECRET = 'whsec_of_the_endpoint';
const settings = {
  retryMode: 'advisory' as const,
  stripeSecretKey: 'sk_test_1',
  stripeWebhookSecret: SECRET,
  businessEntity: 'Acme',
  servicePort: 0,
};
const dataDir = newMigratedDirectory();
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

async function ask(url: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
}

test('a host application is told of damage, lives on, and can start the plugin again', async () => {
  const { logger, lines } = captureLog();
  const failures: PluginError[] = [];
  const plugin = createOwnPlugin({
    ...settings,
    dataDir,
    environment: {},
    logger,
    onFailure: (error) => failures.push(error),
  });
  const server = createServer(express().use('/retry', plugin.router));
  const url = `${await listenOnLoopback(server)}/retry`;
  try {
    await plugin.start();
    expect(await ask(`${url}/readyz`)).toMatchObject({ status: 200 });
    const broken = `do $$ begin raise exception 'could not create file' using errcode = '58P02'; end $$`;
    await expect(plugin.parts.database.exec(broken)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    expect(await ask(`${url}/readyz`)).toMatchObject({ status: 503, body: { code: 'STORE_DAMAGED' } });
    expect(failures).toMatchObject([{ code: 'STORE_DAMAGED' }]);
    expect(lines.join('')).toContain('the plugin has stopped itself');
    await plugin.start();
    expect(await ask(`${url}/readyz`)).toMatchObject({ status: 200 });
  } finally {
    await plugin.stop();
    await closeServer(server);
  }
});

const PRLIMIT = '/usr/bin/prlimit';
/** Bounds a hang. */
const FLOOD_MS = 300_000;
/** A table grows by it, and each so often needs another file. */
const FILLER = randomBytes(20_000).toString('base64');

/** The flood's effect, without the flood: the process may open no further file. */
if (existsSync(PRLIMIT))
  test('a process whose database can open no more files ends, and the next one goes on where it was', async () => {
    const start = () =>
      startServerProcess({
        RETRY_MODE: 'advisory',
        STRIPE_SECRET_KEY: 'sk_test_1',
        STRIPE_WEBHOOK_SECRET: SECRET,
        BUSINESS_ENTITY: 'Acme',
        RETRY_SERVICE_URL: 'http://127.0.0.1:9',
        RETRY_SERVICE_API_KEY: 'key-of-a-service-that-is-away',
        RECOVERY_CALLBACK_TOKEN: 'callback-token-for-tests',
        DATA_DIR: dataDir,
      });
    let running: ServerProcess | undefined = await start();
    try {
      expect(await send(running, 'evt_before')).toBe(200);
      execFileSync(PRLIMIT, [`--pid=${running.pid}`, '--nofile=40:4096']);
      const code = running.ended;
      let isOver = false;
      void code.then(() => {
        isOver = true;
      });
      // A connection is a file, too: it is refused, or takes what is left of the database's. So many come through before
      // the database needs a file that nobody can say how many it takes.
      const flooded = running;
      let count = 0;
      await eventually(async () => {
        count += 1;
        await send(flooded, `evt_${count}`);
        expect(isOver).toBe(true);
      }, FLOOD_MS);
      expect(await code).toBe(1);
      expect(running.output()).toMatch(/The embedded database is used no more, for it reports: /);
      running = await start();
      for (const id of ['evt_before', 'evt_after']) expect(await send(running, id)).toBe(200);
    } finally {
      await running?.kill();
    }
  });
else test.skip('a process whose database can open no more files ends: this machine has no prlimit', () => {});

/** 0: no answer. */
async function send({ port }: ServerProcess, id: string): Promise<number> {
  const created = Math.floor(Date.now() / 1000);
  const payload = JSON.stringify({
    id,
    object: 'event',
    type: 'customer.created',
    created,
    data: { object: { metadata: { filler: FILLER } } },
  });
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET });
  const answer = await fetch(`http://127.0.0.1:${port}/webhooks/stripe`, {
    method: 'POST',
    headers: { 'stripe-signature': signature },
    body: payload,
  }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status ?? 0;
}
