/** More instructions than can be planned at once: payers take turns, and what nobody knows comes last. */
import { silentLogger } from '../../../../src/core/base/logger.ts';
import { createJobs, type Jobs } from '../../../../src/core/jobs/jobs.ts';
import { type PluginQueues, QUEUES } from '../../../../src/plugin/jobs/queues.ts';
import { createInstructionHandler } from '../../../../src/plugin/retry/instructions/handle-instruction.ts';
import { acceptInstruction } from '../../../../src/plugin/retry/instructions/source.ts';
import { listUnknownInvoices } from '../../../../src/plugin/store/tables/retry/instructions.ts';
import { upsertInvoice } from '../../../support/database/mirror-rows.ts';
import { ACCOUNT, type Bench, openBench, START } from '../payment/collection-fixture.ts';

const NAME = 'schedule-instruction';
type Planning = Pick<PluginQueues, typeof NAME>;

let bench: Bench;
let jobs: Jobs<Planning>;
let planned: string[];
let reads: number;
beforeAll(async () => {
  bench = await openBench();
});
beforeEach(async () => {
  await bench.reset();
  [planned, reads] = [[], 0];
  bench.stripe.invoice = undefined;
  bench.stripe.onRead = () => {
    reads += 1;
  };
  const { database, clock } = bench.deps;
  const queues = { [NAME]: QUEUES[NAME] };
  jobs = createJobs<Planning>({ database, clock, logger: silentLogger, schema: 'jobs_flood', queues });
  const handler = createInstructionHandler(bench.deps);
  await jobs.start({
    [NAME]: {
      handle: async (data) => {
        planned.push(data.requestId);
        await handler.handle(data);
      },
    },
  });
});
afterEach(() => jobs.stop());
afterAll(() => bench.close());

const instruct = (requestId: string, invoiceId: string) =>
  bench.database.transaction((tx) =>
    acceptInstruction(tx, jobs.enqueue, {
      account: ACCOUNT,
      requestId,
      source: 'callback',
      receivedAt: START,
      type: 'suggestion',
      invoiceId,
      subscriptionId: undefined,
      suggestion: 'ACTION_SUGGESTION_RETRY',
      idealRetryAt: START,
      body: '{}',
    }),
  );

const know = (id: string, customerId: string) =>
  upsertInvoice(bench.database, {
    account: ACCOUNT,
    id,
    customerId,
    subscriptionId: undefined,
    status: 'open',
    amountRemaining: 1000,
    currency: 'eur',
    attemptCount: 1,
    isFirst: false,
    nextAttemptAt: undefined,
    message: undefined,
    version: START,
    versionSource: 'event',
  });

test('a flood of unknown invoices and of one payer makes no other payer wait', async () => {
  await know('in_flooded', 'cus_flooded');
  await know('in_flooded_2', 'cus_flooded');
  await know('in_honest', 'cus_honest');
  for (let index = 0; index < 12; index += 1) await instruct(`unknown_${index}`, `in_unknown_${index}`);
  for (let index = 0; index < 12; index += 1)
    await instruct(`flood_${index}`, index % 2 ? 'in_flooded' : 'in_flooded_2');
  await instruct('honest', 'in_honest');
  await jobs.drain();
  expect(planned).toHaveLength(25);
  expect(planned.slice(0, 2).sort()).toEqual(['flood_0', 'honest']);
  expect(planned.slice(13).every((id) => id.startsWith('unknown'))).toBe(true);
});

test('an unknown invoice is read once, however often it is named', async () => {
  for (let index = 0; index < 12; index += 1) await instruct(`again_${index}`, `in_${index % 4}`);
  await jobs.drain();
  expect([planned.length, reads]).toEqual([12, 4]);
});

test('many unknown invoices within an hour are a matter for a person, a few are not', async () => {
  const list = () => listUnknownInvoices(bench.database, bench.deps.clock.now());
  await instruct('first', 'in_unknown');
  await jobs.drain();
  // Others that came to the same.
  await bench.database.exec(
    `insert into payment_retry.instructions (account, request_id, source, received_at, issued_at, type, invoice_id, body, state, reason, handled_at)
     select account, 'r_' || n, source, received_at, issued_at, type, invoice_id, body, state, reason, handled_at
     from payment_retry.instructions, generate_series(2, 99) n`,
  );
  expect(await list()).toEqual([]);
  await instruct('last', 'in_unknown');
  await jobs.drain();
  expect(await list()).toEqual([{ account: ACCOUNT, refused: 100, waiting: 0 }]);
  await bench.wait({ hours: 2 });
  expect(await list()).toEqual([]);
});
