/** What needs a person, by cause: the same on the page, from the API and from the command. */

import { list } from '../../../../src/plugin/app/commands/list-command.ts';
import type { CommandContext } from '../../../../src/plugin/app/commands/store-command.ts';
import { needsAttentionAnswer } from '../../../../src/plugin/operator/lists/needs-attention.ts';
import { holdInvoice } from '../../../../src/plugin/store/tables/retry/holds.ts';
import { operationsOn } from '../../../support/operate.ts';
import { type ConsoleHarness, NOW, startConsole, tokenIn } from '../console/console-harness.ts';
import { insertFailedInvoice, insertSentEmail } from '../console/failure-rows.ts';

const TOKEN = 'an-operator-token-for-tests';

let harness: ConsoleHarness;
beforeAll(async () => {
  harness = await startConsole({ settings: { operatorToken: TOKEN } });
});
beforeEach(() => harness.clear());
afterAll(() => harness?.stop());

async function fill(): Promise<void> {
  const { database } = harness;
  const at = NOW.minus({ days: 3 });
  for (const id of ['in_1', 'in_2', 'in_3'])
    await insertFailedInvoice(database, { id, at, reason: 'highest_risk_level' });
  await insertFailedInvoice(database, { id: 'in_4', at, amount: 1000, currency: 'eur', reason: 'rule' });
  await insertFailedInvoice(database, { id: 'in_5', at, name: '<b>Bo</b>' });
  await holdInvoice(database, { account: 'own', invoiceId: 'in_5', reason: 'called', at: NOW });
  await insertFailedInvoice(database, { id: 'in_calm', at });
  await database.query(
    `update payment_retry.invoices set message = '{"id": "in_calm", "amount": 2000, "currency": "USD"}', refused_version = version,
       refused_answer = 'amount: too large' where id = 'in_calm'`,
  );
}

async function ask(path: string) {
  const answer = await harness.visit(`/api/v1/${path}`, { authorization: `Bearer ${TOKEN}` });
  return answer.json();
}

async function run(options: object): Promise<string> {
  const said: string[] = [];
  const none = () => Promise.reject(new Error('not asked for'));
  const context: CommandContext = {
    user: 'ada',
    withListings: none,
    withPlugin: none,
    interrupted: () => new Promise(() => {}),
    output: { write: (text) => said.push(text) },
    withStore: (work) => work(operationsOn(harness)),
  };
  await list.run(context, [], options);
  return said.join('');
}

test('the API says of each cause how many, how much, and what helps', async () => {
  await fill();
  const { causes } = needsAttentionAnswer.parse(await ask('needs_attention?limit=2'));
  expect(causes.map(({ code, count, action }) => [code, count, action])).toEqual([
    ['blocked', 4, 'Review in Stripe'],
    ['refused', 1, 'replay'],
  ]);
  const [blocked, refused] = causes;
  expect(blocked?.money).toEqual([
    { currency: 'usd', amount: 6000 },
    { currency: 'eur', amount: 1000 },
  ]);
  expect(blocked?.invoices.map(({ need, standing }) => [need, standing])).toEqual([
    ['blocked', 'needs_attention'],
    ['blocked', 'needs_attention'],
  ]);
  expect(refused).toMatchObject({
    money: [{ currency: 'usd', amount: 2000 }],
    records: [{ kind: 'invoices', id: 'in_calm', answer: 'amount: too large' }],
  });
  const { invoices } = await ask('failing_invoices?need=blocked&currency=eur');
  expect(invoices).toMatchObject([{ invoice: 'in_4' }]);
});

test('`list --needs-attention` says the same, with the command that helps', async () => {
  await fill();
  const text = await run({ needsAttention: true, limit: '3' });
  expect(text).toContain('Blocked by Stripe Radar: 4, $60.00 + €10.00\n');
  expect(text).toContain('(Review: in Stripe)');
  expect(text).toContain('  … and 1 more: list --need blocked\n');
  expect(text).not.toContain('in_5');
  expect(text).toContain('  invoices in_calm: amount: too large');
  expect(JSON.parse(await run({ needsAttention: true, json: true }))).toEqual(await ask('needs_attention'));
  expect(await run({ need: 'blocked', currency: 'eur' })).toMatch(/\nNeeds attention {2}€10\.00 .* in_4 /);
  await expect(run({ needsAttention: true, csv: true })).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
});

