/** The overview and the list of failed invoices, as pages. */
import type { AuditKind } from '../../../../src/plugin/actions/audit-kinds.ts';
import { recordAudit } from '../../../../src/plugin/store/tables/audit.ts';
import { type ConsoleHarness, NOW, startConsole } from './console-harness.ts';
import { insertFailedInvoice, insertListedFailures } from './failure-rows.ts';

const EVIL = '<script>alert("x")</script>';
let harness: ConsoleHarness;
let session: { cookie: string };
const settings = { exchangeRates: 'USD=1,EUR=1.10,JPY=0.0065', timeZone: 'Asia/Tokyo' };
beforeAll(async () => {
  harness = await startConsole({ settings });
});
const clear = async () => {
  await harness.clear();
  session = await harness.signIn();
};
afterAll(() => harness?.stop());

const read = async (path: string, headers: Record<string, string> = {}) =>
  (await harness.visit(path, { ...session, ...headers })).text();
const textOf = (page: string) =>
  page
    .replace(/<style>.*?<\/style>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&amp;/g, '&')
    .replace(/[\s\u00a0\u202f]+/g, ' ');
const fail = (failed: Parameters<typeof insertFailedInvoice>[1]) =>
  insertFailedInvoice(harness.database, failed);

describe('the overview', () => {
  beforeEach(clear);

  test('in observe mode the overview says what would have been done, each invoice once, and how to go on', async () => {
    const settings = { retryMode: 'observe' } as const;
    const observing = await startConsole({ settings, shared: harness });
    const note = (invoiceId: string, kind: AuditKind, detail: Record<string, unknown>) =>
      recordAudit(harness.database, { account: 'own', at: NOW, invoiceId, kind, detail });
    try {
      const cookie = await observing.signIn();
      const overview = async () => textOf(await (await observing.visit('/console', cookie)).text());
      expect(await overview()).toContain(
        'nothing would have been done so far; to go on, set RETRY_MODE=advisory.',
      );
      await note('in_1', 'observed.pay', { amount: 2000, currency: 'usd' });
      await note('in_1', 'observed.pay', { amount: 2000, currency: 'usd' });
      await note('in_2', 'observed.pay', { amount: 1000, currency: 'eur' });
      await note('in_2', 'observed.email', { template: 'card_update' });
      await note('in_2', 'observed.email', { template: 'card_update' });
      expect(await overview()).toContain(
        'Observe mode: nothing is charged or emailed; would have been done so far: 3 payments tried on 2 invoices (€10.00, $20.00), 2 emails sent; to go on, set RETRY_MODE=advisory.',
      );
      expect(textOf(await read('/console'))).not.toContain('Observe mode');
    } finally {
      await observing.stop();
    }
  });

  test('the overview opens on the current month, and in its first seven days on the one before', async () => {
    await fail({ id: 'in_1', at: NOW.minus({ days: 40 }), amount: 1000 });
    await fail({ id: 'in_2', at: NOW.minus({ days: 10 }) });
    await fail({ id: 'in_3', at: NOW.minus({ hours: 3 }) });
    const titleOf = (page: string) => /<h2>(\w+ \d+)<\/h2>/.exec(page)?.[1];
    expect(titleOf(await read('/console'))).toBe('February 2026');
    expect(titleOf(await read('/console?month=2026-03'))).toBe('March 2026');
    expect(titleOf(await read('/console?month=2031-01'))).toBe('February 2026');
    await harness.clock.set(NOW.plus({ days: 6 }));
    session = await harness.signIn();
    const page = await read('/console');
    expect(titleOf(page)).toBe('March 2026');
    expect(textOf(page)).toContain('Month in progress, no comparison yet');
    expect(page).toContain('aria-label="Next month: no data"');
    expect(page).toMatch(/href="[^"]*month=2026-02" aria-label="Previous month"/);
    await harness.clock.set(NOW);
    session = await harness.signIn();
  });

  test('currencies are converted into one, and failed is recovered, in recovery and lost', async () => {
    const at = NOW.minus({ days: 20 });
    await fail({ id: 'in_1', at, paidAt: at.plus({ days: 1 }) });
    await fail({ id: 'in_2', at, amount: 1000, currency: 'eur' });
    await fail({ id: 'in_3', at, amount: 1001, currency: 'jpy' });
    await fail({ id: 'in_4', at: NOW.minus({ days: 35 }), amount: 1000, paidAt: NOW.minus({ days: 34 }) });
    const text = textOf(await read('/console?month=2026-02'));
    // 20 of 20 + 10 × 1.10 + 1001 × 0.0065, of which the last is 6.51.
    expect(text).toContain('Recovered $20.00 1 of 3 failed invoices +100.0% vs January 2026');
    expect(text).toContain('Failed $37.51 3 invoices Recovery rate 53.3% 33.3% by count');
    expect(text).toContain('In recovery $17.51 2 invoices Lost $0.00 0 invoices');
    expect(text).toContain('Total $47.51 $30.00 $17.51 $0.00 63.1%');
    expect(text).toContain('Amounts in US dollars, converted and rounded per invoice.');
    expect(textOf(await read('/console?month=2026-02&compare=2025-11'))).toContain(
      'No data for November 2025',
    );
    expect(textOf(await read('/console?month=2026-02&compare=none'))).not.toContain(' vs ');
  });

  test('a currency without a rate has figures of its own', async () => {
    await fail({ id: 'in_1', at: NOW.minus({ hours: 3 }) });
    await fail({ id: 'in_2', at: NOW.minus({ hours: 3 }), currency: 'gbp', amount: 700 });
    const page = await read('/console?month=2026-03');
    expect(textOf(page)).toMatch(/USD GBP .*Failed \$20\.00 1 invoice /);
    expect(textOf(await read('/console?month=2026-03&currency=gbp'))).toContain('Failed £7.00 1 invoice ');
  });

  test('six months are shown, and all of them on demand', async () => {
    for (let month = 0; month < 8; month += 1)
      await fail({ id: `in_${month}`, at: NOW.minus({ months: month }) });
    const page = await read('/console');
    expect(textOf(page)).toContain('All 8 months');
    expect(textOf(page)).not.toContain('Total $');
    const all = await read('/console?months=all');
    expect(textOf(all)).toContain('Total $160.00 $0.00 $160.00 $0.00 0.0%');
    expect([...all.matchAll(/<tr><th scope="row">/g)]).toHaveLength(9);
  });

  test('the curve of a month has its values in words, and ends today', async () => {
    await fail({ id: 'in_1', at: NOW.minus({ hours: 30 }), paidAt: NOW.minus({ hours: 1 }) });
    await fail({ id: 'in_2', at: NOW, amount: 1000 });
    const page = await read('/console?month=2026-03');
    expect(page).toContain(
      'aria-label="By 2 Mar: $30.00 failed, $20.00 recovered within the month, from 1 Mar"',
    );
    expect(page).toContain('<polyline class="failed" points="0,36.0 1,4.0">');
    expect(page).toContain('<polyline class="paid" points="0,100.0 1,36.0">');
  });

  test('without a failure the overview says what it watches', async () => {
    const text = textOf(await read('/console'));
    expect(text).toContain('No failed payments yet We’re watching 0 subscriptions.');
    expect(text).toContain('Failed $0.00 0 invoices Recovery rate – no failures yet');
    expect(text).toContain('No invoices need attention.');
    expect(text).toContain('Nothing scheduled today.');
  });

  test('the overview names what needs a person, with its cause and one way on', async () => {
    await fail({ id: 'in_1', at: NOW.minus({ days: 20 }), reason: 'highest_risk_level' });
    const text = textOf(await read('/console'));
    expect(text).toContain(
      'Needs attention 1 invoice · $20.00 Ada Lovelace $20.00 Blocked by Stripe Radar Review in Stripe',
    );
    expect(text).toContain('In recovery all months $20.00 1 invoice Needs attention 1 $20.00');
  });
});

