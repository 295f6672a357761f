/** The embedded service plans what the plugin carries out, and an operator sees why. */

import { reportInvoice } from '../../src/plugin/app/commands/status-command.ts';
import { acceptsFirst, declines, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { chargesOf, statusOf, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: { maxRetriesPerInvoice: 12 } });
});
afterAll(() => world?.stop());

const guardStops = async (invoiceId: string) =>
  (await storyOf(world, invoiceId)).filter((kind) => kind.startsWith('guard.'));

test('after nine declines without a reason a card is asked for, and no guard has to step in; while collection is paused no attempt is used up', async () => {
  const [refused, paused] = await failList(
    world,
    [
      { paymentMethod: acceptsFirst(1, declines('do_not_honor', {}, { fingerprint: 'refused' })) },
      { paymentMethod: declinesTimes(1, 'insufficient_funds', {}, { fingerprint: 'paused' }) },
    ],
    'older',
  );
  await world.advance({ minutes: 5 });
  world.sandbox.pauseCollection(paused.subscriptionId, { behavior: 'keep_as_draft' });
  await world.advance({ days: 9 });
  expect(chargesOf(world, paused.invoiceId)).toEqual(['failed']);
  const sql = 'select reason, reasons from retry_service.cases where invoice_id = $1';
  expect(await world.query(sql, [paused.invoiceId])).toEqual([
    { reason: 'collection_is_paused', reasons: [{ code: 'collection_paused' }] },
  ]);
  world.sandbox.pauseCollection(paused.subscriptionId, null);
  await world.advance({ days: 20 });
  expect(statusOf(world, paused.invoiceId)).toBe('paid');
  world.sandbox.cancelSubscription(paused.subscriptionId);
  await world.advance({ days: 5 });
  expect(chargesOf(world, refused.invoiceId)).toEqual(Array(9).fill('failed'));
  expect(await guardStops(refused.invoiceId)).toEqual([]);
  await world.plugin.parts.requestActionsSync();
  await world.settle();
  const { text } = await reportInvoice(world.plugin.parts.database, refused.invoiceId, {});
  expect(text).toMatch(
    /Planned .* UTC\. .* in the customer's zone.*\) \(0 of 12 retries made or requested\)/,
  );
  expect(text).toContain('8 of 9 with this card, while its bank gives no reason');
  expect(text).toContain('9 attempts with this card failed, the last with do_not_honor');
});
