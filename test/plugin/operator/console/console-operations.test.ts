/** What the console changes, and in whose name. */

import { OPERATIONS } from '../../../../src/plugin/operator/operations/operations.ts';
import { readLinkToken } from '../../../../src/plugin/retry/mail/card-update-link.ts';
import { recordAudit } from '../../../../src/plugin/store/tables/audit.ts';
import { FOREIGN_FORMS, FROM_OUR_PAGE } from '../../../support/http/foreign-forms.ts';
import { operationsOn } from '../../../support/operate.ts';
import { type ConsoleHarness, NOW, startConsole, tokenIn } from './console-harness.ts';
import { insertFailedInvoice } from './failure-rows.ts';

const INVOICE = 'in_1QabcDEFghi';
const LINK_SECRET = 'a-link-secret-for-tests-only-0123456789';

let harness: ConsoleHarness;
let session: { cookie: string };
let token: string;
beforeAll(async () => {
  harness = await startConsole({
    settings: { timeZone: 'America/Toronto', linkSecret: LINK_SECRET },
  });
});
const arrange = async () => {
  await harness.clear();
  session = await harness.signIn();
  await insertFailedInvoice(harness.database, { id: INVOICE, at: NOW });
  // Each page has the session's.
  token = tokenIn(await read('/console/nothing'));
};
afterAll(() => harness?.stop());

const read = async (path: string) => (await harness.visit(path, session)).text();
const submit = (
  name: string,
  fields: Record<string, string>,
  headers: Record<string, string> = FROM_OUR_PAGE,
) =>
  harness.submit(
    `/console/operations/${name}`,
    { token, back: `invoices/${INVOICE}`, ...fields },
    { ...session, ...headers },
  );
/** Without the sign-in itself. */
const listAudit = () =>
  harness.database.query<{ kind: string; detail: object }>(
    `select kind, detail from payment_retry.audit where kind <> 'operator.signed_in' order by id`,
  );

describe('refused, with nothing changed', () => {
  beforeAll(arrange);

  test.each([
    [
      '2026-03-29T02:30',
      'Europe/Berlin',
      409,
      '<p>Nothing was done: there is no 2026-03-29 02:30 in Europe/Berlin',
    ],
    ['2026-03-02T10:30', 'Europe/Berlin', 409, 'is not in the future'],
    ['2027-03-02T10:30', 'UTC', 409, 'is more than 90 days away'],
    ['2026-03-05T09:30', 'Mars/Base', 400, 'zone: an IANA time zone, such as Europe/Berlin'],
    ['', 'UTC', 400, 'until: a date or a time'],
  ])('to postpone to %j in %s is answered with %d and a sentence', async (until, zone, status, sentence) => {
    const answer = await submit('postpone', { invoice: INVOICE, until, zone });
    expect([answer.status, await listAudit()]).toEqual([status, []]);
    expect(await answer.text()).toContain(sentence);
  });

  test.each(FOREIGN_FORMS)(
    'an operation asked for by a form from %s is not done',
    async (_name, headers, fields) => {
      const answer = await submit('stop', { invoice: INVOICE, ...fields }, headers);
      expect([answer.status, await listAudit()]).toEqual([403, []]);
    },
  );

  test('an operation asked for by nobody who is signed in is not done', async () => {
    const answer = await harness.submit('/console/operations/stop', { token, invoice: INVOICE });
    expect([answer.status, await listAudit()]).toEqual([303, []]);
  });

  test.each([
    ['nonsense', {}, 404],
    ['constructor', {}, 404],
    ['stop', { invoice: 'in_unknown' }, 404],
    ['stop', { invoice: 'in 1' }, 400],
    ['postpone', { invoice: INVOICE, until: 'soon' }, 400],
  ])('the operation %s with %j is answered with a page and status %d', async (name, fields, status) => {
    const answer = await submit(name, fields);
    expect([answer.status, await listAudit()]).toEqual([status, []]);
    expect(await answer.text()).toContain('<main id="main">');
  });
});