/** With its byte order mark, which `text()` takes off. */
const textIn = async (answer: Response) => Buffer.from(await answer.arrayBuffer()).toString('utf8');

describe('the list of invoices', () => {
  beforeEach(clear);

  test('the list of invoices shows who, what, why and when, in the account’s time zone', async () => {
    await fail({ id: 'in_1', at: NOW.minus({ days: 3 }), name: `Ada ${EVIL}` });
    const page = await read('/console/invoices', {
      'accept-language': 'de-DE,de',
    });
    expect(textOf(page)).toContain(
      '20,00 $ – Waiting for retry service Ada &lt;script>alert(&quot;x&quot;)&lt;/script> ada@example.com',
    );
    expect(textOf(page)).toContain('Insufficient funds once Visa •••• 4242 27 Feb 2026');
    expect(page).toContain('title="2026-02-27 10:00:00 UTC"');
    expect(page).not.toContain('<script>');
    expect(page).toContain('Times and months: Asia/Tokyo.');
  });

  test('an empty list of invoices says whether nothing failed or nothing matches', async () => {
    expect(textOf(await read('/console/invoices'))).toContain('No payment has failed yet.');
    expect(textOf(await read('/console/invoices?state=lost'))).toContain('No failed invoice matches.');
  });

  test('the list of invoices says of one that was paid what brought the money, not what comes next', async () => {
    await fail({ id: 'in_1', at: NOW.minus({ days: 3 }), paidAt: NOW });
    expect(textOf(await read('/console/invoices'))).toContain('Paid: without us');
  });

  test('the pages of the list of invoices follow each other, and keep what was chosen', async () => {
    const rows = Array.from({ length: 52 }, (_, index) => ({
      id: `in_${100 + index}`,
      at: NOW.minus({ hours: index }),
      currency: index % 50 === 0 ? 'eur' : 'usd',
    }));
    await insertListedFailures(harness.database, rows);
    const page = await read('/console/invoices?currency=usd&q=ada');
    expect(page).not.toContain('Next page');
    const first = await read('/console/invoices?q=ada');
    const next = /href="\.\/(invoices\?[^"]*after=[^"]*)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(next).toContain('q=ada');
    const second = await read(`/console/${next}`);
    expect([...second.matchAll(/href="\.\/invoices\/(in_\d+)"/g)].map(([, id]) => id)).toEqual([
      'in_150',
      'in_151',
    ]);
    expect(second).not.toContain('Next page');
  });

  test('the list of invoices is exported whole, and no cell is a formula', async () => {
    await fail({ id: 'in_1', at: NOW, name: '=HYPERLINK("http://x")' });
    await fail({ id: 'in_2', at: NOW.minus({ days: 1 }), currency: 'jpy', amount: 1000 });
    const answer = await harness.visit('/console/invoices.csv?q=in', session);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename=invoices.csv');
    const [head, first, second] = (await textIn(answer)).split('\r\n');
    expect(head).toMatch(
      /^\ufeffinvoice,number,account,state,charges,amount,currency,customer,.*,amount_in_usd$/,
    );
    expect(first).toContain(
      `in_1,,own,waiting,ch_in_1_declined,20.00,USD,cus_in_1,"'=HYPERLINK(""http://x"")",ada@example.com`,
    );
    expect(first).toMatch(
      /,insufficient_funds,insufficient funds,.*,waiting,Waiting for retry service,,,20\.00$/,
    );
    expect(first).toContain(',2026-03-02T19:00:00+09:00,');
    expect(second).toContain('in_2,,own,waiting,ch_in_2_declined,1000,JPY');
  });

  test('above the list of invoices stand count and sum of all that fit, and what it is narrowed to', async () => {
    await Promise.all(
      [1, 2, 3].map((index) =>
        fail({ id: `in_${index}`, at: NOW.minus({ hours: index }), amount: index * 1000 }),
      ),
    );
    await fail({ id: 'in_4', at: NOW.minus({ days: 9 }), currency: 'jpy', amount: 700, reason: 'lost_card' });
    const all = await read('/console/invoices');
    expect(all).toContain('<b>$64.55</b> <span class="soft">4 invoices<');
    expect(all).not.toContain('class="chosen"');
    const narrowed = await read('/console/invoices?reason=lost_card&q=ada&sort=next');
    expect(narrowed).not.toContain('$60.00');
    expect(narrowed).toContain(
      'href="./invoices?q=ada&amp;sort=next" aria-label="Remove filter: Decline reason: Card reported lost"',
    );
    expect(narrowed).toContain(
      'href="./invoices?reason=lost_card&amp;sort=next" aria-label="Remove filter: “ada”"',
    );
  });

  test('the days that a list is narrowed to are those of the account’s time zone', async () => {
    // The second of March in Tokyo, the first in UTC.
    await fail({ id: 'in_1', at: NOW.startOf('day').minus({ hours: 2 }) });
    expect(await read('/console/invoices?from=2026-03-02')).toContain('/invoices/in_1"');
  });

  test('a column sorts the list, which is read page by page, each invoice once', async () => {
    const rows = Array.from({ length: 101 }, (_, index) => ({
      id: `in_${100 + index}`,
      at: NOW.minus({ minutes: Math.floor(index / 3) }),
      amount: 100 * (index % 7) + 100,
    }));
    await insertListedFailures(harness.database, rows);
    const idsIn = (page: string) => [...page.matchAll(/href="\.\/invoices\/(in_\d+)"/g)].map(([, id]) => id);
    const next = (page: string) =>
      /href="\.(\/invoices[^"]*)" rel="next"/.exec(page)?.[1]?.replaceAll('&amp;', '&');
    for (const sort of ['', '?sort=amount', '?sort=amount&currency=usd']) {
      const first = await read(`/console/invoices${sort}`);
      const second = await read(`/console${next(first)}`);
      const third = await read(`/console${next(second)}`);
      expect([sort, next(third)]).toEqual([sort, undefined]);
      expect([sort, new Set([first, second, third].flatMap(idsIn)).size]).toEqual([sort, 101]);
    }
    expect(await read('/console/invoices')).toContain(
      '<th scope="col" aria-sort="descending"><a href="./invoices">Failed</a>',
    );
  });

  test('the list of invoices is not exported to whoever is not signed in', async () => {
    expect((await harness.visit('/console/invoices.csv')).status).toBe(303);
  });
});

