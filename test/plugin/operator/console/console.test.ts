/** What the pages tell, over HTTP and a real database. */
import { reportInvoice, reportStatus } from '../../../../src/plugin/app/commands/status-command.ts';
import { insertAction } from '../../../../src/plugin/store/tables/retry/actions.ts';
import {
  recordInstruction,
  settleInstruction,
} from '../../../../src/plugin/store/tables/retry/instructions.ts';
import { pauseEffects } from '../../../../src/plugin/store/tables/retry/pauses.ts';
import { eventsCursor, setDeliveryPause } from '../../../../src/plugin/store/tables/sync/cursors.ts';
import { buryEvent, recordEvents } from '../../../../src/plugin/store/tables/sync/events.ts';
import { ENGINES } from '../../../support/database/databases.ts';
import { type ConsoleHarness, NOW, startConsole } from './console-harness.ts';

let harness: ConsoleHarness;
let session: { cookie: string };
beforeAll(async () => {
  harness = await startConsole();
});
beforeEach(async () => {
  await harness.clear();
  session = await harness.signIn();
});
afterAll(() => harness?.stop());

const EVIL = '<script>alert("x")</script>';
const INVOICE = 'in_1QabcDEFghi';

/** As a reader sees it, on one line. */
function textOf(page: string): string {
  return page
    .replace(/<style>[\s\S]*?<\/style>|<(?!\/?(?:a|code|b|span|strong)\b)[^>]*>/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ');
}

const open = (path: string) => harness.visit(path, session);
const read = async (path: string) => (await open(path)).text();

async function insertDeadEvent(error: string): Promise<void> {
  const key = { account: 'own', id: 'evt_1' };
  await recordEvents(harness.database, [
    { ...key, type: 'invoice.paid', createdAt: NOW, receivedAt: NOW, payload: '{}' },
  ]);
  await buryEvent(harness.database, key, error, NOW);
}

async function insertFailedInstruction(error: string, requestId = 'request_1'): Promise<void> {
  const key = { account: 'own', requestId };
  await recordInstruction(harness.database, {
    ...key,
    source: 'callback',
    receivedAt: NOW,
    type: 'retry',
    invoiceId: INVOICE,
    subscriptionId: undefined,
    suggestion: 'ACTION_SUGGESTION_RETRY',
    idealRetryAt: NOW,
    body: '{}',
  });
  await settleInstruction(harness.database, key, { state: 'failed', reason: { code: 'failed', error } }, NOW);
}

async function insertDirty(): Promise<void> {
  await harness.database.query(
    `insert into payment_retry.subscriptions (account, id, customer_id, status, message, version, version_source)
     values ('own', 'sub_1', 'cus_1', 'active', '{"id":"sub_1"}', $1, 'event')`,
    [NOW.minus({ hours: 3 }).toISO()],
  );
}

async function insertOverdueAction(): Promise<void> {
  const dueAt = NOW.minus({ hours: 1 });
  await insertAction(harness.database, {
    id: '00000000-0000-8000-a000-000000000001',
    account: 'own',
    cause: 'instruction',
    reference: 'request_1',
    kind: 'pay',
    invoiceId: INVOICE,
    customerId: undefined,
    subscriptionId: undefined,
    requestId: undefined,
    paymentMethod: undefined,
    dueAt,
    createdAt: dueAt,
  });
}

test('every page is kept by nobody, framed by nobody and may do nothing but show itself', async () => {
  for (const path of [
    '/console',
    '/console/timing',
    '/console/invoices/in_x',
    '/console/login',
    '/console/x',
  ]) {
    const { headers } = await open(path);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none';style-src 'sha256-[^']+';script-src 'self';connect-src 'self';form-action 'self';frame-ancestors 'none';base-uri 'none'$/,
    );
  }
});

describe('the page of deliveries', () => {
  test('the page of deliveries of an empty database says that all is normal', async () => {
    const text = textOf(await read('/console/deliveries'));
    expect(text).toContain('All systems normal As of 2 Mar 2026, 10:00');
    expect(text).toContain('Undelivered changes 0 the service has everything');
  });

  test('the page of deliveries shows what the status command shows, line for line, and first what needs attention', async () => {
    await insertDeadEvent('Error: no\n    at somewhere');
    await insertFailedInstruction('Stripe was away');
    await insertOverdueAction();
    await insertDirty();
    const pause = {
      kind: 'subscriptions' as const,
      until: NOW.plus({ minutes: 5 }),
      failures: 3,
      since: NOW.minus({ hours: 2 }),
    };
    await setDeliveryPause(harness.database, 'own', pause, NOW);
    await eventsCursor.set(harness.database, 'own', NOW.minus({ hours: 25 }), NOW);
    const page = await read('/console/deliveries');
    const text = textOf(page);
    const told = (await reportStatus(harness.database, {}, NOW)).text.split('\n').filter(isShownAsLine);
    expect(told).toHaveLength(5);
    expect(told.filter((line) => !text.includes(line.trim()))).toEqual([]);
    expect(text).toContain('Undelivered changes 1 the oldest for 3 h');
    expect(text).toContain('Fix the cause, then run: queue replay --events evt_1');
    const places = [/class="verdict bad"/, /Dead events/, /Overdue actions/, /Undelivered changes/].map(
      (words) => page.search(words),
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });

  /** What is no title, no count and not shown as a figure. */
  function isShownAsLine(line: string): boolean {
    return !/:$|^Undelivered|^Action required|^ {2}(events|subscriptions|instructions|actions) [\w ]+: \d+$/.test(
      line,
    );
  }

  test('the page of deliveries leads to the invoices that it names', async () => {
    await insertFailedInstruction('Stripe was away');
    expect(await read('/console/deliveries')).toContain(`<a href="./invoices/${INVOICE}">${INVOICE}</a>`);
  });
});

test('the page of the experiment compares with Stripe’s own retries, or says how to', async () => {
  expect(textOf(await read('/console/timing'))).toContain('EXPERIMENT=stripe:10 leaves 10 %');
  await harness.database.query(
    `insert into payment_retry.lots (account, customer_id, arm, percent, mode, drawn_at)
     select 'own', 'cus_' || n, case n % 2 when 0 then 'ours' else 'control' end, 50, 'exclusive', $1 from generate_series(1, 1200) n`,
    ['2025-12-01T10:00:00Z'],
  );
  await harness.database.query(
    `insert into payment_retry.failures (account, invoice_id, customer_id, currency, amount, state, failed_at, ended_at, attempts, words)
     select 'own', 'in_' || n, 'cus_' || n, 'eur', 1000, case when n / 2 % 10 < 7 - 2 * (n % 2) then 'recovered' else 'open' end, $1, $2, 3, ''
     from generate_series(1, 1200) n`,
    ['2025-12-02T10:00:00Z', '2025-12-09T10:00:00Z'],
  );
  const text = textOf(await read('/console/timing'));
  expect(text).toContain('1200 customers drawn since 2025-12-01, 600 of them left to Stripe (chance 50 %)');
  expect(text).toContain('our retries 70.0 % (420 of 600, 600 customers');
  expect(text).toContain('difference +20.0 points');
  expect(text).toContain('ours recover more');
});

describe('an invoice', () => {
  test('the page of an invoice shows what the status command shows', async () => {
    await insertFailedInstruction('Stripe was away');
    const page = await read(`/console/invoices/${INVOICE}`);
    const text = textOf(page);
    const { text: told } = await reportInvoice(harness.database, INVOICE, {});
    const [, ...lines] = told.split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(told).toContain('Failed: Stripe was away (request request_1)');
    expect(text).toContain('The service asked: retry at 2 Mar, 10:00');
    expect(text).toContain('Failed: Stripe was away');
    expect(text).toContain('request request_1');
    for (const line of lines.filter((one) => !one.startsWith('  ')))
      expect(text.toLowerCase()).toContain(line.replace(': ', ' ').toLowerCase());
    expect(page).not.toContain('dashboard.stripe.com');
  });

  test.each([
    ['sk_live_1', 'https://dashboard.stripe.com/invoices/'],
    ['sk_test_1', 'https://dashboard.stripe.com/test/invoices/'],
  ])('the page of an invoice with a key %s… leads to %s', async (stripeSecretKey, address) => {
    await harness.database.query(
      `insert into payment_retry.invoices (account, id, customer_id, status, amount_remaining, currency, attempt_count, version, version_source)
       values ('own', $1, 'cus_1', 'open', 2000, 'usd', 1, $2, 'event')`,
      [INVOICE, NOW.toISO()],
    );
    const other = await startConsole({ shared: harness, settings: { stripeSecretKey } });
    const page = await other.read(`/console/invoices/${INVOICE}`);
    await other.stop();
    expect(page).toContain(`href="${address}${INVOICE}" rel="noreferrer">`);
    expect(textOf(page)).toContain('Outstanding $20.00');
  });

  test.each([
    ['in_unknown', 'in_unknown'],
    [encodeURIComponent(EVIL), EVIL],
    ['%00', '\0'],
    ['x'.repeat(4000), 'x'.repeat(4000)],
    ["';drop%20table%20x;--", "';drop table x;--"],
  ])('the page of an invoice (%s) of which nothing is known says so', async (path, id) => {
    const answer = await open(`/console/invoices/${path}`);
    expect(answer.status).toBe(404);
    const page = await answer.text();
    expect(textOf(page)).toContain(`Nothing is known about ${id}.`.replace(/\s+/g, ' '));
    expect(page).not.toContain(EVIL);
  });

  test.each([
    [` ${INVOICE} `, `./invoices/${INVOICE}`],
    ['in_a/../b?c', './invoices/in_a%2F..%2Fb%3Fc'],
    ['//evil.example', './invoices?q=%2F%2Fevil.example'],
    ['Zoë Müller', './invoices?q=Zo%C3%AB+M%C3%BCller'],
    ['  ', './'],
  ])("an invoice is found from the console's field: %j leads to %s", async (id, place) => {
    const answer = await open(`/console/invoices?id=${encodeURIComponent(id)}`);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, place]);
  });
});

