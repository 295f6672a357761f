/** A customer who loses a subscription to an unpaid invoice hears it once; one who asked for the end hears nothing. */
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { accepts, acceptsFirst, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { callBack, failingInvoice, instruct } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import { emailsTo } from './fail-together.ts';
import { startOtherwise } from './start-otherwise.ts';

const settings: OwnOptions = {};
let world: World;
beforeAll(async () => {
  const sandbox = { stripeRetries: { tries: 2, days: 4 }, afterLastRetry: 'cancel' } as const;
  world = await createWorld({ isRemote: true, sandbox, plugin: settings });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const broke = () => acceptsFirst(1, declines('insufficient_funds'));
const texts = () =>
  world.email.emails.map(({ subject, text }) => `${subject}\n${text}`.replaceAll('\u00a0', ' '));

const begin = (others: OwnOptions) => startOtherwise(world, settings, others);

async function complete(invoiceId: string): Promise<void> {
  const ended = { id: `end ${invoiceId}`, type: 'complete_dunning', created: 'now', data: { invoiceId } };
  expect((await callBack(world, ended)).status).toBe(200);
  await world.settle();
}

test('a customer whose subscription was canceled by AFTER_GIVING_UP hears it once, with the amount and the invoice; the card page shows what is owed, and leads to where any card pays it', async () => {
  await begin({ retryMode: 'exclusive', afterGivingUp: 'cancel' });
  const { invoiceId } = await failingInvoice(world, broke());
  await instruct(world, invoiceId, 'CARD_CHANGE');
  const link = /https?:\S+card-update\S+/.exec(String(world.email.emails[0]?.text))?.[0] ?? '';
  await complete(invoiceId);
  await world.advance({ days: 4 });
  expect(texts()).toHaveLength(2);
  for (const part of [
    'Your subscription with Sandbox Inc. has ended',
    'Your payment of $20.00 to Sandbox Inc. was not made, so your subscription has ended.',
    '$20.00 is still open.',
    'Pay the open amount',
  ])
    expect(texts()[1]).toContain(part);
  const page = (await (await fetch(link)).text()).replaceAll('\u00a0', ' ');
  for (const part of [
    'Your subscription has ended',
    '<strong>$20.00</strong> is still open.',
    'Pay the open amount',
  ])
    expect(page).toContain(part);
  expect(page).not.toContain('try the payment again');
  const answer = await fetch(link, { method: 'POST', redirect: 'manual' });
  const { hosted_invoice_url: paysThere } = world.sandbox.state.invoices.get(invoiceId) ?? {};
  expect([answer.status, answer.headers.get('location')]).toEqual([303, paysThere]);
  world.sandbox.payAsCustomer(invoiceId, accepts());
  await world.settle();
  expect(await (await fetch(link)).text()).toContain('Nothing is due');
});

test('a customer whose subscription was paused is led to RETURN_URL', async () => {
  await begin({ retryMode: 'exclusive', afterGivingUp: 'pause', returnUrl: 'https://shop.example/account' });
  const { invoiceId } = await failingInvoice(world, broke());
  await complete(invoiceId);
  expect(texts()).toHaveLength(1);
  expect(texts()[0]).toContain('is paused');
  expect(texts()[0]).toContain('https://shop.example/account');
});

test('a customer whose subscription Stripe ended for an unpaid invoice hears it once; one who asked for the end hears nothing of it', async () => {
  await begin({ retryMode: 'advisory' });
  const [, asked] = await failList(
    world,
    [
      { paymentMethod: broke(), mailbox: 'ended' },
      { paymentMethod: broke(), mailbox: 'asked' },
    ],
    'older',
  );
  world.sandbox.cancelSubscription(asked.subscriptionId);
  await world.advance({ days: 8 });
  expect(texts()).toHaveLength(1);
  expect(texts()[0]).toContain('has ended');
  expect(emailsTo(world, 'ended')).toHaveLength(1);
});
