/** Stripe refused to send the payment to the bank: whatever the decline code says, it is not tried again. */

import { acceptsFirst, declines, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { operate } from '../support/operate.ts';
import { actionsOf, instruct, payCalls, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { type ByName, emailsTo, failTogether } from './fail-together.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ isRemote: true });
});
afterAll(() => world?.stop());

const blocked = (outcomeReason: string, last4: string) =>
  acceptsFirst(1, declines('generic_decline', { outcomeType: 'blocked', outcomeReason }, { last4 }));
/** The rule that blocked the payment once is mended meanwhile. */
const blockedOnce = (last4: string) =>
  declinesTimes(1, 'generic_decline', { outcomeType: 'blocked', outcomeReason: 'rule' }, { last4 });

const stopped = { state: 'closed', reason: { code: 'hard_decline', because: 'blocked' } };

const REASONS = [
  // The card ends it: its customer is asked for another one instead.
  [
    'previously_declined_do_not_retry',
    { kind: 'card_update_email', state: 'done', reason: { code: 'email_sent' } },
  ],
  ['a_reason_of_next_year', stopped],
  ['generic_decline', stopped],
] as const;

let failed: ByName<string>;
beforeAll(async () => {
  const ofReasons = REASONS.map(([reason], index) => [reason, blocked(reason, `100${index}`)]);
  failed = await failTogether<string>(world, {
    ...Object.fromEntries(ofReasons),
    ...{ paid: blockedOnce('2001'), emailed: blockedOnce('2002'), again: blocked('rule', '2003') },
    lost: acceptsFirst(1, declines('stolen_card', {}, { last4: '9979' })),
  });
});

const release = (invoiceId: string) =>
  operate(world, 'release', { invoice: invoiceId }, 'the rule is mended');

test('an email may go out after a release, and not before', async () => {
  const { invoiceId } = failed('emailed');
  await instruct(world, invoiceId, 'CARD_CHANGE');
  expect(world.email.emails).toHaveLength(0);
  expect(await actionsOf(world, invoiceId)).toMatchObject([
    { state: 'closed', reason: { code: 'merchant_matter', because: 'rule' } },
  ]);
  await release(invoiceId);
  await instruct(world, invoiceId, 'CARD_CHANGE');
  expect(emailsTo(world, 'emailed')).toHaveLength(1);
});

test.each(REASONS)('a payment blocked for %s is not tried again', async (reason, end) => {
  const { invoiceId } = failed(reason);
  await instruct(world, invoiceId, 'RETRY');
  await world.advance({ days: 2 });
  expect(payCalls(world, invoiceId)).toEqual([]);
  expect(await actionsOf(world, invoiceId)).toMatchObject([end]);
});

test('what a rule of the merchant stopped is paid after a release', async () => {
  const { invoiceId } = failed('paid');
  await world.advance({ days: 1 });
  await release(invoiceId);
  await instruct(world, invoiceId, 'RETRY');
  expect(statusOf(world, invoiceId)).toBe('paid');
});

test('a release lifts neither the next block nor what the network said of the card', async () => {
  const both = [failed('again'), failed('lost')];
  await world.advance({ days: 1 });
  for (const { invoiceId } of both) await release(invoiceId);
  await world.advance({ minutes: 1 });
  for (const { invoiceId } of [...both, ...both]) await instruct(world, invoiceId, 'RETRY');
  expect(both.map(({ invoiceId }) => payCalls(world, invoiceId).length)).toEqual([1, 0]);
});
