/** What retention and the reviews of cases look for is found by an index, however many rows there are. */
import { DateTime } from 'luxon';
import type { Queryable } from '../../../../src/core/database/database.ts';
import {
  deleteInvoices,
  deleteOldAudit,
  dropOld,
  listSettledInvoices,
} from '../../../../src/plugin/store/retention/old-rows.ts';
import { readKnownTime } from '../../../../src/plugin/store/retention/prune.ts';
import { migrateService } from '../../../../src/service/migrate-service.ts';
import {
  listSettledInvoices as listSettledRecords,
  readKnownTime as readServiceTime,
} from '../../../../src/service/store/old-records.ts';
import { listOverdueCases } from '../../../../src/service/store/payment-cases.ts';
import { countVisited } from '../../../support/database/count-visited.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { IS_FULL_RUN } from '../../../support/runner/full-run.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const ROWS = IS_FULL_RUN ? 200_000 : 25_000;
/** Of fewer, PostgreSQL rather reads all for the oldest. */
const EVENTS = 2 * ROWS;
const LIMIT = 100;
const OLD = { before: NOW.minus({ minutes: ROWS }), limit: LIMIT };
/** Before all of them. */
const NONE_OLD = { ...OLD, before: NOW.minus({ years: 10 }) };
const IDS = Array.from({ length: LIMIT }, (_, index) => `in_${index + 1}`);

/** One row a minute, a third of each table older than `OLD.before`. Triggers would count what nobody asks for here. */
const FILLED = `
set session_replication_role = replica;
create temporary table moments as
select i, 'in_' || i as invoice, timestamptz '${NOW.minus({ minutes: 1.33 * ROWS }).toISO()}' + i * interval '1 minute' as at
from generate_series(1, ${ROWS}) i;
insert into payment_retry.invoices (account, id, customer_id, status, amount_remaining, currency, attempt_count, version, version_source)
select 'own', invoice, 'cus_1', 'paid', 0, 'eur', 1, at, 'event' from moments;
insert into payment_retry.attempts (id, account, invoice_id, subscription_id, source, started_at, outcome, fingerprint)
select md5(invoice)::uuid, 'own', invoice, 'sub_' || i, 'stripe', at, 'declined', 'fp_' || i from moments;
insert into payment_retry.events (account, id, type, created_at, received_at, payload, processed_at, results)
select 'own', 'evt_' || 2 * i + n, 'invoice.paid', at, at, case when n % 2 = 0 then '{}' end, at, '[{"code": "mirrored"}]'
from moments, generate_series(1, ${EVENTS / ROWS}) n;
insert into payment_retry.audit (account, at, invoice_id, kind, detail)
select 'own', at, invoice, 'attempt.started', '{}' from moments;
insert into payment_retry.instructions (account, request_id, source, received_at, issued_at, type, body, state, handled_at)
select 'own', i, 'callback', at, at, 'suggestion', '{}', 'scheduled', at from moments;
insert into payment_retry.emails (account, invoice_id, template, step, recipient, message_id, state, created_at, sent_at, named, campaign)
select 'own', invoice, 'card_update', i, 'a@b.test', i, 'sent', at, at, array[invoice], '1' from moments;
insert into retry_service.invoices (organization, id, customer_id, state, currency, updated_at, message)
select 'default', invoice, 'cus_1', 'INVOICE_STATE_PAID', 'EUR', at, '{}' from moments;
insert into retry_service.cases (organization, invoice_id, state, review_at, opened_at, updated_at, revision)
select 'default', invoice, 'open', at, at, at, i from moments;
set session_replication_role = origin;
vacuum analyze ${['invoices', 'attempts', 'events', 'audit', 'instructions', 'emails'].map((name) => `payment_retry.${name}`)},
  retry_service.invoices, retry_service.cases`;

const UNUSED = { executeSql: () => Promise.reject(new Error('Nothing is enqueued.')) };
/** Where a second step goes on. */
const MIDDLE = {
  id: `in_${ROWS / 5}`,
  at: NOW.minus({ minutes: 1.33 * ROWS - ROWS / 5 })
    .toJSDate()
    .toISOString(),
};
const ANEW = undefined;

const READS: readonly (readonly [what: string, read: (db: Queryable) => Promise<unknown>])[] = [
  ['the time of the latest event', (db) => readKnownTime(db, NOW)],
  ['the time of the latest record', (db) => readServiceTime(db, NOW)],
  ['settled invoices', (db) => listSettledInvoices(db, OLD, ANEW)],
  [
    'further settled invoices',
    (db) => listSettledInvoices(db, OLD, { account: 'own', id: MIDDLE.id, version: MIDDLE.at }),
  ],
  ['settled records', (db) => listSettledRecords(db, OLD, ANEW)],
  [
    'further settled records',
    (db) => listSettledRecords(db, OLD, { organization: 'default', id: MIDDLE.id, updatedAt: MIDDLE.at }),
  ],
  ['cases to be reviewed', (db) => listOverdueCases(db, NOW, { after: ANEW, limit: LIMIT })],
  ['bodies of events', (db) => dropOld(db, 'eventBodies', OLD)],
  ['bodies of instructions', (db) => dropOld(db, 'instructionBodies', OLD)],
  ['addresses of emails', (db) => dropOld(db, 'emailAddresses', OLD)],
  ['events', (db) => dropOld(db, 'events', OLD)],
  ['entries of the audit', (db) => deleteOldAudit(db, OLD, 0)],
  ['entries of the audit where none is old', (db) => deleteOldAudit(db, NONE_OLD, 0)],
  [
    'what a hundred invoices are needed for',
    (db) => deleteInvoices({ ...db, queue: UNUSED }, 'own', IDS, { before: OLD.before, today: NOW }),
  ],
];
describe.each(ENGINES)(`among ${ROWS} rows of each table, and ${EVENTS} events, on $engine`, (engine) => {
  let held: TestDatabase;
  beforeAll(async () => {
    held = await openTestDatabase(engine);
    await migrateService(held.database);
    for (const statement of FILLED.split(';')) await held.database.exec(statement);
  });
  afterAll(() => held.close());

  test.each(READS)('a step reads few rows: %s', async (_what, read) => {
    // Each is found, and read again where it is changed.
    expect(await countVisited(held.database, read)).toBeLessThanOrEqual(3 * LIMIT);
  });
});
