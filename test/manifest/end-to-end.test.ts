/** The views' own requests, signed as Stripe signs them, to the running plugin beside Stripe's sandbox. */
import { z } from 'zod';
import { sealCredentials, unsealCredentials } from '../../src/plugin/store/tables/account-settings.ts';
import type { ConnectedAccount } from '../../src/workbench/sandbox/connect.ts';
import { accepts, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { type RecordingService, startRecordingService } from '../support/http/recording-service.ts';
import { failingInvoice, payCalls, statusOf, subscribe } from '../support/scenario.ts';
import { CALLBACK_TOKEN, createWorld, type World } from '../support/world.ts';
import type { DrivenView, ViewDriver, ViewName } from './view-driver.ts';

const SECRET = 'absec_of_this_test';
const [NEW_KEY, OLD_KEY] = ['key-that-encrypts-now-0123456789', 'key-that-encrypted-0123456789abc'];
const KEY_OF_BEN = 'key-that-ben-gives';
const TOKEN_OF_BEN = 'token-that-ben-gives-0123456789';
const CONFIGURED_TOKEN = 'token-of-the-settings-0123456789';
const named = z.object({ id: z.string() });

let world: World;
let driver: ViewDriver;
let accountId: string;
/** Another account, which has installed the app. */
let installer: ConnectedAccount;
/** One with a retry service of its own. */
let merchant: ConnectedAccount;
let service: RecordingService;
beforeAll(async () => {
  ({ driver } = await import(new URL('./views/drive.tsx', import.meta.url).href));
  world = await createWorld({
    isRemote: true,
    // Without email no name of a sender is looked up.
    plugin: { stripeAppSecret: SECRET, smtpUrl: '', minHoursBetweenAttempts: 24 },
    arrange: async (sandbox, clock) => {
      installer = sandbox.connectAccount({ accountName: 'Ann GmbH' });
      const stripeWebhookSecret = `${sandbox.webhookSecret},${sandbox.connectWebhookSecret}`;
      merchant = sandbox.connectAccount({ accountName: 'Ben Ltd' });
      service = await startRecordingService(clock, KEY_OF_BEN);
      const listed = {
        retryServiceUrl: service.url,
        retryServiceApiKey: 'key-that-the-service-does-not-take',
        recoveryCallbackToken: CONFIGURED_TOKEN,
      };
      return {
        stripeWebhookSecret,
        connectedAccounts: JSON.stringify({ '*': {}, [merchant.id]: listed }),
        accountSettingsKey: `${NEW_KEY},${OLD_KEY}`,
      };
    },
  });
  world.sandbox.addConnectEndpoint(`${world.url}/webhooks/stripe`);
  const headers = { authorization: `Bearer ${world.sandbox.secretKey}` };
  accountId = named.parse(await (await fetch(`${world.sandbox.url}/v1/account`, { headers })).json()).id;
});
beforeEach(() => signInAs(accountId));
afterAll(async () => {
  await world?.stop();
  await service?.stop();
});

const signInAs = (account: string) => driver.signIn(SECRET, account, () => world.clock.now().toMillis());
const show = (name: ViewName, id = 'in_none', account = accountId) =>
  driver.show(name, { id, accountId: account, backend: `${world.url}/app/` });
/** Real requests are under way: the view is looked at until it shows what they came to. */
const told = async (view: DrivenView, words: string) => {
  for (let turn = 0; turn < 200 && !view.text().includes(words); turn += 1) await view.settle();
  expect(view.text()).toContain(words);
};

test('an invoice whose payment failed is paid once, from its page in the Dashboard', async () => {
  const { invoiceId, customerId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  await world.advance({ hours: 25 });
  await told(await show('work'), 'USD | $20.00 · 1 invoice');
  await told(await show('customer', customerId), 'Visa •••• 4242');

  const invoice = await show('invoice', invoiceId);
  await told(invoice, 'insufficient funds');
  await invoice.press('Retry now');
  await world.settle();
  expect(payCalls(world, invoiceId)).toEqual([]);
  await told(invoice, 'Charge $20.00 to Visa •••• 4242 of');
  await invoice.press('Charge the customer now');
  await told(invoice, 'The invoice is charged within minutes');
  await world.settle();
  expect([statusOf(world, invoiceId), payCalls(world, invoiceId).length]).toEqual(['paid', 1]);
  await told(await show('invoice', invoiceId), 'Paid by | Retry 1');
  const audit = await world.query("select detail from payment_retry.audit where kind = 'operator.retried'");
  expect(audit).toMatchObject([{ detail: { by: 'usr_1', via: 'stripe_app' } }]);
});

test('a guard that objects says so in the Dashboard before anybody presses the button', async () => {
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  const invoice = await show('invoice', invoiceId);
  await told(invoice, 'insufficient funds');
  await told(invoice, 'Retry now | 24 hours');
  await told(invoice, 'possible from Mar');
  expect(invoice.canPress('Retry now')).toBe(false);
  await world.settle();
  expect(payCalls(world, invoiceId)).toEqual([]);
});

test('an invoice whose card is lost offers to ask for another one first', async () => {
  const { invoiceId } = await failingInvoice(world, declinesTimes(3, 'lost_card'));
  const invoice = await show('invoice', invoiceId);
  await told(invoice, 'Ask the customer for another card instead.');
  expect(invoice.text()).toMatch(/Not possible now \| Ask for new card \| /);
});

test('an invoice that was stopped needs nobody, and is released from its own page', async () => {
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  const invoice = await show('invoice', invoiceId);
  await told(invoice, 'insufficient funds');
  await invoice.press('Stop collection');
  await invoice.press('Stop collection');
  await told(invoice, 'The invoice is stopped');
  await told(await show('work'), 'No invoices need attention.');
  const stopped = await show('invoice', invoiceId);
  await told(stopped, 'Resume collection');
  expect(stopped.canPress('Stop collection')).toBe(false);
  await stopped.press('Resume collection');
  await told(stopped, 'Charge nothing now');
  await stopped.press('Resume collection');
  await told(stopped, 'The invoice is released');
  const released = await show('invoice', invoiceId);
  await told(released, '| Stop');
  expect(released.canPress('Resume collection')).toBe(false);
});

test('settings and onboarding show how the running plugin is set up, and disconnecting holds', async () => {
  await told(await show('onboarding'), 'The retry service calls back');
  const settings = await show('settings');
  await told(settings, accountId);
  await settings.press('Disconnect');
  await settings.press('Disconnect now');
  await told(settings, 'Connect again');
  const ready = await fetch(`${world.url}/readyz`);
  expect(await ready.json()).toMatchObject({ effects: 'paused' });
  await settings.press('Connect again');
  await told(settings, 'What waited goes on');
});

test('an account that has installed the app sees its own records, and none once it has uninstalled it', async () => {
  const { invoiceId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  signInAs(installer.id);
  const showTheirs = (name: ViewName, id?: string) => show(name, id, installer.id);
  await told(await showTheirs('settings'), installer.id);
  await told(await showTheirs('invoice', invoiceId), 'there is nothing to recover');
  // Its user cannot ask in the name of ours: Stripe signs the account that is signed in.
  await told(await show('invoice', invoiceId), 'The server does not trust this app.');
  installer.deauthorize();
  await world.settle();
  await told(await showTheirs('invoice', invoiceId), 'This account has revoked access.');
  signInAs(accountId);
  await told(await show('invoice', invoiceId), 'insufficient funds');
});

test('an account saves its own service key and token, which hold after a restart and go when it uninstalls the app', async () => {
  const path = `/accounts/${merchant.id}/recovery_action`;
  const call = async (token: string, account = path) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await fetch(`${world.url}${account}`, { method: 'POST', headers, body: '{}' })).status;
  };
  const { subscriptionId } = await subscribe(
    {
      ...world,
      sandbox: { ...world.sandbox, ...merchant, state: { ...world.sandbox.state, ...merchant.state } },
    },
    accepts(),
  );
  expect(service.view.has(subscriptionId)).toBe(false);

  signInAs(merchant.id);
  const settings = await show('settings', undefined, merchant.id);
  await told(settings, 'those of the server are used');
  await settings.type('Service key', KEY_OF_BEN);
  await settings.type('Callback token', TOKEN_OF_BEN);
  await settings.type('Business name in emails', 'Ben as he says');
  await settings.press('Save');
  await told(settings, 'Service key and callback token: set');
  // What waited for a key that is taken goes out with its next try.
  await world.advance({ minutes: 5 });
  expect(service.view.has(subscriptionId)).toBe(true);
  // 400: the token is known, and an empty body asks for nothing.
  expect([await call(TOKEN_OF_BEN), await call(CONFIGURED_TOKEN), await call(CALLBACK_TOKEN)]).toEqual([
    400, 401, 401,
  ]);
  const others = ['/recovery_action', `/accounts/${installer.id}/recovery_action`];
  for (const other of others) expect(await call(TOKEN_OF_BEN, other)).toBe(401);

  const owner = { account: merchant.id, mode: 'test' } as const;
  const credentials = { retryServiceApiKey: KEY_OF_BEN, recoveryCallbackTokens: [TOKEN_OF_BEN] };
  const older = sealCredentials(OLD_KEY, owner, credentials);
  await world.query('update payment_retry.account_settings set credentials = $1', [older]);
  await world.plugin.stop();
  await world.plugin.start();
  expect(await call(TOKEN_OF_BEN)).toBe(400);
  const [row] = await world.query<{ credentials: string }>('select * from payment_retry.account_settings');
  expect(unsealCredentials([NEW_KEY], owner, row?.credentials ?? '')?.credentials).toEqual(credentials);

  merchant.deauthorize();
  await world.settle();
  expect(await world.query('select account from payment_retry.account_settings')).toEqual([]);
  expect([await call(TOKEN_OF_BEN), await call(CONFIGURED_TOKEN)]).toEqual([401, 400]);
});
