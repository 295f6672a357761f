/** After the last retry a subscription may be `unpaid`: what it bills from then on stays a draft. */
import Stripe from 'stripe';
import { pauseEffects, resumeEffects } from '../../src/plugin/store/tables/retry/pauses.ts';
import { accepts, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { inFull } from '../support/runner/full-run.ts';
import { chargesOf, failingInvoice, statusOf, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({
    isRemote: true,
    sandbox: { stripeRetries: 'smart', afterLastRetry: 'unpaid' },
  });
});
afterAll(() => world.stop());
afterEach(() => world.reset());

/** A subscription that Stripe has given up, some days later, with its drafts, the newest first. */
async function unpaidFor(days: number) {
  const failing = await failingInvoice(world, declinesTimes(99, 'insufficient_funds'));
  await world.advance({ days });
  const { invoices } = world.sandbox.state;
  const drafts = [...invoices.newestFirst({ index: 'subscription', key: failing.subscriptionId })]
    .filter(({ status }) => status === 'draft')
    .map(({ id }) => id);
  expect(standing(failing.subscriptionId)).toBe('unpaid');
  return { ...failing, drafts };
}

const standing = (id: string) => world.sandbox.state.subscriptions.get(id)?.status;

test('a new card pays the open invoice and the draft of the running period', async () => {
  const { customerId, subscriptionId, invoiceId, drafts } = await unpaidFor(68);
  const [draft = ''] = drafts;
  expect(drafts).toHaveLength(1);
  world.sandbox.webhookFaults.duplicate = 1;
  world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
  await world.advance({ days: 1 });
  expect([invoiceId, draft].map((id) => statusOf(world, id))).toEqual(['paid', 'paid']);
  expect(chargesOf(world, draft)).toEqual(['succeeded']);
  expect(standing(subscriptionId)).toBe('active');
});

test('who subscribes to the same again pays neither the open invoice nor the draft of the old one with the new card', async () => {
  const { customerId, subscriptionId, invoiceId, drafts } = await unpaidFor(68);
  const [draft = ''] = drafts;
  const [item] = world.sandbox.state.subscriptions.get(subscriptionId)?.items.data ?? [];
  world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
  world.sandbox.createSubscription({
    customer: customerId,
    items: [{ price: item?.price.id ?? '', quantity: 1 }],
  });
  await world.advance({ days: 1 });
  expect([invoiceId, draft].map((id) => statusOf(world, id))).toEqual(['open', 'draft']);
  expect(await storyOf(world, draft)).toContain('draft.left');
});

test('the draft of a period that is over is left to the merchant, and said so', async () => {
  const { customerId, drafts } = await unpaidFor(100);
  const [latest = '', older = ''] = drafts;
  world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
  await world.advance({ days: 1 });
  expect([latest, older].map((id) => statusOf(world, id))).toEqual(['paid', 'draft']);
  expect(await storyOf(world, older)).toContain('draft.left');
});

inFull('a process that dies between the two finishes what it began', async () => {
  const { customerId, drafts } = await unpaidFor(68);
  const [draft = ''] = drafts;
  world.sandbox.faults.next('POST', `/v1/invoices/${draft}/finalize`, 'drop_after', 3);
  world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
  await world.advance({ days: 1 });
  expect(statusOf(world, draft)).toBe('paid');
});

test('nothing is finalized while effects are paused, and it is made up for', async () => {
  const { customerId, drafts } = await unpaidFor(68);
  const [draft = ''] = drafts;
  const { database } = world.plugin.parts;
  const at = world.clock.now();
  await pauseEffects(database, { account: 'own', reason: 'a look', by: 'ada', at });
  world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
  await world.advance({ hours: 1 });
  expect(statusOf(world, draft)).toBe('draft');
  const switching = { account: 'own', reason: 'looked', by: 'ada', at: world.clock.now() };
  await database.transaction((tx) => resumeEffects(tx, switching));
  await world.advance({ days: 1 });
  expect(statusOf(world, draft)).toBe('paid');
});

test('a draft that is deleted in the second of its last change is known as deleted', async () => {
  const { drafts } = await unpaidFor(68);
  const [draft = ''] = drafts;
  const created = [...world.sandbox.state.events.newestFirst()].find(
    ({ data }) => 'id' in data.object && data.object.id === draft,
  );
  for (const type of ['invoice.updated', 'invoice.deleted'])
    await postWebhook({ ...created, id: `evt_${type}`, type });
  const stored = await world.query(
    `select status, (select results from payment_retry.events where id = 'evt_invoice.deleted')
     from payment_retry.invoices where id = $1`,
    [draft],
  );
  expect(stored).toEqual([{ status: 'deleted', results: [{ code: 'deleted' }] }]);
});

async function postWebhook(event: object): Promise<void> {
  const payload = JSON.stringify(event);
  const timestamp = Math.floor(world.clock.now().toSeconds());
  const secret = world.sandbox.webhookSecret;
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  const headers = { 'stripe-signature': signature };
  await fetch(`${world.url}/webhooks/stripe`, { method: 'POST', headers, body: payload });
  await world.settle();
}
