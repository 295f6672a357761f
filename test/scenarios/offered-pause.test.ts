/** A portal that offers a pause: a customer who is asked for another card pauses the subscription instead, on Stripe's portal. */

import { reportInvoice } from '../../src/plugin/app/commands/status-command.ts';
import { openSdk } from '../../src/plugin/clients/stripe-client.ts';
import { makePortal } from '../../src/plugin/operator/checks/portal-configuration.ts';
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { failingInvoice, instruct, payCalls, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({
    isRemote: true,
    arrange: async ({ secretKey, url }) => {
      const stripe = openSdk({ secretKey, apiBase: new URL(url) });
      const portalConfiguration = await makePortal(stripe);
      const features = { subscription_pause: { enabled: true } };
      await stripe.billingPortal.configurations.update(portalConfiguration, { features });
      return { portalConfiguration };
    },
  });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

type Subscriber = Awaited<ReturnType<typeof failingInvoice>>;
const subscriptionOf = ({ subscriptionId }: Subscriber) =>
  world.sandbox.state.subscriptions.get(subscriptionId);
const post = (url: string, form: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });

async function emailed({ invoiceId }: Subscriber): Promise<string> {
  await instruct(world, invoiceId, 'CARD_CHANGE');
  return /href="([^"]*\/card-update\/[^"]*)"/.exec(String(world.email.emails.at(-1)?.html))?.[1] ?? '';
}

/** As a person does it, from the email to the page that says thanks. */
async function pause(subscriber: Subscriber): Promise<string> {
  const link = await emailed(subscriber);
  expect((await (await fetch(link)).text()).match(/<button/g)).toHaveLength(2);
  const opened = await post(`${link}?way=pause`);
  const chosen = await post(opened.headers.get('location') ?? '', { pause: '0' });
  expect(await (await fetch(chosen.headers.get('location') ?? '')).text()).toContain('If you paused');
  await world.settle();
  expect(subscriptionOf(subscriber)?.status).toBe('paused');
  return link;
}

test('nothing is charged while the customer has paused, and what is asked is followed once it resumes', async () => {
  const subscriber = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  const { invoiceId, subscriptionId } = subscriber;
  await pause(subscriber);
  await instruct(world, invoiceId, 'RETRY');
  await world.advance({ days: 27 });
  expect(payCalls(world, invoiceId)).toEqual([]);
  expect((await reportInvoice(world.plugin.parts.database, invoiceId, {})).text).toContain(
    `it was asked that subscription ${subscriptionId} is paused`,
  );
  await world.advance({ days: 6 });
  expect([subscriptionOf(subscriber)?.status, statusOf(world, invoiceId)]).toEqual(['active', 'paid']);
});

test('a customer who has paused still pays by giving a card, and is offered no second pause; one is offered only where Stripe can make it', async () => {
  const card = { paymentMethod: acceptsFirst(1, declines('stolen_card')) };
  const [subscriber, classic] = await failList(world, [card, card], 'older');
  const link = await pause(subscriber);
  expect((await (await fetch(link)).text()).match(/<button/g)).toHaveLength(1);
  // A page that was open before leads to the card.
  const opened = await post(`${link}?way=pause`);
  world.sandbox.offerCard(subscriber.customerId, accepts({ last4: '1111' }));
  const chosen = await post(opened.headers.get('location') ?? '', { card: '0' });
  expect(await (await fetch(chosen.headers.get('location') ?? '')).text()).toContain('If you saved');
  await world.settle();
  expect([subscriptionOf(subscriber)?.status, statusOf(world, subscriber.invoiceId)]).toEqual([
    'paused',
    'paid',
  ]);

  Object.assign(subscriptionOf(classic)?.billing_mode ?? {}, { type: 'classic' });
  const other = await emailed(classic);
  expect((await (await fetch(other)).text()).match(/<button/g)).toHaveLength(1);
});
