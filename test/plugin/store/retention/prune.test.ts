/** What is old goes in small steps, and nothing that is still needed. */
import { DateTime } from 'luxon';
import { countWork } from '../../../../src/plugin/store/reports/counters.ts';
import { refreshFailures } from '../../../../src/plugin/store/reports/money/refresh-failures.ts';
import { prune, reclaimSpace } from '../../../../src/plugin/store/retention/prune.ts';
import { recordEvents } from '../../../../src/plugin/store/tables/sync/events.ts';
import { countRows } from '../../../support/database/count-rows.ts';
import {
  EMBEDDED,
  ENGINES,
  openTestDatabase,
  type TestDatabase,
} from '../../../support/database/databases.ts';

const NOW = DateTime.fromISO('2026-03-02T10:00:00Z', { zone: 'utc' });
const DAYS = { bodies: 35, rows: 400 };
/** The invoice, an attempt, an action, a line of the audit, its failure with a customer and a card, and what those changed. */
const OF_IN_OLD = 8;
const ago = (days: number) => NOW.minus({ days }).toISO();

let held: TestDatabase;
const run = (text: string, params: readonly unknown[] = []) => held.database.query(text, params);
const pruneAll = (now = NOW) => prune(held.database, { days: DAYS, now, maxSteps: 100 });
const idsOf = async (table: string) =>
  (await held.database.query<{ id: string }>(`select id from payment_retry.${table} order by id`)).map(
    ({ id }) => id,
  );

async function addEvent(
  id: string,
  days: number,
  { isProcessed = true, code = 'mirrored' } = {},
): Promise<void> {
  await run(
    `insert into payment_retry.events (account, id, type, created_at, received_at, payload, processed_at, results)
     values ('own', $1, 'invoice.paid', $2, $2, '{"mark": 1}', $3, $4::jsonb)`,
    [id, ago(days), isProcessed ? ago(days) : null, isProcessed ? JSON.stringify([{ code }]) : null],
  );
}

async function addInvoice(id: string, { status = 'paid', days = 500 } = {}): Promise<void> {
  await run(
    `insert into payment_retry.invoices (account, id, customer_id, subscription_id, status, amount_remaining, currency,
       attempt_count, version, version_source) values ('own', $1, 'cus_1', 'sub_' || $1, $2, 0, 'eur', 1, $3, 'event')`,
    [id, status, ago(days)],
  );
}

async function addAttempt(invoiceId: string, changes: Record<string, unknown> = {}): Promise<void> {
  const row = {
    outcome: 'paid',
    fingerprint: `fp_${invoiceId}`,
    cardExpiry: '2030-12',
    days: 500,
    ...changes,
  };
  await run(
    `insert into payment_retry.attempts (id, account, invoice_id, subscription_id, source, started_at, outcome, fingerprint, card_expiry)
     values (gen_random_uuid(), 'own', $1, 'sub_' || $1, 'stripe', $2, $3, $4, $5)`,
    [invoiceId, ago(row.days), row.outcome, row.fingerprint, row.cardExpiry],
  );
}

async function addAction(invoiceId: string, state: string): Promise<void> {
  await run(
    `insert into payment_retry.actions (id, account, cause, reference, kind, invoice_id, due_at, state, created_at)
     values (gen_random_uuid(), 'own', 'instruction', $1, 'pay', $1, $2, $3, $2)`,
    [invoiceId, ago(500), state],
  );
}

const addSubscription = (invoiceId: string, status: string) =>
  run(
    `insert into payment_retry.subscriptions (account, id, customer_id, status, version, version_source)
     values ('own', 'sub_' || $1, 'cus_1', $2, $3, 'event')`,
    [invoiceId, status, ago(500)],
  );

/** Each makes an old, settled invoice one that is still needed. */
const NEEDED: readonly (readonly [why: string, make: (id: string) => Promise<unknown>])[] = [
  ['an action is planned', (id) => addAction(id, 'scheduled')],
  ['a person is asked about it', (id) => addAction(id, 'undecided')],
  ['an attempt is not settled', (id) => addAttempt(id, { outcome: null })],
  ['there was an attempt since then', (id) => addAttempt(id, { days: 20 })],
  ['its card was refused and has not expired', (id) => addAttempt(id, { outcome: 'declined' })],
  [
    'its bank account was refused, which never expires',
    (id) => addAttempt(id, { outcome: 'declined', cardExpiry: null }),
  ],
  [
    'its card is what a subscription that goes on paid with last',
    async (id) => {
      await addSubscription(id, 'active');
      await addAttempt(id);
    },
  ],
  [
    'it was disputed',
    (id) =>
      run(`insert into payment_retry.disputes values ('own', 'dp_' || $1, $1, 'general', 'lost', 2000, $2)`, [
        id,
        ago(500),
      ]),
  ],
];

