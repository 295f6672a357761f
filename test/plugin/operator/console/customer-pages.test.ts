/** Customers with failed invoices, as pages. */
import { finishEmail, reserveEmail } from '../../../../src/plugin/store/tables/retry/emails.ts';
import { keepPayer } from '../../../../src/plugin/store/tables/sync/payers.ts';
import { type ConsoleHarness, NOW, startConsole, tokenIn } from './console-harness.ts';
import { type FailedInvoice, insertFailedInvoice, insertListedFailures } from './failure-rows.ts';

let harness: ConsoleHarness;
let session: { cookie: string };
let token: string;
beforeAll(async () => {
  harness = await startConsole();
});
afterAll(() => harness?.stop());

const visit = (path: string) => harness.visit(`/console/${path}`, session);
const read = async (path: string) => (await visit(path)).text();
const textOf = (page: string) =>
  page
    .replace(/<style>.*?<\/style>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/[\s\u00a0\u202f]+/g, ' ');
const listed = async (query = '') =>
  [...(await read(`customers${query}`)).matchAll(/href="\.\/customers\/(cus_\w+)"/g)].map(([, id]) => id);

const NAMES: Readonly<Record<string, string>> = { cus_ada: 'Ada Lovelace', cus_cy: 'Cy Twombly' };

/** Invoices of one customer. */
async function fail(customerId: string, ...invoices: FailedInvoice[]): Promise<void> {
  for (const invoice of invoices) {
    await insertFailedInvoice(harness.database, invoice);
    for (const table of ['attempts', 'invoices'])
      await harness.database.query(
        `update payment_retry.${table} set customer_id = $1 where customer_id = $2`,
        [customerId, `cus_${invoice.id}`],
      );
  }
  const name = NAMES[customerId] ?? 'Ben Okri';
  const customer = { id: customerId, name, email: `${customerId}@example.com` };
  await keepPayer(harness.database, 'own', { customer, plans: [] });
}

async function arrange(): Promise<void> {
  session = await harness.signIn();
  // Each page has the session's.
  token = tokenIn(await read('nothing'));
  await fail(
    'cus_ada',
    { id: 'in_1', at: NOW.minus({ days: 9 }), amount: 500, paidAt: NOW.minus({ days: 7 }) },
    { id: 'in_2', at: NOW.minus({ days: 3 }), amount: 700 },
    { id: 'in_3', at: NOW.minus({ days: 2 }), amount: 900, currency: 'eur' },
  );
  await fail('cus_ben', { id: 'in_4', at: NOW.minus({ days: 1 }), amount: 100, paidAt: NOW });
  const key = { account: 'own', invoiceId: 'in_2', template: 'card_update', step: 'action-1' };
  const copy = { subject: 'Your card', text: 'Hello', html: '<p>Hello</p>' };
  const email = { ...key, recipient: 'cus_ada@example.com', messageId: '<1@shop.example>', copy };
  await reserveEmail(harness.database, email, NOW);
  await finishEmail(harness.database, key, { state: 'sent', detail: '250 ok' }, NOW);
}

