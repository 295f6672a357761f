/** After the last retry a subscription may be `unpaid`: what it bills from then on stays a draft. */
import Stripe from 'stripe';
import { pauseEffects, resumeEffects } from '../../src/plugin/store/tables/retry/pauses.ts';
import { accepts, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { inFull } from '../support/runner/full-run.ts';
import { chargesOf, renew, statusOf, storyOf, subscribe } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({
    isRemote: true,
    sandbox: { stripeRetries: { tries: 2, days: 4 }, afterLastRetry: 'unpaid' },
  });
});
afterAll(() => world.stop());
afterEach(() => world.reset());

const broke = (fingerprint: string) => ({
  paymentMethod: declinesTimes(99, 'insufficient_funds', {}, { fingerprint }),
});
const standing = (id: string) => world.sandbox.state.subscriptions.get(id)?.status;
/** The newest first. */
const draftsOf = (key: string) =>
  [...world.sandbox.state.invoices.newestFirst({ index: 'subscription', key })]
    .filter(({ status }) => status === 'draft')
    .map(({ id }) => id);
const giveCard = (customerId: string) =>
  world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111', fingerprint: `new${customerId}` }));

/** Subscriptions that Stripe has given up, some days later, with their drafts. */
async function unpaidFor(days: number, names: readonly string[]) {
  const failed = await failList(world, names.map(broke), 'older');
  await world.advance({ days });
  expect(failed.map(({ subscriptionId }) => standing(subscriptionId))).toEqual(names.map(() => 'unpaid'));
  return failed.map((one) => ({ ...one, drafts: draftsOf(one.subscriptionId) }));
}

test('a new card pays the open invoice and the draft of the running period, not one of a period that is over, and nothing while effects are paused', async () => {
  const [paying, again, later] = await unpaidFor(68, ['paying', 'again', 'later']);
  if (!paying || !again || !later) throw new Error('Nobody failed.');
  expect(paying.drafts).toHaveLength(1);
  const both = [paying.invoiceId, ...paying.drafts];
  const { database } = world.plugin.parts;
  const pause = { account: 'own', reason: 'a look', by: 'ada', at: world.clock.now() };
  await pauseEffects(database, pause);
  world.sandbox.webhookFaults.duplicate = 1;
  giveCard(paying.customerId);
  await world.advance({ hours: 1 });
  expect(both.map((id) => statusOf(world, id))).toEqual(['open', 'draft']);
  await database.transaction((tx) => resumeEffects(tx, { ...pause, at: world.clock.now() }));
  // Who subscribes to the same again pays neither of the old one's.
  const [item] = world.sandbox.state.subscriptions.get(again.subscriptionId)?.items.data ?? [];
  giveCard(again.customerId);
  const items = [{ price: item?.price.id ?? '', quantity: 1 }];
  world.sandbox.createSubscription({ customer: again.customerId, items });
  await world.advance({ days: 1 });
  expect(both.map((id) => statusOf(world, id))).toEqual(['paid', 'paid']);
  expect(chargesOf(world, paying.drafts[0] ?? '')).toEqual(['succeeded']);
  expect(standing(paying.subscriptionId)).toBe('active');
  const [left = ''] = again.drafts;
  expect([again.invoiceId, left].map((id) => statusOf(world, id))).toEqual(['open', 'draft']);
  expect(await storyOf(world, left)).toContain('draft.left');

  await world.advance({ days: 31 });
  const [latest = '', older = ''] = draftsOf(later.subscriptionId);
  giveCard(later.customerId);
  await world.advance({ days: 1 });
  expect([latest, older].map((id) => statusOf(world, id))).toEqual(['paid', 'draft']);
  expect(chargesOf(world, latest)).toEqual(['succeeded']);
  expect(await storyOf(world, older)).toContain('draft.left');
});

inFull('a process that dies between the two finishes what it began', async () => {
  const [one] = await unpaidFor(68, ['dying']);
  const [draft = ''] = one?.drafts ?? [];
  world.sandbox.faults.next('POST', `/v1/invoices/${draft}/finalize`, 'drop_after', 3);
  giveCard(one?.customerId ?? '');
  await world.advance({ days: 1 });
  expect(statusOf(world, draft)).toBe('paid');
});

test('a draft that is deleted in the second of its last change is known as deleted', async () => {
  const { subscriptionId } = await subscribe(world, accepts());
  world.sandbox.pauseCollection(subscriptionId, { behavior: 'keep_as_draft' });
  const draft = await renew(world, subscriptionId);
  expect(statusOf(world, draft)).toBe('draft');
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
