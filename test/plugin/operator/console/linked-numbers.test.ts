/** Every number that links somewhere opens exactly what it counts. */
import {
  failingInvoicesQuery,
  listFailingInvoices,
} from '../../../../src/plugin/operator/lists/failing-invoices.ts';
import {
  csvHead,
  describeFailingInvoices,
} from '../../../../src/plugin/operator/lists/failing-invoices-table.ts';
import { sumListed } from '../../../../src/plugin/store/reports/money/list-failures.ts';
import { recordAudit } from '../../../../src/plugin/store/tables/audit.ts';
import { recordDispute } from '../../../../src/plugin/store/tables/sync/disputes.ts';
import { type ConsoleHarness, NOW, startConsole } from './console-harness.ts';
import { insertFailedInvoice, insertSentEmail } from './failure-rows.ts';

let harness: ConsoleHarness;
let session: { cookie: string };
beforeAll(async () => {
  // Days of the overview are not those of the reader.
  harness = await startConsole({ settings: { timeZone: 'America/Los_Angeles' } });
  await fillTables();
});
beforeEach(async () => {
  session = await harness.signIn();
});
afterAll(() => harness?.stop());

const fail = (failed: Parameters<typeof insertFailedInvoice>[1]) =>
  insertFailedInvoice(harness.database, failed);
const query = (sql: string) => harness.database.query<object>(sql);

async function fillTables(): Promise<void> {
  const ago = (hours: number) => NOW.minus({ hours });
  await fail({ id: 'in_old', at: ago(24 * 40), amount: 700, paidAt: ago(3) });
  await fail({ id: 'in_back', at: ago(30), amount: 2689, paidAt: ago(2) });
  await fail({ id: 'in_refunded', at: ago(31), amount: 1500, paidAt: ago(1) });
  await fail({ id: 'in_before', at: ago(24 * 35), amount: 400, paidAt: ago(24 * 30) });
  await fail({ id: 'in_open', at: ago(5), amount: 3100, reason: 'expired_card' });
  await fail({ id: 'in_blocked', at: ago(6), amount: 900, reason: 'highest_risk_level' });
  await fail({ id: 'in_no_address', at: ago(7), amount: 800 });
  await fail({ id: 'in_stopped', at: ago(8), amount: 600, reason: 'highest_risk_level' });
  await fail({ id: 'in_gbp', at: ago(9), amount: 500, currency: 'gbp', reason: 'highest_risk_level' });
  await query(
    `update payment_retry.attempts set refunded = 500 where invoice_id = 'in_refunded' and outcome = 'paid'`,
  );
  const dispute = { account: 'own', id: 'dp_1', reason: 'general', status: 'needs_response', amount: 2689 };
  await recordDispute(harness.database, { ...dispute, invoiceId: 'in_back' }, NOW);
  const reason = { code: 'no_address', customerId: 'cus_in_no_address' };
  const detail = { action: 'card_update_email', guard: 'recipient', reason };
  const line = {
    account: 'own',
    at: ago(1),
    invoiceId: 'in_no_address',
    kind: 'email.undeliverable' as const,
    detail,
  };
  await recordAudit(harness.database, line);
  // Whoever stopped it has decided.
  await recordAudit(harness.database, { ...line, invoiceId: 'in_stopped' });
  await insertSentEmail(harness.database, 'in_back', ago(20));
  for (const hours of [24 * 20, 24 * 10, 7]) await insertSentEmail(harness.database, 'in_open', ago(hours));
  await query(
    `insert into payment_retry.holds (account, invoice_id, reason, held_at) values ('own', 'in_stopped', 'agreed', now())`,
  );
  await query(
    `insert into payment_retry.failure_changes (account, invoice_id) values ('own', 'in_stopped'), ('own', 'in_no_address')`,
  );
}

const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&amp;/g, '&')
    .replace(/[\s\u00a0\u202f]+/g, ' ');
const read = async (path: string) => (await harness.visit(path, session)).text();

