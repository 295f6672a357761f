/** The overview and the list of failed invoices, as pages. */
import type { AuditKind } from '../../../../src/plugin/actions/audit-kinds.ts';
import { sharePaidBy } from '../../../../src/plugin/operator/console/overview/months.tsx';
import { recordAudit } from '../../../../src/plugin/store/tables/audit.ts';
import { type ConsoleHarness, NOW, startConsole } from './console-harness.ts';
import { insertFailedInvoice } from './failure-rows.ts';

const EVIL = '<script>alert("x")</script>';

let harness: ConsoleHarness;
let session: { cookie: string };
beforeAll(async () => {
  harness = await startConsole({ settings: { exchangeRates: 'USD=1,EUR=1.10,JPY=0.0065' } });
});
beforeEach(async () => {
  await harness.clear();
  session = await harness.signIn();
});
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
        'Observe mode: nothing is charged or mailed; would have been done so far: 3 payments tried on 2 invoices (€10.00, $20.00), 2 mails sent; to go on, set RETRY_MODE=advisory.',
      );
      expect(textOf(await read('/console'))).not.toContain('Observe mode');
    } finally {
      await observing.stop();
    }
  });

  // A Monday, the second of March.
  const lastMonth = NOW.minus({ days: 20 });

  test('the overview adds up currencies in the chosen one, each figure with what it is a part of', async () => {
    await fail({ id: 'in_1', at: NOW.minus({ days: 3 }), paidAt: NOW.minus({ hours: 1 }) });
    await fail({ id: 'in_2', at: NOW.minus({ hours: 3 }), amount: 1000, currency: 'eur' });
    await fail({ id: 'in_3', at: NOW.minus({ days: 40 }), amount: 1000, currency: 'jpy' });
    await fail({ id: 'in_4', at: NOW.minus({ days: 29 }), amount: 1000, paidAt: NOW.minus({ days: 28 }) });
    const text = textOf(await read('/console'));
    // 20 + 10 failed in February, 10 × 1.10 + 1000 × 0.0065 are unpaid.
    expect(text).toContain('Came back this month $20.00 +100 % against the same days of last month, $10.00');
    expect(text).toContain('Failed this month $11.00 1 invoice ');
    expect(text).toContain('Failed last month, since back 100.0 % $30.00 back, $0.00 open, $0.00 lost');
    expect(text).toContain('At risk now $17.50 2 invoices unpaid, whenever they failed');
    expect(text).toContain('Need you 0 nothing waits for a person');
  });

  test('a currency without a rate has a row of figures of its own, and its charts on demand', async () => {
    await fail({ id: 'in_1', at: NOW.minus({ hours: 3 }) });
    await fail({ id: 'in_2', at: NOW.minus({ hours: 3 }), currency: 'gbp' });
    await fail({ id: 'in_3', at: NOW.minus({ hours: 3 }) });
    const page = await read('/console');
    expect(textOf(page)).toMatch(
      /USD Came back .* At risk now \$40\.00 2 invoices .* GBP .* At risk now £20\.00 1 invoice /,
    );
    expect(textOf(page)).toContain('Charts and tables below: USD.');
    expect(textOf(await read('/console?currency=gbp'))).toContain('Charts and tables below: GBP.');
  });

  test('what failed is a share of all renewals, and what was given back is taken off unless asked for', async () => {
    await fail({ id: 'in_1', at: NOW.minus({ hours: 30 }), paidAt: NOW.minus({ hours: 1 }) });
    const db = harness.database;
    await db.query(`insert into payment_retry.counter_changes (name, labels, total, amount)
      values ('renewals', '{"currency": "usd", "day": "2026-03-01"}', 8, 16000)`);
    await db.query(`update payment_retry.attempts set refunded = 500 where outcome = 'paid'`);
    const text = textOf(await read('/console'));
    expect(text).toContain('Came back this month $15.00 nothing on the same days of last month');
    expect(text).toContain('Failed this month 12.5 % 1 of 8 renewals, $20.00');
    const gross = textOf(await read('/console?range=month&money=gross'));
    expect(gross).toContain('Came back this month $20.00');
    expect(gross).toContain('Before refunds and lost disputes. Take them off');
  });

  test('the overview counts who needs a person, with the money that hangs on them', async () => {
    await fail({ id: 'in_1', at: lastMonth, reason: 'highest_risk_level' });
    expect(textOf(await read('/console'))).toContain('Need you 1 $20.00 hangs on it');
  });

  test('the chart of the overview has its numbers beneath it, and its bars are as high as they say', async () => {
    await fail({ id: 'in_1', at: NOW.minus({ days: 3 }), paidAt: NOW.minus({ days: 1 }) });
    await fail({ id: 'in_2', at: NOW.minus({ days: 3 }), paidAt: NOW, amount: 1000 });
    const page = await read('/console?range=month');
    const heights = [...page.matchAll(/<rect class="c4" x=[^>]*height="([\d.]+)"/g)].map(([, height]) =>
      Number(height),
    );
    expect(heights).toHaveLength(2);
    expect((heights[0] ?? 0) / (heights[1] ?? 1)).toBeCloseTo(2, 1);
    expect(textOf(page)).toMatch(/By itself or by Stripe \$30\.00/);
    expect(textOf(page)).toMatch(/1 Mar (\$0\.00 ){4}\$20\.00/);
  });

  test('the bars of a month are what became of its failures, whenever that was', async () => {
    await fail({ id: 'in_1', at: NOW.minus({ days: 40 }), paidAt: NOW.minus({ days: 1 }) });
    await fail({ id: 'in_2', at: NOW.minus({ days: 41 }), amount: 1000 });
    await fail({ id: 'in_3', at: NOW });
    const page = await read('/console');
    const heightsOf = (fate: string) =>
      [...page.matchAll(new RegExp(`<rect class="${fate}" x=[^>]*height="([\\d.]+)"`, 'g'))].map(
        ([, height]) => Number(height),
      );
    const [[back = 0], open] = [heightsOf('good'), heightsOf('warn')];
    expect(open.map((height) => Math.round((10 * back) / height))).toEqual([20, 10]);
    expect(textOf(page)).toContain('January 2026 2 $20.00 $10.00 $0.00 66.7 %');
    expect(textOf(page)).toContain('March 2026 1 $0.00 $20.00 $0.00 0.0 %');
  });

  test('the curve never falls: a young failure counts for the days that it is old', () => {
    const counts = [
      { day: '2026-03-01', days: 1, invoices: 2 },
      { day: '2026-03-01', days: null, invoices: 2 },
      { day: '2026-03-03', days: null, invoices: 4 },
      { day: '2026-03-04', days: 0, invoices: 2 },
    ];
    const shares = sharePaidBy(counts, NOW.set({ day: 4 }).startOf('day'));
    // Day 0: 2 of 10 are paid; day 1: 2 of the 8 that are so old, a quarter of the other 80 %; then none of 2.
    expect(shares.map(Math.round)).toEqual([20, 40, 40, 40]);
    expect(sharePaidBy([], NOW)).toEqual([]);
  });

  test('a range of the overview that is not offered is the month', async () => {
    expect(await read('/console?range=9999')).toContain('href="./console/?range=month" aria-current="page"');
  });
});