describe('the list of three invoices', () => {
  beforeAll(async () => {
    await clear();
    const zoe = { name: 'Zoë', email: 'z@example.org', currency: 'eur', reason: 'expired_card' };
    await fail({ id: 'in_1', at: NOW.minus({ days: 3 }) });
    await fail({ id: 'in_2', at: NOW, ...zoe });
    const bob = { name: 'Bob', email: 'b@x.test', amount: 5000 };
    await fail({ id: 'in_3', at: NOW.minus({ days: 4 }), ...bob, paidAt: NOW });
  });

  test.each([
    ['q=ADA', ['in_1']],
    ['q=example.org', ['in_2']],
    ['q=nobody', []],
    ['state=recovered', ['in_3']],
    ['reason=expired_card', ['in_2']],
    ['currency=EUR', ['in_2']],
    ['customer=cus_in_3', ['in_3']],
    ['from=2026-03-01', ['in_2']],
    ['to=2026-03-01&state=waiting', ['in_1']],
    ['sort=amount&currency=usd', ['in_3', 'in_1']],
    ['state=nonsense&sort=nonsense&from=nonsense&after=nonsense&reason[]=x', ['in_2', 'in_1', 'in_3']],
  ])('the list of invoices at ?%s has %j', async (query, expected) => {
    const page = await read(`/console/invoices?${query}`);
    expect([...page.matchAll(/href="\.\/invoices\/(in_\d)"/g)].map(([, id]) => id)).toEqual(expected);
  });

  test.each(['4242', 'ch_in_2_declined', 'CH_in_2', 'pi_in_2'])('an invoice is found by %s', async (text) => {
    expect(await read(`/console/invoices?q=${text}`)).toContain('./invoices/in_2"');
  });
});