const amountsIn = (text: string) =>
  [...text.matchAll(/[$£]([\d,]+\.\d\d)/g)].map(([, figure = '']) => Number(figure.replaceAll(',', '')));
const countIn = (text: string) =>
  Number(/(\d+) (?:of \d+ )?(?:invoice|renewal)/.exec(text)?.[1] ?? Number.NaN);

/** What a list says above its rows, and how many rows it has. */
async function openList(href: string) {
  const page = await read(`/console/${href.replace(/^(\.\.?\/)*(console\/)?/, '').replaceAll('&amp;', '&')}`);
  const sums = textOf(/<ul class="sums".*?<\/ul>/s.exec(page)?.[0] ?? '');
  const rows = new Set([...page.matchAll(/href="[^"]*invoices\/(in_\w+)"/g)].map(([, id]) => id));
  return { sums, rows, amount: amountsIn(sums)[0] ?? 0, count: rows.size === 0 ? 0 : countIn(sums) };
}

interface Figure {
  readonly href: string;
  readonly name: string;
  readonly value: string;
  readonly text: string;
}

async function figuresOf(path: string): Promise<Figure[]> {
  const figure =
    /<dt><a href="([^"]*)">([^<]*)<\/a><\/dt><dd><strong>([^<]*)<\/strong> <span class="soft">([^<]*)<\/span>/g;
  return [...(await read(path)).matchAll(figure)].map(([, href = '', name = '', value = '', text = '']) => ({
    href,
    name,
    value: textOf(value),
    text: textOf(text),
  }));
}

test.each(['week', 'month', 'quarter', 'year'])(
  'each figure of the overview by the %s opens a list with its count and sum',
  async (range) => {
    const figures = await figuresOf(`/console?range=${range}`);
    expect(figures).toHaveLength(10);
    for (const { href, name, value, text } of figures) {
      const { rows, amount, count } = await openList(href);
      expect([name, count]).toEqual([name, rows.size]);
      if (name.startsWith('Came back')) expect([name, amount]).toEqual([name, amountsIn(value)[0]]);
      if (/^Failed this/.test(name))
        expect([name, count, amount]).toEqual([
          name,
          countIn(text),
          amountsIn(value)[0] ?? amountsIn(text)[0],
        ]);
      if (name === 'At risk now')
        expect([name, count, amount]).toEqual([name, countIn(text), amountsIn(value)[0]]);
      if (name === 'Need you')
        expect([name, count, amount]).toEqual([name, Number(value), amountsIn(text)[0] ?? 0]);
    }
  },
);

test('what came back this month is what was paid this month, net of refunds, with its open disputes', async () => {
  const [back] = await figuresOf('/console?range=month');
  const { rows, sums } = await openList(back?.href ?? '');
  expect([...rows].sort()).toEqual(['in_back', 'in_old', 'in_refunded']);
  expect(back?.value).toBe('$43.89');
  expect(back?.text).toContain('includes 1 open dispute, $26.89');
  expect(sums).toContain(
    '$43.89 3 invoices; $48.89 before refunds and lost disputes; includes 1 open dispute, $26.89',
  );
});

test('each row of a breakdown opens a list with its count and sum', async () => {
  const page = await read('/console?range=month');
  const row =
    /<tr[^>]*><t[dh][^>]*><a href="([^"]*invoices\?(?:reason|brand|country|plan)=[^"]*)">[^<]*<\/a><\/t[dh]><td[^>]*>(\d+)<\/td><td[^>]*>(.*?)<\/td>/g;
  const rows = [...page.matchAll(row)];
  expect(rows.length).toBeGreaterThan(3);
  for (const [, href = '', count, failed = ''] of rows) {
    const list = await openList(href);
    expect([href, list.count, list.amount]).toEqual([href, Number(count), amountsIn(textOf(failed))[0]]);
  }
});

