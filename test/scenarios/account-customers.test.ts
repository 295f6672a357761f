/** A customer who is an account of Accounts v2: Stripe names `customer_account` and no `customer`. */
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { actionsOf, chargesOf, failingInvoice, renew, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const AN_ACCOUNT = { isAccount: true } as const;

/** What the embedded service holds of this customer. */
async function heldOf(account: string) {
  const tables = ['subscriptions', 'invoices', 'transactions'].map(
    (table) => `select '${table}' as kind, message::jsonb->>'customerId' as id from retry_service.${table}`,
  );
  const rows = await world.query<{ kind: string; id: string }>(tables.join(' union all '));
  return [...new Set(rows.filter(({ id }) => id === account).map(({ kind }) => kind))];
}

function accountOf(customerId: string): string {
  return String(world.sandbox.state.customers.get(customerId)?.customer_account);
}

test('is retried like any other, under the id of the account', async () => {
  const { customerId, invoiceId } = await failingInvoice(
    world,
    declinesTimes(1, 'insufficient_funds'),
    AN_ACCOUNT,
  );
  await world.advance({ days: 15 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  expect(accountOf(customerId)).toMatch(/^acct_/);
  expect(await heldOf(accountOf(customerId))).toEqual(['subscriptions', 'invoices', 'transactions']);
});

test('is emailed, gives a card in the portal, and both open invoices are paid with it', async () => {
  const subscriber = await failingInvoice(
    world,
    acceptsFirst(1, declines('stolen_card', {}, { last4: '9979' })),
    AN_ACCOUNT,
  );
  const second = await renew(world, subscriber.subscriptionId);
  await world.advance({ days: 1 });
  expect(world.email.emails.length).toBeGreaterThan(0);
  expect(world.email.emails[0]?.to?.[0]).toMatchObject({ address: 'ada@example.com' });
  const link = /href="([^"]*\/card-update\/[^"]*)"/.exec(world.email.emails[0]?.html ?? '')?.[1] ?? '';
  const opened = await fetch(link, { method: 'POST', redirect: 'manual' });
  expect(opened.status).toBe(303);
  const body = new URLSearchParams({ card: '0' });
  await fetch(opened.headers.get('location') ?? '', { method: 'POST', body, redirect: 'manual' });
  // Equal amounts on one card keep hours apart.
  await world.advance({ hours: 9 });
  expect([subscriber.invoiceId, second].map((id) => statusOf(world, id))).toEqual(['paid', 'paid']);
  expect(chargesOf(world, second).at(-1)).toBe('succeeded');
});

test('whose account is closed is told by that name, and nothing is charged', async () => {
  const { customerId, invoiceId } = await failingInvoice(
    world,
    declinesTimes(1, 'insufficient_funds'),
    AN_ACCOUNT,
  );
  const gone = world.clock.now().plus({ days: 20 });
  world.sandbox.faults.next('GET', `/v1/customers/${accountOf(customerId)}`, 'missing', 99);
  await world.advance({ milliseconds: gone.diff(world.clock.now()).toMillis() });
  expect(chargesOf(world, invoiceId)).toEqual(['failed']);
  expect((await actionsOf(world, invoiceId)).at(0)).toMatchObject({
    state: 'closed',
    reason: { code: 'customer_hidden', account: accountOf(customerId) },
  });
});

test('is charged on a card that was chosen for the account meanwhile', async () => {
  const { customerId, invoiceId } = await failingInvoice(
    world,
    acceptsFirst(1, declines('stolen_card', {}, { last4: '9979' })),
    AN_ACCOUNT,
  );
  world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
  await world.advance({ minutes: 1 });
  expect(statusOf(world, invoiceId)).toBe('paid');
});
