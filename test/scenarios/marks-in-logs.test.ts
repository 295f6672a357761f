/** Marked secrets and marked customers, pushed through every path and its failures: none of the marks is in the log. */
import pg from 'pg';
import { pino } from 'pino';
import Stripe from 'stripe';
import { acceptsFirst, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { MAIN } from '../support/database/databases.ts';
import { eventually } from '../support/eventually.ts';
import { type StripeGate, startStripeGate } from '../support/http/stripe-gate.ts';
import { actionsOf, failingInvoice, instruct } from '../support/scenario.ts';
import { CALLBACK_TOKEN, createWorld, type World } from '../support/world.ts';

const CUSTOMER = { email: 'customermark@shop.example', name: 'Customermark Person' };
const SECRETS = {
  recoveryCallbackToken: `callback-secretmark-0123456789,${CALLBACK_TOKEN}`,
  retryServiceApiKey: 'service-secretmark-0123456789',
  consolePassword: 'console secretmark 0123456789',
  metricsToken: 'metrics-secretmark-0123456789',
  linkSecret: 'link-secretmark-0123456789-0123456789',
};
const MARK = /customermark|secretmark|card-update\/[^*"]/i;

let world: World;
let gate: StripeGate;
const lines: string[] = [];
/** Of the host application, without any care of its own. */
const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });

beforeAll(async () => {
  world = await createWorld({
    plugin: { ...SECRETS, servicePort: 0, logger },
    arrange: async ({ url }) => {
      gate = await startStripeGate(url);
      return { stripeApiBase: gate.url };
    },
  });
});
afterAll(async () => {
  await world?.stop();
  await gate?.stop();
});

function expectNoMark(...told: readonly string[]): void {
  for (const words of told) expect(lines.join('')).toContain(words);
  expect(lines.filter((line) => MARK.test(line))).toEqual([]);
}

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${world.url}${path}`, { method: 'POST', body, headers });
function sendSigned(payload: string): Promise<Response> {
  const secret = world.sandbox.webhookSecret;
  const timestamp = Math.floor(world.clock.now().toSeconds());
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  return post('/webhooks/stripe', payload, { 'stripe-signature': signature });
}
const marked = () => acceptsFirst(1, declines('lost_card'));

test('an email that the server refuses, repeating the address', async () => {
  world.email.refusals.push(550);
  const { invoiceId } = await failingInvoice(world, marked(), CUSTOMER);
  // For a person, in the console, it stands as the server gave it.
  expect(JSON.stringify(await actionsOf(world, invoiceId))).toContain(`not now, <${CUSTOMER.email}>`);
  expectNoMark('"invoiceId"');
});

test('a refusal of Stripe that repeats name and address', async () => {
  const { invoiceId } = await failingInvoice(world, acceptsFirst(1, declines('do_not_honor')), CUSTOMER);
  const { name, email } = CUSTOMER;
  gate.refuse(/^\/v1\/invoices\/in_/, `"${name}" <${email}> is not valid for '${name}'`);
  await instruct(world, invoiceId, 'RETRY');
  gate.refuse(undefined);
  expectNoMark('a job failed and will be tried again', 'StripeInvalidRequestError', '<[address]>');
});

test('requests of strangers, with marks in addresses, headers and bodies', async () => {
  const token = 'v1.secretmark.secretmark';
  for (const path of [`/card-update/${token}`, `/recovery_action/${token}`, `/console/${token}?x=${token}`])
    await fetch(`${world.url}${path}`, { headers: { authorization: `Bearer ${SECRETS.metricsToken}` } });
  await post('/recovery_action', '{"requestId": "customermark', { authorization: 'Bearer secretmark' });
  const authorization = `Bearer ${SECRETS.recoveryCallbackToken.split(',')[0]}`;
  await post('/recovery_action', '{"requestId": "customermark', { authorization });
  await post('/recovery_action', '{"requestId": "customermark", "invoiceId": 1}', { authorization });
  await post('/webhooks/stripe', '{"customermark": 1}', { 'stripe-signature': 't=1,v1=secretmark' });
  const payload = `{"email": "${CUSTOMER.email}", customermark`;
  const secret = world.sandbox.webhookSecret;
  const timestamp = Math.floor(world.clock.now().toSeconds());
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  await post('/webhooks/stripe', payload, { 'stripe-signature': signature });
  await post('/console/login', `password=${SECRETS.consolePassword}`, {
    'content-type': 'application/x-www-form-urlencoded',
  });
  const service = world.plugin.parts.service?.url ?? '';
  const key = { authorization: `Bearer ${SECRETS.retryServiceApiKey}`, 'content-type': 'application/json' };
  for (const body of [
    '{"customermark',
    '[{"customermark": 1}]',
    '{"subscriptions": [{"id": "customermark"}]}',
  ])
    await fetch(`${service}/v1/subscriptions`, { method: 'POST', body, headers: key });
  expectNoMark('a request was refused', 'request answered');
});

test('statements that the database refuses, and a table that is gone', async () => {
  const { database } = world.plugin.parts;
  const { id } = world.sandbox.createCustomer(CUSTOMER);
  await database.exec(
    'alter table payment_retry.events add constraint no_events check (id is null) not valid',
  );
  const body = JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type: 'x',
    created: 1,
    data: { id, ...CUSTOMER },
  });
  const send = () => sendSigned(body);
  expect((await send()).status).toBe(503);
  await database.exec('alter table payment_retry.events drop constraint no_events');
  expectNoMark('no_events', '23514');
  await database.exec('alter table payment_retry.events rename to gone');
  expect((await send()).status).toBe(503);
  await database.exec('alter table payment_retry.gone rename to events');
  expectNoMark('42P01');
});

const testOnServer = MAIN.engine === 'postgres' ? test : test.skip;

testOnServer('a database that takes no connections for a while, and ends those it has', async () => {
  const { database } = world.plugin.parts;
  const [own] = await database.query<{ name: string }>('select current_database() as name');
  const admin = new pg.Client({ connectionString: process.env.DATABASE_URL_TEST });
  await admin.connect();
  const open = (isOpen: boolean) =>
    admin.query(`alter database ${admin.escapeIdentifier(own?.name ?? '')} with allow_connections ${isOpen}`);
  const authorization = `Bearer ${SECRETS.recoveryCallbackToken.split(',')[0]}`;
  const instruction = {
    requestId: 'customermark',
    invoiceId: 'in_customermark',
    actionSuggestion: 'ACTION_SUGGESTION_RETRY',
    idealRetryTime: world.clock.now().toISO(),
    name: CUSTOMER.email,
  };
  const event = { id: 'evt_2', object: 'event', type: 'x', created: 1, data: { object: CUSTOMER } };
  try {
    await open(false);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      own?.name,
    ]);
    const answers = await Promise.all([
      sendSigned(JSON.stringify(event)),
      post('/recovery_action', JSON.stringify(instruction), { authorization }),
      fetch(`${world.url}/console`, {
        headers: { cookie: `payment_retry_session=${'secretmark'.padEnd(43, '-')}` },
      }),
      fetch(`${world.url}/readyz`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
  } finally {
    await open(true);
    await admin.end();
  }
  await eventually(async () => expect((await sendSigned(JSON.stringify(event))).status).toBe(200));
  expectNoMark('the database is away', 'the database is back');
});
