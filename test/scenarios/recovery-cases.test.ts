/** Where the embedded service asks for nothing, an operator sees why: it waits, or gave up. */
import { reportInvoice, reportStatus } from '../../src/plugin/app/commands/status-command.ts';
import { refreshFailures } from '../../src/plugin/store/reports/money/refresh-failures.ts';
import { acceptsFirst, declines, declinesTimes } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { failingInvoice, statusOf } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';
import { failList } from './fail-list.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ plugin: { experiment: 'schedule:50', maxRetriesPerInvoice: 3 } });
});
afterAll(() => world?.stop());
afterEach(() => world.reset());

/** The end of `status in_…`, once the service was read. */
async function summaryOf(invoiceId: string) {
  await world.plugin.parts.requestActionsSync();
  await world.settle();
  const { database } = world.plugin.parts;
  const { text } = await reportInvoice(database, invoiceId, {});
  const json = JSON.parse((await reportInvoice(database, invoiceId, { json: true })).text);
  expect(text.endsWith(`\n${json.summary.join('\n')}`)).toBe(true);
  const isKept = json.recoveryCase?.isOnStaticSchedule ?? false;
  expect(/\(.*on the static schedule, for comparison\)/.test(text)).toBe(isKept);
  return { summary: json.summary, recoveryCase: json.recoveryCase };
}

test('collection is paused; once it is paid, nothing of that is told any more', async () => {
  const { invoiceId, subscriptionId } = await failingInvoice(world, declinesTimes(1, 'insufficient_funds'));
  await world.advance({ minutes: 5 });
  world.sandbox.pauseCollection(subscriptionId, { behavior: 'keep_as_draft' });
  await world.advance({ days: 14 });
  const sentence = 'The merchant has paused collection; neither a retry nor an email goes out meanwhile.';
  expect(await summaryOf(invoiceId)).toEqual({
    summary: [
      expect.stringMatching(
        `^the service: ${sentence} \\(decided 2026-03-02 10:05:00 UTC; looks again by 2026-04-01 10:00:00 UTC`,
      ),
      'next: no action scheduled; the service may ask for one',
    ],
    recoveryCase: expect.objectContaining({
      state: 'open',
      reason: 'collection_is_paused',
      reasons: [sentence],
      reviewAt: '2026-04-01T10:00:00.000Z',
      updatedAt: '2026-03-02T10:05:00.000Z',
    }),
  });
  world.sandbox.pauseCollection(subscriptionId, null);
  world.sandbox.payAsCustomer(invoiceId);
  await world.settle();
  expect(statusOf(world, invoiceId)).toBe('paid');
  const [{ kept } = {}] = await world.query<{ kept: string }>(
    'select reason as kept from payment_retry.recovery_cases where invoice_id = $1',
    [invoiceId],
  );
  const database = world.plugin.parts.database;
  const { text } = await reportInvoice(database, invoiceId, {});
  expect(kept).not.toBe('invoice_paid');
  expect(text.split('\n').at(-1)).toMatch(/^paid by: /);
  expect(text).not.toMatch(/^the service: /m);
  expect(await summaryOf(invoiceId)).toMatchObject({ recoveryCase: null });
});

test('a customer who was asked and has not acted; an experiment with each customer in one group; a retry with its reasons, given up in the end, after the last of them; a void invoice, for which none was made', async () => {
  const card = (code: string, fingerprint: string) => ({
    paymentMethod: acceptsFirst(1, declines(code, {}, { fingerprint })),
  });
  const [asked, soft, voided] = await failList(
    world,
    [
      card('stolen_card', 'fp_asked'),
      card('insufficient_funds', 'fp_soft'),
      card('insufficient_funds', 'fp_voided'),
    ],
    'older',
  );
  expect(await summaryOf(soft.invoiceId)).toMatchObject({
    summary: [
      expect.stringMatching(
        /^the service: .* 0 of 3 retries made or requested\. \(decided .*; looks again by /,
      ),
      expect.stringMatching(/^next: payment at /),
    ],
    recoveryCase: { state: 'open', reason: 'soft_decline' },
  });
  await world.advance({ hours: 1 });
  await expectExperimentShown();
  world.sandbox.voidInvoice(voided.invoiceId);
  await world.advance({ days: 2 });
  expect(await summaryOf(asked.invoiceId)).toMatchObject({
    summary: [
      expect.stringMatching(
        /^the service: An email to the customer was requested; a retry before they act would be refused again\. The next one is due on 2026-03-\d\d\. \(decided .*; looks again by /,
      ),
      'next: no action scheduled; the service may ask for one',
    ],
    recoveryCase: { state: 'open', reason: 'waiting_for_the_customer' },
  });

  await world.advance({ days: 43 });
  expect(statusOf(world, soft.invoiceId)).toBe('open');
  expect(await summaryOf(soft.invoiceId)).toMatchObject({
    summary: [
      expect.stringMatching(
        /^the service: (The static schedule|No attempt|All 3 retries).* asking for another card was requested\. .*; asks for no more/,
      ),
      'next: no action scheduled',
    ],
    recoveryCase: { state: 'closed', reason: 'attempts_used_up', reviewAt: null },
  });
  const requested = await world.query(
    'select status, status_reason from retry_service.recovery_actions where invoice_id = $1',
    [voided.invoiceId],
  );
  expect(requested).toEqual([{ status: 'CANCELED', statusReason: { code: 'invoice_not_unpaid' } }]);
  const { text } = await reportInvoice(world.plugin.parts.database, voided.invoiceId, {});
  expect(text).toContain('void');
  expect(text).not.toMatch(/[1-9] of 3 retries|no outcome/);
});

/** By status, with each customer in one group. */
async function expectExperimentShown(): Promise<void> {
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
  expect(drawn?.customers).toBeGreaterThan(1);
  expect(experiment.ours + experiment.control).toBe(drawn?.customers);
  expect(drawn?.groups).toBe(drawn?.customers);
}
