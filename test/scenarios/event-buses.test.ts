/** The function in docs/how-to/event-buses.md that hands on what an event bus brings. */
import { pathToFileURL } from 'node:url';
import { accepts } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { notificationOf, thinEventsOf } from '../../src/workbench/sandbox/webhooks/thin-events.ts';
import { createWorld, type World } from '../support/world.ts';

const SECRET = 'whsec_aRelaySecretForTestsOnly';
const FILE = pathToFileURL('docs/how-to/files/relay-events.mjs').href;
let world: World;
let handler: (message: object) => Promise<void>;

beforeAll(async () => {
  // The function signs at the real time.
  world = await createWorld({
    start: new Date().toISOString(),
    arrange: async ({ webhookSecret }) => ({ stripeWebhookSecret: `${webhookSecret},${SECRET}` }),
  });
  ({ handler } = await import(FILE));
  process.env.PLUGIN_WEBHOOK_URL = `${world.url}/webhooks/stripe`;
});
beforeEach(() => {
  process.env.RELAY_SECRET = SECRET;
});
afterAll(async () => {
  Reflect.deleteProperty(process.env, 'PLUGIN_WEBHOOK_URL');
  Reflect.deleteProperty(process.env, 'RELAY_SECRET');
  await world?.stop();
});

/** A customer's subscription, whose webhooks are all lost. */
function subscribeUnheard() {
  const { sandbox } = world;
  sandbox.webhookFaults.drop = 1;
  const { id: customer } = sandbox.createCustomer({ paymentMethod: accepts() });
  sandbox.createSubscription({ customer, items: [{ price: sandbox.createPrice().id }] });
  const [event] = [...sandbox.state.events.newestFirst()].filter(
    ({ type }) => type === 'customer.subscription.created',
  );
  if (!event) throw new Error('There was no subscription.');
  return event;
}

const countStored = async (id: string) =>
  (await world.query('select 1 as one from payment_retry.subscriptions where id = $1', [id])).length;

test.each(['snapshot by EventBridge', 'thin event by Event Grid'])('a %s is taken, once', async (what) => {
  const event = subscribeUnheard();
  const [thin] = thinEventsOf(event).map(notificationOf);
  const message = what.startsWith('snapshot')
    ? { 'detail-type': event.type, source: 'aws.partner/stripe.com/ed_1', detail: event }
    : { specversion: '1.0', type: `com.stripe.${thin?.type}`, data: thin };
  const id = String(Reflect.get(event.data.object, 'id'));
  for (let time = 0; time < 2; time += 1) {
    await handler(message);
    await world.settle();
  }
  expect(await countStored(id)).toBe(1);
  const taken = await world.query(
    `select type from payment_retry.events where source = 'webhook' and id = any($1)`,
    [[event.id, thin?.id]],
  );
  expect(taken).toEqual([{ type: what.startsWith('snapshot') ? event.type : `v1.${event.type}` }]);
});

test('an event that the plugin refuses is given back to the bus', async () => {
  process.env.RELAY_SECRET = 'whsec_another';
  await expect(handler({ detail: subscribeUnheard() })).rejects.toThrow(
    /^The plugin answered 400 to evt_.*signature/,
  );
});
