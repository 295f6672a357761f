/** In real time: one account's service hangs and Stripe refuses its calls; another's work goes on meanwhile. */
import { createServer, type ServerResponse } from 'node:http';
import express from 'express';
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../src/core/base/clock.ts';
import { silentLogger } from '../../src/core/base/logger.ts';
import { createOwnPlugin, type OwnPlugin } from '../../src/plugin/app/own-plugin.ts';
import type { ConnectedAccount } from '../../src/workbench/sandbox/connect.ts';
import { declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { type Sandbox, startSandbox } from '../../src/workbench/sandbox/sandbox.ts';
import { MAIN, optionsOf, type TestLocation } from '../support/database/databases.ts';
import { eventually } from '../support/eventually.ts';
import { closeServer, listenOnLoopback } from '../support/http/loopback-server.ts';
import { type RecordingService, startRecordingService } from '../support/http/recording-service.ts';

const now = () => DateTime.utc();
/** The last failures are two days old, so that the networks' limits allow another attempt. */
const clock = createSimulatedClock(now().minus({ days: 2 }));
const front = createServer();
/** Requests that have no answer yet. The plugin gives one up after half a minute, and soon makes another. */
const hung = new Set<ServerResponse>();
const hanging = createServer((_request, response) => {
  hung.add(response);
  response.once('close', () => hung.delete(response));
});

let place: TestLocation;
let sandbox: Sandbox;
let plugin: OwnPlugin;
let service: RecordingService;
let url: string;
let [stuck, revoked, fine]: ConnectedAccount[] = [];
beforeAll(async () => {
  place = await MAIN.createMigrated();
  sandbox = await startSandbox({ clock });
  [stuck, revoked, fine] = [sandbox.connectAccount(), sandbox.connectAccount(), sandbox.connectAccount()];
  service = await startRecordingService(clock, 'key-of-fine');
  url = await listenOnLoopback(front);
  const entry = (retryServiceUrl: string, name: string) => ({
    retryServiceUrl,
    retryServiceApiKey: `key-of-${name}`,
    recoveryCallbackToken: `token-of-${name}-0123456789-abcdefgh`,
    businessEntity: name,
  });
  const hangingUrl = await listenOnLoopback(hanging);
  plugin = createOwnPlugin({
    retryMode: 'advisory',
    stripeSecretKey: sandbox.secretKey,
    stripeWebhookSecret: `${sandbox.webhookSecret},${sandbox.connectWebhookSecret}`,
    stripeApiBase: sandbox.url,
    publicUrl: url,
    retryServiceUrl: service.url,
    retryServiceApiKey: 'key-of-fine',
    recoveryCallbackToken: 'token-of-own-0123456789-abcdefgh',
    businessEntity: 'Platform',
    connectedAccounts: JSON.stringify({
      [stuck.id]: entry(hangingUrl, 'stuck'),
      [revoked.id]: entry(hangingUrl, 'revoked'),
      [fine.id]: entry(service.url, 'fine'),
    }),
    ...optionsOf(place.location),
    logger: silentLogger,
    environment: {},
  });
  front.on('request', express().use(plugin.router));
  await plugin.start();
  sandbox.addConnectEndpoint(`${url}/webhooks/stripe`);
  // A power cut is not among the scenarios, and waiting for the disk is most of their time.
  await plugin.parts.database.exec('set synchronous_commit = off');
});
afterAll(async () => {
  hanging.closeAllConnections();
  await plugin?.stop();
  await Promise.all([sandbox?.stop(), service?.stop(), closeServer(front), closeServer(hanging)]);
  await place.remove();
});

function failingInvoice(account: ConnectedAccount): { subscriptionId: string; invoiceId: string } {
  const paymentMethod = declinesTimes(1, 'insufficient_funds');
  const { id: customer } = account.createCustomer({ paymentMethod });
  const { id: price } = account.createPrice();
  const { id: subscriptionId } = account.createSubscription({ customer, items: [{ price }] });
  return { subscriptionId, invoiceId: account.renewNow(subscriptionId).id };
}

async function instruct(account: ConnectedAccount, name: string, invoiceId: string): Promise<void> {
  const response = await fetch(`${url}/accounts/${account.id}/recovery_action`, {
    method: 'POST',
    headers: {
      authorization: `Bearer token-of-${name}-0123456789-abcdefgh`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      requestId: `request-${invoiceId}`,
      invoiceId,
      actionSuggestion: 'ACTION_SUGGESTION_RETRY',
      idealRetryTime: now().toISO(),
    }),
  });
  expect(response.status).toBe(200);
}

/** From a failed payment to the one that the service asks for. */
async function recover(account: ConnectedAccount): Promise<void> {
  await clock.set(now().minus({ days: 2 }));
  const { subscriptionId, invoiceId } = failingInvoice(account);
  await clock.set(now());
  await sandbox.run();
  await eventually(() => expect(service.view.has(subscriptionId)).toBe(true));
  await instruct(account, 'fine', invoiceId);
  await eventually(() => expect(account.state.invoices.get(invoiceId)?.status).toBe('paid'));
}

/** Those that hang once there is a new one. */
function nextHung(): Promise<Set<ServerResponse>> {
  const known = new Set(hung);
  return eventually(() => {
    expect([...hung].some((request) => !known.has(request))).toBe(true);
    return new Set(hung);
  });
}

const MOST_ROUNDS = 5;

test("a hanging service, throttling and lost access of two accounts delay none of another's work", async () => {
  if (!stuck || !revoked || !fine) throw new Error('The accounts are not there.');
  const many = Array.from({ length: 12 }, () => stuck && failingInvoice(stuck));
  const lost = Array.from({ length: 6 }, () => revoked && failingInvoice(revoked));
  stuck.faults.next('GET', /./, 'rate_limit', 100_000);
  stuck.faults.next('POST', /./, 'rate_limit', 100_000);
  // Access is lost without a word: the event that would tell of it never comes.
  revoked.webhookFaults.drop = 1;
  await clock.set(now());
  // Its events have arrived when the other accounts are in full trouble.
  await sandbox.run({ concurrency: 8 });
  await eventually(() => expect(hung.size).toBeGreaterThan(0));
  revoked.deauthorize();
  for (const one of many) if (one) await instruct(stuck, 'stuck', one.invoiceId);
  for (const one of lost) if (one) await instruct(revoked, 'revoked', one.invoiceId);

  // Nothing waited for the end of a request that hung: some began before the work and hang after it. A busy machine may
  // need more than one of these half minutes.
  let lasted = 0;
  for (let round = 0; round < MOST_ROUNDS && lasted === 0; round += 1) {
    const before = round === 0 ? new Set(hung) : await nextHung();
    await recover(fine);
    lasted = [...before].filter((request) => hung.has(request)).length;
  }
  expect(lasted).toBeGreaterThan(0);

  // The others' trouble lasted all the while, and none of their work was done.
  await eventually(() => {
    const refused = sandbox.state.apiCalls.filter(({ status }) => status === 429 || status === 403);
    expect(new Set(refused.map(({ account }) => account))).toEqual(new Set([stuck?.id, revoked?.id]));
  });
  const paid = await plugin.parts.database.query<{ account: string }>(
    `select distinct account from payment_retry.attempts where source <> 'stripe'`,
  );
  expect(paid).toEqual([{ account: fine.id }]);
});