describe('the customers', () => {
  beforeAll(arrange);

  test('the list of customers is filtered to who owes something, and searched by name, address and id', async () => {
    expect(await listed('?state=open')).toEqual(['cus_ada']);
    await harness.database.query(
      `insert into payment_retry.failure_changes (account, invoice_id) select account, id from payment_retry.invoices`,
    );
    expect(await listed('?q=okri')).toEqual(['cus_ben']);
    expect(await listed('?q=cus_ada')).toEqual(['cus_ada']);
    expect(await listed('?q=in_1')).toEqual(['cus_ada']);
    expect(await listed('?q=okri&state=open')).toEqual([]);
    expect(await read('customers?q=nobody')).toContain('No customer matches.');
  });

  test('the page of a customer says where they stand, what is open, and what happened on all invoices', async () => {
    const page = await read('customers/cus_ada');
    const text = textOf(page);
    expect(text).toContain('Ada Lovelace In recovery');
    expect(text).toContain('In recovery since 27 Feb 2026');
    expect(text).toContain('Open invoices 2 unpaid');
    expect(text).toMatch(/Total €9\.00 Total \$7\.00 .*Timeline /);
    expect(text).toContain('Unpaid €9.00 $7.00 Recovered $5.00 Lost –');
    for (const id of ['in_1', 'in_2', 'in_3']) expect(page).toContain(`href="../invoices/${id}"`);
    expect(page).toContain('href="../emails/action-1"');
    expect(page).toContain('name="invoice" value="in_3"');
    expect(textOf(await read('customers/cus_ben'))).toContain('Every invoice is paid.');
  });

  test('the timeline of a customer can be narrowed to charges, emails or decisions', async () => {
    const titles = async (show: string) => {
      const [, timeline = ''] = (await read(`customers/cus_ada?show=${show}`)).split('<h2>Timeline</h2>');
      return [...timeline.matchAll(/<span class="words">(.*?)<\/span>/gs)].map(([, title = '']) =>
        textOf(title),
      );
    };
    expect(await titles('emails')).toEqual([expect.stringContaining('Email sent')]);
    expect((await titles('charges')).length).toBe(4);
    expect((await titles('all')).length).toBe(5);
    expect(await titles('decisions')).toEqual([]);
  });

  test('a customer of whom nothing is known has no page', async () => {
    expect((await visit('customers/cus_nobody')).status).toBe(404);
    expect((await visit('customers/cus_ada?account=acct_other')).status).toBe(404);
    expect((await visit('customers/%00')).status).toBe(404);
  });

  test('all collection from a customer stops in two steps with a reason, and resumes', async () => {
    const submit = async (name: string, reason?: string) =>
      harness.submit(
        `/console/operations/${name}`,
        {
          customer: 'cus_ada',
          account: 'own',
          token,
          back: 'customers/cus_ada',
          ...(reason === undefined ? {} : { reason }),
        },
        { 'sec-fetch-site': 'same-origin', ...session },
      );
    const text = textOf(await read('customers/cus_ada'));
    expect(text).toContain('2 unpaid invoices, $7.00, €9.00: no charge and no email until you resume');
    expect(text).toContain('Stripe has no retry scheduled.');
    expect((await submit('stopCollection')).status).toBe(400);
    expect((await submit('stopCollection', 'asked us to stop')).status).toBe(200);
    const page = await read('customers/cus_ada');
    expect(textOf(page)).toContain('Collection stopped on 2 Mar 2026');
    expect(page).not.toContain('operations/stopCollection');
    expect(textOf(await read('invoices?state=stopped'))).toContain('Ada Lovelace');
    expect((await submit('resumeCollection')).status).toBe(200);
    expect(textOf(await read('customers/cus_ada'))).toContain('In recovery since 27 Feb 2026');
  });

  test('the list of customers has each once, whose payment failed last first, with what is unpaid and recovered', async () => {
    expect(await listed()).toEqual(['cus_ben', 'cus_ada']);
    await fail('cus_cy', { id: 'in_5', at: NOW.minus({ days: 5 }), amount: 800 });
    expect(await listed('?sort=unpaid')).toEqual(['cus_ada', 'cus_cy', 'cus_ben']);
    // Without rates each currency is by itself: that of the customer's latest failure.
    expect(await listed('?sort=recovered')).toEqual(['cus_ada', 'cus_ben', 'cus_cy']);
    expect(textOf(await read('customers'))).toMatch(/ 3 customers \$15\.00 unpaid €9\.00 unpaid /);
    expect(textOf(await read('customers?q=ben'))).toContain(' 1 customer Customer');
    const text = textOf(await read('customers'));
    expect(text).toContain('Ada Lovelace cus_ada@example.com 2 €9.00 $7.00 $5.00 – 1 28 Feb 2026');
    expect(text).toContain('Ben Okri cus_ben@example.com 0 – $1.00 – 0 1 Mar 2026');
  });

  test('the list of customers is read page by page, each customer on one of them', async () => {
    const more = Array.from({ length: 49 }, (_, index) => ({
      id: `in_x${index}`,
      at: NOW.minus({ hours: index % 5 }),
    }));
    await insertListedFailures(harness.database, more);
    const next = /href="\.\/customers(\?after=[^"]+)" rel="next"/.exec(await read('customers'))?.[1] ?? '';
    const all = [...(await listed()), ...(await listed(next))];
    const known = await harness.database.query('select 1 from payment_retry.payers');
    expect([all.length, new Set(all).size]).toEqual([known.length, known.length]);
  });

  test('a customer is forgotten from the console, and the page says so without the name', async () => {
    const fields = {
      customer: 'cus_ada',
      token,
      back: 'customers/cus_ada',
    };
    const forget = (typed: string) =>
      harness.submit(
        '/console/operations/forget',
        { ...fields, typed },
        {
          'sec-fetch-site': 'same-origin',
          ...session,
        },
      );
    expect(await read('customers/cus_ada')).toContain('Erase the name, the email address');
    for (const other of ['', 'Ada', 'cus_bob']) {
      const refused = await forget(other);
      expect([refused.status, textOf(await refused.text())]).toEqual([
        400,
        expect.stringContaining('neither the customer’s name nor their id'),
      ]);
    }
    const answer = await forget(' ada  lovelace');
    expect([answer.status, textOf(await answer.text())]).toEqual([
      200,
      expect.stringContaining('is forgotten'),
    ]);
    const page = await read('customers/cus_ada');
    expect(textOf(page)).toContain('Erased 2 Mar 2026');
    expect(page).not.toContain('Lovelace');
    expect(page).not.toContain('operations/forget');
    expect(await read('audit')).toMatch(
      /<td>A customer was forgotten<\/td>.*?<td><a href="\.\/customers\/cus_ada"><bdi>cus_ada<\/bdi><\/a><\/td>/,
    );
  });
});