describe.each(ENGINES)('retention on $engine', (engine) => {
  beforeAll(async () => {
    held = await openTestDatabase(engine);
  });
  beforeEach(async () => {
    await held.clear();
    // By which the latest time that Stripe has told is known.
    await addEvent('evt_latest', 0);
  });
  afterAll(() => held.close());

  test('the body of a processed event goes after RETENTION_DAYS; the row stays, so that the event is known if it comes again', async () => {
    await addEvent('evt_old', 36);
    await addEvent('evt_young', 34);
    await addEvent('evt_waiting', 36, { isProcessed: false });
    await addEvent('evt_dead', 36, { code: 'dead' });
    expect(await pruneAll()).toEqual({ counts: { eventBodies: 1 } });
    expect(await held.database.query(`select id from payment_retry.events where payload is null`)).toEqual([
      { id: 'evt_old' },
    ]);
    const again = {
      account: 'own',
      id: 'evt_old',
      type: 'invoice.paid',
      createdAt: NOW,
      receivedAt: NOW,
      payload: '{}',
    };
    expect(await recordEvents(held.database, [again])).toEqual([]);
    expect((await pruneAll()).counts).toEqual({});
  });

  test('bodies of instructions, addresses and contents of emails go with them, but for instructions that failed', async () => {
    for (const state of ['scheduled', 'failed'])
      await run(
        `insert into payment_retry.instructions (account, request_id, source, received_at, issued_at, type, body, state, handled_at)
         values ('own', $1, 'callback', $2, $2, 'suggestion', 'marked', $1, $2)`,
        [state, ago(40)],
      );
    await run(
      `insert into payment_retry.emails (account, invoice_id, template, step, recipient, message_id, state, detail, created_at, sent_at,
         subject, body_text, body_html, named, campaign)
       values ('own', 'in_1', 'card_update', '1', 'a@b.test', 'm', 'sent', '250 ok a@b.test', $1, $1, 'Hello', 'Ada', '<p>Ada</p>', '{in_1}', '1')`,
      [ago(40)],
    );
    expect((await pruneAll()).counts).toEqual({ instructionBodies: 1, emailAddresses: 1 });
    expect(await run(`select request_id as id, body from payment_retry.instructions order by 1`)).toEqual([
      { id: 'failed', body: 'marked' },
      { id: 'scheduled', body: '' },
    ]);
    expect(
      await run(`select recipient, detail, subject, body_text, body_html from payment_retry.emails`),
    ).toEqual([{ recipient: '', detail: null, subject: null, bodyText: null, bodyHtml: null }]);
  });

  test('an invoice that was settled longer ago than HISTORY_DAYS goes with all that belongs to it', async () => {
    await addInvoice('in_old');
    await addAttempt('in_old');
    await addAction('in_old', 'done');
    await addSubscription('in_old', 'canceled');
    for (const [index, invoiceId] of ['in_old', null, 'in_open'].entries())
      await run(
        `insert into payment_retry.audit (account, at, invoice_id, kind, detail) values ('own', $1, $2, $3, '{}')`,
        [ago(500), invoiceId, `kind.${index}`],
      );
    await run(`insert into payment_retry.failures (account, invoice_id, customer_id, currency, amount, state, failed_at, attempts, payment_method, words)
      values ('own', 'in_old', 'cus_1', 'eur', 1, 'recovered', now(), 1, 'pm_1', to_tsvector('simple', 'ada'))`);
    await run(`insert into payment_retry.customers values ('own', 'cus_1', 'Ada', 'a@b.test')`);
    await run(`insert into payment_retry.cards values ('own', 'pm_1', '4242', 'DE')`);
    await addInvoice('in_young', { days: 300 });
    await addInvoice('in_open', { status: 'open' });
    await addEvent('evt_old', 500);
    expect((await pruneAll()).counts).toEqual({ eventBodies: 1, events: 1, ofInvoices: OF_IN_OLD, audit: 1 });
    expect(await idsOf('invoices')).toEqual(['in_open', 'in_young']);
    expect(await run(`select kind from payment_retry.audit`)).toEqual([{ kind: 'kind.2' }]);
    for (const table of ['attempts', 'actions', 'customers', 'cards'])
      expect([table, await idsOf(table)]).toEqual([table, []]);
    expect(await countWork(held.database)).toEqual(await countRows(held.database));
  });

  test.each(NEEDED)('an old, settled invoice stays while %s', async (_why, make) => {
    await addInvoice('in_needed');
    await make('in_needed');
    await addInvoice('in_gone');
    await addAttempt('in_gone', { outcome: 'declined', cardExpiry: '2025-12' });
    await pruneAll();
    expect(await idsOf('invoices')).toEqual(['in_needed']);
    expect(
      (await idsOf('attempts')).length + (await idsOf('actions')).length + (await idsOf('disputes')).length,
    ).toBe(1);
  });

  test('what is over by itself goes in steps, also where nobody writes to its table any more', async () => {
    for (const days of [0.5, 2, 6, 8, 29, 31]) {
      await run(`insert into payment_retry.api_answers values ($1, 'digest', 200, '{}', $2)`, [
        `${days}`,
        ago(days),
      ]);
      await run(`insert into payment_retry.app_nonces values ('own', $1, $2)`, [`${days}`, ago(days)]);
      await run(`insert into payment_retry.guesses values ($1, 1, $2)`, [`${days}`, ago(days - 1)]);
      await run(`insert into payment_retry.sessions values ($1, 'anna', 'x', $2, $2)`, [
        `${days}`,
        ago(days),
      ]);
      await run(
        `insert into payment_retry.host_events (channel, event_id, type, account, at, detail, next_at)
         values ('host', gen_random_uuid(), 'emailed', 'own', $1, '{}', $1)`,
        [ago(days)],
      );
    }
    expect((await pruneAll()).counts).toEqual({ passed: 5 + 5 + 5 + 3 + 1 });
    const left: number[] = [];
    for (const table of ['api_answers', 'app_nonces', 'guesses', 'sessions', 'host_events'])
      left.push((await held.database.query(`select 1 as one from payment_retry.${table}`)).length);
    expect(left).toEqual([1, 1, 1, 3, 5]);
  });

  test('the last digits of each card that failed go with the invoice, unless another failure refers to it', async () => {
    await addInvoice('in_old');
    await addInvoice('in_young', { days: 20 });
    for (const [invoice, method, days] of [
      ['in_old', 'pm_first', 502],
      ['in_old', 'pm_shared', 501],
      ['in_young', 'pm_shared', 19],
    ] as const)
      await run(
        `insert into payment_retry.attempts (id, account, invoice_id, customer_id, payment_method, source, started_at, outcome)
         values (gen_random_uuid(), 'own', $1, 'cus_1', $2, 'stripe', $3, 'declined')`,
        [invoice, method, ago(days)],
      );
    for (const method of ['pm_first', 'pm_shared'])
      await run(`insert into payment_retry.cards values ('own', $1, '4242', 'DE')`, [method]);
    await refreshFailures(held.database);
    await pruneAll();
    expect([await idsOf('invoices'), await idsOf('cards')]).toEqual([['in_young'], ['pm_shared']]);
  });

  test('a clock that is set two years ahead makes nothing old, and one that is set back neither', async () => {
    await addEvent('evt_young', 34);
    await addInvoice('in_young', { days: 300 });
    for (const now of [NOW.plus({ years: 2 }), NOW.minus({ years: 2 })])
      expect((await pruneAll(now)).counts).toEqual({});
    await run(`delete from payment_retry.events`);
    await addInvoice('in_old');
    expect((await pruneAll(NOW.plus({ years: 2 }))).counts).toEqual({});
  });

  test('what is left after so many steps is taken away by the next run', async () => {
    await run(
      `insert into payment_retry.events (account, id, type, created_at, received_at, payload, processed_at, results)
       select 'own', 'evt_' || i, 'invoice.paid', $1, $1, '{}', $1, '[{"code": "mirrored"}]' from generate_series(1, 1200) i`,
      [ago(50)],
    );
    const request = { days: DAYS, now: NOW, maxSteps: 2 };
    expect(await prune(held.database, request)).toEqual({
      counts: { eventBodies: 1000 },
      next: { step: 'eventBodies' },
    });
    expect(await pruneAll()).toEqual({ counts: { eventBodies: 200 } });
  });
});

test('the embedded database uses the space of pruned bodies again', async () => {
  held = await openTestDatabase(EMBEDDED);
  try {
    const sizes: number[] = [];
    for (const month of [0, 1, 2]) {
      const now = NOW.plus({ days: 40 * month });
      await run(
        `insert into payment_retry.events (account, id, type, created_at, received_at, payload, processed_at, results)
         select 'own', $1 || '_' || i, 'invoice.paid', $2, $2, (select string_agg(md5((i * 100 + n)::text), '') from generate_series(1, 90) n),
           $2, '[{"code": "mirrored"}]' from generate_series(1, 200) i`,
        [`evt_${month}`, now.toISO()],
      );
      const [row] = await held.database.query<{ size: number }>(
        `select pg_total_relation_size('payment_retry.events') as size`,
      );
      sizes.push(row?.size ?? 0);
      if (month === 2) break;
      await prune(held.database, { days: DAYS, now, maxSteps: 100 });
      await reclaimSpace(held.database);
    }
    // The third month's bodies lie where the first month's were: without that they take half as much again.
    expect(sizes[2]).toBeLessThan(1.25 * (sizes[1] ?? 0));
  } finally {
    await held.close();
  }
});