test('whatever comes from outside is text', async () => {
  await insertDeadEvent(`Error: ${EVIL}`);
  await insertFailedInstruction(`reason ${EVIL}`, `request ${EVIL}`);
  for (const path of ['/console/deliveries', `/console/invoices/${INVOICE}`]) {
    const page = await read(path);
    expect(page).not.toContain('<script>');
    expect(page).toContain('&lt;script>alert(&quot;x&quot;)');
  }
});

test.each([
  '/console/nothing',
  '/console/timing/nothing',
  '/console/invoices/in_1/nothing',
  '/console/..%2f',
])('%s is a page that says that nothing is there', async (path) => {
  const answer = await open(path);
  expect([answer.status, textOf(await answer.text())]).toEqual([
    404,
    expect.stringContaining('Nothing here'),
  ]);
});

test('an address that is no text is the mistake of who asks', async () => {
  const answer = await open('/console/invoices/%E0%A4%A');
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('could not be read')]);
});

test.each(['/', '/a/b'])('mounted at %s, every link and form stays in the console', async (mount) => {
  const mounted = await startConsole({ shared: harness, mount });
  const root = `${mount === '/' ? '' : mount}/console`;
  const cookie = await mounted.signIn();
  const found = new Set<string>();
  for (const path of ['', '/', '/timing', '/timing/', '/invoices/in_x', '/invoices/in_x/', '/no/such/page']) {
    const page = await (await mounted.visit(`${root}${path}`, cookie)).text();
    for (const [, link = ''] of page.matchAll(/(?:href|action)="([^"#]+)"/g))
      found.add(new URL(link, `${mounted.url}${root}${path}`).pathname);
  }
  const login = await mounted.visit(`${root}/timing`);
  found.add(new URL(login.headers.get('location') ?? '', `${mounted.url}${root}/timing`).pathname);
  await mounted.stop();
  expect([...found].sort()).toEqual(
    [
      '/',
      '/audit',
      '/checks',
      '/customers',
      '/deliveries',
      '/emails',
      '/invoices',
      '/login',
      '/logout',
      '/needs',
      '/reports',
      '/settings',
      '/timing',
    ].map((path) => `${root}${path}`),
  );
});

describe.each(ENGINES)('on $engine', (engine) => {
  test('without its database every page of the console says so, and the next request is served', async () => {
    const broken = await startConsole({ engine });
    const cookie = await broken.signIn();
    const paths = ['/console', '/console/timing', `/console/invoices/${INVOICE}`, '/console/invoices.csv'];
    for (const path of paths) expect((await broken.visit(path, cookie)).status).toBeLessThan(500);
    await broken.closeDatabase();
    for (const path of paths) {
      const answer = await broken.visit(path, cookie);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await answer.text()).toContain('The database does not answer');
    }
    expect((await broken.visit('/console/login')).status).toBe(200);
    expect(broken.logLines.join('')).toContain('a page of the console failed');
    await broken.stop();
  });
});

test('a pause is shown in red at the top of every page', async () => {
  const pages = ['/console', '/console/timing', '/console/invoices/in_unknown', '/console/nothing'];
  expect(await read('/console/nothing')).not.toContain('class="alarm"');
  await pauseEffects(harness.database, { account: '*', reason: EVIL, by: 'ada', at: NOW });
  for (const path of pages) {
    const page = await read(path);
    expect(page).toContain('<p class="alarm" role="alert">PAUSED: nothing is paid, emailed or changed');
    expect(page).not.toContain(EVIL);
  }
});