/** With its byte order mark, which `text()` takes off. */
const textIn = async (answer: Response) => Buffer.from(await answer.arrayBuffer()).toString('utf8');

describe('the list of invoices', () => {
  test('the list of invoices shows who, what, why and when, in the browser’s own zone', async () => {
    await fail({ id: 'in_1', at: NOW.minus({ days: 3 }), name: `Ada ${EVIL}` });
    const page = await read('/console/invoices', {
      cookie: `${session.cookie}; payment_retry_zone=Asia%2FTokyo`,
      'accept-language': 'de-DE,de',
    });
    expect(textOf(page)).toContain(
      '20,00 $ Waiting Ada &lt;script>alert(&quot;x&quot;)&lt;/script> ada@example.com',
    );
    expect(textOf(page)).toContain('Insufficient funds once Visa •••• 4242 3 days ago');
    expect(page).toContain('title="2026-02-27 10:00:00 UTC"');
    expect(page).not.toContain('<script>');
    expect(page).toContain('times in Asia/Tokyo');
  });

  test('an empty list of invoices says whether nothing failed or nothing matches', async () => {
    expect(textOf(await read('/console/invoices'))).toContain('No payment has failed yet.');
    expect(textOf(await read('/console/invoices?state=lost'))).toContain('No failed invoice matches.');
  });

  test('the list of invoices says of one that was paid what brought the money, not what comes next', async () => {
    await fail({ id: 'in_1', at: NOW.minus({ days: 3 }), paidAt: NOW });
    expect(textOf(await read('/console/invoices'))).toContain('Paid: by itself or by Stripe');
  });

  test.each([
    ['q=ADA', ['in_1']],
    ['q=example.org', ['in_2']],
    ['q=nobody', []],
    ['state=back', ['in_3']],
    ['reason=expired_card', ['in_2']],
    ['currency=EUR', ['in_2']],
    ['customer=cus_in_3', ['in_3']],
    ['from=2026-03-01', ['in_2']],
    ['to=2026-03-01&state=waiting', ['in_1']],
    ['sort=amount&currency=usd', ['in_3', 'in_1']],
    ['state=nonsense&sort=nonsense&from=nonsense&after=nonsense&reason[]=x', ['in_2', 'in_1', 'in_3']],
  ])('the list of invoices at ?%s has %j', async (query, expected) => {
    await fail({ id: 'in_1', at: NOW.minus({ days: 3 }) });
    await fail({
      id: 'in_2',
      at: NOW,
      name: 'Zoë',
      email: 'z@example.org',
      currency: 'eur',
      reason: 'expired_card',
    });
    await fail({
      id: 'in_3',
      at: NOW.minus({ days: 4 }),
      name: 'Bob',
      email: 'b@x.test',
      amount: 5000,
      paidAt: NOW,
    });
    const page = await read(`/console/invoices?${query}`);
    expect([...page.matchAll(/href="\.\/invoices\/(in_\d)"/g)].map(([, id]) => id)).toEqual(expected);
  });

  test('the pages of the list of invoices follow each other, and keep what was chosen', async () => {
    for (let index = 0; index < 52; index += 1)
      await fail({
        id: `in_${100 + index}`,
        at: NOW.minus({ hours: index }),
        currency: index % 50 === 0 ? 'eur' : 'usd',
      });
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
    expect(head).toMatch(/^\ufeffinvoice,account,state,amount,currency,customer,/);
    expect(first).toContain(
      `in_1,own,waiting,20.00,USD,cus_in_1,"'=HYPERLINK(""http://x"")",ada@example.com`,
    );
    expect(first).toMatch(/,insufficient_funds,insufficient funds,.*,waiting,Waiting,,$/);
    expect(first).toContain(',2026-03-02T10:00:00Z,');
    expect(second).toContain('in_2,own,waiting,1000,JPY');
  });

  test('the exported list has its times on the clocks of the page', async () => {
    await fail({ id: 'in_1', at: NOW });
    const zone = { cookie: `${session.cookie}; payment_retry_zone=Asia%2FTokyo` };
    expect(await textIn(await harness.visit('/console/invoices.csv', zone))).toContain(
      ',2026-03-02T19:00:00+09:00,',
    );
  });

  test('above the list of invoices stand count and sum of all that fit, by currency, and what it is narrowed to', async () => {
    await Promise.all(
      [1, 2, 3].map((index) =>
        fail({ id: `in_${index}`, at: NOW.minus({ hours: index }), amount: index * 1000 }),
      ),
    );
    await fail({ id: 'in_4', at: NOW.minus({ days: 9 }), currency: 'jpy', amount: 700, reason: 'lost_card' });
    const all = await read('/console/invoices');
    expect(all).toMatch(
      /<b>\$60\.00<\/b> <span class="soft">3 invoices<.*<b>¥700<\/b> <span class="soft">1 invoice</,
    );
    expect(all).not.toContain('class="chosen"');
    const narrowed = await read('/console/invoices?reason=lost_card&q=ada&sort=next');
    expect(narrowed).not.toContain('$60.00');
    expect(narrowed).toContain(
      'href="./invoices?q=ada&amp;sort=next" aria-label="Take off: Decline reason: Card reported lost"',
    );
    expect(narrowed).toContain(
      'href="./invoices?reason=lost_card&amp;sort=next" aria-label="Take off: “ada”"',
    );
  });

  test.each(['4242', 'ch_in_2_declined', 'CH_in_2', 'pi_in_2'])('an invoice is found by %s', async (text) => {
    await fail({ id: 'in_2', at: NOW });
    expect(await read(`/console/invoices?q=${text}`)).toContain('./invoices/in_2"');
  });

  test('the days that a list is narrowed to are those of the clocks of the page', async () => {
    await fail({ id: 'in_1', at: NOW.startOf('day').minus({ hours: 2 }) });
    const listed = async (cookie: string) =>
      (await (await harness.visit('/console/invoices?from=2026-03-02', { cookie })).text()).includes(
        '/invoices/in_1"',
      );
    expect([
      await listed(session.cookie),
      await listed(`${session.cookie}; payment_retry_zone=Asia%2FTokyo`),
    ]).toEqual([false, true]);
  });

  test('a column sorts the list, which is read page by page, each invoice once', async () => {
    for (let index = 0; index < 120; index += 1)
      await fail({
        id: `in_${100 + index}`,
        at: NOW.minus({ minutes: Math.floor(index / 3) }),
        amount: 100 * (index % 7) + 100,
      });
    const idsIn = (page: string) => [...page.matchAll(/href="\.\/invoices\/(in_\d+)"/g)].map(([, id]) => id);
    const next = (page: string) =>
      /href="\.(\/invoices[^"]*)" rel="next"/.exec(page)?.[1]?.replaceAll('&amp;', '&');
    for (const sort of ['', '?sort=amount', '?sort=amount&currency=usd']) {
      const first = await read(`/console/invoices${sort}`);
      const second = await read(`/console${next(first)}`);
      const third = await read(`/console${next(second)}`);
      expect([sort, next(third)]).toEqual([sort, undefined]);
      expect([sort, new Set([first, second, third].flatMap(idsIn)).size]).toEqual([sort, 120]);
    }
    expect(await read('/console/invoices')).toContain(
      '<th scope="col" aria-sort="descending"><a href="./invoices">Failed</a>',
    );
  });

  test('the list of invoices is not exported to whoever is not signed in', async () => {
    expect((await harness.visit('/console/invoices.csv')).status).toBe(303);
  });
});