test('what needs attention has one count: on the overview, on its page, by cause, and on the list', async () => {
  const page = await read('/console/needs');
  const groups = [
    ...page.matchAll(/<section class="card" id="(\w+)">.*?<h2>[^:]*: (\d+)<\/h2><b>([^<]*)<\/b>/gs),
  ];
  expect(groups.map(([, code]) => code).sort()).toEqual(['blocked', 'no_address', 'unanswered']);
  for (const [, code, count, sums = ''] of groups) {
    const list = await openList(`invoices?need=${code}`);
    expect([code, list.rows.size]).toEqual([code, Number(count)]);
    expect([code, amountsIn(list.sums).sort()]).toEqual([code, amountsIn(textOf(sums)).sort()]);
  }
  const all = groups.reduce((sum, [, , count]) => sum + Number(count), 0);
  const onOverview = (await figuresOf('/console')).filter(({ name }) => name === 'Need you');
  expect(onOverview.reduce((sum, { value }) => sum + Number(value), 0)).toBe(all);
  expect((await openList('invoices?state=needs_you')).rows.size).toBe(all);
});

test('undeliverable emails are listed where they are counted', async () => {
  const health = await read('/console');
  const [, counted = ''] = /Mails that could not go out (\d+)/.exec(textOf(health)) ?? [];
  const list = /<section class="card" id="undeliverable">.*?<\/section>/s.exec(
    await read('/console/mails?state=unsent'),
  )?.[0];
  expect(textOf(list ?? '')).toContain('Could not go out: 1 ');
  expect(list).toContain('invoices/in_no_address');
  expect(counted).toBe('1');
});

test('an invoice that a person stopped needs nobody any more, and is found among the stopped ones', async () => {
  expect((await openList('invoices?state=needs_you')).rows).not.toContain('in_stopped');
  expect([...(await openList('invoices?state=stopped')).rows]).toEqual(['in_stopped']);
});

test('an open dispute is a badge on the list, on the page of its invoice and in the file', async () => {
  const badge = 'Open dispute, $26.89';
  expect(textOf(await read('/console/invoices?state=back'))).toContain(badge);
  const page = textOf(await read('/console/invoices/in_back'));
  expect(page).toContain(badge);
  expect(page).toContain('the customer disputed a payment of $26.89: general');
  const [head = '', ...lines] = (await read('/console/invoices.csv')).split('\r\n');
  const at = head.split(',').indexOf('disputed');
  expect(lines.find((line) => line.includes('in_back'))?.split(',')[at]).toBe('26.89');
  const query = failingInvoicesQuery.parse({ state: 'recovered' });
  const { invoices } = await listFailingInvoices(harness.database, NOW, query);
  expect(describeFailingInvoices(invoices, { now: NOW }).join('\n')).toContain('open dispute, $26.89');
  expect(csvHead()).toContain(',returned,disputed,');
});

test('every sum that holds the disputed payment says so: of the customer, of the mails and of the account', async () => {
  const note = 'includes 1 open dispute, $26.89';
  expect(textOf(await read('/console/customers'))).toContain(`$26.89 ${note}`);
  expect(textOf(await read('/console/customers/cus_in_back'))).toContain(`1 invoice; ${note}`);
  expect(textOf(await read('/console/mails'))).toContain(`of failed invoices; ${note}`);
  expect(textOf(await read('/console/mail-outcomes'))).toContain(`$26.89 ${note}`);
  const sums = await sumListed(harness.database, { account: 'own', state: 'recovered' });
  expect(sums?.find(({ currency }) => currency === 'usd')).toMatchObject({ disputes: 1, disputed: 2689 });
});

test('a customer who was emailed hours ago is not to be asked again; later the form says whom, and when last', async () => {
  const rowOf = async () =>
    textOf(
      /<section class="card" id="unanswered">.*?<\/section>/s.exec(await read('/console/needs'))?.[0] ?? '',
    );
  const early = await rowOf();
  expect(early).toContain('wait for an answer');
  expect(early).not.toContain('Send the mail once more');
  await harness.clock.set(NOW.plus({ days: 4 }));
  session = await harness.signIn();
  const late = await rowOf();
  expect(late).toContain('Send the mail once more');
  expect(late).toMatch(/To ada@example\.com; last emailed at/);
});