test('who was emailed hours ago is not to be asked again: the API and the command say so until three days are over', async () => {
  const { database } = harness;
  await insertFailedInvoice(database, {
    id: 'in_asked',
    at: NOW.minus({ days: 20 }),
    reason: 'expired_card',
  });
  for (const hours of [240, 120, 7]) await insertSentEmail(database, 'in_asked', NOW.minus({ hours }));
  const until = NOW.minus({ hours: 7 }).plus({ days: 3 });
  const { causes } = needsAttentionAnswer.parse(await ask('needs_attention'));
  expect(causes).toMatchObject([
    { code: 'unanswered', invoices: [{ invoice: 'in_asked', waitUntil: until.toISO() }] },
  ]);
  expect(await run({ needsAttention: true })).toMatch(/in_asked .*emailed: wait for an answer\n/);
  await harness.clock.set(until);
  expect(await run({ needsAttention: true })).not.toContain('wait for an answer');
  expect(await ask('failing_invoices')).toMatchObject({
    invoices: [{ invoice: 'in_asked', waitUntil: null }],
  });
});

test('nothing that waits is said in words', async () => {
  await insertFailedInvoice(harness.database, { id: 'in_calm', at: NOW });
  expect(await run({ needsAttention: true })).toContain('No invoices need attention.');
  expect(await harness.read('/console/needs')).toContain('No invoices need attention.');
});

test('the page has the action beside each invoice, and it does what it says', async () => {
  await fill();
  const page = await harness.read('/console/needs');
  expect(page).toContain('Blocked by Stripe Radar: 4');
  expect(page).toContain('https://dashboard.stripe.com/test/invoices/in_4');
  // A person has stopped it, and so decided.
  expect(page).not.toContain('in_5');
  const session = await harness.signIn();
  const token = tokenIn(await (await harness.visit('/console/needs', session)).text());
  const fields = { token, back: 'needs', invoice: 'in_5', account: 'own', reason: 'she paid me a visit' };
  const headers = { ...session, 'sec-fetch-site': 'same-origin' };
  const answer = await harness.submit('/console/operations/release', fields, headers);
  expect(await answer.text()).toContain('<h2>Done</h2>');
  expect(await harness.read('/console/invoices?state=stopped')).not.toContain('in_5');
});

test('one reason does for several rows, and each is answered by itself', async () => {
  await fill();
  const session = await harness.signIn();
  const page = await (await harness.visit('/console/needs', session)).text();
  expect(page.match(/form="several-blocked"/g)).toHaveLength(4);
  const send = (name: string, rows: readonly string[], token = tokenIn(page)) =>
    fetch(`${harness.url}/console/operations/${name}/several`, {
      method: 'POST',
      headers: { ...session, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams([
        ...Object.entries({ token, back: 'needs', reason: 'asked by letter' }),
        ...rows.map((row) => ['rows', row]),
      ]),
    });
  const audited = () =>
    harness.database.query<{ invoiceId: string }>(
      `select invoice_id from payment_retry.audit where kind = 'operator.stopped' and detail->>'note' = 'asked by letter' order by id`,
    );
  const answer = await send('stop', ['own in_1', 'own in_2', 'own in_5', 'own in_none']);
  const text = await answer.text();
  expect(text).toContain('<h2>Done: 2 of 4</h2>');
  expect((await audited()).map(({ invoiceId }) => invoiceId)).toEqual(['in_1', 'in_2']);
  // All of them above; what a person has stopped waits no more.
  expect(text).not.toContain('<small>Done');
  expect(text).toMatch(/Done: The \S+ invoice of/);
  expect(text).toContain('Nothing changed: ');
  expect(text).toContain('Not found: ');
  const alone = await (await send('release', ['own in_1'])).text();
  expect(alone).toContain('<h2>Done: 1 of 1</h2>');
  const none = await send('stop', []);
  expect([none.status, await none.text()]).toEqual([400, expect.stringContaining('no row was chosen')]);
  expect((await send('stop', ['own in_3'], 'forged')).status).toBe(403);
  expect((await send('forget', ['own in_3'])).status).toBe(404);
  expect(await audited()).toHaveLength(2);
});

test('the list of invoices shows one cause, and its chips say it', async () => {
  await fill();
  const page = await harness.read('/console/invoices?need=blocked');
  expect([...page.matchAll(/href="\.\/invoices\/(in_\w+)"/g)].map(([, id]) => id)).toEqual([
    'in_1',
    'in_2',
    'in_3',
    'in_4',
  ]);
  expect(page).toContain('<span class="chip warn">Needs attention</span>');
  expect(await harness.read('/console/invoices?state=stopped')).toContain(
    '<span class="chip soft">Stopped</span>',
  );
});
