/** What is personal goes from every table, and does not come back; amounts and outcomes stay. */

import { prune } from '../../src/plugin/store/retention/prune.ts';
import { keepAnswer, reserveAnswer } from '../../src/plugin/store/tables/api-answers.ts';
import { recordForgotten } from '../../src/plugin/store/tables/forgotten.ts';
import { buryEvent } from '../../src/plugin/store/tables/sync/events.ts';
import { keepCards, keepPayer } from '../../src/plugin/store/tables/sync/payers.ts';
import { acceptsFirst, declines } from '../../src/workbench/sandbox/payment-behaviour.ts';
import { ENGINES } from '../support/database/databases.ts';
import { operate, say } from '../support/operate.ts';
import { inFull } from '../support/runner/full-run.ts';
import { failingInvoice, payCalls, renew } from '../support/scenario.ts';
import { createWorld, type World } from '../support/world.ts';

const FINGERPRINT = 'fpmarkedcard';
const API_TOKEN = 'an-operator-token-for-tests';
const MARKS = ['markedname', 'marked@person.test', '7531', 'markednote', 'markedanswer'];

/** What the host application's handler of emails does. */
const complain = () => {
  throw new Error('The CRM knows no marked@person.test.');
};

let world: World;
let onEmailed: (event: unknown) => unknown = complain;

