/** Stripe refused to send the payment to the bank: whatever the decline code says, it is not tried again. */

import { acceptsFirst, declines, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import { actionsOf, failingInvoice, instruct, payCalls, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const blocked = (outcomeReason: string) =>
  acceptsFirst(1, declines('generic_decline', { outcomeType: 'blocked', outcomeReason }));

const stopped = { state: 'closed', reason: { code: 'hard_decline', because: 'blocked' } };

test.each([
  // The card ends it: its customer is asked for another one instead.
  [
    'previously_declined_do_not_retry',
    { kind: 'card_update_email', state: 'done', reason: { code: 'email_sent' } },
  ],
  ['a_reason_of_next_year', stopped],
  ['generic_decline', stopped],
])('a payment blocked for %s is not tried again', async (reason, end) => {
  const { invoiceId } = await failingInvoice(world, blocked(reason));
  await instruct(world, invoiceId, 'RETRY');
  await world.advance({ days: 2 });
  expect(payCalls(world, invoiceId)).toEqual([]);
  expect(await actionsOf(world, invoiceId)).toMatchObject([end]);
});

/** The rule that blocked the payment once is mended meanwhile. */
const blockedOnce = () =>
  declinesTimes(1, 'generic_decline', { outcomeType: 'blocked', outcomeReason: 'rule' });

const release = (invoiceId: string) =>
  operate(world, 'release', { invoice: invoiceId }, 'the rule is mended');

test('what a rule of the merchant stopped is paid after a release', async () => {
  const { invoiceId } = await failingInvoice(world, blockedOnce());
  await world.advance({ days: 1 });
  await release(invoiceId);
  await instruct(world, invoiceId, 'RETRY');
  expect(statusOf(world, invoiceId)).toBe('paid');
});

test('an email may go out after a release, and not before', async () => {
  const { invoiceId } = await failingInvoice(world, blockedOnce());
  await instruct(world, invoiceId, 'CARD_CHANGE');
  expect(world.email.emails).toHaveLength(0);
  await release(invoiceId);
  await instruct(world, invoiceId, 'CARD_CHANGE');
  expect(world.email.emails).toHaveLength(1);
});

test('a release lifts neither the next block nor what the network said of the card', async () => {
  const again = await failingInvoice(world, blocked('rule'));
  const lost = await failingInvoice(world, acceptsFirst(1, declines('stolen_card', {}, { last4: '9979' })));
  for (const { invoiceId } of [again, lost]) {
    await world.advance({ days: 1 });
    await release(invoiceId);
    await world.advance({ minutes: 1 });
    await instruct(world, invoiceId, 'RETRY');
    await instruct(world, invoiceId, 'RETRY');
  }
  expect([again, lost].map(({ invoiceId }) => payCalls(world, invoiceId).length)).toEqual([1, 0]);
});
