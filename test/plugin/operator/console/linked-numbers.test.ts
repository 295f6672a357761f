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
import { insertFailedInvoice, insertListedFailures, insertSentEmail } from './failure-rows.ts';

let harness: ConsoleHarness;
let session: { cookie: string };
beforeAll(async () => {
  // Days of the overview are not those of the reader.
  harness = await startConsole({ settings: { timeZone: 'America/Los_Angeles' } });
  await fillTables();
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
  await query(
    `update payment_retry.attempts set source = 'ours', attempt_number = 1 where invoice_id = 'in_open'`,
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
    .replace(/<style>.*?<\/style>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&amp;/g, '&')
    .replace(/[\s\u00a0\u202f]+/g, ' ');
const read = async (path: string) => (await harness.visit(path, session)).text();

const amountsIn = (text: string) =>
  [...text.matchAll(/[$£]([\d,]+\.\d\d)/g)].map(([, figure = '']) => Number(figure.replaceAll(',', '')));
const countIn = (text: string) =>
  Number(/(\d+) (?:attempt|email|email|invoice)/.exec(text)?.[1] ?? Number.NaN);

/** What a list says above its rows, and how many rows it has. */
async function openList(href: string) {
  const page = await read(`/console/${href.replace(/^(\.\.?\/)*(console\/)?/, '').replaceAll('&amp;', '&')}`);
  const sums = textOf(/<ul class="sums".*?<\/ul>/s.exec(page)?.[0] ?? '');
  const rows = new Set([...page.matchAll(/href="[^"]*invoices\/(in_\w+)"/g)].map(([, id]) => id));
  return { sums, rows, amount: amountsIn(sums)[0] ?? 0, count: rows.size === 0 ? 0 : countIn(sums) };
}

/** Every amount of the page that links to a list of invoices, with the words after it. */
const linkedAmounts = (page: string) =>
  [...page.matchAll(/<a[^>]*href="([^"]*invoices\?[^"]*)"[^>]*>([^<]*)<\/a>(.{0,60})/gs)].flatMap(
    ([, href = '', text = '', after = '']) => {
      const [amount] = amountsIn(textOf(text));
      return amount === undefined ? [] : [{ href, amount, count: countIn(textOf(`${text} ${after}`)) }];
    },
  );

/** Each list once: most of the links are those of every month. */
const opened = new Map<string, ReturnType<typeof openList>>();

test.each([
  ['2026-03', 'usd'],
  ['2026-03', 'gbp'],
  ['2026-02', 'usd'],
  ['2026-01', 'usd'],
])('each amount of the overview of %s in %s opens a list with its count and sum', async (month, currency) => {
  const linked = linkedAmounts(await read(`/console?month=${month}&currency=${currency}&months=all`));
  expect(linked.length).toBeGreaterThan(8);
  expect(linked.filter(({ count }) => !Number.isNaN(count)).length).toBeGreaterThan(2);
  for (const { href, amount, count } of linked) {
    const asked = opened.get(href) ?? openList(href);
    opened.set(href, asked);
    const list = await asked;
    expect([href, list.amount]).toEqual([href, amount]);
    expect([href, list.count]).toEqual([href, list.rows.size]);
    if (!Number.isNaN(count)) expect([href, list.count]).toEqual([href, count]);
  }
});

test('the cost of a month opens the lists of its attempts and emails', async () => {
  const page = await read('/console?month=2026-03');
  const links = [
    ...page.matchAll(/<a href="[^"]*((?:attempts|emails)\?[^"]*)">(\d+) (?:attempt|email)s?<\/a>/g),
  ];
  expect(links.map(([, , count]) => Number(count))).toEqual([1, 3]);
  for (const [, href = '', count] of links)
    expect([href, countIn((await openList(href)).sums)]).toEqual([href, Number(count)]);
  expect([...(await openList('attempts?outcome=declined')).rows]).toEqual(['in_open']);
  expect((await openList('attempts?outcome=paid')).rows.size).toBe(0);
});

test('a refunded recovery counts net, and an open dispute is named', async () => {
  // The last day of February in Los Angeles.
  const page = await read('/console?month=2026-02&currency=usd');
  const text = textOf(page);
  expect(text).toContain('Recovered $36.89 2 of 2 failed invoices +235.4% vs January 2026');
  expect(text).toContain('Paid in February: $0.00 Includes 1 open dispute, $26.89');
  expect(textOf(await read('/console?month=2026-03'))).toContain('Paid in March: $43.89');
  const disputed = /href="([^"]*disputed=open[^"]*)"/.exec(page)?.[1] ?? '';
  expect([...(await openList(disputed)).rows]).toEqual(['in_back']);
});

test('a report hides below twenty invoices, and each of its rows opens a list with its count and sum', async () => {
  expect(textOf(await read('/console/reports?month=2026-03'))).toContain('fewer than 20 failed invoices');
  const at = NOW.minus({ days: 100 });
  const far = Array.from({ length: 21 }, (_, index) => ({ id: `in_far_${index}`, at, amount: 1000 + index }));
  await insertListedFailures(harness.database, far);
  const page = await read('/console/reports?month=2025-11&currency=usd');
  const row =
    /<th scope="row"[^>]*><a href="([^"]*)">[^<]*<\/a><\/th><td[^>]*>(\d+)<\/td><td[^>]*>(.*?)<\/td>/g;
  const rows = [...page.matchAll(row)];
  expect(rows).toHaveLength(4);
  for (const [, href = '', count, failed = ''] of rows) {
    const list = await openList(href);
    expect([href, list.count, list.amount]).toEqual([href, Number(count), amountsIn(textOf(failed))[0]]);
  }
  await query(`delete from payment_retry.failures where invoice_id like 'in_far_%'`);
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
  const overview = await read('/console?month=2026-03&currency=usd');
  expect(overview).toContain(`Needs attention<b class="badge">${all}</b>`);
  const [, ofUsd] = /Needs attention<\/h3><a href="[^"]*needs">(\d+) invoices/.exec(overview) ?? [];
  expect(Number(ofUsd)).toBe(all - 1);
  expect((await openList('invoices?state=needs_attention')).rows.size).toBe(all);
});

test('undeliverable emails are listed, and are no problem of the system', async () => {
  const list = /<section class="card" id="undeliverable">.*?<\/section>/s.exec(
    await read('/console/emails?state=unsent'),
  )?.[0];
  expect(textOf(list ?? '')).toContain('Could not be sent: 1 ');
  expect(list).toContain('invoices/in_no_address');
  for (const path of ['/console', '/console/deliveries', '/console/checks'])
    expect([path, textOf(await read(path))]).toEqual([path, expect.stringContaining('All systems normal')]);
});

test('an invoice that a person stopped needs nobody any more, and is found among the stopped ones', async () => {
  expect((await openList('invoices?state=needs_attention')).rows).not.toContain('in_stopped');
  expect([...(await openList('invoices?state=stopped')).rows]).toEqual(['in_stopped']);
});

test('an open dispute is a badge on the list, on the page of its invoice and in the file', async () => {
  const badge = 'Open dispute, $26.89';
  expect(textOf(await read('/console/invoices?state=recovered'))).toContain(badge);
  const page = textOf(await read('/console/invoices/in_back'));
  expect(page).toContain(badge);
  expect(page).toContain('Dispute opened: general');
  const [head = '', ...lines] = (await read('/console/invoices.csv')).split('\r\n');
  const at = head.split(',').indexOf('disputed');
  expect(lines.find((line) => line.includes('in_back'))?.split(',')[at]).toBe('26.89');
  const query = failingInvoicesQuery.parse({ state: 'recovered' });
  const { invoices } = await listFailingInvoices(harness.database, NOW, query);
  expect(describeFailingInvoices(invoices, { now: NOW }).join('\n')).toContain('open dispute, $26.89');
  expect(csvHead()).toContain(',returned,disputed,');
});

test('every sum that holds the disputed payment says so: of the customer, of the emails and of the account', async () => {
  const note = 'includes 1 open dispute, $26.89';
  expect(textOf(await read('/console/customers'))).toContain(`$26.89 ${note}`);
  expect(textOf(await read('/console/customers/cus_in_back'))).toContain(`Recovered $26.89 ${note}`);
  expect(textOf(await read('/console/emails'))).toContain(`of failed invoices; ${note}`);
  expect(textOf(await read('/console/email-outcomes'))).toContain(`$26.89 ${note}`);
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
  expect(early).not.toContain('Send the email again');
  await harness.clock.set(NOW.plus({ days: 4 }));
  session = await harness.signIn();
  const late = await rowOf();
  expect(late).toContain('Send the email again');
  expect(late).toMatch(/To ada@example\.com; last emailed at/);
});
