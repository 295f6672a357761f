import {
  findUnfinishedWork,
  type UnfinishedWork,
} from '../../../../src/plugin/store/tables/unfinished-work.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { NOW } from '../../../support/database/stored-rows.ts';

const AT = `'2026-11-20T09:00:00Z'`;
const subscription = (columns: string, values: string) =>
  `insert into payment_retry.subscriptions (account, id, customer_id, status, version, version_source, ${columns})
   values ('own', 'sub_1', 'cus_1', 'active', ${AT}, 'event', ${values})`;
const action = (state: string, dueAt: string) =>
  `insert into payment_retry.actions (id, account, cause, reference, kind, invoice_id, due_at, state, created_at)
   values (gen_random_uuid(), 'own', 'instruction', '1', 'pay', 'in_1', ${dueAt}, '${state}', ${AT})`;

const ROWS: Record<keyof UnfinishedWork, string> = {
  events: `insert into payment_retry.events (account, id, type, created_at, received_at, payload)
    values ('own', 'evt_1', 'invoice.paid', ${AT}, ${AT}, '{}')`,
  undelivered: subscription('message', `'{}'`),
  rereads: subscription('unmapped_reason, is_reread_asked', `'{"code": "no_items"}', true`),
  forgotten: `insert into payment_retry.forgotten (account, customer_id, asked_at) values ('own', 'cus_1', ${AT})`,
  backfills: `insert into payment_retry.backfill_runs (account, kind, months, per_second, started_at)
    values ('own', 'backfill', 12, 20, ${AT})`,
  instructions: `insert into payment_retry.instructions (account, request_id, source, received_at, type, suggestion, body, state, issued_at)
    values ('own', 'req_1', 'callback', ${AT}, 'instruction', 'ACTION_SUGGESTION_RETRY', '{}', 'received', ${AT})`,
  due: action('scheduled', AT),
  // After the clock was set back.
  running: action('running', `'2026-11-21T09:00:00Z'`),
  takeovers: `insert into payment_retry.takeovers (account, invoice_id, taken_over_at) values ('own', 'in_1', ${AT})`,
  signals: `insert into payment_retry.signals (account, invoice_id, payment_intent, status, looked_at)
    values ('own', 'in_1', 'pi_1', 'monitoring', ${AT})`,
  counters: `insert into payment_retry.counter_changes (name, labels) values ('emails', '{}')`,
  failures: `insert into payment_retry.failure_changes (account, invoice_id) values ('own', 'in_1')`,
  access: `insert into payment_retry.access (account, customer_id, is_allowed, until) values ('own', 'cus_1', true, ${AT})`,
};
/** What the triggers of other tables write. */
const BESIDE: readonly string[] = ['counters', 'failures', 'access'];

let store: TestDatabase;
beforeAll(async () => {
  store = await openTestDatabase(MAIN);
});
beforeEach(() => store.clear());
afterAll(() => store.close());

async function find(): Promise<string[]> {
  const found = Object.entries(await findUnfinishedWork(store.database, NOW));
  return found.filter(([, isThere]) => isThere).map(([kind]) => kind);
}

test('a sweep of an empty database finds nothing unfinished', async () => {
  expect(await find()).toEqual([]);
});

test.each(Object.entries(ROWS))('a sweep finds unfinished work: %s', async (kind, insert) => {
  await store.database.exec(insert);
  expect((await find()).filter((one) => one === kind || !BESIDE.includes(one))).toEqual([kind]);
});

test('a sweep does not find what falls due later', async () => {
  await store.database.exec(action('scheduled', `'2026-11-21T09:00:00Z'`));
  expect(await find()).not.toContain('due');
});