/** What the merchant's own systems read and ask. */
async function callApi(path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${API_TOKEN}` };
  const asked = body && {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': `markedkey ${path}` },
    body: JSON.stringify(body),
  };
  return (await fetch(`${world.url}/api/v1${path}`, asked ?? { headers })).json();
}

const listedFor = async (search: string) => {
  const page = (await callApi(`/failing_invoices?search=${search}`)) as { invoices: { invoice: string }[] };
  return page.invoices.map(({ invoice }) => invoice);
};

/** A customer who was emailed, looked at the page, whose invoice a person held once, and about whom things went wrong. */
async function live() {
  await world.query(
    `insert into payment_retry.event_channels values ('host', '-infinity') on conflict do nothing`,
  );
  const card = declines('stolen_card', {}, { last4: '7531', fingerprint: FINGERPRINT });
  const subscriber = await failingInvoice(world, acceptsFirst(1, card), {
    name: 'Markedname Person',
    email: 'marked@person.test',
  });
  await world.advance({ days: 1 });
  const email = world.email.emails.find(({ html = '' }) => html.includes('/card-update/'));
  const link = /href="([^"]*\/card-update\/[^"]*)"/.exec(email?.html ?? '')?.[1] ?? '';
  const { invoiceId: invoice } = subscriber;
  await operate(world, 'stop', { invoice }, 'markednote: she called');
  // It is refused with the note of whoever stopped it, which is kept for those who ask again.
  const refused = await callApi('/operations/retry', { parameters: { invoice } });
  expect(JSON.stringify(refused)).toContain('markednote');
  expect(await listedFor('markedname')).toEqual([invoice]);
  await operate(world, 'release', { invoice }, 'markednote: go on');
  const charge = [...world.sandbox.state.charges.newestFirst()].find(({ status }) => status === 'succeeded');
  world.sandbox.disputeCharge(charge?.id ?? '', 'product_not_received');
  await world.settle();
  const { customerId, subscriptionId } = subscriber;
  await world.query(
    `update payment_retry.subscriptions set refused_version = version, delivered_version = null, refused_answer = 'markedanswer' where id = $1`,
    [subscriptionId],
  );
  await world.query(
    `insert into payment_retry.events (account, id, type, created_at, received_at, payload, person, processed_at, results, error)
     select 'own', 'evt_old_' || $1::text, 'invoice.paid', now(), now(), $2, $1::text, now(), '[{"code": "dead"}]', 'Error: markedname' `,
    [customerId, JSON.stringify({ customer: customerId, customer_name: 'Markedname Person' })],
  );
  return { ...subscriber, link };
}

/** Ids of jobs, and fractions of a second, have any four digits now and then. */
const BY_CHANCE = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\\.\\d{3,6}';

/** Which tables of all schemas have each mark anywhere in a row. */
async function tablesWithEach(marks: readonly string[]): Promise<Record<string, string[]>> {
  const tables = await world.query<{ name: string }>(
    `select schemaname || '.' || tablename as name from pg_tables
     where schemaname in ('payment_retry', 'payment_retry_jobs', 'retry_service', 'retry_service_jobs') order by 1`,
  );
  const looks = tables.map(
    ({ name }) => `select '${name}' as name, mark from unnest($1::text[]) mark where exists (
      select from ${name} x where regexp_replace(x::text, $2, '', 'g') ilike '%' || mark || '%')`,
  );
  const rows = await world.query<{ name: string; mark: string }>(looks.join(' union all '), [
    marks,
    BY_CHANCE,
  ]);
  const namesOf = (mark: string) => rows.filter((row) => row.mark === mark).map(({ name }) => name);
  return Object.fromEntries(marks.map((mark) => [mark, namesOf(mark)]));
}

const tablesWith = async (mark: string) => (await tablesWithEach([mark]))[mark];
const allMarks = () => tablesWithEach(MARKS);
const NOWHERE = Object.fromEntries(MARKS.map((mark) => [mark, []]));
const booksOf = (customer: string) =>
  world.query(
    `select i.id, i.status, i.amount_remaining, a.outcome, a.code, a.decline_code, a.amount, a.charge_id, a.payment_method, a.started_at
     from payment_retry.invoices i join payment_retry.attempts a on a.invoice_id = i.id where i.customer_id = $1 order by a.started_at, a.id`,
    [customer],
  );
/** Which rows have no reason: one that is made of nothing is a reason, too. */
const reasonsOf = (customer: string) =>
  world.query(
    `with work as (select id from payment_retry.invoices where customer_id = $1
       union all select id from payment_retry.subscriptions where customer_id = $1)
     select 'unmapped' as kind, id::text, unmapped_reason is null as is_free from payment_retry.invoices where customer_id = $1
     union all select 'unmapped', id, unmapped_reason is null from payment_retry.subscriptions where customer_id = $1
     union all select 'actions', id::text, reason is null from payment_retry.actions where invoice_id in (select id from work)
     union all select 'endings', invoice_id, reason is null from payment_retry.endings where invoice_id in (select id from work)
     union all select 'instructions', request_id, reason is null from payment_retry.instructions
       where invoice_id in (select id from work)
     order by 1, 2`,
    [customer],
  );

/** Two events of the customer, one of them by its charge, that nobody can process. */
async function failOnEventsOf(customerId: string): Promise<void> {
  const [charge] = await world.query<{ chargeId: string }>(
    `select charge_id from payment_retry.attempts where customer_id = $1 and charge_id is not null`,
    [customerId],
  );
  for (const person of [customerId, charge?.chargeId ?? '']) {
    await world.query(
      `insert into payment_retry.events (account, id, type, created_at, received_at, payload, person)
       values ('own', 'evt_late_' || $1::text, 'invoice.paid', now(), now(), '{"customer_name": "Markedname Person"}', $1)`,
      [person],
    );
    const key = { account: 'own', id: `evt_late_${person}` };
    await buryEvent(world.plugin.parts.database, key, 'Error: markedname', world.clock.now());
  }
}

describe.each(ENGINES)('forgetting a customer on $engine', (engine) => {
  beforeAll(async () => {
    const emailed = async (event: unknown) => void (await onEmailed(event));
    world = await createWorld({
      engine,
      plugin: { forgetDeletedCustomers: 'on', operatorToken: API_TOKEN, on: { emailed } },
    });
  });
  afterEach(async () => {
    onEmailed = complain;
    await world.reset();
  });
  afterAll(() => world.stop());

  test('every mark of a person is gone from all tables of both sides, amounts and outcomes stay, and nobody asks for the money any more', async () => {
    const { customerId: customer, subscriptionId, invoiceId, link } = await live();
    for (const [mark, tables] of Object.entries(await allMarks()))
      expect([mark, tables.length > 0]).toEqual([mark, true]);
    expect(await tablesWith(FINGERPRINT)).toContain('retry_service.transactions');
    const filled = Object.values(
      await tablesWithEach(['markedname', 'markednote', 'marked@person.test', '7531']),
    );
    expect(filled.flat()).toEqual(
      expect.arrayContaining(
        ['customers', 'cards', 'failures', 'host_events', 'api_answers'].map(
          (name) => `payment_retry.${name}`,
        ),
      ),
    );
    expect(await tablesWith('markedkey')).toEqual([]);
    const [books, reasons] = [await booksOf(customer), await reasonsOf(customer)];
    expect(books).toHaveLength(2);

    const { code, text } = await say(world, 'forget', { customer }, 'she asked');
    expect([code, text]).toEqual([
      0,
      expect.stringMatching(
        /is forgotten[\s\S]*emails: \d+ row[\s\S]*events: \d+ row|events: \d+ row[\s\S]*emails: \d+ row/,
      ),
    ]);
    await world.settle();
    expect(await allMarks()).toEqual(NOWHERE);
    // The networks' limits count this card for thirty days, whoever has it.
    expect(await tablesWith(FINGERPRINT)).toEqual(['payment_retry.attempts']);
    expect(await booksOf(customer)).toEqual(books);
    expect(await reasonsOf(customer)).toEqual(reasons);
    expect(await operate(world, 'forget', { customer })).toMatchObject({
      code: 'forgotten_already',
      isFinished: true,
    });

    expect([await listedFor('markedname'), await listedFor(invoiceId)]).toEqual([[], [invoiceId]]);

    const [emails, calls] = [world.email.emails.length, payCalls(world, invoiceId).length];
    expect(await (await fetch(link)).text()).not.toContain('<form');
    const later = await renew(world, subscriptionId);
    await world.plugin.parts.requestBackfill();
    await world.advance({ days: 20 });
    expect([
      world.email.emails.length,
      payCalls(world, invoiceId).length,
      payCalls(world, later).length,
    ]).toEqual([emails, calls, 0]);
    expect(await allMarks()).toEqual(NOWHERE);
    expect(await world.query(`select status from payment_retry.invoices where id = $1`, [later])).toEqual([
      { status: 'open' },
    ]);

    await world.advance({ days: 20 });
    await prune(world.plugin.parts.database, {
      days: { bodies: 35, rows: 400 },
      now: world.clock.now(),
      maxSteps: 100,
    });
    expect(await tablesWith(FINGERPRINT)).toEqual([]);
  });

  inFull('cut off in the middle, it is finished by the sweep', async () => {
    const { customerId } = await live();
    const { database } = world.plugin.parts;
    await recordForgotten(database, { account: 'own', customerId }, world.clock.now());
    await world.query(`update payment_retry.emails set recipient = '', subject = null`);
    await world.query(`delete from payment_retry.customers where id = $1`, [customerId]);
    await world.advance({ minutes: 5 });
    expect(await allMarks()).toEqual(NOWHERE);
    expect(await operate(world, 'forget', { customer: customerId })).toMatchObject({
      code: 'forgotten_already',
      isFinished: true,
    });
  });

  test('what was under way while a customer who is deleted at Stripe is forgotten writes nothing of the person afterwards', async () => {
    const { customerId, invoiceId } = await live();
    const payer = {
      customer: { id: customerId, name: 'Markedname Person', email: 'marked@person.test' },
      plans: [],
    };
    const { database } = world.plugin.parts;
    const asked = { key: 'a-digest', request: 'another' };
    await reserveAnswer(database, asked, world.clock.now());
    // FORGET_DELETED_CUSTOMERS is on.
    world.sandbox.deleteCustomer(customerId);
    await world.settle();
    expect(await allMarks()).toEqual(NOWHERE);
    await keepPayer(database, 'own', payer);
    await keepCards(database, { account: 'own', customerId }, [
      { id: 'pm_late', last4: '7531', country: 'DE' },
    ]);
    await world.query(
      `update payment_retry.failures set words = to_tsvector('simple', 'markedname'), country = 'DE' where invoice_id = $1`,
      [invoiceId],
    );
    await world.query(
      `update payment_retry.host_events set problem = 'The CRM knows no marked@person.test.' where invoice_id = $1`,
      [invoiceId],
    );
    const body = {
      invoice: invoiceId,
      reason: { code: 'stopped_by_person', note: 'markednote: she called' },
    };
    await keepAnswer(database, asked.key, { status: 409, body }, world.clock.now());
    await failOnEventsOf(customerId);
    expect(await allMarks()).toEqual(NOWHERE);
    expect(await listedFor(invoiceId)).toEqual([invoiceId]);
  });

  test('events that are being delivered while their customer is forgotten go out without words', async () => {
    const { customerId: customer } = await live();
    const told: unknown[] = [];
    onEmailed = async (event) => {
      told.push(event);
      if (told.length === 1) await operate(world, 'forget', { customer });
    };
    const [{ count } = { count: 0 }] = await world.query<{ count: number }>(
      `with twice as (insert into payment_retry.host_events (channel, event_id, type, account, invoice_id, at, detail, next_at)
         select channel, gen_random_uuid(), type, account, invoice_id, at, detail || '{"note": "markednote"}', next_at
         from payment_retry.host_events where type = 'emailed' returning 1)
       select count(*) as count from twice`,
    );
    expect(count).toBe(1);
    await world.advance({ hours: 1 });
    expect(told).toHaveLength(2);
    expect(JSON.stringify(told)).not.toContain('markednote');
  });

  inFull('two who ask at once forget a customer once', async () => {
    const { customerId: customer } = await live();
    await Promise.all([operate(world, 'forget', { customer }), operate(world, 'forget', { customer })]);
    await world.settle();
    expect(await allMarks()).toEqual(NOWHERE);
    expect(
      await world.query(
        `select detail->>'customerId' as customer from payment_retry.audit where kind = 'customer.forgotten'`,
      ),
    ).toEqual([{ customer }]);
    // Each row is counted once: by whoever was first, or by the job that finished it.
    const counts = await world.query<{ removed: object }>(
      `select detail->'removed' as removed from payment_retry.audit where kind = 'customer.erased'`,
    );
    expect(Object.assign({}, ...counts.map(({ removed }) => removed))).toMatchObject({
      emails: 1,
      cards: 1,
      customers: 1,
      service_cases: 1,
    });
  });

  test('a slip of the pen forgets nobody', async () => {
    expect(await operate(world, 'forget', { customer: 'cus_unknown' })).toEqual({
      outcome: 'not_found',
      code: 'customer_unknown',
      customer: 'cus_unknown',
    });
  });
});
