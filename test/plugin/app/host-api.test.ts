/** What an application asks of the plugin in its process, and the same over `/api/v1`. */
import { readdirSync, readFileSync } from 'node:fs';
import { DateTime } from 'luxon';
import { z } from 'zod';
import { RETRY_REFUSALS } from '../../../src/plugin/app/host-api.ts';
import { createPlugin } from '../../../src/plugin/app/own-plugin.ts';
import { OPERATION_NAMES, operationOf } from '../../../src/plugin/operator/operations/operations.ts';
import { listAudit } from '../../../src/plugin/store/tables/audit.ts';
import type { ConnectedAccount } from '../../../src/workbench/sandbox/connect.ts';
import { acceptsFirst, declines, declinesTimes } from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { captureLog } from '../../support/log-lines.ts';
import { callBack, failingInvoice, instruct, payCalls, renew, subscribe } from '../../support/scenario.ts';
import { createWorld, type World } from '../../support/world.ts';

const TOKEN = 'an-operator-token-for-tests';
const { logger, lines } = captureLog();

let world: World;
let ann: ConnectedAccount;
beforeAll(async () => {
  world = await createWorld({
    isRemote: true,
    plugin: { retryMode: 'exclusive', afterGivingUp: 'cancel', operatorToken: TOKEN, logger },
    arrange: async (sandbox) => {
      ann = sandbox.connectAccount({ accountName: 'Ann GmbH' });
      const ofAnn = {
        retryServiceApiKey: 'key-of-ann',
        recoveryCallbackToken: 'token-of-ann-0123456789-abcdefgh',
      };
      return {
        stripeWebhookSecret: `${sandbox.webhookSecret},${sandbox.connectWebhookSecret}`,
        connectedAccounts: JSON.stringify({ [ann.id]: ofAnn }),
      };
    },
  });
  world.sandbox.addConnectEndpoint(`${world.url}/webhooks/stripe`);
});
afterAll(() => world?.stop());

