/** The embedded service plans what the plugin carries out, and an operator sees why. */

import { reportInvoice, reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import type { OwnOptions } from '../../src/plugin/app/own-plugin.ts';
import { refreshFailures } from '../../src/plugin/store/reports/money/refresh-failures.ts';
import { acceptsFirst, declines, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { chargesOf, failingInvoice, statusOf, storyOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';
import { startOtherwise } from './start-otherwise.ts';

const settings: OwnOptions = { maxRetriesPerInvoice: 12 };
let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: settings });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

const guardStops = async (invoiceId: string) =>
  (await storyOf(world, invoiceId)).filter((kind) => kind.startsWith('guard.'));

async function readService(): Promise<void> {
  await world.plugin.parts.requestActionsSync();
  await world.settle();
}

test('after nine declines without a reason a card is asked for, and no guard has to step in', async () => {
  const { invoiceId } = await failingInvoice(world, acceptsFirst(1, declines('do_not_honor')));
  await world.advance({ days: 34 });
  expect(chargesOf(world, invoiceId)).toEqual(Array(9).fill('failed'));
  expect(await guardStops(invoiceId)).toEqual([]);
  await readService();
  const { text } = await reportInvoice(world.plugin.parts.database, invoiceId, {});
  expect(text).toMatch(
    /Planned .* UTC\. .* in the customer's zone.*\) \(0 of 12 retries made or requested\)/,
  );
  expect(text).toContain('8 of 9 with this card, while its bank gives no reason');
  expect(text).toContain('9 attempts with this card failed, the last with do_not_honor');
});

test('while collection is paused no attempt is used up', async () => {
  const { invoiceId, subscriptionId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  await world.advance({ minutes: 5 });
  world.sandbox.pauseCollection(subscriptionId, { behavior: 'keep_as_draft' });
  await world.advance({ days: 9 });
  expect(chargesOf(world, invoiceId)).toEqual(['failed']);
  expect(
    await world.query('select reason, reasons from retry_service.cases where invoice_id = $1', [invoiceId]),
  ).toEqual([
    {
      reason: 'collection_is_paused',
      reasons: [{ code: 'collection_paused' }],
    },
  ]);
  world.sandbox.pauseCollection(subscriptionId, null);
  await world.advance({ days: 20 });
  expect(statusOf(world, invoiceId)).toBe('paid');
});

test('status shows the experiment, with each customer in one group', async () => {
  await startOtherwise(world, settings, { experiment: 'schedule:50' });
  const short = { paymentMethod: declinesTimes(1, 'insufficient_funds') };
  await failList(world, [short, short, short, short]);
  await readService();
  const { database } = world.plugin.parts;
  await refreshFailures(database);
  const { text } = await reportStatus(database, {}, world.clock.now());
  expect(text).toMatch(
    /Experiment \(.*\):\n {2}\d+ customers drawn since \S+, \d+ of them on a fixed schedule \(chance 50 %\)/,
  );
  const { experiment } = JSON.parse((await reportStatus(database, { json: true }, world.clock.now())).text);
  expect(experiment).toMatchObject({ against: 'schedule', percent: 50, matureDays: 35 });
  const [drawn] = await world.query<{ customers: number; groups: number }>(
    `select count(distinct i.customer_id)::int as customers, count(distinct (i.customer_id, c.is_held_out))::int as groups
     from retry_service.cases c join retry_service.invoices i on i.id = c.invoice_id where c.is_held_out is not null`,
  );
  expect(experiment.ours + experiment.control).toBe(drawn?.customers);
  expect(drawn?.groups).toBe(drawn?.customers);
});
