/** `list`, and `status` of a subscription or a customer: what the filters find, and how it is written. */
import { stripVTControlCharacters } from 'node:util';
import { DateTime } from 'luxon';
import { createSimulatedClock } from '../../../../src/core/base/clock.ts';
import { list } from '../../../../src/plugin/app/commands/list-command.ts';
import { status } from '../../../../src/plugin/app/commands/status-command.ts';
import type { CommandContext, StoreCommandRow } from '../../../../src/plugin/app/commands/store-command.ts';
import {
  failingInvoicesQuery,
  listFailingInvoices,
} from '../../../../src/plugin/operator/lists/failing-invoices.ts';
import {
  describeFailingInvoices,
  toCsvCell,
} from '../../../../src/plugin/operator/lists/failing-invoices-table.ts';
import { insertAction } from '../../../../src/plugin/store/tables/retry/actions.ts';
import { closeScheduledActions } from '../../../../src/plugin/store/tables/retry/planned-actions.ts';
import { MAIN, openTestDatabase, type TestDatabase } from '../../../support/database/databases.ts';
import { operationsOn } from '../../../support/operate.ts';
import { insertFailedInvoice } from '../console/failure-rows.ts';

const NOW = DateTime.fromISO('2026-03-10T10:00:00Z', { zone: 'utc' });
const EVIL = '=HYPERLINK("http://evil";"x")\u001b[2J';
const clock = createSimulatedClock(NOW);

let opened: TestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase(MAIN);
  const { database } = opened;
  const at = (days: number) => NOW.minus({ days });
  await insertFailedInvoice(database, { id: 'in_1', at: at(1), amount: 2000 });
  await insertFailedInvoice(database, {
    id: 'in_10',
    at: at(10),
    amount: 500,
    currency: 'eur',
    reason: 'expired_card',
    name: EVIL,
    email: 'Bob+news@example.com',
  });
  await insertFailedInvoice(database, {
    id: 'in_2',
    at: at(3),
    amount: 9000,
    name: 'Ada Example',
    email: 'byron@com.example',
    paidAt: at(2),
  });
  await insertAction(database, {
    id: 'a0000000-0000-4000-8000-000000000001',
    account: 'own',
    invoiceId: 'in_1',
    cause: 'operator',
    reference: 'test',
    customerId: 'cus_in_1',
    subscriptionId: undefined,
    requestId: undefined,
    paymentMethod: undefined,
    kind: 'pay',
    dueAt: NOW.plus({ days: 1 }),
    createdAt: NOW,
  });
});
afterAll(() => opened.close());

async function run(command: StoreCommandRow, args: readonly string[], options: object, columns?: number) {
  const said: string[] = [];
  const none = () => Promise.reject(new Error('not asked for'));
  const context: CommandContext = {
    user: 'ada',
    output: {
      write: (text) => said.push(text),
      ...(columns ? { isTTY: true, columns, hasColors: true } : {}),
    },
    interrupted: () => new Promise(() => {}),
    withStore: (work) => work(operationsOn({ database: opened.database, clock })),
    withListings: none,
    withPlugin: none,
  };
  const code = await command.run(context, args, options);
  return { code, said: said.join('') };
}

const read = async (options: object): Promise<{ invoices: { invoice: string }[]; next: string }> =>
  JSON.parse((await run(list, [], { ...options, json: true })).said);
const found = async (options: object) => (await read(options)).invoices.map(({ invoice }) => invoice);

