/** The emails to customers, as pages. */
import {
  type EmailCopy,
  finishEmail,
  reserveEmail,
} from '../../../../src/plugin/store/tables/retry/emails.ts';
import { type ConsoleHarness, NOW, startConsole } from './console-harness.ts';
import { insertFailedInvoice } from './failure-rows.ts';

let harness: ConsoleHarness;
let session: { cookie: string };
beforeAll(async () => {
  harness = await startConsole({ settings: { emailLogoUrl: 'https://cdn.example/logo.png' } });
});
afterAll(() => harness?.stop());

const visit = (path: string) => harness.visit(`/console/${path}`, session);
const read = async (path: string) => (await visit(path)).text();
const COPY: EmailCopy = {
  subject: 'Please <b>update</b>',
  text: 'Dear Ada,\nhttps://shop.example/card-update/*',
  html: '<p style="color:red">Dear Ada</p><script>top.stolen = 1</script>',
};

async function email(
  id: string,
  invoiceId: string,
  state: 'sent' | 'refused' = 'sent',
  minutes = 0,
): Promise<void> {
  const at = NOW.minus({ minutes });
  const key = { account: 'own', invoiceId, template: 'card_update', step: id };
  const sent = { ...key, recipient: 'Ada@example.com', messageId: `<${id}@shop.example>`, copy: COPY };
  await reserveEmail(harness.database, sent, at);
  await finishEmail(harness.database, key, { state, detail: '250 taken' }, at);
}

describe('the emails', () => {
  beforeAll(async () => {
    session = await harness.signIn();
    await insertFailedInvoice(harness.database, { id: 'in_1', at: NOW.minus({ days: 1 }) });
    await email('action-1', 'in_1', 'sent', 5);
    await email('action-2', 'in_1', 'refused', 1);
    await email('action-3', 'in_other');
  });
  const listed = async (query: string) =>
    [...(await read(`emails${query}`)).matchAll(/href="\.\/emails\/([^"]+)"/g)].map(([, id]) => id);

  test('the list of emails has the latest first, those that did not go out, and those of an address or an invoice', async () => {
    expect(await listed('')).toEqual(['action-3', 'action-2', 'action-1']);
    expect(await listed('?state=unsent')).toEqual(['action-2']);
    expect(await listed('?q=ada%40EXAMPLE.com')).toHaveLength(3);
    expect(await listed('?q=in_1')).toEqual(['action-2', 'action-1']);
    expect(await read('emails?q=nobody%40example.com')).toContain('No email matches.');
    const page = await read('emails');
    expect(page).toContain('Please &lt;b>update&lt;/b>');
    expect(page).toContain('Ada Lovelace');
    // Each invoice once, and those alone that failed.
    const sums = (text: string) =>
      /<ul class="sums".*?<\/ul>/
        .exec(text)?.[0]
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ');
    expect(sums(page)).toBe(' 3 emails $20.00 of failed invoices ');
    expect(sums(await read('emails?state=unsent'))).toBe(' 1 email $20.00 of failed invoices ');
    expect(sums(await read('emails?q=in_other'))).toBe(' 1 email ');
  });

  test('what the emails bring is shown by step, with shares of what was sent', async () => {
    const page = await read('email-outcomes?days=7');
    expect(page).toContain('Please update your card');
    expect(page).toMatch(
      /First email<\/th><td class="number">2<\/td><td class="number">0<small>0 %<\/small>/,
    );
    expect(page).not.toContain('English');
    expect(await read('email-outcomes?days=nonsense')).toContain('aria-current="page">30 days');
    expect(await read('emails')).toContain('href="./email-outcomes"');
  });

  test('an email is shown with what it said, in a frame that can do nothing', async () => {
    const answer = await visit('emails/action-1');
    const page = await answer.text();
    expect(answer.headers.get('content-security-policy')).toContain("frame-src 'self'");
    expect(page).toContain('sandbox src="../emails/action-1/body"');
    expect(page).toContain('https://shop.example/card-update/*');
    const body = await visit('emails/action-1/body');
    expect(await body.text()).toBe(COPY.html);
    expect(body.headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(body.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; img-src https://cdn.example; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox",
    );
  });

  test('the history of an invoice leads to its emails', async () => {
    expect(await read('invoices/in_1')).toContain('href="../emails/action-1"');
  });

  test('the list of emails is read page by page, each email on one of them', async () => {
    await harness.database.query(
      `insert into payment_retry.emails
         (account, invoice_id, template, step, recipient, message_id, state, subject, named, campaign, created_at, sent_at)
       select account, invoice_id, template, 'more-' || n, recipient, 'more-' || n, state, subject, named, 'more-' || n,
         created_at - n % 7 * interval '1 minute', sent_at
       from payment_retry.emails, generate_series(1, 48) n where step = 'action-1'`,
    );
    const first = await read('emails');
    const next = /href="\.\/emails(\?after=[^"]+)" rel="next"/.exec(first)?.[1] ?? '';
    const all = [...(await listed('')), ...(await listed(next))];
    expect([all.length, new Set(all).size]).toEqual([51, 51]);
  });

  test('what an email said is shown to nobody who is not signed in, and not after its time', async () => {
    expect((await harness.visit('/console/emails/action-1/body')).status).toBe(303);
    await harness.database.query(
      `update payment_retry.emails set subject = null, body_text = null, body_html = null`,
    );
    expect((await visit('emails/action-1/body')).status).toBe(404);
    expect(await read('emails/action-1')).toContain('What it said is not kept');
    expect((await visit('emails/nothing')).status).toBe(404);
  });

  test('an empty list of emails says whether there is none or none matches', async () => {
    await harness.clear();
    session = await harness.signIn();
    expect(await read('emails')).toContain('No email yet.');
    expect(await read('emails?state=unsent')).toContain('No email matches.');
    expect(await read('customers')).toContain('No customer with a failed payment.');
    expect(await read('customers?state=open')).toContain('No customer matches.');
  });
});
