/** A platform with two connected merchants, each with a service, credentials and a name of its own. */

import Stripe from 'stripe';
import { reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import { countWork } from '../../src/plugin/store/reports/counters.ts';
import type { ConnectedAccount } from '../../src/workbench/sandbox/connect.ts';
import { accepts, acceptsFirst, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import {
  type RecordingService,
  SERVICE_KEY,
  startRecordingService,
} from '../support/http/recording-service.ts';
import { inFull } from '../support/runner/full-run.ts';
import { failingInvoice, payCalls, statusOf, storyOf, subscribe } from '../support/scenario.ts';
import { CALLBACK_TOKEN, createWorld, type World } from '../support/world.ts';
import { failTogether, withoutEffects } from './fail-together.ts';

let world: World;
let ann: ConnectedAccount;
let ben: ConnectedAccount;
let stranger: ConnectedAccount;
let services: { ann: RecordingService; ben: RecordingService };
beforeAll(async () => {
  world = await createWorld({
    isRemote: true,
    arrange: async (sandbox, clock) => {
      ann = sandbox.connectAccount({ accountName: 'Ann GmbH' });
      ben = sandbox.connectAccount({ accountName: 'Ben Ltd' });
      stranger = sandbox.connectAccount();
      services = {
        ann: await startRecordingService(clock, 'key-of-ann'),
        ben: await startRecordingService(clock, 'key-of-ben'),
      };
      const connectedAccounts = {
        [ann.id]: {
          retryServiceUrl: services.ann.url,
          retryServiceApiKey: 'key-of-ann',
          recoveryCallbackToken: 'token-of-ann-0123456789-abcdefgh',
          businessEntity: 'Ann configured',
        },
        [ben.id]: {
          retryServiceUrl: services.ben.url,
          retryServiceApiKey: 'key-of-ben',
          recoveryCallbackBasic: 'ben:password-of-ben-0123456789',
        },
      };
      return {
        stripeWebhookSecret: `${sandbox.webhookSecret},${sandbox.connectWebhookSecret}`,
        connectedAccounts: JSON.stringify(connectedAccounts),
      };
    },
  });
  world.sandbox.addConnectEndpoint(`${world.url}/webhooks/stripe`);
});
afterAll(async () => {
  await world?.stop();
  await services?.ann.stop();
  await services?.ben.stop();
});

/** The world as one merchant sees it. */
const as = ({ state, ...account }: ConnectedAccount): World => ({
  ...world,
  sandbox: { ...world.sandbox, ...account, state: { ...world.sandbox.state, ...state } },
});

const BEN_BASIC = `Basic ${Buffer.from('ben:password-of-ben-0123456789').toString('base64')}`;
const paysLater = () => acceptsFirst(1, declines('insufficient_funds'));

let requests = 0;

async function post(path: string, authorization: string, invoiceId: string, at = world.clock.now()) {
  requests += 1;
  const response = await fetch(`${world.url}${path}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      requestId: `connected_${requests}`,
      invoiceId,
      actionSuggestion: 'ACTION_SUGGESTION_RETRY',
      idealRetryTime: at.toISO(),
    }),
  });
  const body: unknown = await response.json();
  return { status: response.status, body };
}
const pathOf = (account: ConnectedAccount) => `/accounts/${account.id}/recovery_action`;

const resultsOf = ({ id }: ConnectedAccount) =>
  world.query<{ type: string; results: object[] }>(
    'select type, results from payment_retry.events where account = $1 order by created_at, received_at',
    [id],
  );

test("each merchant's subscriptions go to its own service, under its own name", async () => {
  const own = await subscribe(withoutEffects(world), accepts());
  const anns = await subscribe(withoutEffects(as(ann)), accepts());
  const bens = await subscribe(withoutEffects(as(ben)), accepts());
  await world.settle();
  const seen = [world.service, services.ann, services.ben].map(({ view }) =>
    [...view.values()].map(({ id, businessEntity }) => [id, businessEntity]),
  );
  expect(seen).toEqual([
    [[own.subscriptionId, 'Sandbox Inc.']],
    [[anns.subscriptionId, 'Ann configured']],
    [[bens.subscriptionId, 'Ben Ltd']],
  ]);
});

inFull('the calls to Stripe for an account name it', async () => {
  const { subscriptionId, invoiceId } = await failingInvoice(as(ben), paysLater());
  ben.changeDefaultCard(ben.state.subscriptions.get(subscriptionId)?.customer ?? '', accepts());
  // Equal amounts on one card keep hours apart.
  await world.advance({ hours: 9 });
  expect(statusOf(as(ben), invoiceId)).toBe('paid');
  expect(payCalls(world, invoiceId).map(({ account }) => account)).toEqual([ben.id]);
});

test('an instruction is taken at the path of its account, with the credentials of its account, only', async () => {
  const { invoiceId } = await failingInvoice(as(ann), paysLater());
  const credentials = {
    own: [`Bearer ${CALLBACK_TOKEN}`, '/recovery_action'],
    ann: ['Bearer token-of-ann-0123456789-abcdefgh', pathOf(ann)],
    ben: [BEN_BASIC, pathOf(ben)],
  } as const;
  const unserved = [pathOf(stranger), '/accounts/acct_none/recovery_action', '/accounts/own/recovery_action'];
  const answers = [];
  for (const [authorization, path] of Object.values(credentials)) {
    for (const other of [...Object.values(credentials).map(([, one]) => one), ...unserved]) {
      const { status, body } = await post(other, authorization, 'in_nowhere');
      answers.push({ ok: path === other, status, body });
    }
  }
  expect(answers).toHaveLength(18);
  expect(answers.filter(({ ok, status }) => status !== (ok ? 200 : 401))).toEqual([]);
  // Whether an account is unknown, or its token wrong, cannot be told from the answer.
  const refusals = new Set(answers.filter(({ ok }) => !ok).map(({ body }) => JSON.stringify(body)));
  expect(refusals.size).toBe(1);

  expect((await post(pathOf(ann), 'Bearer token-of-ann-0123456789-abcdefgh', invoiceId)).status).toBe(200);
  await world.advance({ days: 1 });
  expect(payCalls(world, invoiceId).map(({ account }) => account)).toEqual([ann.id]);
  const rows = await world.query<{ account: string }>(
    'select account from payment_retry.attempts where invoice_id = $1',
    [invoiceId],
  );
  expect(new Set(rows.map(({ account }) => account))).toEqual(new Set([ann.id]));
});

test('an event of an account that is not configured is acknowledged and kept, and nothing is done', async () => {
  await subscribe(as(stranger), accepts());
  const results = await resultsOf(stranger);
  expect(results.length).toBeGreaterThan(3);
  for (const { results: told } of results)
    expect(told).toEqual([{ code: 'account_not_configured', account: stranger.id }]);
  expect(
    await world.query('select 1 from payment_retry.subscriptions where account = $1', [stranger.id]),
  ).toEqual([]);
  const calls = world.sandbox.state.apiCalls.filter(({ account }) => account === stranger.id);
  expect(calls).toEqual([]);
});

test('a test event at a live endpoint, or the other way round, is acknowledged and ignored', async () => {
  const [event] = [...ann.state.events.newestFirst()];
  const payload = JSON.stringify({ ...event, id: 'evt_of_the_other_mode', livemode: true });
  const secret = world.sandbox.connectWebhookSecret;
  const timestamp = Math.floor(world.clock.now().toSeconds());
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  const response = await fetch(`${world.url}/webhooks/stripe`, {
    method: 'POST',
    headers: { 'stripe-signature': signature },
    body: payload,
  });
  expect(response.status).toBe(200);
  await world.settle();
  const rows = await world.query(
    "select account, results from payment_retry.events where id like '%other_mode'",
  );
  expect(rows).toEqual([{ account: ann.id, results: [{ code: 'ignored_mode', isLive: true }] }]);
});

test('status shows which accounts things belong to', async () => {
  services.ben.answer = () => ({ status: 422 });
  const { subscriptionId } = await subscribe(as(ben), accepts());
  services.ben.answer = () => undefined;
  const { text } = await reportStatus(world.plugin.parts.database, { json: false }, world.clock.now());
  expect(text).toContain(`subscriptions ${subscriptionId} of ${ben.id}: 422`);
  expect(text).toMatch(/events of accounts not configured: \d/);
  const counts = await countWork(world.plugin.parts.database);
  expect(counts).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ table: 'events', state: 'account_not_configured' })]),
  );
});

inFull(
  'a card-update email names the merchant, and its link leads to the portal of its account',
  async () => {
    const { invoiceId } = await failingInvoice(as(ann), paysLater());
    await post(pathOf(ann), 'Bearer token-of-ann-0123456789-abcdefgh', invoiceId);
    const response = await fetch(`${world.url}${pathOf(ann)}`, {
      method: 'POST',
      headers: { authorization: 'Bearer token-of-ann-0123456789-abcdefgh' },
      body: JSON.stringify({
        requestId: 'connected_email',
        invoiceId,
        actionSuggestion: 'ACTION_SUGGESTION_CARD_CHANGE',
        idealRetryTime: world.clock.now().toISO(),
      }),
    });
    expect(response.status).toBe(200);
    await world.advance({ days: 1 });
    const email = world.email.emails.at(-1);
    expect(email?.subject).toContain('Ann configured');
    const link = /https?:\S+\/card-update\/\S+/.exec(email?.text ?? '')?.[0] ?? '';
    expect(await (await fetch(link)).text()).toContain('Ann configured');
    const opened = await fetch(link, { method: 'POST', redirect: 'manual' });
    expect(opened.status).toBe(303);
    expect((await fetch(opened.headers.get('location') ?? '')).status).toBe(200);
    const portalCall = world.sandbox.state.apiCalls.findLast(({ path }) => path.includes('billing_portal'));
    expect(portalCall?.account).toBe(ann.id);
  },
);

test('revoked access ends what is planned and keeps what is recorded; connected again, new work is done', async () => {
  const failed = await failTogether(
    world,
    { ann: paysLater(), ben: paysLater() },
    { placeOf: (name) => as(name === 'ann' ? ann : ben) },
  );
  const [{ invoiceId, subscriptionId }, other] = [failed('ann'), failed('ben')];
  const tomorrow = world.clock.now().plus({ days: 1 });
  await post(pathOf(ann), 'Bearer token-of-ann-0123456789-abcdefgh', invoiceId, tomorrow);
  await post(pathOf(ben), BEN_BASIC, other.invoiceId, tomorrow);
  await world.settle();
  const known = await world.query('select id from payment_retry.attempts where account = $1', [ann.id]);

  ann.deauthorize();
  await world.settle();
  const calls = () => world.sandbox.state.apiCalls.filter(({ account }) => account === ann.id).length;
  const callsBefore = calls();
  const late = await post(pathOf(ann), 'Bearer token-of-ann-0123456789-abcdefgh', invoiceId);
  expect(late.status).toBe(200);
  await world.plugin.parts.requestCatchUp();
  await world.advance({ days: 2 });
  expect(calls()).toBe(callsBefore);
  expect(payCalls(world, invoiceId)).toEqual([]);
  expect(payCalls(world, other.invoiceId)).toHaveLength(1);
  expect(await storyOf(world, invoiceId)).toContain('action.closed');
  const [action] = await world.query(
    'select state, reason from payment_retry.actions where invoice_id = $1',
    [invoiceId],
  );
  expect(action).toEqual({ state: 'closed', reason: { code: 'access_revoked', account: ann.id } });
  const [refused] = await world.query(
    'select state, reason from payment_retry.instructions where request_id = $1',
    [`connected_${requests}`],
  );
  expect(refused).toEqual({
    state: 'refused',
    reason: { code: 'access_revoked', account: ann.id },
  });
  expect(await world.query('select id from payment_retry.attempts where account = $1', [ann.id])).toEqual(
    known,
  );

  ann.authorize();
  ann.updateSubscription(subscriptionId, { metadata: { business_entity: 'After the pause' } });
  await world.settle();
  expect(services.ann.view.get(subscriptionId)?.businessEntity).toBe('After the pause');
  await post(pathOf(ann), 'Bearer token-of-ann-0123456789-abcdefgh', invoiceId);
  await world.settle();
  expect(payCalls(world, invoiceId)).toHaveLength(1);
});

test('the plain key is never sent to a service of an account', () => {
  const keys = [SERVICE_KEY, 'key-of-ann', 'key-of-ben'];
  expect(new Set(keys).size).toBe(3);
  for (const { requests: taken } of Object.values(services)) {
    expect(taken.length).toBeGreaterThan(0);
    expect(taken.filter(({ status }) => status === 401)).toEqual([]);
  }
});
