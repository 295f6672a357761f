/** A customer who is an account of Accounts v2: Stripe names `customer_account` and no `customer`. */
import {
  accepts,
  acceptsFirst,
  declines,
  declinesTimes,
} from '../../src/workbench/sandbox/payment-behaviour.ts';
import { actionsOf, chargesOf, renew, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { type ByName, emailsTo, failTogether } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());

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

const stolen = (last4: string) => acceptsFirst(1, declines('stolen_card', {}, { last4 }));
const broke = (last4: string) => declinesTimes(1, 'insufficient_funds', {}, { last4 });

let failed: ByName<'chosen' | 'emailed' | 'retried' | 'closed'>;
beforeAll(async () => {
  failed = await failTogether(
    world,
    { chosen: stolen('1001'), emailed: stolen('1002'), retried: broke('1003'), closed: broke('1004') },
    { customer: AN_ACCOUNT },
  );
  const { customerId } = failed('closed');
  world.sandbox.faults.next('GET', `/v1/customers/${accountOf(customerId)}`, 'missing', 99);
});

test('is charged on a card that was chosen for the account meanwhile', async () => {
  const { customerId, invoiceId } = failed('chosen');
  world.sandbox.changeDefaultCard(customerId, accepts({ last4: '1111' }));
  await world.advance({ minutes: 1 });
  expect(statusOf(world, invoiceId)).toBe('paid');
});

test('is emailed, gives a card in the portal, and both open invoices are paid with it', async () => {
  const subscriber = failed('emailed');
  const second = await renew(world, subscriber.subscriptionId);
  await world.advance({ days: 1 });
  const [email] = emailsTo(world, 'emailed');
  const link = /href="([^"]*\/card-update\/[^"]*)"/.exec(email?.html ?? '')?.[1] ?? '';
  const opened = await fetch(link, { method: 'POST', redirect: 'manual' });
  expect(opened.status).toBe(303);
  const body = new URLSearchParams({ card: '0' });
  await fetch(opened.headers.get('location') ?? '', { method: 'POST', body, redirect: 'manual' });
  // Equal amounts on one card keep hours apart.
  await world.advance({ hours: 9 });
  expect([subscriber.invoiceId, second].map((id) => statusOf(world, id))).toEqual(['paid', 'paid']);
  expect(chargesOf(world, second).at(-1)).toBe('succeeded');
});

test('is retried like any other, under the id of the account', async () => {
  const { customerId, invoiceId } = failed('retried');
  await world.advance({ days: 5 });
  expect(statusOf(world, invoiceId)).toBe('paid');
  expect(accountOf(customerId)).toMatch(/^acct_/);
  expect(await heldOf(accountOf(customerId))).toEqual(['subscriptions', 'invoices', 'transactions']);
});

test('whose account is closed is told by that name, and nothing is charged', async () => {
  const { customerId, invoiceId } = failed('closed');
  await world.advance({ days: 7 });
  expect(chargesOf(world, invoiceId)).toEqual(['failed']);
  expect((await actionsOf(world, invoiceId)).at(0)).toMatchObject({
    state: 'closed',
    reason: { code: 'customer_hidden', account: accountOf(customerId) },
  });
});
