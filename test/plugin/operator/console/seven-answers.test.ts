/** Questions that a merchant asks, each answered within so many steps from the overview: a step follows a link or sends the search. */
import { recordAudit } from '../../../../src/plugin/store/tables/audit.ts';
import { type ConsoleHarness, NOW, startConsole } from './console-harness.ts';
import { insertFailedInvoice, insertSentEmail } from './failure-rows.ts';

const TODAY = NOW.plus({ days: 15 });
let harness: ConsoleHarness;
let session: { cookie: string };

beforeAll(async () => {
  harness = await startConsole({
    settings: { timeZone: 'Europe/Berlin', exchangeRates: 'EUR=1,USD=0.9' },
  });
  const { database, clock } = harness;
  const ago = (days: number) => TODAY.minus({ days });
  await insertFailedInvoice(database, { id: 'in_back', at: ago(25), amount: 2900, paidAt: ago(24) });
  const lost = { reason: 'lost_card', name: 'Quinn Baker', email: 'quinn@example.com' };
  await insertFailedInvoice(database, { id: 'in_open', at: ago(1), amount: 5000, currency: 'eur', ...lost });
  await insertFailedInvoice(database, { id: 'in_blocked', at: ago(2), reason: 'highest_risk_level' });
  await insertSentEmail(database, 'in_back', ago(25));
  for (const id of ['in_back', 'in_open'])
    await database.query(`update payment_retry.invoices set number = $2 where id = $1`, [id, `N-${id}`]);
  const detail = { by: 'anna', via: 'console', note: 'she called' };
  await recordAudit(database, {
    ...{ account: 'own', at: ago(1), invoiceId: 'in_open', kind: 'operator.stopped', detail },
  });
  await database.query(
    `insert into payment_retry.failure_changes (account, invoice_id) select account, id from payment_retry.invoices`,
  );
  await clock.set(TODAY);
  session = await harness.signIn();
});
afterAll(() => harness?.stop());

const textOf = (html: string) =>
  html
    .replace(/<style>.*?<\/style>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/[\s\u00a0\u202f]+/g, ' ');

/** A visit that counts its steps. */
async function begin() {
  let steps = 0;
  let place = new URL(`${harness.url}/console/`);
  let html = '';
  const go = async (href: string): Promise<void> => {
    place = new URL(href.replaceAll('&amp;', '&'), place);
    const answer = await harness.visit(`${place.pathname}${place.search}`, session);
    const to = answer.headers.get('location');
    if (to) return go(to);
    html = await answer.text();
  };
  await go('');
  return {
    /** Follows the first link with this text or name. */
    follow: async (name: RegExp) => {
      const links = [...html.matchAll(/<a [^>]*href="([^"]*)"([^>]*)>(.*?)<\/a>/gs)];
      const found = links.find(([, , more = '', text = '']) => name.test(`${textOf(text).trim()} ${more}`));
      if (!found?.[1]) throw new Error(`No link ${name} at ${place.pathname}.`);
      steps += 1;
      await go(found[1]);
    },
    search: async (words: string) => {
      const action = /<form[^>]*class="find"[^>]*action="([^"]*)"/.exec(html)?.[1];
      if (action === undefined) throw new Error(`No search at ${place.pathname}.`);
      steps += 1;
      await go(`${action}?id=${encodeURIComponent(words)}`);
    },
    open: async (href: string) => {
      steps += 1;
      await go(href);
    },
    text: () => textOf(html),
    html: () => html,
    steps: () => steps,
  };
}

test('recovered last month, and its cost: one step', async () => {
  const visit = await begin();
  await visit.follow(/Previous month/);
  expect(visit.text()).toContain('February 2026');
  expect(visit.text()).toMatch(/Recovered €26\.10 1 of 1 failed invoice /);
  expect(visit.text()).toMatch(/0 attempts.*1 email/);
  expect(visit.steps()).toBe(1);
});

test('why a customer was charged on Tuesday: two steps', async () => {
  const visit = await begin();
  await visit.search('quinn');
  await visit.follow(/^€50\.00/);
  expect(visit.text()).toMatch(/16 Mar, 11:00 .*Charged by Stripe/);
  expect(visit.text()).toContain('Payment failed: card reported lost');
  expect(visit.steps()).toBe(2);
});

test('“stop charging me”: two steps to the customer, with the form in place', async () => {
  const visit = await begin();
  await visit.search('quinn');
  await visit.follow(/^Quinn Baker/);
  expect(visit.text()).toMatch(/Stop all collection/);
  expect(visit.steps()).toBe(2);
});

test('what needs me: no step', async () => {
  const visit = await begin();
  expect(visit.text()).toMatch(/Needs attention 1 /);
  expect(visit.text()).toContain('Blocked by Stripe Radar');
  expect(visit.steps()).toBe(0);
});

test('is anything broken: no step, and every page says the same', async () => {
  const dot = (html: string) => textOf(/<a class="system[^"]*".*?<\/a>/s.exec(html)?.[0] ?? '').trim();
  const visit = await begin();
  const said = dot(visit.html());
  expect(said).toMatch(/All systems normal|\d (warning|problem)/);
  expect(visit.steps()).toBe(0);
  for (const page of ['deliveries', 'checks']) {
    await visit.open(`${harness.url}/console/${page}`);
    expect([page, dot(visit.html())]).toEqual([page, said]);
  }
});

test('the auditor’s export of a quarter: numbers, charges, one currency, one zone, in two steps', async () => {
  const visit = await begin();
  await visit.open('invoices?from=2026-01-01&to=2026-04-01');
  await visit.follow(/Export CSV/);
  const [head = '', ...lines] = visit.html().replace('\ufeff', '').trim().split('\r\n');
  const cells = (line: string) =>
    Object.fromEntries(head.split(',').map((name, at) => [name, line.split(',')[at]]));
  expect(lines.map(cells)).toEqual([
    expect.objectContaining({
      number: 'N-in_open',
      amount_in_eur: '50.00',
      failed_at: '2026-03-16T11:00:00+01:00',
    }),
    expect.objectContaining({ amount_in_eur: '18.00' }),
    expect.objectContaining({
      number: 'N-in_back',
      charges: 'ch_in_back_declined ch_in_back_paid',
      amount_in_eur: '26.10',
      failed_at: '2026-02-20T11:00:00+01:00',
    }),
  ]);
  expect(visit.steps()).toBe(2);
});

test('what a colleague did, with amounts and names: two steps', async () => {
  const visit = await begin();
  await visit.follow(/^Audit/);
  await visit.follow(/^By people/);
  expect(visit.text()).toMatch(/Collection stopped.*anna.*she called.*N-in_open €50\.00, Quinn Baker/);
  expect(visit.steps()).toBe(2);
});