const broke = () => acceptsFirst(1, declines('insufficient_funds'));
const api = (path: string, init: RequestInit = {}) =>
  fetch(`${world.url}/api/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...init.headers },
  });

test('the state of a customer says since when, how much, what comes next, and when access ends: by what rule, or as the customer asked', async () => {
  const { customerId, subscriptionId, invoiceId } = await failingInvoice(world, broke());
  const state = await world.plugin.customers.state(customerId);
  expect(state).toMatchObject({
    account: 'own',
    customer: customerId,
    isPaused: false,
    next: null,
    owed: [{ currency: 'usd', amount: 2000 }],
    invoices: [{ invoice: invoiceId, subscription: subscriptionId, state: 'waiting', attempts: 1 }],
    access: { allowed: true, reason: 'in_recovery' },
  });
  const [since, end] = z.tuple([z.string(), z.string()]).parse([state?.failingSince, state?.access.until]);
  expect(DateTime.fromISO(end).diff(DateTime.fromISO(since), 'days').days).toBe(30);
  const retryAt = world.clock.now().plus({ hours: 30 });
  await instruct(world, invoiceId, 'RETRY', retryAt);
  expect((await world.plugin.customers.state(customerId))?.next).toEqual({
    invoice: invoiceId,
    kind: 'pay',
    at: retryAt.toISO(),
  });
  const other = await renew(world, subscriptionId);
  expect(await world.plugin.customers.state(customerId)).toMatchObject({
    owed: [{ currency: 'usd', amount: 4000 }],
    invoices: [{ invoice: invoiceId }, { invoice: other }],
  });
  const response = await api(`/customers/${customerId}`);
  expect(await response.json()).toEqual(await world.plugin.customers.state(customerId));

  // Where that comes before what a failed payment leads to.
  const until = async () => (await world.plugin.customers.access(customerId)).until;
  const usual = await until();
  const inDays = (days: number) => world.clock.now().startOf('second').plus({ days });
  const cancelAt = async (at: DateTime | null) => {
    world.sandbox.updateSubscription(subscriptionId, { cancel_at: at?.toUnixInteger() ?? null });
    await world.settle();
  };
  await cancelAt(inDays(5));
  expect(await until()).toBe(inDays(5).toISO());
  await cancelAt(inDays(300));
  expect([usual, await until()]).toEqual([expect.any(String), usual]);
  await cancelAt(null);
  expect([usual, await until()]).toEqual([expect.any(String), usual]);
});

test('once the service has given up, access ends at the planned time, unless a person stops it', async () => {
  const { customerId, invoiceId } = await failingInvoice(world, broke());
  await world.plugin.operations.pause({ reason: 'to look at what waits' });
  const end = { id: 'end_1', type: 'complete_dunning', created: 'now', data: { invoiceId } };
  expect((await callBack(world, end)).status).toBe(200);
  await world.settle();
  expect(await world.plugin.customers.state(customerId)).toMatchObject({
    isPaused: true,
    access: { allowed: false, reason: 'payment_failed', until: world.clock.now().toISO() },
    next: { kind: 'end_dunning', invoice: invoiceId },
  });
  await world.plugin.invoices.stop(invoiceId);
  expect((await world.plugin.customers.state(customerId))?.access).toMatchObject({
    reason: 'collection_stopped',
    until: null,
  });
  await world.plugin.operations.resume();
  await world.settle();
});

test('access follows the events of a customer’s life, over the API as well', async () => {
  const { customerId, subscriptionId } = await subscribe(world, broke());
  const ask = async () => {
    const answer = await world.plugin.customers.access(customerId);
    expect(await (await api(`/customers/${customerId}/access`)).json()).toEqual(answer);
    return [answer.allowed, answer.reason];
  };
  expect(await ask()).toEqual([true, 'good']);
  await renew(world, subscriptionId);
  expect(await ask()).toEqual([true, 'in_recovery']);
  world.sandbox.cancelSubscription(subscriptionId);
  await world.settle();
  expect(await ask()).toEqual([false, 'payment_failed']);
  const other = await subscribe(world, acceptsFirst(9, declines('insufficient_funds')));
  world.sandbox.updateSubscription(other.subscriptionId, { cancel_at_period_end: true });
  await world.settle();
  const kept = await world.plugin.customers.access(other.customerId);
  expect(kept).toMatchObject({ allowed: true, reason: 'cancel_requested' });
  expect(DateTime.fromISO(kept.until ?? '') > world.clock.now().plus({ days: 27 })).toBe(true);
  expect(await world.plugin.customers.access('cus_unknown')).toMatchObject({
    allowed: false,
    reason: 'unknown_customer',
  });
  await expect(world.plugin.customers.access('cus 1')).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
});

test('a customer who is not known has no state and no link; one who has paid owes nothing, and has no link once forgotten', async () => {
  expect(await world.plugin.customers.state('cus_unknown')).toBeUndefined();
  expect(await world.plugin.customers.cardUpdateUrl('cus_unknown')).toBeUndefined();
  expect((await api('/customers/cus_unknown')).status).toBe(404);
  const { customerId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  const [{ invoice = '' } = {}] = (await world.plugin.customers.state(customerId))?.invoices ?? [];
  await world.advance({ hours: 25 });
  const asked = await world.plugin.invoices.retry(invoice, { by: 'grace', reason: 'she called' });
  expect(asked.code).toBe('retry_planned');
  await world.settle();
  expect(payCalls(world, invoice)).toHaveLength(1);
  expect(await world.plugin.customers.state(customerId)).toMatchObject({
    failingSince: null,
    owed: [],
    invoices: [],
    next: null,
    access: { allowed: true, reason: 'good', until: null },
  });
  const audit = await listAudit(world.plugin.parts.database, { about: invoice });
  expect(audit).toContainEqual(
    expect.objectContaining({
      kind: 'operator.retried',
      detail: expect.objectContaining({ by: 'grace', via: 'application', note: 'she called' }),
    }),
  );
  await world.plugin.customers.forget(customerId);
  expect(await world.plugin.customers.cardUpdateUrl(customerId)).toBeUndefined();
});

test('the link of a customer opens their page, and is written down nowhere', async () => {
  const { customerId, invoiceId } = await failingInvoice(world, broke());
  const url = (await world.plugin.customers.cardUpdateUrl(customerId, { by: 'grace' })) ?? '';
  const page = await fetch(url);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('$20.00')]);
  const posted = await api('/operations/cardUpdateUrl', {
    method: 'POST',
    headers: { 'idempotency-key': 'once' },
    body: JSON.stringify({ parameters: { customer: customerId, days: 3 } }),
  });
  const made = z.object({ url: z.string(), expiresAt: z.string() }).parse(await posted.json());
  expect(made.expiresAt).toBe(world.clock.now().plus({ days: 3 }).toISO());
  const tables = await world.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'payment_retry' and table_type = 'BASE TABLE'",
  );
  const tokens = [url, made.url].map((one) => one.split('/').at(-1) ?? '');
  const looks = tables.map(
    ({ name }) =>
      `select '${name}' as name from payment_retry.${name} x
       where exists (select from unnest($1::text[]) as token where strpos(x::text, token) > 0)`,
  );
  expect(looks.length).toBeGreaterThan(20);
  expect(await world.query(looks.join(' union all '), [tokens])).toEqual([]);
  expect(lines.length).toBeGreaterThan(0);
  for (const token of tokens) expect(lines.join('')).not.toContain(token);
  const kinds = (await listAudit(world.plugin.parts.database, { about: invoiceId })).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'operator.linked')).toHaveLength(2);
});

test('a customer of a connected account is found with the account alone', async () => {
  const { state, ...account } = ann;
  const hers = {
    ...world,
    sandbox: { ...world.sandbox, ...account, state: { ...world.sandbox.state, ...state } },
  };
  const { customerId, invoiceId } = await failingInvoice(hers, broke());
  expect(await world.plugin.customers.state(customerId)).toBeUndefined();
  const of = { account: ann.id };
  expect(await world.plugin.customers.state(customerId, of)).toMatchObject({
    account: ann.id,
    invoices: [{ invoice: invoiceId }],
  });
  const url = (await world.plugin.customers.cardUpdateUrl(customerId, of)) ?? '';
  expect((await fetch(url)).status).toBe(200);
  expect(await world.plugin.invoices.stop(invoiceId, { ...of, reason: 'a dispute' })).toMatchObject({
    code: 'stopped',
  });
});

test('every operation is a method where its parameters say', () => {
  const { customers, invoices, operations } = world.plugin;
  for (const name of OPERATION_NAMES) {
    const { shape } = operationOf(name).parameters;
    const place = 'invoice' in shape ? invoices : 'customer' in shape ? customers : operations;
    expect([name, Object.keys(place).includes(name)]).toEqual([name, true]);
  }
});

test('what does not fit is refused with its name, and before the start there is nothing', async () => {
  await expect(world.plugin.invoices.postpone('in 1', { until: 'soon' })).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
    message: expect.stringMatching(/invoice: .*until: /),
  });
  await expect(world.plugin.customers.state('cus 1')).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  expect((await world.plugin.invoices.list({ state: 'waiting', limit: 1 })).invoices).toHaveLength(1);
  const query = { stat: 'open', limit: 1 };
  await expect(world.plugin.invoices.list(query)).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
    message: 'there is no parameter stat; did you mean state?',
  });
  const longer = { until: '2026-05-01', acount: 'own' };
  await expect(world.plugin.invoices.postpone('in_1', longer)).rejects.toThrow(
    'there is no parameter acount; did you mean account?',
  );
  const idle = createPlugin({
    mode: 'advisory',
    stripe: { key: 'sk_test_fake', webhookSecret: 'whsec_fake' },
  });
  expect(() => idle.customers).toThrow('The plugin is not started.');
  expect(() => world.plugin.on('recovered', () => {})).toThrow('call it before start()');
});

test('each reason of a guard of payments is one that the type of a refused retry names', () => {
  const folder = new URL('../../../src/plugin/retry/guards/', import.meta.url);
  // Those of emails, of new cards and of the retry signal do not meet a retry by hand.
  const files = readdirSync(folder).filter((name) => !/email|ceilings|signal/.test(name));
  const codes = files.flatMap((name) =>
    [...readFileSync(new URL(name, folder), 'utf8').matchAll(/code: '([a-z_]+)'/g)].map(
      ([, code = '']) => code,
    ),
  );
  expect(codes.length).toBeGreaterThan(25);
  expect(codes.filter((code) => !RETRY_REFUSALS.some((one) => one === code))).toEqual([]);
});
