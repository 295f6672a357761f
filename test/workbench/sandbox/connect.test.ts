/** Accounts connected to the sandbox's own, behind one server and one key. */
import { createServer } from 'node:http';
import Stripe from 'stripe';
import { accepts } from '../../../src/workbench/sandbox/payment-behaviour.ts';
import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';
import { errorOf, startTestSandbox, subscribe, type TestSandbox } from './start-test-sandbox.ts';

let test1: TestSandbox;
let received: {
  path: string;
  secret: 'own' | 'connect' | 'none';
  account: string | undefined;
  type: string;
}[];
const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const body = Buffer.concat(chunks);
    const signature = String(req.headers['stripe-signature']);
    const { sandbox, clock } = test1;
    const fits = (secret: string) => {
      try {
        const at = clock.now().toMillis();
        return Stripe.webhooks.constructEvent(body, signature, secret, undefined, undefined, at);
      } catch {
        return undefined;
      }
    };
    const [own, connect] = [fits(sandbox.webhookSecret), fits(sandbox.connectWebhookSecret)];
    const event = own ?? connect;
    received.push({
      path: req.url ?? '',
      secret: own ? 'own' : connect ? 'connect' : 'none',
      account: event?.account,
      type: event?.type ?? '',
    });
    res.end();
  });
});
beforeAll(async () => {
  test1 = await startTestSandbox();
  received = [];
  const url = await listenOnLoopback(server);
  test1.sandbox.addWebhookEndpoint(`${url}/own`);
  test1.sandbox.addConnectEndpoint(`${url}/connect`);
});
afterAll(async () => {
  await test1?.stop();
  await closeServer(server);
});

test('the header chooses the account, and no object of one is seen in another', async () => {
  const { sandbox, stripe } = test1;
  const merchant = sandbox.connectAccount({ accountName: 'Merchant' });
  const other = sandbox.connectAccount();
  const { id } = merchant.createCustomer({ paymentMethod: accepts() });
  const options = { stripeAccount: merchant.id };
  expect((await stripe.customers.retrieve(id, {}, options)).id).toBe(id);
  expect((await errorOf(stripe.customers.retrieve(id))).statusCode).toBe(404);
  expect((await errorOf(stripe.customers.retrieve(id, {}, { stripeAccount: other.id }))).statusCode).toBe(
    404,
  );
  expect((await stripe.accounts.retrieveCurrent({}, options)).business_profile?.name).toBe('Merchant');
  expect((await stripe.events.list({}, options)).data.length).toBeGreaterThan(0);
  expect((await stripe.events.list()).data).toEqual([]);
});

test('idempotency keys of one account mean nothing in another', async () => {
  const { sandbox, stripe } = test1;
  const accounts = [sandbox.connectAccount(), sandbox.connectAccount()];
  const ids = [];
  for (const { id } of accounts) {
    const options = { stripeAccount: id, idempotencyKey: 'the same' };
    ids.push((await stripe.customers.create({ name: 'Ann' }, options)).id);
    ids.push((await stripe.customers.create({ name: 'Ann' }, options)).id);
  }
  expect(new Set(ids).size).toBe(2);
});

test('each kind of endpoint gets its events, with its secret', async () => {
  const { sandbox } = test1;
  await sandbox.run();
  received.length = 0;
  const merchant = sandbox.connectAccount();
  subscribe(sandbox);
  merchant.createCustomer({ name: 'Ann' });
  await sandbox.run();
  expect(received.filter(({ path }) => path === '/connect')).toEqual([
    { path: '/connect', secret: 'connect', account: merchant.id, type: 'customer.created' },
  ]);
  const own = received.filter(({ path }) => path === '/own');
  expect(own.length).toBeGreaterThan(3);
  for (const { secret, account } of own) expect([secret, account]).toEqual(['own', undefined]);
});

test('revoked access is reported by one event; then calls fail and events stay away, until it is given again', async () => {
  const { sandbox, stripe } = test1;
  const merchant = sandbox.connectAccount();
  await sandbox.run();
  received.length = 0;
  merchant.deauthorize();
  merchant.createCustomer({ name: 'Ann' });
  await sandbox.run();
  expect(received.map(({ type, account }) => [type, account])).toEqual([
    ['account.application.deauthorized', merchant.id],
  ]);
  const error = await errorOf(stripe.customers.list({}, { stripeAccount: merchant.id }));
  expect([error.type, error.statusCode, error.code]).toEqual([
    'StripePermissionError',
    403,
    'account_invalid',
  ]);
  expect(error.message).toContain(merchant.id);

  merchant.authorize();
  await sandbox.run();
  expect(received.at(-1)?.type).toBe('account.application.authorized');
  expect((await stripe.customers.list({}, { stripeAccount: merchant.id })).data).toHaveLength(1);
});

test('an account that was never connected is refused like a revoked one', async () => {
  const error = await errorOf(test1.stripe.customers.list({}, { stripeAccount: 'acct_of_nobody' }));
  expect([error.statusCode, error.code]).toEqual([403, 'account_invalid']);
});

test('faults of one account leave the others alone', async () => {
  const { sandbox, stripe } = test1;
  const [slow, fine] = [sandbox.connectAccount(), sandbox.connectAccount()];
  slow.faults.next('GET', /./, 'rate_limit', 100);
  expect((await errorOf(stripe.customers.list({}, { stripeAccount: slow.id }))).statusCode).toBe(429);
  expect((await stripe.customers.list({}, { stripeAccount: fine.id })).data).toEqual([]);
});