test.each<[string, object, string[]]>([
  ['no filter', {}, ['in_1', 'in_2', 'in_10']],
  ['a customer', { customer: 'cus_in_1' }, ['in_1']],
  ['a subscription, and not those whose id goes on', { subscription: 'sub_in_1' }, ['in_1']],
  ['the beginning of a subscription', { subscription: 'sub_in' }, []],
  ['an address in another spelling', { email: 'ADA@example.com' }, ['in_1']],
  ['the beginning of an address', { email: 'bob+' }, ['in_10']],
  ['an address, and not a name with its words', { email: 'ada' }, ['in_1']],
  ['words of name and id', { search: 'ada in_2' }, ['in_2']],
  ['what is planned', { state: 'open' }, ['in_1']],
  ['who has to act', { state: 'waiting' }, ['in_10']],
  ['what was recovered', { state: 'recovered' }, ['in_2']],
  ['what was lost', { state: 'lost' }, []],
  ['a reason', { reason: 'expired_card' }, ['in_10']],
  ['a currency in capitals', { currency: 'EUR' }, ['in_10']],
  ['an amount', { minAmount: '2000' }, ['in_1', 'in_2']],
  ['at least so old', { minDays: '4' }, ['in_10']],
  ['at most so old', { maxDays: '3' }, ['in_1', 'in_2']],
  ['the largest first', { sort: 'amount' }, ['in_2', 'in_1', 'in_10']],
  ['what is due first', { sort: 'next' }, ['in_1']],
  ['two filters', { state: 'waiting', currency: 'usd' }, []],
])('list with %s finds exactly those', async (_what, options, expected) => {
  expect(await found(options)).toEqual(expected);
});

test('status as JSON has the figures of the overview by currency, as numbers', async () => {
  const { money } = JSON.parse((await run(status, [], { json: true })).said);
  const none = { invoices: 0, amount: 0, disputes: 0, disputed: 0 };
  const some = (invoices: number, amount: number) => ({ ...none, invoices, amount });
  const methods = { retry: none, new_card: none, confirmation: none, without_us: none };
  expect(money).toEqual({
    month: '2026-03',
    rows: [
      {
        currency: 'usd',
        currencies: ['usd'],
        failed: some(2, 11000),
        recovered: some(1, 9000),
        inRecovery: some(1, 2000),
        lost: none,
        paid: some(1, 9000),
        methods: { ...methods, without_us: some(1, 9000) },
        unpaid: some(1, 2000),
        needsAttention: none,
      },
      {
        currency: 'eur',
        currencies: ['eur'],
        failed: none,
        recovered: none,
        inRecovery: none,
        lost: none,
        paid: none,
        methods,
        unpaid: some(1, 500),
        needsAttention: none,
      },
    ],
  });
  const { said } = await run(status, [], {});
  expect(said).toMatch(/Recovered, March 2026 +\$90\.00 +1 of 2 failed invoices, \$110\.00/);
  expect(said).toMatch(/In recovery +€5\.00 +1 invoice/);
});

test('the pages of a list together are the list', async () => {
  const { invoices, next } = await read({ limit: '2' });
  expect(invoices).toHaveLength(2);
  expect((await run(list, [], { limit: '2' })).said).toContain(`--after ${next}`);
  expect((await run(list, [], { limit: '2', after: next })).said).toMatch(
    /\nWaiting for retry service .* in_10 /,
  );
});

test('an invoice is one line for the terminal that no name can break, with what comes next', async () => {
  const { code, said } = await run(list, [], {});
  expect(code).toBe(0);
  expect(said.trim().split('\n')).toHaveLength(5);
  expect(said).toMatch(/\nTotal: 2 invoices, \$110\.00, 1 invoice, €5\.00\n$/);
  expect(said).not.toContain('\u001b');
  expect(said).toMatch(/^State +Amount +Failed +Tried +Invoice +Customer +Reason\n/);
  expect(said).toMatch(
    /\nRetry tomorrow +\$20\.00 {2}2026-03-09 {6}1 {2}in_1 +Ada Lovelace, ada@example\.com +insufficient funds\n/,
  );
  expect((await run(list, [], { customer: 'cus_none' })).said).toBe('No failed invoice found.\n');
});