describe('carried out', () => {
  beforeEach(arrange);

  test('a form of an invoice stops it once, with the name and the reason, however often it is sent', async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => submit('stop', { invoice: INVOICE, reason: 'she <b>called</b>' })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const pages = await Promise.all(answers.map((answer) => answer.text()));
    expect(pages.filter((page) => page.includes('<h2>Done</h2>'))).toHaveLength(1);
    expect(pages.filter((page) => page.includes('<h2>Nothing changed</h2>'))).toHaveLength(2);
    expect(pages[0]).toContain(`<a href="../invoices/${INVOICE}">Close</a>`);
    expect(await listAudit()).toEqual([
      {
        kind: 'operator.stopped',
        detail: {
          note: 'she <b>called</b>',
          by: 'operator',
          via: 'console',
          before: { hold: null, postponement: null, ending: null, actions: {} },
        },
      },
    ]);
    const page = await read(`/console/invoices/${INVOICE}`);
    expect(page).toContain('she &lt;b>called&lt;/b>');
    expect(page).toContain('<summary>Resume collection</summary>');
    expect(page).not.toContain('<summary>Stop collection</summary>');
  });

  test('the form to stop an invoice has a checkbox for the retries of Stripe, and plans to end them', async () => {
    expect(await read(`/console/invoices/${INVOICE}`)).toContain(
      '<input type="checkbox" name="alsoStripe" value="true"',
    );
    await submit('stop', { invoice: INVOICE, alsoStripe: 'true' });
    const planned = await harness.database.query('select kind, state from payment_retry.actions');
    expect(planned).toEqual([{ kind: 'stripe_retries', state: 'scheduled' }]);
  });

  test('a form redirects to its page, which shows the answer once, to the session that asked', async () => {
    const address = `${harness.url}/console/operations/stop`;
    const ask = async (back: string) => {
      const body = new URLSearchParams({ token, back, invoice: INVOICE });
      const headers = { ...session, ...FROM_OUR_PAGE };
      const { status, headers: sent } = await fetch(address, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
      });
      expect(status).toBe(303);
      const { pathname, search } = new URL(sent.get('location') ?? '', address);
      return pathname + search;
    };
    const page = await ask(`invoices/${INVOICE}`);
    expect(page).toMatch(new RegExp(`^/console/invoices/${INVOICE}\\?answer=[\\w-]{36}$`));
    const kept = await harness.database.query('select * from payment_retry.api_answers');
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toMatch(/Done|collect|Ada/);
    const other = await harness.signIn();
    expect(await (await harness.visit(page, other)).text()).not.toContain('<h2>Done</h2>');
    expect(await read(page)).toContain('<h2>Done</h2>');
    expect(await read(page)).not.toContain('<h2>Done</h2>');
    expect(await harness.database.query('select * from payment_retry.api_answers')).toEqual([]);
    expect(await ask('audit?view=people')).toMatch(/^\/console\/audit\?view=people&answer=/);
  });

  test('beside the answer stands what undoes it, which is refused once another operator changed something', async () => {
    const undoOf = async (answer: Response) =>
      /name="line" value="(\d+)"/.exec(await answer.text())?.[1] ?? '';
    const line = await undoOf(await submit('stop', { invoice: INVOICE }));
    const undone = await submit('undo', { line, invoice: INVOICE });
    expect([undone.status, await undone.text()]).toEqual([
      200,
      expect.stringContaining('of Ada Lovelace is collected again, as before'),
    ]);
    expect(await read(`/console/invoices/${INVOICE}`)).toContain('<summary>Stop collection</summary>');
    const stale = await undoOf(await submit('stop', { invoice: INVOICE }));
    const asking = { who: { name: 'grace', via: 'api' as const }, reason: 'paid by wire' };
    const deps = operationsOn(harness);
    await OPERATIONS.postpone.carryOut(deps, asking, { invoice: INVOICE, until: '2026-03-09' });
    const refused = await submit('undo', { line: stale });
    const page = await refused.text();
    expect([refused.status, page]).toEqual([
      409,
      expect.stringContaining('Nothing was undone: grace changed '),
    ]);
    expect(page).not.toContain('name="line"');
  });

  test('a link to the card page is shown once, to whoever made it', async () => {
    expect(await read(`/console/customers/cus_${INVOICE}`)).toContain('Create card link');
    const answer = await submit('cardUpdateUrl', { customer: `cus_${INVOICE}`, account: 'own' });
    expect(answer.headers.get('cache-control')).toContain('no-store');
    const [, link = ''] = /<p>(http[^<]*\/card-update\/v1\.[^<]*)<\/p>/.exec(await answer.text()) ?? [];
    const reading = readLinkToken(link.split('/').at(-1) ?? '', LINK_SECRET, NOW);
    expect(reading).toMatchObject({
      kind: 'valid',
      claims: { customerId: `cus_${INVOICE}`, invoiceId: INVOICE },
    });
    expect(harness.logLines.join('')).not.toContain(link.split('/').at(-1));
    expect(await listAudit()).toMatchObject([
      { kind: 'operator.linked', detail: { by: 'operator', expiresAt: '2026-03-03T10:00:00.000Z' } },
    ]);
  });

  test('everything is paused and resumed from the page of deliveries', async () => {
    expect(await read('/console/deliveries')).toContain('Pause all payments');
    expect((await submit('pause', { back: 'deliveries' })).status).toBe(200);
    const page = await read('/console/deliveries');
    expect(page).toContain('role="alert"');
    expect(page).toContain('Resume payments and emails');
    expect((await submit('resume', { back: 'deliveries' })).status).toBe(200);
    expect(await read('/console/deliveries')).not.toContain('role="alert"');
  });

  test('a form postpones to a time on the clocks of the account’s zone, which can be changed', async () => {
    const page = await read(`/console/invoices/${INVOICE}`);
    expect(/name="zone"[^>]* value="([^"]*)"/.exec(page)?.[1]).toBe('America/Toronto');
    const answer = await submit('postpone', {
      invoice: INVOICE,
      until: '2026-03-05T09:30',
      zone: 'Europe/Berlin',
    });
    expect(await answer.text()).toMatch(
      /until <time datetime="2026-03-05T08:30:00.000Z"[^>]*>5 Mar 2026, 03:30</,
    );
    expect(await listAudit()).toMatchObject([
      { kind: 'operator.postponed', detail: { until: '2026-03-05T08:30:00.000Z' } },
    ]);
  });

  test('a refused record is dismissed on the page of deliveries, by itself', async () => {
    for (const id of ['sub_1', 'sub_2'])
      await harness.database.query(
        `insert into payment_retry.subscriptions (account, id, customer_id, status, message, version, version_source, refused_version, refused_answer)
       values ('own', $1, 'cus_1', 'active', jsonb_build_object('id', $1::text), $2, 'event', $2, 'no such plan')`,
        [id, NOW.toISO()],
      );
    expect(await read('/console/deliveries')).toContain('name="records" value="sub_1"');
    expect((await submit('dismiss', { records: 'sub_1', reason: 'a test' })).status).toBe(200);
    const page = await read('/console/deliveries');
    expect([page.includes('value="sub_1"'), page.includes('name="records" value="sub_2"')]).toEqual([
      false,
      true,
    ]);
    expect(await listAudit()).toMatchObject([{ kind: 'operator.dismissed' }]);
  });

  test('an answer leads back into the console alone', async () => {
    const page = await (await submit('stop', { invoice: INVOICE, back: '//evil.example' })).text();
    expect(page).toContain('<a href="./">Close</a>');
  });

  test('the audit has who did what and why, the latest first, page by page', async () => {
    for (let index = 0; index < 50; index += 1)
      await recordAudit(harness.database, {
        account: 'own',
        at: NOW,
        invoiceId: 'in_x',
        kind: 'guard.stopped',
        detail: {},
      });
    const reason = { code: 'invoice_settled', invoiceId: 'in_x', status: 'paid' };
    await recordAudit(harness.database, {
      account: 'own',
      at: NOW,
      invoiceId: 'in_x',
      kind: 'instruction.no_action',
      detail: { reason },
    });
    const planned = { code: 'planned', action: 'pay', dueAt: '2026-03-05T08:30:00.000Z' };
    await recordAudit(harness.database, {
      account: 'own',
      at: NOW,
      invoiceId: 'in_x',
      kind: 'instruction.scheduled',
      detail: { reason: planned },
    });
    await recordAudit(harness.database, {
      account: 'own',
      at: NOW,
      invoiceId: 'in_x',
      kind: 'instruction.scheduled',
      detail: { source: 'signal', reason: planned },
    });
    const said = { code: 'card_declined', declineCode: 'lost_card' };
    await recordAudit(harness.database, {
      account: 'own',
      at: NOW,
      invoiceId: 'in_x',
      kind: 'attempt.declined',
      detail: said,
    });
    await submit('stop', { invoice: INVOICE, reason: '<b>why</b>' });
    const page = await read('/console/audit');
    expect(page).toContain('<td>Payment declined</td><td>The plugin</td><td>Card reported lost</td>');
    expect(page).toMatch(/Payment planned at <time[^>]*>5 Mar 2026, 03:30</);
    expect(page).toMatch(/What was asked is not done<\/td><td>Retry service<\/td><td>[A-Z]/);
    expect(page).toMatch(/Action scheduled<\/td><td>Stripe’s signal<\/td>/);
    expect(page).toContain('<td>operator, console</td><td>&lt;b>why&lt;/b></td>');
    expect(page.match(/<tr>/g)).toHaveLength(51);
    const before = /href="\.\/audit\?before=(\d+)"/.exec(page)?.[1] ?? '';
    expect((await read(`/console/audit?before=${before}`)).match(/<tr>/g)).toHaveLength(6);
  });
});