test('a list as CSV has every invoice, however many fit on a page, and no formula', async () => {
  const [head, ...rows] = (await run(list, [], { csv: true })).said.split('\r\n');
  expect(head).toMatch(/^account,invoice,number,customer,name,email,/);
  expect(rows).toHaveLength(4);
  expect(rows[2]).toContain(`,"'=HYPERLINK(""http://evil"";""x"")`);
  expect((await run(list, [], { csv: true, limit: '1' })).said.split('\r\n')).toHaveLength(3);
});

test.each<[string | number | null, string]>([
  ['=1+1', "'=1+1"],
  ['+49', "'+49"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  [' =1', "' =1"],
  ['\uff1d1', "'\uff1d1"],
  ['\t=1', '"\'\t=1"'],
  ['a;=1', '"a;=1"'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['plain', 'plain'],
  [-5, '-5'],
  [null, ''],
])('%j is written into CSV as %s', (value, cell) => {
  expect(toCsvCell(value)).toBe(cell);
});

test.each<[object, RegExp]>([
  [{ minDays: 'soon' }, /--min-days/],
  [{ state: 'late' }, /--state/],
  [{ currency: 'euro' }, /--currency: a currency/],
  [{ limit: '501' }, /--limit/],
  [{ json: true, csv: true }, /--csv: not together with --json/],
])('list refuses %j and names the option', async (options, message) => {
  await expect(run(list, [], options)).rejects.toThrow(message);
});

test('list refuses the token of another list', async () => {
  const { next } = await read({ limit: '1' });
  await expect(run(list, [], { sort: 'amount', after: next })).rejects.toThrow(/after: not the `next`/);
  await expect(run(list, [], { after: 'x' })).rejects.toThrow(/after: not the `next`/);
});

test('status of a subscription and of a customer has their failing invoices alone', async () => {
  const { code, said } = await run(status, ['sub_in_1'], {});
  expect(code).toBe(0);
  expect(said).toMatch(/^sub_in_1\n {2}State .*\n {2}Retry tomorrow .* in_1 /);
  expect(said).not.toContain('in_10');
  const ofCustomer = await run(status, ['cus_in_10'], { json: true });
  expect(JSON.parse(ofCustomer.said)).toMatchObject({
    id: 'cus_in_10',
    subscription: null,
    invoices: [{ invoice: 'in_10', customer: { name: EVIL } }],
  });
  expect(await run(status, ['cus_none'], {})).toEqual({
    code: 1,
    said: 'nothing is known about cus_none\n',
  });
});

test('a list shows at once what has just changed', async () => {
  const planned = { account: 'own', invoiceIds: ['in_1'] };
  await closeScheduledActions(opened.database, planned, { code: 'stopped' }, NOW);
  expect(await found({ state: 'waiting' })).toEqual(['in_1', 'in_10']);
});

test.each([
  ['list', () => run(list, [], {}, 80)],
  ['status', () => run(status, [], {}, 80)],
  ['status of a customer', () => run(status, ['cus_in_10'], {}, 80)],
])('%s fits eighty columns', async (_name, said) => {
  const lines = stripVTControlCharacters((await said()).said).split('\n');
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test('an invoice takes two lines where one does not fit the terminal, and one in a file', async () => {
  const { invoices } = await listFailingInvoices(opened.database, NOW, failingInvoicesQuery.parse({}));
  const long = invoices.map((invoice) => ({
    ...invoice,
    invoice: 'in_1QabcdefghijklmnopqrstuvW',
    reason: 'insufficient_funds',
    customer: { ...invoice.customer, name: 'The Worshipful Company of Tea Merchants and Potters' },
  }));
  const folded = describeFailingInvoices(long, { now: NOW, columns: 80 });
  expect(folded).toHaveLength(2 * (long.length + 1));
  expect(folded.filter((line) => line.length > 78)).toEqual([]);
  expect(folded[3]).toMatch(/^ {4}in_1QabcdefghijklmnopqrstuvW {2}\S/);
  expect(folded[2]).toMatch(/The Worshipful Company.*…$/);
  expect(describeFailingInvoices(long, { now: NOW })).toHaveLength(long.length + 1);
});
